"""A grade as the `results.json` that Gradescope reads."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from radixlab.checker.report import BugResult
from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import places, plain, words
from radixlab.classroom.outputs.files import as_report
from radixlab.course import Chapter


def result_files(grades: Sequence[Grade], chapter: Chapter) -> Iterator[tuple[str, str]]:
    """Give the results of each of *grades*, a folder each; none of an infra_error, which Gradescope then reports."""
    for grade in grades:
        if grade.final:
            yield places.result(grade), render(plain.washed(grade), chapter)


def render(grade: Grade, chapter: Chapter) -> str:
    """Return a *grade*, already harmless, as the text of a `results.json`."""
    return json.dumps(results(grade, chapter), indent=1) + "\n"


def results(grade: Grade, chapter: Chapter) -> dict[str, Any]:
    """Return a *grade*, already harmless, as Gradescope's data: the official tests, the own tests, the planted bugs.

    Every text is plain text, never markup. The score of the whole is that of the grade; without a verdict it is the
    only one.
    """
    return {
        "score": grade.points,
        "execution_time": grade.duration_s,
        "output": _output(grade, chapter),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {
            **{name: getattr(grade, name) for name in ("chapter", "chapter_version", "outcome", "sha256", "seed")},
            "isolation": words.isolation(grade),
        },
        "tests": _tests(grade, chapter) if grade.report else [],
    }


def _output(grade: Grade, chapter: Chapter) -> str:
    """Return what a person reads first: the verdict, how the points come about, and whether there was a sandbox."""
    verdict = f"{grade.outcome.replace('_', ' ')}: {grade.message}"
    said = (verdict, words.reckoning(grade, chapter), words.OPEN if words.is_open(grade) else "")
    return "\n".join(filter(None, said))


def _tests(grade: Grade, chapter: Chapter) -> list[dict[str, Any]]:
    report = as_report(grade.report)
    a_test, a_bug = chapter.points["tests"], chapter.points["bugs"]
    tests = [
        _entry(f"1.{place}", test.name, test.outcome == "passed", a_test, test.message, "official")
        for place, test in enumerate(report.tests, 1)
    ]
    for place, test in enumerate(report.own_tests or [], 1):
        good = test.valid and test.outcome == "passed"
        tests.append(_entry(f"2.{place}", f"test_{test.name}", good, 0, test.message, "own"))
    if report.mutation is None:
        every = a_bug * len(chapter.bugs)
        tests.append(_entry("3", "planted bugs", False, every, "no score yet: all own tests must be valid", "bugs"))
        return tests
    for place, bug in enumerate(report.mutation.bugs, 1):
        tests.append(_entry(f"3.{place}", f"planted bug {bug.id}", bug.killed, a_bug, _said(bug), "bugs"))
    return tests


def _said(bug: BugResult) -> str:
    """Return what a learner may know of *bug*: of a survivor no more than its area."""
    if bug.killed:
        return f"{bug.title}: caught by {', '.join(f'test_{name}' for name in bug.by)}"
    return f"no test of yours catches it; it is about {bug.area}"


def _entry(number: str, name: str, good: bool, points: float, said: str, tag: str) -> dict[str, Any]:
    return {
        "number": number,
        "name": name,
        "score": points if good else 0,
        "max_score": points,
        "status": "passed" if good else "failed",
        "output": said,
        "tags": [tag],
    }
