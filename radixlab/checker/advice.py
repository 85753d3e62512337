"""What a report means for the learner: the one thing to do next."""

from radixlab.checker.report import Mutation, OwnTest, Report
from radixlab.course import Chapter, Stage


def next_step(chapter: Chapter, report: Report, missing: list[Stage], unloadable: str | None) -> str:
    """Say in one sentence what to do now; *unloadable*: what keeps the file from loading, if anything does."""
    failing = [test for test in report.tests if test.outcome not in ("passed", "not_run")]
    if report.verdict == "pass":
        return f"done: `ol diff {chapter.id}` lays your file beside the reference"
    if unloadable:
        return f"mend the file, it does not load: {unloadable.splitlines()[0]}"
    if failing:
        return f"make {failing[0].name} pass; `ol hint {chapter.id}` helps"
    if missing:
        return f"write {', '.join(missing[0].writes)}: stage {missing[0].name}, notebook {missing[0].notebook}"
    lost = [test for test in report.tests if test.outcome == "not_run"]
    if lost:
        return f"{lost[0].name} was not run ({lost[0].message}): mend what hangs, then check again"
    return _for_tests(chapter, report.own_tests or [], report.mutation)


def _for_tests(chapter: Chapter, own_tests: list[OwnTest], mutation: Mutation | None) -> str:
    unwritten = [test for test in own_tests if test.unwritten]
    invalid = [test for test in own_tests if not test.valid and test not in unwritten]
    failing = [test for test in own_tests if test.valid and test.outcome != "passed"]
    if invalid:
        return f"mend test_{invalid[0].name}: {invalid[0].message.splitlines()[0]}"
    if unwritten:
        return f"write test_{unwritten[0].name} in test_radix.py"
    if failing:
        return f"your tree fails your own test_{failing[0].name}: mend the tree"
    if mutation is None:
        return "mend your tests, then check again"
    alive = [bug for bug in mutation.bugs if not bug.killed]
    required = [bug for bug in alive if bug.id in mutation.required]
    first = (required or alive)[0]
    more = mutation.needed - mutation.killed
    count = f"{more} more of the planted bugs must be caught" if more > 0 else f"{first.id} must be caught"
    return f"{count}: `ol bugs {chapter.id}` shows the survivors; look at {first.area} first"
