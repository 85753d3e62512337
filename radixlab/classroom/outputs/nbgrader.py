"""The grades of a class in the columns of nbgrader's gradebook."""

from collections.abc import Sequence

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import csv

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def render(grades: Sequence[Grade]) -> str:
    """Return *grades* as CSV under `COLUMNS`, a row a submission; what nobody knows here is left empty.

    The id of a student is the learner's name as it was found. No row is late; an infra_error has no score.
    """
    return csv.table(COLUMNS, (_row(grade) for grade in grades))


def _row(grade: Grade) -> list[str | int]:
    score = str(float(grade.points)) if grade.final else ""
    return [grade.chapter, "", "", grade.learner, "", "", "", score, "0.0", score, str(float(grade.max_points))]
