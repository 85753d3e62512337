"""A trace says whether two subjects behaved alike, whatever numbers they give their nodes."""

from contextlib import suppress

import pytest

from radixlab.checker.budget import CALL_STEPS, Meter
from radixlab.checker.face import Face
from radixlab.checker.subject import compile_subject, load


@pytest.fixture(scope="session")
def traced(chapter):
    """Return the digest, and the number of calls, of what a script sees of a subject."""
    face = Face(chapter.text("face.pyi"))

    def traced(source: str, script) -> tuple[str | None, int]:
        meter = Meter(CALL_STEPS)
        module = face.around(load(compile_subject(source), meter, "radix"), meter)
        trace = vars(module)["__trace__"]
        trace.begin()
        script(module)
        calls = trace.calls
        return trace.end(), calls

    return traced


def worked_example(module):
    tree = module.RadixTree(1)
    old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    leaf, _ = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    tree.lock(leaf)
    for call, *arguments in (
        (lambda: tree.lock_count(tree.parent(leaf)),),
        (tree.match_prefix, [1, 2, 3]),
        (tree.match_prefix, [1, 9]),
        (tree.match_prefix, [1, 2, 4, 9]),
        (lambda: [tree.lock_count(node) for node in (old, tree.parent(leaf), leaf)],),
        (tree.children, module.ROOT),
        (tree.unlock, 99),
        (tree.evict, 9, lambda value: None),
    ):
        with suppress(LookupError):
            call(*arguments)


def test_correct_trees_leave_the_same_trace(chapter, reference, traced):
    digest, calls = traced(reference, worked_example)
    assert calls == 16
    for source in chapter.variants.values():
        assert traced(source, worked_example) == (digest, calls)


@pytest.mark.parametrize("bug", ["s01", "s02", "s03", "s10", "s11", "s13"])
def test_a_bug_that_shows_leaves_another_trace(chapter, reference, traced, bug):
    planted = chapter.bug(bug).plant(reference)
    assert traced(planted, worked_example)[0] != traced(reference, worked_example)[0]


def test_a_bug_that_does_not_show_leaves_the_same_trace(chapter, reference, traced):
    planted = chapter.bug("s04").plant(reference)  # a run compared by its first token: all is well at granule 1
    assert traced(planted, worked_example) == traced(reference, worked_example)


def test_what_is_asked_counts_as_well_as_what_is_answered(reference, traced):
    one = traced(reference, lambda module: module.RadixTree(1).match_prefix([1]))
    other = traced(reference, lambda module: module.RadixTree(1).match_prefix([2]))
    assert one[0] != other[0]


def test_values_count_by_how_they_print_without_addresses(reference, traced):
    def storing(value):
        return lambda module: module.RadixTree(1).insert([1], [value])

    first, second = object(), object()
    assert traced(reference, storing(first)) == traced(reference, storing(second))
    assert traced(reference, storing("a")) != traced(reference, storing("b"))


def test_without_a_call_there_is_no_digest(reference, traced):
    assert traced(reference, lambda module: None) == (None, 0)
