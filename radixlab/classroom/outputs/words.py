"""What is said of a grade in words, the same in each output."""

from radixlab.classroom.grade import Grade
from radixlab.course import Chapter

OPEN = "Graded without the sandbox, so it could do what this account can: the verdict rests on trust in the submission."


def number(points: float) -> str:
    """Return *points* without needless digits.

    >>> number(11.0), number(2.5), number(1 / 3)
    ('11', '2.5', '0.333')
    """
    return f"{points:.3f}".rstrip("0").rstrip(".")


def counted(many: int, what: str) -> str:
    """Return how *many* of *what* there are.

    >>> counted(1, "submission"), counted(0, "submission")
    ('1 submission', '0 submissions')
    """
    return f"{many} {what}{'' if many == 1 else 's'}"


def isolation(grade: Grade) -> str:
    """Return the isolation of *grade*, as it is told: a hand-in that could not be read was not run."""
    return "not run" if grade.outcome == "invalid" and grade.report is None else grade.isolation


def is_open(grade: Grade) -> bool:
    """Return whether *grade* rests on a run without the sandbox."""
    return grade.final and isolation(grade) == "none"


def reckoning(grade: Grade, chapter: Chapter) -> str:
    """Return how the points of *grade* come about, and what a pass still takes; "" for what was not graded."""
    if not grade.final:
        return ""
    earned = f"{number(grade.points)} of {number(grade.max_points)} points: {_earned(grade, chapter)}."
    return earned if grade.passed else f"{earned} To pass: {_wanted(chapter)}."


def _earned(grade: Grade, chapter: Chapter) -> str:
    if grade.outcome == "tampered":
        return "there are none for what meddles with its grading"
    if grade.report is None:
        return "there is no verdict on it"
    tests = f"{grade.tests_passed} of {grade.tests} official tests{_each(chapter.points['tests'])}"
    if grade.report["mutation"] is None:
        return f"{tests}, and no bugs while an own test is not written or not valid"
    return f"{tests}, {grade.bugs_killed} of {grade.bugs} bugs caught{_each(chapter.points['bugs'])}"


def _each(weight: float) -> str:
    return "" if weight == 1 else f" at {number(weight)} each"


def _wanted(chapter: Chapter) -> str:
    own = f"own tests that pass on your {chapter.makes} and catch at least {counted(chapter.needed, 'bug')}"
    required = f", {' and '.join(chapter.required)} among them" if chapter.required else ""
    return f"all official tests, and {own}{required}"
