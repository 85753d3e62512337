"""A report as JUnit XML: official tests, own tests and planted bugs as three suites."""

import re
from xml.etree import ElementTree as ET

from radixlab.checker.report import Report

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0

Case = tuple[str, float, str | None, str | None, str]  # name, seconds, tag, type, text


def render(report: Report) -> str:
    """Return *report* as JUnit XML, ending with a newline; an own test that is invalid counts as a failure."""
    root = ET.Element("testsuites", name=f"radixlab {report.chapter}")
    official = [(t.name, t.duration_s, *_mark(t.outcome), t.message) for t in report.tests]
    _suite(root, f"{report.chapter} official", official)
    if report.own_tests is not None:
        own = [(t.name, 0.0, *_mark(t.outcome if t.valid else "failed"), t.message) for t in report.own_tests]
        _suite(root, f"{report.chapter} own tests", own)
    if report.mutation is not None:
        bugs = [
            (b.id, 0.0, *_mark("passed" if b.killed else "failed"), f"no own test catches it ({b.area})")
            for b in report.mutation.bugs
        ]
        _suite(root, f"{report.chapter} planted bugs", bugs)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key)) for suite in root)))
    root.set("time", f"{report.duration_s:.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _mark(outcome: str) -> tuple[str | None, str | None]:
    tags = {"passed": None, "not_run": "skipped", "error": "error", "timeout": "error", "no_answer": "error"}
    return tags.get(outcome, "failure"), outcome


def _suite(root: ET.Element, name: str, cases: list[Case]) -> None:
    tags = [tag for _, _, tag, _, _ in cases]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    seconds = sum(seconds for _, seconds, _, _, _ in cases)
    suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(cases)), time=f"{seconds:.3f}")
    for key, tag in counts.items():
        suite.set(key, str(tags.count(tag)))
    for test, seconds, tag, kind, text in cases:
        case = ET.SubElement(suite, "testcase", classname=name.replace(" ", "."), name=test, time=f"{seconds:.3f}")
        if tag is not None:
            text = _ILLEGAL.sub("?", text)
            ET.SubElement(case, tag, type=kind, message=(text.splitlines() or [""])[0]).text = text
