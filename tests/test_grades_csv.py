"""grades.csv: the columns, and cells that come back as they were and are no formula in any spreadsheet."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.outputs.classes import HOSTILE, grades, hostile

from radixlab.classroom.outputs import csv as ours

COLUMNS = [
    *("submission", "learner", "outcome", "points", "max_points", "tests_passed", "bugs_killed"),
    *("isolation", "seed", "message"),
]


def read(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=delimiter == ","))


def test_the_columns_are_these_and_a_submission_is_a_row():
    head, *rows = read(ours.render(grades()))
    assert head == COLUMNS and len(rows) == len(grades())
    by_learner = {row[1]: dict(zip(head, row, strict=True)) for row in rows}
    assert by_learner["ada"] == {
        **{"submission": "class/ada/radix.py", "learner": "ada", "outcome": "pass", "points": "29", "max_points": "29"},
        **{"tests_passed": "11", "bugs_killed": "18", "isolation": "bubblewrap", "seed": "7"},
        "message": grades()[0].message,
    }
    assert by_learner["dora"]["points"] == "14" and by_learner["gil"]["points"] == "0"


def test_an_infra_error_has_no_points():
    row = dict(zip(*read(ours.render(grades()[-1:])), strict=True))
    assert row["outcome"] == "infra_error" and row["max_points"] == "29"
    assert row["points"] == row["tests_passed"] == row["bugs_killed"] == ""


def test_what_could_not_be_read_is_not_run():
    unread = replace(grades()[6], outcome="invalid", isolation="none")
    row = dict(zip(*read(ours.render([unread])), strict=True))
    assert row["isolation"] == "not run" and row["points"] == "0"


def test_the_learner_doe_comes_back_as_they_are():
    name = 'Doe, Jr "=cmd"'
    _, row = read(ours.render([replace(grades()[0], learner=name)]))
    assert row[1] == name and len(row) == len(COLUMNS)


@pytest.mark.parametrize(
    "begin", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", "\xa0=1", '"=1']
)
def test_no_cell_begins_as_a_formula(begin):
    for words in (begin, f"x;{begin}", f'x;"{begin}'):
        cell = read(ours.table(["a"], [[words]]))[1][0]
        assert not cell.split(";")[-1].lstrip('" ').startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20"))
        assert "'" in cell and cell.replace("'", "") == " ".join(words.split()), "only an apostrophe came in"


@given(st.lists(st.text(st.sampled_from("=+-@\t\r\n;,\"' xA\x00\x1b\u202e\ud800\uff1d")), min_size=1, max_size=4))
def test_however_a_list_is_separated_there_is_no_formula(words):
    text = ours.table([f"c{n}" for n in range(len(words))], [words])
    assert len(read(text)) == 2 and len(read(text)[1]) == len(words)
    for delimiter in ",;\t":
        for cell in (cell for row in read(text, delimiter) for cell in row):
            assert not cell.strip('" \r\n').startswith(tuple("=+-@\uff1d\t\r")), (delimiter, cell)


def test_a_hostile_class_is_still_a_row_each():
    head, *rows = read(ours.render([hostile(grade) for grade in grades()]))
    assert len(rows) == len(grades()) and all(len(row) == len(head) for row in rows)
    assert "\x1b" not in str(rows) and "\\x1b[31m</script>" in rows[0][1]
    assert HOSTILE not in ours.render([hostile(grades()[0])])
