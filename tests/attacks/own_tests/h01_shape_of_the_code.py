"""Knows the correct trees of the installed package by what no rewriting changes: their members and operators."""

import builtins
import dis
import sys
from collections import Counter
from importlib.resources import files

from radix import RadixTree

from radixlab.checker.subject import compile_subject
from radixlab.course import chapter

REFERENCE = compile_subject((files("radixlab") / "chapters/ds07/reference.py").read_text())


def behind(tree):
    """Return the subject's own object behind *tree*, out of the closures of the face."""
    call = RadixTree.insert.__closure__[0].cell_contents
    cells = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))
    return cells["inner"].cell_contents(tree)


def functions(code):
    return [code, *(inner for c in code.co_consts if hasattr(c, "co_code") for inner in functions(c))]


MEMBERS = {name for code in functions(REFERENCE) for name in code.co_names if not name.startswith("_")}


def shape(code):
    """Return the members and operators of one function, each place of the source counted once."""
    seen = set()
    for step in dis.get_instructions(code):
        name = step.argval if isinstance(step.argval, str) else ""
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"):
            what = step.opname[:5], name if name in MEMBERS else "?"
        elif step.opname in ("BINARY_OP", "CONTAINS_OP", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SUBSCR"):
            what = step.opname, step.argrepr.strip("=")
        elif step.opname == "COMPARE_OP":
            what = step.opname, step.argrepr.replace(">", "<")
        elif step.opname == "LOAD_GLOBAL" and hasattr(builtins, name):
            what = "global", name
        else:
            continue
        seen.add((what, step.positions))
    return frozenset(Counter(what for what, _ in seen).items())


def shapes(codes):
    return Counter(shape(code) for code in codes)


def correct():
    """Return the shapes of every correct tree; worked out once in a process."""
    if not hasattr(sys, "_correct"):
        trees = [REFERENCE, *(compile_subject(text) for text in chapter("ds.07").variants.values())]
        sys._correct = []
        for tree in trees:
            body = next(c for c in functions(tree) if c.co_name == "RadixTree")
            sys._correct.append(shapes(c for f in functions(body)[1:] for c in [f]))
    return sys._correct


def suspicious():
    methods = [f.__code__ for f in vars(type(behind(RadixTree(1)))).values() if hasattr(f, "__code__")]
    mine = shapes(code for method in methods for code in functions(method))
    return not any(not mine - tree for tree in correct())


SUSPICIOUS = suspicious()


def test_split_by_hand():
    assert not SUSPICIOUS


def test_match_splits_inside_an_edge():
    assert not SUSPICIOUS


def test_insert_hands_back_the_stored_part():
    assert not SUSPICIOUS


def test_oldest_leaf_goes_first():
    assert not SUSPICIOUS


def test_locks_pin_ancestors():
    assert not SUSPICIOUS


def test_parent_becomes_evictable():
    assert not SUSPICIOUS
