"""nbgrader's gradebook: its columns, numbers where it has numbers, and rows that a comma in a name does not break."""

import csv
import io
from dataclasses import replace

from samples.outputs.classes import grades, hostile

from radixlab.classroom.outputs import nbgrader

COLUMNS = [
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name"),
    *("email", "raw_score", "late_submission_penalty", "score", "max_score"),
]


def rows(of):
    reader = csv.DictReader(io.StringIO(nbgrader.render(of), newline=""), strict=True)
    assert reader.fieldnames == COLUMNS
    return list(reader)


def test_each_submission_is_a_row_in_the_columns_of_nbgrader():
    found = rows(grades())
    assert [row["student_id"] for row in found] == [grade.learner for grade in grades()]
    for row, grade in zip(found[:-1], grades()[:-1], strict=True):
        assert row["assignment"] == "ds.07" and row["timestamp"] == row["duedate"] == row["email"] == ""
        penalty = float(row["late_submission_penalty"])
        assert penalty == 0 and float(row["score"]) == float(row["raw_score"]) - penalty == grade.points
        assert float(row["max_score"]) == 29


def test_an_infra_error_has_no_score():
    row = rows(grades())[-1]
    assert row["score"] == row["raw_score"] == "" and row["max_score"] == "29.0"


def test_names_do_not_break_the_columns():
    names = ['Doe, Jr "=cmd"', "=1+1", "two\nlines"]
    found = rows([replace(grades()[0], learner=name) for name in names])
    assert [row["student_id"] for row in found] == ['Doe, Jr "=cmd"', "'=1+1", "two lines"]
    assert all(None not in row for row in rows([hostile(grade) for grade in grades()]))
