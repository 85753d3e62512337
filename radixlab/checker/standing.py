"""Where a learner stands: every stage by its own checks, not by what has been typed."""

from dataclasses import dataclass

from radixlab.checker.job import Outcome, TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.report import TestResult
from radixlab.checker.subject import Subject, Unreadable
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Answers, Inline, Watch, Worker, nobody_watches
from radixlab.course import Chapter, Stage
from radixlab.progress import is_begun, unwritten, waits_for

WAITS = "waits for"


@dataclass
class Standing:
    """One stage: *state* is passed, failing, unwritten, or unknown for want of time; *failed*: what fails first."""

    stage: Stage
    state: str
    failed: TestResult | None = None


def stand(chapter: Chapter, subject: Subject, shell: Inline | Worker, end: float | None = None) -> list[Standing]:
    """Return how each stage of *chapter* stands on *subject*, by the checks of the stages that are begun."""
    names = test_names(chapter.text("stages.py"))
    outcomes = on_tree(chapter, subject, "stages.py", names, shell, end=end)
    found = []
    for stage in chapter.stages:
        results = [result(chapter, subject, outcomes[name], "stage", stage) for name in stage_tests(stage, names)]
        failed = next((r for r in results if r.outcome not in ("passed", "not_run")), None)
        found.append(Standing(stage, _state(results, failed), failed))
    return found


def _state(results: list[TestResult], failed: TestResult | None) -> str:
    left = [result for result in results if result.outcome == "not_run"]
    if failed or not left:
        return "failing" if failed else "passed"
    return "unwritten" if any(result.message.startswith(WAITS) for result in left) else "unknown"


def current(standings: list[Standing]) -> Standing | None:
    """Return the first stage that fails or is not written, None when there is none."""
    return next((standing for standing in standings if standing.state in ("failing", "unwritten")), None)


def stage_tests(stage: Stage, names: list[str]) -> list[str]:
    """Return those of *names*, tests of `stages.py`, that check *stage*."""
    return [name for name in names if name.startswith(f"{stage.name}_")]


def on_tree(
    chapter: Chapter,
    subject: Subject,
    tests: str | TestFile,
    names: list[str] | tuple[str, ...],
    shell: Inline | Worker,
    watch: Watch = nobody_watches,
    end: float | None = None,
) -> dict[str, Outcome]:
    """Run *tests*, a file of the chapter's by name or the learner's own; a tree that is no Python fails them all."""
    try:
        code = subject.code()
    except Unreadable as error:
        return {name: Outcome(name, "error", str(error), subject_line=error.line) for name in names}
    ours = isinstance(tests, str)
    file = TestFile(chapter.text(tests), tests) if ours else tests
    answers: Answers = shell.run(
        [job_of(chapter, code, file, names, needs=subject.needs, ours=ours, theirs=True)], watch, end
    )
    return answers[0]


def broken(outcomes: dict[str, Outcome]) -> str | None:
    """Return what keeps the learner's file from loading, None when it loads."""
    first = next(iter(outcomes.values()))
    alike = all(o.message == first.message and o.how is None for o in outcomes.values())
    return first.message if alike and first.outcome in ("error", "budget") else None


def result(chapter: Chapter, subject: Subject, outcome: Outcome, kind: str, stage: Stage) -> TestResult:
    """Turn the outcome of a test of *stage* into a result: what waits for a stage not written yet is not red."""
    message, name = outcome.message, outcome.outcome
    if name == "passed":
        return TestResult(outcome.name, kind, name, "", round(outcome.duration_s, 4), outcome.ticks)
    missing = unwritten(chapter, subject.source)
    untouched = [other for other in missing if not is_begun(chapter, subject.source, other)]
    waits = waits_for(chapter, stage.name, untouched)
    if waits is None and message.startswith("NotImplementedError"):
        waits = waits_for(chapter, stage.name, missing)
    if waits is not None:
        name, message = "not_run", f"{WAITS} {waits.notebook}"
    elif outcome.subject_line and f"line {outcome.subject_line}:" not in message:
        lines = subject.source.splitlines()
        text = lines[outcome.subject_line - 1].strip() if outcome.subject_line <= len(lines) else ""
        message = f"{message}\nin {subject.filename}, line {outcome.subject_line}: {text}"
    return TestResult(outcome.name, kind, name, message, round(outcome.duration_s, 4), outcome.ticks)
