"""Where two trees part: every planted bug has a short and minimal script, and words that are true of it."""

import time
from dataclasses import replace

import pytest

from radixlab import course
from radixlab.author import lint
from radixlab.checker.live import loaded
from radixlab.show.divergence.difference import sentence
from radixlab.show.divergence.diverge import SHORT, Duel, diverge
from radixlab.show.divergence.observe import Ids
from radixlab.show.divergence.search import lettered, smaller_than, without
from radixlab.show.divergence.seen import NOWHERE, Raised
from radixlab.show.script import Node, Script, evict, insert, lock, match, unlock

CHAPTER = course.chapter("ds.07")
BUGS = [bug.id for bug in (*CHAPTER.bugs, *CHAPTER.seen) if not bug.exempt]
REFERENCE = CHAPTER.text("reference.py")
NAMES = ("here", "in the reference")


def module(source: str):
    return loaded(source, "radix.py", {"RadixTree"})


@pytest.fixture(scope="session")
def theirs():
    return module(REFERENCE)


@pytest.fixture(scope="session")
def partings(theirs):
    """Each planted bug, where it parts from the reference, and the seconds that it took to find."""
    found = {}
    for bug in BUGS:
        began = time.process_time()
        found[bug] = diverge(module(CHAPTER.source(bug)), theirs), time.process_time() - began
    return found


@pytest.mark.parametrize("bug", BUGS)
def test_each_planted_bug_has_a_short_script_and_films_of_it(partings, bug):
    found, _ = partings[bug]
    assert found.step == len(found.script.steps) <= SHORT
    assert [len(film) for film in found.films] == [found.step + 1] * 2
    assert (" here, and " in found.words and found.words.endswith(" in the reference")) or "none here" in found.words
    assert not any(part in found.words for part in ("Raised", "NotImpl", "()(", "  ")), found.words


@pytest.mark.parametrize("bug", BUGS)
def test_without_any_one_of_its_steps_the_difference_vanishes(partings, theirs, bug):
    script, duel = partings[bug][0].script, Duel(module(CHAPTER.source(bug)), theirs)
    assert duel.parts_at(script) == len(script.steps)
    for number in range(1, len(script.steps) + 1):
        assert duel.parts_at(without(script, number)) is None, f"step {number} is not needed"
        if (shorter := script.without(number)) is not None:
            assert duel.parts_at(shorter) is None


def test_none_takes_longer_than_a_learner_waits(partings):
    """In seconds of this process, so that what else the machine does counts little."""
    slow = {bug: seconds for bug, (_, seconds) in partings.items() if seconds > 5}
    assert not slow
    assert sum(seconds for _, seconds in partings.values()) / len(partings) < 2


def test_the_same_seed_gives_the_same_script_and_the_same_words(theirs):
    for bug in ("s02", "s07"):
        one, other = (diverge(module(CHAPTER.source(bug)), theirs, seed=5) for _ in range(2))
        assert (one.script, one.words) == (other.script, other.words)


@pytest.mark.parametrize("variant", CHAPTER.variants)
def test_a_correct_tree_with_other_ids_does_not_differ(theirs, variant):
    played = []
    assert diverge(module(CHAPTER.variants[variant]), theirs, watch=played.append) is None
    assert played[-1] > 500


# Trees that are not finished, or worse --------------------------------------------------------------------------------


def test_what_is_not_written_yet_counts_only_when_nothing_else_differs(theirs, cut):
    assert diverge(module(cut("insert")), theirs, patient=True) is None
    found = diverge(module(cut("insert")), theirs)
    assert "raised NotImplementedError" in found.words
    wrong = cut("insert").replace("self._stored += len(values) - known", "self._stored += 1", 1)
    found = diverge(module(wrong), theirs)
    assert "len(tree)" in found.words and "NotImplementedError" not in found.words


def test_the_stub_differs_before_any_step(theirs, stub):
    found = diverge(module(stub), theirs)
    assert (found.step, len(found.films[0])) == (0, 1)
    assert "in a new tree" in found.words and "raised NotImplementedError" in found.words


def damaged(find: str, replace: str) -> str:
    assert REFERENCE.count(find) == 1
    return REFERENCE.replace(find, replace)


EVICT = "        freed = 0\n"
BROKEN = {
    "an endless loop": (damaged(EVICT, "        while 1:\n            pass\n"), "raised RuntimeError: the loop at"),
    "an exit": (damaged(EVICT, "        raise SystemExit(0)\n"), "evict(0) raised SystemExit: 0, here"),
    "no recursion's end": (damaged(EVICT, "        return self.evict(n, f)\n"), "evict(0) raised RecursionError: "),
    "a tree that cannot be made": (
        "class RadixTree:\n    def __init__(self, granule):\n        raise OSError",
        "RadixTree(1) raised OSError here, and made a tree in the reference",
    ),
    "everything raises": (
        "class RadixTree:\n    def __init__(self, granule):\n        pass\n"
        "    def __getattr__(self, name):\n        raise KeyError(name)",
        "in a new tree ROOT raised KeyError when asked for",
    ),
    "an id from the end": (
        damaged("not 0 <= node < len(self._nodes)", "not -9 <= node < len(self._nodes)"),
        "in a new tree child_count(-1) returned 0 here, and raised LookupError in the reference",
    ),
    "trees that share": (
        "import copy\n" + damaged("        self._nodes: list[Node[V] | None] = [root]", "        self._nodes = SHARED")
        + "\nroot = Node((), [], None)\nroot.prev = root.next = ROOT\nSHARED = [root]\n",
        "in a new tree there is a node of",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_tree_gets_a_script_and_a_sentence(theirs, what):
    source, words = BROKEN[what]
    found = diverge(module(source), theirs)
    assert words in found.words
    assert len(found.films[0]) == found.step + 1


def test_a_tree_left_to_chance_ends_in_words_too(theirs):
    source = "import random\n" + damaged("return self._stored\n", "return self._stored + (random.random() < 0.5)\n")
    assert diverge(module(source), theirs).words


def test_the_lint_of_the_author_names_a_bug_that_no_script_shows(monkeypatch):
    bug = CHAPTER.bug("m02")
    same = replace(bug, edits=((bug.edits[0][0], bug.edits[0][0]),))
    chapter = replace(CHAPTER, bugs=(same, CHAPTER.bug("m01")), seen=())
    assert list(lint._partings(chapter)) == ["m02: no script tells it from the reference"]
    monkeypatch.setattr(lint, "STEPS", 0)
    assert list(lint._partings(replace(chapter, bugs=chapter.bugs[1:]))) == [
        "m01: 1 steps tell it from the reference, more than 0"
    ]


# Words ----------------------------------------------------------------------------------------------------------------


RAISED = Raised("LookupError", "KeyError")
WORDS = [  # a fact, what it is here, what it is in the reference, and what is said after "after step 3 "
    ("values", (1, 2), ("c",), ("a", "b"), "the node of 1 2 has the values c here, and a b"),
    ("values", (1,), (), ("a",), "the node of 1 has no values here, and has the values a"),
    (
        "values",
        (1,),
        RAISED,
        ("a",),
        "the node of 1 raised KeyError when asked for values() here, and has the values a",
    ),
    ("lock_count", (1,), 0, 2, "the node of 1 has the lock count 0 here, and 2"),
    ("lock_count", (), 1, 0, "ROOT has the lock count 1 here, and 0"),
    ("parent", (1, 2), (), (1,), "the node of 1 2 has the parent ROOT here, and the node of 1"),
    ("parent", (2,), NOWHERE, (), "the node of 2 has the parent a node that is not in the tree here, and ROOT"),
    ("children", (1,), ((1, 2),), (), "the node of 1 has the children 1 2 here, and has no children"),
    ("child_count", (), 1, 2, "ROOT has the child count 1 here, and 2"),
    ("increasing", (), False, True, "ROOT has its children not by increasing ids here, and by increasing ids"),
    ("len", (), 3, 2, "len(tree) is 3 here, and 2"),
    ("is_empty", (), RAISED, 1, "is_empty() raised KeyError here, and is 1"),
    ("lru_order", (), (), ((1,), (2, 3)), "lru_order() is empty here, and 1, then 2 3"),
    ("gone", (1,), (1,), RAISED, "key() of the node of 1, which is evicted, returned 1 here, and raised KeyError"),
    (
        *("ids", (), Ids(False, 6, 3), Ids(True, 3, 3)),
        "the largest id ever given, with at most 3 nodes alive at once, is 6 here, and 3",
    ),
]


@pytest.mark.parametrize(("kind", "at", "mine", "reference", "said"), WORDS)
def test_a_difference_is_one_plain_sentence(kind, at, mine, reference, said):
    fact = (kind, at)
    expected = f"after step 3 {said} in the reference"
    assert sentence(fact, {fact: mine}, {fact: reference}, NAMES, 3, None) == expected


def test_a_node_that_only_one_has():
    fact = ("values", (1, 2))
    assert sentence(fact, {}, {fact: ("a", "b")}, NAMES, 2, None) == (
        "after step 2 there is a node of 1 2 with the values a b in the reference, and none here"
    )
    assert sentence(fact, {fact: ("a",)}, {}, NAMES, 2, None) == (
        "after step 2 there is a node of 1 2 with the values a here, and none in the reference"
    )
    fact = ("label", (1, "?"))
    assert sentence(fact, {fact: Raised("LookupError", "IndexError")}, {}, NAMES, 2, None) == (
        "after step 2 the node of 1 has a child whose key() raised IndexError here, and none in the reference"
    )


CALLS = [
    (evict(1), 0, 2, "in step 1 evict(1) returned 0 here, and 2 in the reference"),
    (
        match([1, 2]),
        Raised("LookupError", "IndexError"),
        (1, ((1,),)),
        "in step 1 match_prefix([1, 2]) raised IndexError here, and returned 1 and the path 1 in the reference",
    ),
    (
        insert([1], "a"),
        ((1,), ()),
        ((1,), ("a",)),
        "in step 1 insert([1], ['a']) returned the node of 1 and no values here, "
        "and the node of 1 and a in the reference",
    ),
    (
        insert([], ""),
        (None, ()),
        ((), ()),
        "in step 1 insert([], []) returned None and no values here, and ROOT and no values in the reference",
    ),
    (
        evict(0),
        Raised("LookupError", "KeyError", "'x'", "radix.py, line 7"),
        0,
        "in step 1 evict(0) raised KeyError: 'x' (radix.py, line 7) here, and returned 0 in the reference",
    ),
    (
        unlock(Node(0)),
        None,
        Raised("RuntimeError", "RuntimeError", "not locked", "reference.py, line 9"),
        "in step 1 unlock(ROOT) returned None here, and raised RuntimeError in the reference",
    ),
]


def test_a_node_is_called_in_a_sentence_as_in_the_script():
    script, fact = Script(1, (insert([1], "a"), unlock(Node(1)))), ("returned", ())
    said = sentence(fact, {fact: None}, {fact: RAISED}, NAMES, 2, script)
    assert said == "in step 2 unlock(node_1) returned None here, and raised KeyError in the reference"
    assert "tree.unlock(node_1)" in str(script)


@pytest.mark.parametrize(("step", "mine", "reference", "said"), CALLS)
def test_a_call_is_told_as_it_was_made(step, mine, reference, said):
    fact = ("returned", ())
    assert sentence(fact, {fact: mine}, {fact: reference}, NAMES, 1, Script(1, (step,))) == said


# Simpler scripts ------------------------------------------------------------------------------------------------------


def test_simpler_scripts_are_scripts_with_values_that_fit():
    script = Script(2, (insert([1, 2, 3, 9], "??"), match([1, 2, 3]), lock(Node(2, 1)), evict(2)))
    simpler = [lettered(each) for each in smaller_than(script)]
    assert without(script, 2) == Script(2, (script.steps[0], script.steps[3])), "the lock goes with what it names"
    assert all(
        len(step.values) * each.granule == len(step.key) for each in simpler for step in each.steps if step.values
    )
    assert all(step.node.step < place for each in simpler for place, step in enumerate(each.steps, 1))
    assert script not in simpler
