"""A file a submission: the grade as JSON, exactly as it is, and as a page for the learner."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from radixlab.checker.report import BugResult, Mutation, OwnTest, Report, TestResult
from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import places, plain, words
from radixlab.classroom.outputs.templates import fill
from radixlab.course import Chapter
from radixlab.reports import notebook


def json_files(grades: Sequence[Grade]) -> Iterator[tuple[str, str]]:
    """Give each of *grades* as JSON in pure ASCII: what a text holds is escaped there, and comes back whole."""
    for grade in grades:
        yield places.page(grade, "json"), json.dumps(grade.as_dict(), indent=1) + "\n"


def html_files(grades: Sequence[Grade], chapter: Chapter) -> Iterator[tuple[str, str]]:
    """Give each of *grades* as a page that may go to the learner: the lecturer's notes are not in it."""
    for grade in grades:
        yield places.page(grade, "html"), html(plain.washed(grade), chapter)


def html(grade: Grade, chapter: Chapter) -> str:
    """Return a *grade*, already harmless, as a page: verdict, tests, own tests, kill matrix, all messages."""
    report = as_report(grade.report) if grade.report else None
    failing = [test for test in report.tests if test.outcome not in ("passed", "not_run")] if report else []
    return fill(
        "submission.html",
        grade=grade,
        chapter=chapter,
        number=words.number,
        reckoning=words.reckoning(grade, chapter),
        isolation=words.isolation(grade),
        report=Markup(notebook.framed(notebook.whole(report))) if report else "",  # it escapes its texts itself
        next=plain.line(report.next) if report else "",  # the report says it
        said=[(test.name, test.message) for test in failing[1:] if test.message],  # the first is in the report
        own_said=[(f"test_{t.name}", t.message) for t in (report.own_tests or []) if t.message] if report else [],
    )


def as_report(data: dict[str, Any]) -> Report:
    """Return the report whose plain form is *data*, as `Report.as_dict` gives it.

    >>> report = Report("ds.07", "radix.py", "pass", 7, 0.5, [TestResult("a", "unit", "passed")], None, None, "done")
    >>> as_report(report.as_dict()) == report
    True
    """
    own, mutation = data["own_tests"], data["mutation"]
    fields = {name: value for name, value in data.items() if name not in ("schema", "exit_code")}
    fields["tests"] = [TestResult(**test) for test in data["tests"]]
    fields["own_tests"] = None if own is None else [OwnTest(**test) for test in own]
    fields["mutation"] = mutation and Mutation(**{**mutation, "bugs": [BugResult(**bug) for bug in mutation["bugs"]]})
    return Report(**fields)
