"""Points for a report, by the weights in the chapter's card: part of the work is part of the points."""

from typing import Any

from radixlab.course import Chapter


def max_points(chapter: Chapter) -> float:
    """Return what a pass without a survivor is worth.

    >>> from radixlab import course
    >>> max_points(course.chapter("ds.07"))
    29.0
    """
    return _weighted(chapter, len(chapter.tests), len(chapter.bugs))


def points(chapter: Chapter, report: dict[str, Any]) -> float:
    """Return the points of *report*, as plain data: for each official test passed, for each planted bug killed."""
    return _weighted(chapter, passed_tests(report), killed_bugs(report))


def passed_tests(report: dict[str, Any]) -> int:
    """Return how many official tests passed."""
    return sum(test["outcome"] == "passed" for test in report["tests"])


def killed_bugs(report: dict[str, Any]) -> int:
    """Return how many planted bugs the own tests killed: none while one of them is not valid."""
    return report["mutation"]["killed"] if report["mutation"] else 0


def _weighted(chapter: Chapter, tests: int, bugs: int) -> float:
    return round(float(chapter.points["tests"] * tests + chapter.points["bugs"] * bugs), 6)
