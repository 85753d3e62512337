"""One engine, two shells: under the same seed the report is the same, whichever ran it."""

import pytest

from radixlab.checker.report import Report

CASES = [
    ("reference", "good"),
    ("reference", "thin"),
    ("reference", "none"),
    ("reference", "starter"),
    ("reference", "does not load"),
    ("stub", "starter"),
    ("no python", "good"),
    ("does not load", "good"),
    ("s03", "good"),
]


def timeless(report: Report) -> dict:
    """Return the report without what differs from run to run: how long it took."""
    plain = report.as_dict()
    del plain["duration_s"]
    for test in plain["tests"]:
        del test["duration_s"]
    return plain


@pytest.mark.parametrize(("subject", "tests"), CASES)
def test_both_shells_say_the_same(checked, subject, tests):
    assert timeless(checked(subject, tests, "inline")) == timeless(checked(subject, tests, "worker"))
