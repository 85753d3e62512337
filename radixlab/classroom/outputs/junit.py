"""The grades of a class as one JUnit XML: the suites of each submission, under its name."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import plain
from radixlab.classroom.outputs.files import as_report
from radixlab.course import Chapter
from radixlab.reports import junit

_COUNTS = ("tests", "failures", "errors", "skipped")


def render(grades: Sequence[Grade], chapter: Chapter) -> str:
    """Return *grades* as JUnit XML; a submission without a verdict is one case, which says why."""
    root = ET.Element("testsuites", name=f"radixlab {chapter.id}")
    for grade in map(plain.washed, grades):
        root.extend(_judged(grade) if grade.report else [_unjudged(grade)])
    for key in _COUNTS:
        root.set(key, str(sum(int(suite.get(key)) for suite in root)))
    root.set("time", f"{sum(grade.duration_s for grade in grades):.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _judged(grade: Grade) -> list[ET.Element]:
    """Return the suites of the report of *grade*, as `ol check --junit` writes them, under the submission's name."""
    suites = list(ET.fromstring(junit.render(as_report(grade.report)).partition("\n")[2]))
    for suite in suites:
        suite.set("name", f"{grade.submission}: {suite.get('name')}")
    return suites


def _unjudged(grade: Grade) -> ET.Element:
    """Return the suite of a *grade* without a report: an infra_error is an error, anything else the learner's fail."""
    time, fails = f"{grade.duration_s:.3f}", grade.final and not grade.passed
    suite = ET.Element("testsuite", name=grade.submission, tests="1", time=time, skipped="0")
    suite.set("failures", str(int(fails)))
    suite.set("errors", str(int(not grade.final)))
    case = ET.SubElement(suite, "testcase", classname=grade.chapter, name="graded", time=time)
    if not grade.passed:
        why = ET.SubElement(case, "failure" if fails else "error", type=grade.outcome, message=grade.message)
        why.text = grade.message
    return suite
