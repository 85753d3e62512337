"""The verdict: the truth about a tree and its tests, and one thing to do next."""

import re
from dataclasses import replace

import pytest

from radixlab import splice
from radixlab.checker.subject import Subject, Unreadable
from radixlab.checker.verdict import check, check_stage
from radixlab.checker.worker import Inline, Shells

STAGES = ["runs", "new", "insert", "split", "locks", "lru", "evict"]


def outcomes(report) -> list[str]:
    return [test.outcome for test in report.tests]


def test_a_correct_tree_with_good_tests_passes(checked):
    report = checked("reference", "good")
    assert (report.verdict, report.exit_code) == ("pass", 0)
    assert outcomes(report) == ["passed"] * 11
    assert [(test.outcome, test.valid) for test in report.own_tests] == [("passed", True)] * 6
    assert (report.mutation.killed, report.mutation.passed) == (18, True)
    assert report.next == "done: `ol diff ds.07` lays your file beside the reference"
    assert list(report.figures) == ["steps per eviction, 100 leaves", "steps per eviction, 1,600 leaves"]
    assert all(0 < steps < 100 for steps in report.figures.values())


def test_thin_tests_are_too_few_kills(checked):
    report = checked("reference", "thin")
    assert (report.verdict, report.exit_code) == ("fail", 1)
    assert outcomes(report) == ["passed"] * 11
    assert (report.mutation.killed, report.mutation.passed) == (9, False)
    assert report.next.startswith("4 more of the planted bugs must be caught: `ol bugs ds.07` shows the survivors")
    assert report.next.endswith("look at locks first"), "the required bug comes first"


def test_without_own_tests_the_eleven_decide(checked):
    report = checked("reference", "none")
    assert (report.verdict, report.own_tests, report.mutation) == ("pass", None, None)
    assert checked("m02", "none").verdict == "fail"


def test_the_start_is_not_attempted(checked):
    report = checked("stub", "starter")
    assert (report.verdict, report.exit_code, report.mutation) == ("not_attempted", 1, None)
    assert outcomes(report) == ["not_run"] * 11
    assert {test.message for test in report.tests} == {"waits for 00-why"}
    assert report.next == "write common_runs: stage runs, notebook 00-why"


def test_unwritten_own_tests_are_what_is_next(checked):
    report = checked("reference", "starter")
    assert (report.verdict, report.mutation) == ("fail", None)
    assert all(test.unwritten for test in report.own_tests)
    assert report.next == "write test_split_by_hand in test_radix.py; `ol tdd red ds.07` checks it"


def test_own_tests_are_graded_even_when_the_tree_is_wrong(checked):
    report = checked("s03", "good")
    assert (report.verdict, report.mutation.killed) == ("fail", 18)
    failed = [test for test in report.tests if test.outcome != "passed"]
    assert report.next == (
        "mend stage split: split_an_insert_cuts_the_edge fails; `ol check ds.07 --stage split` shows how"
    )
    assert "your tree behaves like this pitfall: the lower half of the edge disappears." in failed[0].message
    assert report.figures == {}
    own = {test.name: test for test in report.own_tests}
    assert (own["split_by_hand"].valid, own["split_by_hand"].outcome) == (True, "failed")
    assert re.match(r"line \d+: \S", own["split_by_hand"].message)


@pytest.mark.parametrize(
    ("subject", "said"), [("no python", "radix.py, line 2: "), ("does not load", "nothing_of_that")]
)
def test_a_tree_that_does_not_load_is_a_fail_that_says_so(checked, subject, said):
    report = checked(subject, "good")
    assert (report.verdict, report.exit_code) == ("fail", 1)
    assert set(outcomes(report)) == {"error"}
    assert said in report.next
    assert report.mutation.killed == 18


@pytest.mark.parametrize(
    ("tests", "verdict", "said"),
    [("no python", "fail", "test_radix.py, line 1: "), ("does not load", "invalid", "nothing_of")],
)
def test_tests_that_do_not_load_say_so(checked, tests, verdict, said):
    """What cannot be read is no test yet; what can, and does not load, rejects every correct tree."""
    report = checked("reference", tests)
    assert (report.verdict, report.mutation) == (verdict, None)
    assert not any(test.valid for test in report.own_tests)
    assert said in report.next


@pytest.fixture
def quickly(chapter, reference):
    """Check in this process."""
    return lambda tests, source=reference: check(chapter, Subject(source, "s"), tests, Shells.inline(), seed=1)


def test_a_missing_own_test_is_what_is_next(quickly, good_tests):
    report = quickly(splice.put(good_tests, "test_locks_pin_ancestors", "x = 1\n"))
    assert (report.verdict, report.mutation) == ("fail", None)
    assert [test.name for test in report.own_tests if test.unwritten] == ["locks_pin_ancestors"]
    assert report.next == "write test_locks_pin_ancestors in test_radix.py; `ol tdd red ds.07` checks it"


def test_an_own_test_defined_twice_is_invalid(quickly, good_tests):
    report = quickly(good_tests + "\n\ndef test_split_by_hand():\n    pass\n")
    assert (report.verdict, report.mutation) == ("invalid", None)
    assert [test.name for test in report.own_tests if test.invalid] == ["split_by_hand"]


def test_a_test_that_rejects_a_correct_tree_in_its_fixture_is_invalid(quickly, good_tests):
    source = "@pytest.fixture\ndef stored():\n    assert not RadixTree(1).is_empty()\n\n\n"
    source += "def test_split_by_hand(stored):\n    pass\n"
    report = quickly(splice.put(good_tests, "test_split_by_hand", source))
    assert [(test.name, test.rejects) for test in report.own_tests if not test.valid] == [
        ("split_by_hand", "reference")
    ]
    assert report.verdict == "invalid"


def test_an_unwritten_stage_is_what_is_next(chapter, cut, shells):
    report = check(chapter, Subject(cut("split"), "s"), None, shells, seed=1)
    assert report.verdict == "fail"
    assert report.next == "write lock, unlock; extend _split: stage locks, notebook 04-locks"


def test_a_file_that_cannot_be_read_has_a_reason(chapter, tmp_path):
    subject = Subject.read(tmp_path / "radix.py", "radix.py")
    report = check(chapter, subject, Unreadable("test_radix.py does not exist"), Shells.inline(), seed=1)
    assert report.verdict == "fail"
    assert "does not exist" in report.next
    assert {test.message for test in report.own_tests} == {"test_radix.py does not exist"}


def test_there_is_a_most_of_own_tests(chapter, reference, good_tests):
    chapter = replace(chapter, most_own_tests=5)
    report = check(chapter, Subject(reference, "s"), good_tests, Shells.inline(), seed=1)
    assert (report.verdict, report.mutation) == ("invalid", None)
    assert {test.message for test in report.own_tests} == {"6 tests are too many: at most 5"}


def test_an_invalid_test_comes_before_its_failing_neighbours(quickly, good_tests):
    report = quickly(splice.put(good_tests, "test_split_by_hand", "def test_split_by_hand():\n    assert 0\n"))
    assert report.verdict == "invalid"
    assert report.next.startswith("mend test_split_by_hand: this test rejects a correct tree (the reference). line ")


def test_a_tree_that_fails_a_valid_test_of_ones_own_does_not_pass(quickly, good_tests, reference):
    odd = "\n\ndef test_a_large_token():\n    tree = RadixTree(1)\n    node, _ = tree.insert([2**31], ['a'])\n"
    odd += "    assert tree.key(node) == [2**31]\n"
    wrong = reference.replace(
        "        return self._node(node).label\n", "        return [t % 2**30 for t in self._node(node).label]\n"
    )
    assert wrong != reference
    report = quickly(good_tests + odd, wrong)
    assert (report.verdict, outcomes(report)) == ("fail", ["passed"] * 11)
    assert report.next == "your tree fails your own test_a_large_token: mend the tree"


@pytest.mark.parametrize("stage", STAGES)
def test_the_checks_of_a_stage_pass_on_its_cut(chapter, cut, shells, stage):
    report = check_stage(chapter, Subject(cut(stage), "s"), chapter.stage(stage), shells, seed=1)
    assert (report.verdict, report.stage, report.own_tests, report.mutation) == ("pass", stage, None, None)
    assert 3 <= len(report.tests) <= 5
    following = [*STAGES, "ol check"][STAGES.index(stage) + 1]
    assert following in report.next


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_stage_waits_until_it_is_written(chapter, cut, shells, stage):
    before = STAGES[STAGES.index(stage) - 1]
    report = check_stage(chapter, Subject(cut(before), "s"), chapter.stage(stage), shells, seed=1)
    assert report.verdict == "not_attempted"
    assert "not_run" in outcomes(report) and "failed" not in outcomes(report)
    assert report.next.startswith("write ") and f"notebook {chapter.stage(stage).notebook}" in report.next


def test_a_bug_in_a_stage_is_named_by_its_symptom(chapter, cut, shells):
    source = cut("split").replace("        upper.children[lower.label[at : at + self.granule]] = child\n", "")
    report = check_stage(chapter, Subject(source, "s"), chapter.stage("split"), shells, seed=1)
    assert (report.verdict, report.exit_code) == ("fail", 1)
    failed = next(test for test in report.tests if test.outcome != "passed")
    assert failed.message.startswith("The lower half of the edge disappears.")
    assert failed.name in report.next


def test_side_by_side_or_one_after_the_other_both_are_done():
    for where in (Shells(), Shells.inline()):  # shells of its own: what fails in one ends both
        assert where.both(lambda: 1, lambda: 2) == (1, 2)
        with pytest.raises(ZeroDivisionError):
            where.both(lambda: 1 / 0, lambda: 2)
    assert isinstance(Shells.inline().tree, Inline)
