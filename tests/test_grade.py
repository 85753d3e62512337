"""A grade is plain data, and what is none is refused."""

import json
from dataclasses import fields

import pytest

from radixlab.classroom.grade import EXAMPLE, OUTCOMES, Grade, one_line


def test_a_grade_survives_json():
    grade = Grade.from_dict(EXAMPLE | {"report": {"tests": []}, "notes": ["a", "b"]})
    assert Grade.from_dict(json.loads(json.dumps(grade.as_dict()))) == grade
    assert grade.notes == ("a", "b") and grade.as_dict()["notes"] == ["a", "b"]


def test_a_whole_number_of_points_will_do():
    assert Grade.from_dict(EXAMPLE | {"points": 3}).points == 3


@pytest.mark.parametrize("field", [field.name for field in fields(Grade)])
def test_a_field_of_another_type_or_missing_is_refused(field):
    for wrong in (object(), True, [1], {"a"}):
        with pytest.raises(ValueError, match=field):
            Grade.from_dict(EXAMPLE | {field: wrong})
    with pytest.raises(ValueError, match=field):
        Grade.from_dict({name: value for name, value in EXAMPLE.items() if name != field})


@pytest.mark.parametrize(
    "wrong", [{"schema": "radixlab.grade/2"}, {"outcome": "excellent"}, {"isolation": "some"}, {"more": 1}]
)
def test_what_is_no_grade_is_refused(wrong):
    with pytest.raises(ValueError, match="no grade"):
        Grade.from_dict(EXAMPLE | wrong)
    with pytest.raises(ValueError, match="no grade"):
        Grade.from_dict([])


def test_only_an_infra_error_is_not_final():
    grades = [Grade.from_dict(EXAMPLE | {"outcome": outcome}) for outcome in OUTCOMES]
    assert [grade.outcome for grade in grades if not grade.final] == ["infra_error"]
    assert [grade.outcome for grade in grades if grade.passed] == ["pass"]


def test_a_text_on_one_line_shows_nothing_but_itself():
    assert one_line("a\tb\r\n\n c\0\x1b[31m\u202e\ud800") == "a b c??[31m??"
    assert one_line("x" * 1_000, 10) == "xxxxxxx..."
    assert one_line("Jos\u00e9 \u738b") == "Jos\u00e9 \u738b"
