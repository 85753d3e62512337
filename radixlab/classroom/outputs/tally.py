"""What a class did, counted: points, outcomes, official tests, planted bugs, pitfalls."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from radixlab.classroom.grade import OUTCOMES, Grade
from radixlab.course import Bug, Chapter, Pitfall

BINS = 10  # of the histogram, about


@dataclass(frozen=True)
class Count:
    """How *many* of a class, *of* how many, did what is called *name*; what that is, *words*; *note*: what is special.

    >>> Count("s01", "Swapped values", 3, 4).percent
    75
    """

    name: str
    words: str
    many: int
    of: int
    note: str = ""

    @property
    def percent(self) -> int:
        """The share, in whole percent; 0 of 0 is 0."""
        return round(100 * self.many / self.of) if self.of else 0


@dataclass(frozen=True)
class Bin:
    """The submissions with at least *low* and less than *high* points, the last bin with *high* too."""

    low: int
    high: int
    passed: int
    others: int


@dataclass(frozen=True)
class Row:
    """What the own tests of one *submission* catch, a truth for each planted bug; *number*: its own in a class."""

    number: int
    submission: str
    caught: tuple[bool, ...]

    @property
    def many(self) -> int:
        """How many it catches."""
        return sum(self.caught)


def outcomes(grades: Sequence[Grade]) -> list[tuple[str, int]]:
    """Return how many of *grades* have each outcome, of those that occur."""
    counts = Counter(grade.outcome for grade in grades)
    return [(outcome, counts[outcome]) for outcome in OUTCOMES if counts[outcome]]


def histogram(grades: Sequence[Grade]) -> list[Bin]:
    """Return the points of *grades* in at most `BINS` bins of one whole width, from 0 on; infra_errors have none.

    Complexity: linear in the grades.
    """
    known = [grade for grade in grades if grade.final]
    most = max((max(grade.max_points, grade.points) for grade in known), default=0)
    width = max(1, math.ceil(most / BINS))
    bins = max(1, math.ceil(most / width))
    counts = Counter((min(int(max(grade.points, 0) // width), bins - 1), grade.passed) for grade in known)
    return [Bin(n * width, (n + 1) * width, counts[n, True], counts[n, False]) for n in range(bins)]


def median(grades: Sequence[Grade]) -> float | None:
    """Return the median of the points of *grades*, None when there are none."""
    points = sorted(grade.points for grade in grades if grade.final)
    return (points[(len(points) - 1) // 2] + points[len(points) // 2]) / 2 if points else None


def official(grades: Sequence[Grade], chapter: Chapter) -> list[Count]:
    """Return for each official test of *chapter* how many submissions pass it, of those with a report."""
    reports = [grade.report for grade in grades if grade.report]
    passed = Counter(test["name"] for report in reports for test in report["tests"] if test["outcome"] == "passed")
    return [Count(card.name, card.checks, passed[card.name], len(reports), card.stage) for card in chapter.tests]


def kills(grades: Sequence[Grade], chapter: Chapter) -> list[Count]:
    """Return for each planted bug of *chapter* how many submissions catch it, of those whose own tests are valid."""
    graded = [grade.report["mutation"] for grade in grades if grade.report and grade.report["mutation"]]
    caught = Counter(bug["id"] for mutation in graded for bug in mutation["bugs"] if bug["killed"])
    required = dict.fromkeys(chapter.required, "required")
    return [Count(bug.id, bug.title, caught[bug.id], len(graded), required.get(bug.id, "")) for bug in chapter.bugs]


def matrix(grades: Sequence[Grade], chapter: Chapter) -> list[Row]:
    """Return a row for each submission whose own tests are valid: most bugs first, and what is alike together."""
    caught = {}
    for grade in grades:
        if grade.report and grade.report["mutation"]:
            killed = {bug["id"] for bug in grade.report["mutation"]["bugs"] if bug["killed"]}
            caught[grade.submission] = tuple(bug.id in killed for bug in chapter.bugs)
    order = sorted(caught.items(), key=lambda each: (-sum(each[1]), [not hit for hit in each[1]], each[0]))
    return [Row(number, *each) for number, each in enumerate(order, 1)]


def most_missed(grades: Sequence[Grade], chapter: Chapter, most: int) -> list[Count]:
    """Return at most so many planted bugs that somebody misses, what most of the class misses first."""
    missed = [count for count in kills(grades, chapter) if count.many < count.of]
    return sorted(missed, key=lambda count: count.many)[:most]


def pitfalls(grades: Sequence[Grade], chapter: Chapter) -> list[Count]:
    """Return the pitfalls that submissions are in, the most frequent first, of those whose official tests fail.

    Complexity: submissions times pitfalls.
    """
    failing = [grade for grade in grades if grade.report and not _all_green(grade)]
    found = Counter(pit for grade in failing if (pit := pitfall(grade, chapter)))
    return [Count(*_told(pit), many, len(failing), pit.symptom) for pit, many in found.most_common()]


def pitfall(grade: Grade, chapter: Chapter) -> Bug | Pitfall | None:
    """Return the pitfall that a report names, None when it names none.

    A diagnosis ends with the hint of a planted bug; a failing check begins with the symptom of a pitfall on the card.
    """
    said = [test["message"] for test in grade.report["tests"] if test["outcome"] != "passed"]
    for message in said:
        for bug in (*chapter.bugs, *chapter.seen):
            if message.endswith(bug.hint):
                return bug
    for message in said:
        for pit in chapter.pitfalls:
            if pit.symptom in message and pit.bug is None:
                return pit
    return None


def _all_green(grade: Grade) -> bool:
    return all(test["outcome"] == "passed" for test in grade.report["tests"])


def _told(pit: Bug | Pitfall) -> tuple[str, str]:
    return (pit.id, pit.title) if isinstance(pit, Bug) else ("", pit.mistake)
