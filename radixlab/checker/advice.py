"""What a report means for the learner: the one thing to do next."""

from radixlab.checker.report import Mutation, OwnTest, Report, TestResult
from radixlab.checker.standing import Standing
from radixlab.checker.subject import Subject
from radixlab.course import Chapter, Stage
from radixlab.progress import missing_names, to_write, unwritten, waits_for


def next_step(chapter: Chapter, report: Report, subject: Subject, broken: str | None, at: Standing | None) -> str:
    """Say in one sentence what to do now.

    *broken*: what keeps the file from loading, if anything does; *at*: the first stage that does not pass its checks.
    """
    if report.verdict == "pass":
        return f"done: `ol diff {chapter.id}` lays your file beside the reference"
    if broken:
        return _mend(broken)
    if at is not None and at.failed:
        how = f"`ol check {chapter.id} --stage {at.stage.name}` shows how"
        return f"mend stage {at.stage.name}: {at.failed.name} fails; {how}"
    if at is not None:
        stage = waits_for(chapter, at.stage.name, unwritten(chapter, subject.source)) or at.stage
        return f"{to_write(chapter, subject.source, stage)}: stage {stage.name}, notebook {stage.notebook}"
    failing = [test for test in report.tests if test.outcome != "passed"]
    if failing:
        return f"make {failing[0].name} pass: {(failing[0].message.splitlines() or [''])[0]}"
    return _for_tests(chapter, report.own_tests or [], report.mutation)


def next_in_stage(
    chapter: Chapter,
    stage: Stage,
    subject: Subject,
    failed: TestResult | None,
    waits: TestResult | None,
    broken: str | None,
) -> str:
    """Say in one sentence what to do after the checks of *stage*: mend what *failed*, write what it *waits* for."""
    if broken:
        return _mend(broken)
    missing = missing_names(chapter, subject.source, stage)
    if failed:
        still = f" ({', '.join(missing)}: not written yet)" if missing else ""
        return f"mend {failed.name}{still}, then check again; `ol hint {chapter.id} {stage.name}` helps"
    if waits:
        first = waits_for(chapter, stage.name, unwritten(chapter, subject.source)) or stage
        return f"{to_write(chapter, subject.source, first)} (notebook {first.notebook}), then check again"
    following = chapter.stages[chapter.stages.index(stage) + 1 :]
    if following:
        return f"go on with stage {following[0].name} (notebook {following[0].notebook})"
    return f"`ol check {chapter.id}` runs the official tests and grades your own"


def _mend(broken: str) -> str:
    return f"mend the file, it does not load: {broken.splitlines()[0]}"


def _for_tests(chapter: Chapter, own_tests: list[OwnTest], mutation: Mutation | None) -> str:
    unwritten = [test for test in own_tests if test.unwritten]
    invalid = [test for test in own_tests if not test.valid and not test.unwritten]
    failing = [test for test in own_tests if test.valid and test.outcome != "passed"]
    if invalid and len({test.message for test in own_tests}) == 1:
        return f"mend your tests: {invalid[0].message.splitlines()[0]}"
    if invalid:
        return f"mend test_{invalid[0].name}: {invalid[0].message.splitlines()[0]}"
    if unwritten:
        return f"write test_{unwritten[0].name} in {chapter.tests_file}; `ol tdd red {chapter.id}` checks it"
    if failing:
        return f"your {chapter.makes} fails your own test_{failing[0].name}: mend the {chapter.makes}"
    if mutation is None:
        return "mend your tests, then check again"
    alive = [bug for bug in mutation.bugs if not bug.killed]
    required = [bug for bug in alive if bug.id in mutation.required]
    first = (required or alive)[0]
    more = mutation.needed - mutation.killed
    count = f"{more} more of the planted bugs must be caught" if more > 0 else f"{first.id} must be caught"
    return f"{count}: `ol bugs {chapter.id}` shows the survivors; look at {first.area} first"
