"""The verdict of `ol check`: the official tests on the learner's tree, their own tests graded, and what to do next."""

import os
import time
from dataclasses import dataclass, field

from radixlab.checker import mutation
from radixlab.checker.advice import next_in_stage, next_step
from radixlab.checker.diagnosis import matching_bug
from radixlab.checker.job import Outcome
from radixlab.checker.mutation import Grades, Suite
from radixlab.checker.report import OwnTest, Report, TestResult
from radixlab.checker.standing import Standing, broken, current, on_tree, result, stage_tests, stand
from radixlab.checker.subject import Subject, Unreadable
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import DEADLINE, Shells, Watch, nobody_watches
from radixlab.course import Chapter, Stage
from radixlab.progress import is_untouched


def fresh_seed() -> int:
    """Return a seed that nobody can foresee, below 2**32."""
    return int.from_bytes(os.urandom(4))


MEDDLES = "the file meddles with the tests: a bug passes them too"


def check(
    chapter: Chapter,
    subject: Subject,
    tests: str | Unreadable | None,
    shells: Shells,
    *,
    seed: int,
    watch: Watch = nobody_watches,
    deadline: float = DEADLINE,
) -> Report:
    """Return the report on *subject*, and on *tests*, the source of the learner's own; None leaves those out.

    *deadline*: seconds that all of it may take. *tests* may be the reason why there is no source. Nothing in the two
    files, broken as they may be, raises here. Complexity: about 40 runs of a test file.
    """
    began = time.monotonic()
    shells.start()
    own = None if tests is None else _suite(chapter, tests)
    end = began + deadline
    official, (grades, on_mine) = shells.both(
        lambda: _official(chapter, subject, shells.tree, seed, watch, end),
        lambda: _own(chapter, subject, own, shells.tests, seed, watch, end),
    )
    report = Report(
        chapter=chapter.id,
        subject=subject.name,
        verdict="",
        seed=seed,
        duration_s=0.0,
        tests=official.results,
        own_tests=None if own is None else _with_outcomes(grades, on_mine, official.broken),
        mutation=grades.mutation if grades else None,
        next="",
        figures=official.figures,
    )
    report.verdict = _verdict(report, is_untouched(subject.source, chapter.text("stub.py")))
    report.next = next_step(chapter, report, subject, official.broken, official.at)
    report.duration_s = round(time.monotonic() - began, 3)
    return report


def check_stage(
    chapter: Chapter, subject: Subject, stage: Stage, shells: Shells, *, seed: int, explained: bool = True
) -> Report:
    """Return the report of the checks of one *stage* on *subject*; *explained*: with a `diagnosis`."""
    began = time.monotonic()
    names = stage_tests(stage, test_names(chapter.text("stages.py")))
    outcomes = on_tree(chapter, subject, "stages.py", names, shells.tree)
    results = [result(chapter, subject, outcomes[name], "stage", stage) for name in names]
    failed = next((result for result in results if result.outcome not in ("passed", "not_run")), None)
    waits = next((result for result in results if result.outcome == "not_run"), None)
    if failed and explained and not broken(outcomes):
        failed.message += diagnosis(chapter, subject, "stages.py", failed, shells.tree, began + DEADLINE)
    verdict = "fail" if failed else "not_attempted" if waits else "pass"
    step = next_in_stage(chapter, stage, subject, failed, waits, broken(outcomes))
    took = round(time.monotonic() - began, 3)
    return Report(chapter.id, subject.name, verdict, seed, took, results, None, None, step, stage=stage.name)


def _suite(chapter: Chapter, source: str | Unreadable) -> Suite | str:
    if isinstance(source, Unreadable):
        return str(source)
    try:
        return mutation.suite(chapter, source)
    except Unreadable as error:
        return str(error)


@dataclass
class _Official:
    """The official tests on the learner's tree.

    *broken*: what keeps the file from loading, if anything does; *at*: the stage where the learner stands, while the
    tests are not all green.
    """

    results: list[TestResult]
    broken: str | None
    at: Standing | None = None
    figures: dict[str, float] = field(default_factory=dict)


def _official(chapter, subject, shell, seed, watch, end) -> _Official:
    """Run the official tests; then see which stage is to blame, or take the figures, which decide nothing."""
    outcomes = on_tree(chapter, subject, "official.py", [card.name for card in chapter.tests], shell, watch, end)
    results = [
        result(chapter, subject, outcomes[card.name], card.kind, chapter.stage(card.stage)) for card in chapter.tests
    ]
    found = _Official(results, broken(outcomes))
    if all(result.outcome == "passed" for result in results):
        if mutation.believes_a_bug(chapter, shell, seed, end):
            for result_ in results:
                result_.outcome, result_.message = "no_answer", MEDDLES
            return found
        found.figures = _figures(chapter, subject, shell, end)
    elif not found.broken:
        failed = next((result for result in results if result.outcome not in ("passed", "not_run")), None)
        if failed:
            failed.message += diagnosis(chapter, subject, "official.py", failed, shell, end)
        found.at = current(stand(chapter, subject, shell, end))
    return found


def _figures(chapter, subject, shell, end) -> dict[str, float]:
    if not (chapter.folder / "figures.py").exists():
        return {}
    noted = on_tree(chapter, subject, "figures.py", test_names(chapter.text("figures.py")), shell, end=end)
    return {name: n for outcome in noted.values() for name, n in outcome.figures.items()}


def diagnosis(chapter: Chapter, subject: Subject, file: str, failed: TestResult, shell, end: float) -> str:
    """Return what a *failed* test of the chapter's *file* says of the pitfall behind it, "" when it says nothing.

    What its message says already is not said again. Complexity: the test once on each planted bug.
    """
    bug = matching_bug(chapter, file, failed.name, subject.code(), shell, end, subject.needs)
    if bug is None:
        return ""
    known = bug.symptom[1:] in failed.message
    return f"\n{'' if known else f'your {chapter.makes} behaves like this pitfall: {bug.symptom}. '}{bug.hint}"


def _own(chapter, subject, own, shell, seed, watch, end) -> tuple[Grades | None, dict[str, Outcome]]:
    """Grade the own tests, then run them on the learner's tree."""
    if own is None:
        return None, {}
    if isinstance(own, str):  # it does not parse
        return Grades([OwnTest(name, "error", False, None, own) for name in chapter.own_tests], None), {}
    if len(own.names) > chapter.most_own_tests:
        text = f"{len(own.names)} tests are too many: at most {chapter.most_own_tests}"
        return Grades([OwnTest(name, "not_run", False, None, text) for name in own.names], None), {}
    grades = mutation.grade(chapter, own, shell, seed, watch, end)
    return grades, on_tree(chapter, subject, own.file, own.names, shell, watch, end)


def _with_outcomes(grades: Grades, on_mine: dict[str, Outcome], broken: str | None) -> list[OwnTest]:
    """Add to each own test what became of it on the learner's tree."""
    for test in grades.own_tests:
        if outcome := on_mine.get(test.name):
            test.outcome = outcome.outcome
            if test.valid and outcome.outcome != "passed":
                at = f"line {outcome.test_line}: " if outcome.test_line else ""
                test.message = "your file does not load" if broken else at + outcome.message
    return grades.own_tests


def _verdict(report: Report, untouched: bool) -> str:
    """Decide: own tests are graded in any case, and all must hold."""
    own = report.own_tests
    if untouched and (own is None or all(test.unwritten for test in own)):
        return "not_attempted"
    if any(test.outcome != "passed" for test in report.tests):
        return "fail"
    if own is None:
        return "pass"
    if any(test.invalid for test in own):
        return "invalid"
    if any(test.outcome != "passed" for test in own):
        return "fail"
    return "pass" if report.mutation and report.mutation.passed else "fail"
