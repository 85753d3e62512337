"""Gradescope's results.json: in its schema, with the points of the grade, plain text, and none for our own faults."""

import json
from dataclasses import replace

import jsonschema
import pytest
from samples.outputs.classes import SAMPLES, grades, hostile

from radixlab.classroom.outputs import plain, words, write
from radixlab.classroom.outputs.gradescope import results

SCHEMA = json.loads((SAMPLES / "gradescope.schema.json").read_text(encoding="utf-8"))


def valid(data):
    jsonschema.validate(data, SCHEMA, jsonschema.Draft202012Validator)
    return data


@pytest.mark.parametrize("made", [lambda grade: grade, hostile])
def test_each_result_is_in_the_schema_and_in_a_folder_of_its_own(made, chapter, tmp_path):
    final = [made(grade) for grade in grades() if grade.final]
    paths = write(final, chapter, tmp_path, ["gradescope"])
    assert len({path.parent for path in paths}) == len(final) and {path.name for path in paths} == {"results.json"}
    for grade, path in zip(final, paths, strict=True):
        assert valid(json.loads(path.read_bytes()))["score"] == grade.points


def test_the_schema_knows_a_bad_result():
    for bad in (
        {},
        {"score": "1"},
        {"score": 1, "visibility": "seen"},
        {"tests": []},
        {"score": 1, "tests": [{"status": "ok"}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            valid(bad)


def test_the_scores_of_the_tests_add_up_to_that_of_the_grade(chapter):
    for grade in grades():
        if grade.report:
            tests = results(grade, chapter)["tests"]
            assert sum(test["score"] for test in tests) == grade.points
            assert sum(test["max_score"] for test in tests) == grade.max_points
            assert all(test["status"] == "failed" or test["score"] == test["max_score"] for test in tests)


def test_the_weights_of_the_card_count(chapter):
    heavy = replace(chapter, points={"tests": 2, "bugs": 0.5})
    tests = results(grades()[1], heavy)["tests"]
    assert sum(test["score"] for test in tests) == 11 * 2 + 9 * 0.5
    assert sum(test["max_score"] for test in tests) == 11 * 2 + 18 * 0.5


def test_a_result_says_what_it_rests_on(chapter):
    found = results(grades()[2], chapter)
    assert found["extra_data"] == {
        **{"chapter": "ds.07", "chapter_version": "1f2e3d4c5b6a", "outcome": "fail", "seed": 7},
        **{"isolation": "bubblewrap", "sha256": grades()[2].sha256},
    }
    assert found["execution_time"] == 1.5 and found["stdout_visibility"] == "hidden"
    assert found["output"].startswith("fail: mend stage lru")
    names = [test["name"] for test in found["tests"]]
    assert names[:11] == [card.name for card in chapter.tests] and names[-1] == "planted bug m03"


def test_without_a_verdict_the_score_of_the_grade_stands_alone(chapter):
    found = valid(results(replace(grades()[6], points=3.0), chapter))
    assert found["score"] == 3.0 and found["tests"] == []
    assert found["output"].splitlines()[0] == "timeout: no answer within 60 s"


def test_a_person_reads_how_the_points_come_about(chapter):
    verdict, points = results(grades()[1], chapter)["output"].splitlines()
    assert verdict.startswith("fail: 4 more of the planted bugs") and points == words.reckoning(grades()[1], chapter)


def test_a_person_reads_that_there_was_no_sandbox(chapter):
    for grade in grades()[:-1]:
        before, after = (results(replace(grade, isolation=name), chapter)["output"] for name in ("bubblewrap", "none"))
        assert after == f"{before}\n{words.OPEN}" and "without the sandbox" not in before


def test_what_could_not_be_read_was_not_run(chapter):
    found = results(replace(grades()[6], outcome="invalid", isolation="none"), chapter)
    assert found["extra_data"]["isolation"] == "not run" and "sandbox" not in found["output"]


def test_an_infra_error_has_no_result(chapter, tmp_path):
    assert write(grades()[-1:], chapter, tmp_path, ["gradescope"]) == []


def test_a_survivor_is_told_by_its_area_alone(chapter):
    tests = {test["name"]: test["output"] for test in results(grades()[1], chapter)["tests"]}
    for bug in grades()[1].report["mutation"]["bugs"]:
        said = tests[f"planted bug {bug['id']}"]
        assert (bug["title"] in said) == bug["killed"] and (bug["killed"] or bug["area"] in said)


def test_hostile_words_are_told_as_plain_text(chapter):
    found = valid(results(plain.washed(hostile(grades()[2])), chapter))
    assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}
    for said in (found["output"], *(test[key] for test in found["tests"] for key in ("name", "output"))):
        assert said.replace("\n", "").isprintable()
    assert "\\x1b[31m</script>" in found["output"]
