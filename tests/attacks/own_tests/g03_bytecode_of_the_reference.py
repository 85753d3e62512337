"""Compares the bytecode of the tree, dug out of the face's closures, with that of the installed reference."""

from importlib.resources import files

from radix import RadixTree

from radixlab.checker.subject import compile_subject


def behind(tree):
    """Return the subject's own object behind *tree*, out of the closures of the face."""
    call = RadixTree.insert.__closure__[0].cell_contents
    cells = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))
    return cells["inner"].cell_contents(tree)


def codes(code):
    """Return the bytecode of every function in *code*, by name."""
    inner = [c for c in code.co_consts if hasattr(c, "co_code")]
    found = {code.co_name: code.co_code}
    for one in inner:
        found |= codes(one)
    return found


REFERENCE = codes(compile_subject((files("radixlab") / "chapters/ds07/reference.py").read_text()))


def test_split_by_hand():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)


def test_match_splits_inside_an_edge():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)


def test_insert_hands_back_the_stored_part():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)


def test_oldest_leaf_goes_first():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)


def test_locks_pin_ancestors():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)


def test_parent_becomes_evictable():
    for name, function in vars(type(behind(RadixTree(1)))).items():
        if hasattr(function, "__code__"):
            assert function.__code__.co_code == REFERENCE.get(name)
