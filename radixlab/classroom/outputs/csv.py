"""The grades of a class as `grades.csv`: a row a submission, for a spreadsheet that must not run what is in it."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import plain
from radixlab.classroom.outputs.words import isolation, number

COLUMNS = (
    "submission",
    "learner",
    "outcome",
    "points",
    "max_points",
    "tests_passed",
    "bugs_killed",
    "isolation",
    "seed",
    "message",
)
# A cell that begins so is a formula, the wide forms too; where lists are separated by ";" a cell may begin after one.
_FORMULA = re.compile('(^|;)(["\\s]*)(?=[=+\\-@\uff1d\uff0b\uff0d\uff20])')


def render(grades: Sequence[Grade]) -> str:
    """Return *grades* as CSV under `COLUMNS`; what is not known of an infra_error is left empty."""
    return table(COLUMNS, (_row(grade) for grade in grades))


def _row(grade: Grade) -> list[str | int]:
    known = [number(grade.points), grade.tests_passed, grade.bugs_killed] if grade.final else ["", "", ""]
    points, tests, bugs = known
    names = [grade.submission, grade.learner, grade.outcome]
    return [*names, points, number(grade.max_points), tests, bugs, isolation(grade), grade.seed, grade.message]


def table(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return *rows* under *columns* as CSV: all quoted, CRLF at the end of a line, texts as `cell` gives them."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    writer.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return file.getvalue()


def cell(words: str) -> str:
    """Return *words* as one line that no spreadsheet takes for a formula: an apostrophe stands before one.

    >>> cell('Doe, Jr "=cmd"'), cell("\t=HYPERLINK(1)"), cell("x;@SUM(1)")
    ('Doe, Jr "=cmd"', "'=HYPERLINK(1)", "x;'@SUM(1)")
    """
    return _FORMULA.sub(r"\1\2'", plain.line(words))
