"""A submission gets the verdict of `ol check`, points, and an outcome that says what went wrong."""

from dataclasses import replace
from pathlib import Path

import pytest

from radixlab.checker.process import CheckerFailed
from radixlab.checker.worker import LATE
from radixlab.classroom import grading
from radixlab.classroom.copies import copied
from radixlab.classroom.grading import grade_one, outcome_of, version_of
from radixlab.classroom.reading import File, Submission
from radixlab.classroom.sandbox import NoSandbox
from radixlab.classroom.secret import seed_of
from radixlab.classroom.shell import Place
from radixlab.classroom.wire import Tampered

TREES = Path(__file__).parent / "attacks" / "trees"


@pytest.fixture
def graded(chapter):
    """Grade a tree and tests, both source texts, without isolation."""

    def graded(tree, tests=None, **more):
        submission = Submission("jane.zip", "jane", File(tree), File(tests) if tests else None, **more)
        return grade_one(submission, chapter, Place("none"), 60.0)

    return graded


@pytest.fixture
def played(monkeypatch, chapter, stub):
    """Grade the stub by a check that is played: it raises *error*."""

    def played(error):
        def check(*_, **__):
            raise error

        monkeypatch.setattr(grading, "check", check)
        return grade_one(Submission("jane.zip", "jane", File(stub)), chapter, Place("none"), 60.0)

    return played


def test_the_reference_and_good_tests_get_all_points(graded, reference, good_tests, checked):
    grade = graded(reference, good_tests)
    assert (grade.outcome, grade.points, grade.tests_passed, grade.bugs_killed) == ("pass", 29.0, 11, 18)
    assert grade.isolation == "none" and grade.notes == ("radix.py is the reference", grading.OPEN)
    local = checked("reference", "good").as_dict()
    same = "verdict", "chapter"
    assert {name: grade.report[name] for name in same} == {name: local[name] for name in same}
    assert [bug["by"] for bug in grade.report["mutation"]["bugs"]] == [bug["by"] for bug in local["mutation"]["bugs"]]


def test_the_same_submission_gets_the_same_report(graded, chapter, reference, thin_tests):
    first, second = (graded(chapter.bug("s01").plant(reference), thin_tests) for _ in range(2))
    assert (first.outcome, first.seed) == ("fail", seed_of(first.sha256))

    def timeless(grade):
        report = {**grade.report, "duration_s": 0, "tests": [{**t, "duration_s": 0} for t in grade.report["tests"]]}
        return replace(grade, report=report, duration_s=0)

    assert timeless(first) == timeless(second)


def test_nobody_passes_without_tests(graded, reference, stub):
    alone = graded(reference)
    assert (alone.outcome, alone.points) == ("fail", 11.0)
    assert "test_radix.py was not handed in" in alone.report["own_tests"][0]["message"]
    assert graded(stub).outcome == "not_attempted"


def test_a_problem_is_invalid_and_costs_nothing_but_the_points(graded):
    grade = graded("", problem="the zip\x1b cannot be\nread")
    assert (grade.outcome, grade.points, grade.report) == ("invalid", 0.0, None)
    assert grade.message == "the zip? cannot be read"


def test_a_tree_that_cannot_be_read_fails_and_its_tests_count(chapter, good_tests):
    tree = File("", "radix.py: not UTF-8 text; save the file as UTF-8")
    grade = grade_one(Submission("jane", "jane", tree, File(good_tests)), chapter, Place("none"), 60.0)
    assert (grade.outcome, grade.points, grade.bugs_killed) == ("fail", 18.0, 18)
    assert "not UTF-8" in grade.message


@pytest.mark.parametrize(
    ("attack", "outcome", "points"), [("a05_os_exit", "crash", 18.0), ("b01_patched_pytest", "tampered", 0.0)]
)
def test_a_fail_has_its_cause(graded, good_tests, attack, outcome, points):
    grade = graded((TREES / f"{attack}.py").read_text(), good_tests)
    assert (grade.outcome, grade.points) == (outcome, points)
    assert grade.message


def outcomes(*names):
    left = {"not_run": "not run after 2 that hung", "late": LATE}
    return [
        {"name": "a", "outcome": "not_run" if name in left else name, "message": left.get(name, "")} for name in names
    ]


@pytest.mark.parametrize(
    ("names", "outcome"),
    [
        (["passed", "failed", "no_answer", "passed"], "fail"),
        (["no_answer", "no_answer", "not_run", "not_run"], "crash"),
        (["timeout", "timeout", "not_run", "not_run"], "timeout"),
        (["passed", "no_answer", "timeout", "not_run", "not_run"], "crash"),
        (["failed", "failed", "failed", "timeout"], "fail"),
        (["passed", "passed", "passed", "late"], "timeout"),
        (["passed", "failed", "late", "late"], "fail"),
    ],
)
def test_most_tests_decide_on_the_cause(names, outcome):
    assert outcome_of({"verdict": "fail", "tests": outcomes(*names)})[0] == outcome


@pytest.mark.parametrize("verdict", ["pass", "invalid", "not_attempted"])
def test_other_verdicts_stay(verdict):
    assert outcome_of({"verdict": verdict, "tests": outcomes("no_answer")}) == (verdict, "")


@pytest.mark.parametrize("error", [CheckerFailed("no worker"), OSError(28, "No space left"), NoSandbox("no bwrap")])
def test_what_is_not_the_learners_fault_says_so_and_has_no_points(played, error):
    grade = played(error)
    assert (grade.outcome, grade.points, grade.final) == ("infra_error", 0.0, False)
    assert str(error) in grade.message


def test_a_forged_message_is_tampering(played):
    grade = played(Tampered("a line that is no message"))
    assert (grade.outcome, grade.points, grade.report) == ("tampered", 0.0, None)


def test_copied_official_tests_are_noted(chapter, graded, stub, good_tests):
    copied = chapter.text("official.py").replace("def test_hand_example_split_and_match", "def test_split_by_hand")
    assert any("body of an official test: split_by_hand" in note for note in graded(stub, copied).notes)
    assert graded(stub, good_tests).notes == (grading.OPEN,)


def test_the_reference_handed_in_is_named_in_a_note(chapter, reference):
    other = reference.replace("\n\n\n", "\n\n\n# mine\n", 1)
    notes = [copied(chapter, Submission("s", "s", File(source))) for source in (reference, other, f"{other}\nX = 1\n")]
    assert notes == [("radix.py is the reference",)] * 2 + [()]


def test_the_version_is_of_all_that_the_chapter_holds(chapter, tmp_path):
    before = version_of(chapter)
    assert before == version_of(chapter) != version_of(replace(chapter, id="ds.08"))
    for path in chapter.folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            copy = tmp_path / path.relative_to(chapter.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    assert version_of(replace(chapter, folder=tmp_path)) == before
    (tmp_path / "bugs.toml").write_text("x")
    assert version_of(replace(chapter, folder=tmp_path)) != before
