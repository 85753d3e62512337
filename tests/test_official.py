"""The eleven tests of the chapter: which bug each catches, what they cost, and the tree that they are measured by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.budget import Meter
from radixlab.checker.engine import run
from radixlab.checker.subject import compile_subject, load
from radixlab.checker.trace import Trace

# Section 5 of the chapter, "Caught by".
CAUGHT_BY = {
    "s01": ["hand_example_split_and_match"],
    "s02": ["hand_example_split_and_match", "model_based_against_a_naive_map"],
    "s03": ["hand_example_split_and_match"],
    "s04": ["granule_matches_whole_runs_only"],
    "s05": ["reinserting_hands_every_value_back"],
    "s06": ["a_childless_parent_becomes_evictable"],
    "s07": ["lru_order_follows_last_use"],
    "s08": ["a_childless_parent_becomes_evictable"],
    "s09": ["a_childless_parent_becomes_evictable"],
    "s10": ["locks_pin_the_path"],
    "s11": ["locks_pin_the_path"],
    "s12": ["locks_pin_the_path"],
    "s13": ["a_split_inherits_the_locks_below_it"],
    "s14": ["unlock_without_a_lock_panics"],
    "s15": ["insert_needs_one_value_per_granule"],
    "m01": ["model_based_against_a_naive_map"],
    "m02": ["freed_slots_are_reused"],
    "m03": ["a_childless_parent_becomes_evictable"],
}

# Section 4 of the chapter, and the stage in which each turns green.
TESTS = {
    "hand_example_split_and_match": ("unit", "split"),
    "granule_matches_whole_runs_only": ("boundary", "split"),
    "reinserting_hands_every_value_back": ("unit", "insert"),
    "lru_order_follows_last_use": ("unit", "evict"),
    "a_childless_parent_becomes_evictable": ("unit", "evict"),
    "locks_pin_the_path": ("unit", "evict"),
    "a_split_inherits_the_locks_below_it": ("unit", "locks"),
    "unlock_without_a_lock_panics": ("boundary", "locks"),
    "insert_needs_one_value_per_granule": ("boundary", "insert"),
    "freed_slots_are_reused": ("regression", "evict"),
    "model_based_against_a_naive_map": ("property", "evict"),
}
GREEN = {"runs": 0, "new": 0, "insert": 2, "split": 4, "locks": 6, "lru": 6, "evict": 11}


@pytest.fixture(scope="session")
def official(chapter, job, worker):
    """Run the official tests on many trees; return the outcomes of each."""
    text = chapter.text("official.py")
    return lambda sources: worker.run([job(text, source, filename="official.py", ours=True) for source in sources])


@pytest.fixture(scope="session")
def matrix(chapter, reference, official):
    """The tests that fail on each of the eighteen bugs."""
    answers = official([bug.plant(reference) for bug in chapter.bugs])
    failed = [[name for name, outcome in answer.items() if outcome.outcome != "passed"] for answer in answers]
    return dict(zip([bug.id for bug in chapter.bugs], failed, strict=True))


def test_the_card_is_that_of_the_chapter(chapter):
    assert {card.name: (card.kind, card.stage) for card in chapter.tests} == TESTS
    assert list(CAUGHT_BY) == [bug.id for bug in chapter.bugs]


@pytest.mark.parametrize("bug", CAUGHT_BY)
def test_a_bug_is_caught_by_the_tests_that_its_row_names(chapter, matrix, bug):
    assert set(CAUGHT_BY[bug]) <= set(matrix[bug])
    assert matrix[bug] == list(chapter.bug(bug).caught_by), "the card says what was measured"


def test_every_test_is_needed(matrix):
    assert {name for names in matrix.values() for name in names} == set(TESTS)


def test_correct_trees_pass_everything(chapter, reference, official):
    for outcomes in official([reference, *chapter.variants.values()]):
        assert {name: outcome.message for name, outcome in outcomes.items() if outcome.outcome != "passed"} == {}


def test_each_stage_turns_its_tests_green_and_no_other(official, cut):
    for stage, outcomes in zip(GREEN, official([cut(stage) for stage in GREEN]), strict=True):
        green = [name for name, outcome in outcomes.items() if outcome.outcome == "passed"]
        done = list(GREEN)[: list(GREEN).index(stage) + 1]
        assert green == [name for name, (_, due) in TESTS.items() if due in done]
        assert len(green) == GREEN[stage]


def test_the_model_test_makes_at_most_60_000_calls(chapter, job, monkeypatch):
    calls = []
    add = Trace.add
    monkeypatch.setattr(Trace, "add", lambda self, *call: (calls.append(call[0].name), add(self, *call)))
    test = job(chapter.text("official.py"), names=["model_based_against_a_naive_map"], ours=True, traced=True)
    outcomes = []
    run([test], lambda number, outcome: outcomes.append(outcome.outcome))
    assert outcomes == ["passed"]
    assert 2 * 2_500 <= len(calls) <= 60_000
    assert {"insert", "match_prefix", "lock", "unlock", "evict", "lru_order"} <= set(calls)


KEYS = st.lists(st.integers(0, 2), max_size=6)
OPERATIONS = st.one_of(
    st.tuples(st.sampled_from(["insert", "match_prefix"]), KEYS),
    st.tuples(st.sampled_from(["lock", "unlock"]), st.integers(0, 8)),
    st.tuples(st.just("evict"), st.integers(0, 4)),
)


@given(st.integers(1, 3), st.lists(OPERATIONS, max_size=40))
def test_whatever_is_asked_of_the_reference_its_invariants_hold(reference_class, granule, operations):
    tree = reference_class(granule)
    for method, argument in operations:
        arguments = [argument]
        if method == "insert":
            arguments = [argument * granule, range(len(argument))]
        try:
            getattr(tree, method)(*arguments)
        except (LookupError, RuntimeError) as error:
            assert method in ("lock", "unlock")
            assert not isinstance(error, NotImplementedError | RecursionError)
        tree.check()


@pytest.mark.parametrize("damage", ["stamp = 99", "locks = 5", "values.append(1)", "parent = 3", "prev = None"])
def test_its_check_sees_a_damaged_tree(reference_class, damage):
    tree = reference_class(1)
    tree.insert([1, 2], "ab")
    tree.insert([1, 3], "ac")
    tree.check()
    exec(f"node.{damage}", {"node": tree._nodes[1]})
    with pytest.raises((AssertionError, LookupError)):
        tree.check()


@pytest.fixture(scope="session")
def reference_class(reference) -> type:
    return load(compile_subject(reference), Meter(10**9), "radix").RadixTree
