"""Predictions: the truth is computed, a wrong picture is answered by what its tree would get wrong next."""

import pytest

from radixlab import lab
from radixlab.lab import asking
from radixlab.lab.mine import CHAPTER
from radixlab.show.draw import draw

RIGHT = {
    "runs.1": 2300,
    "runs.2": 4,
    "runs.3": "a",
    "new.1": "b",
    "new.2": "C",
    "insert.1": 2,
    "insert.2": ["x", "y"],
    "insert.3": 3,
    "split.1": "B",
    "split.2": 4,
    "locks.1": [1, 0, 1],
    "locks.2": 1,
    "lru.1": "B C A",
    "lru.2": ["A", "B", "C"],
    "evict.1": "c, d",
    "evict.2": ["1 2", "9"],
    "evict.3": 2,
}
WRONG = {name: ["q"] if isinstance(right, list) or " " in str(right) else 99 for name, right in RIGHT.items()}
WRONG |= {"split.1": "A", "runs.3": "B", "new.2": "A", "evict.1": "d"}


def said(capsys, name, answer):
    lab.predict(name, answer)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_answer_is_right_and_no_other(name, capsys):
    assert said(capsys, name, RIGHT[name]).startswith(f"{name}: right\n")
    wrong = said(capsys, name, WRONG[name])
    assert wrong.startswith(f"{name}: not so\n") and CHAPTER.predictions[name]["because"] in wrong


@pytest.mark.parametrize("name", [*RIGHT, "tests.1"])
def test_dots_are_not_attempted_and_tell_nothing(name, capsys):
    out = said(capsys, name, ...)
    assert f"{name}: not attempted" in out and CHAPTER.predictions[name]["because"] not in out


def test_every_prediction_has_its_right_answer_here():
    assert {*RIGHT, "tests.1"} == set(CHAPTER.predictions)


@pytest.mark.parametrize("name", [name for name, card in CHAPTER.predictions.items() if "pictures" in card])
def test_pictures_to_choose_from_all_differ_and_one_is_right(name):
    card = CHAPTER.predictions[name]
    pictures = asking._pictures(name, card)
    assert len({repr(draw(asking._played(module, card)["tree"])) for _, _, module in pictures}) == len(pictures)
    assert [wrong for _, wrong, _ in pictures].count({}) == 1


@pytest.mark.parametrize("name", [name for name, card in CHAPTER.predictions.items() if "choices" in card])
def test_of_the_choices_exactly_one_holds(name):
    choices = CHAPTER.predictions[name]["choices"]
    assert sum(bool(asking._asked(choice, choice["holds"])) for choice in choices) == 1


def test_a_wrong_picture_is_answered_by_what_that_tree_gets_wrong_next(capsys):
    for letter in "ACD":
        line = said(capsys, "split.1", letter).splitlines()[1]
        would, should = line.rpartition(" would be ")[2].split(", and should be ")
        assert f"picture {letter} a step on" in line and would != should


@pytest.mark.parametrize(("name", "answer"), [("runs.1", "2,300"), ("lru.1", "b c a".upper()), ("new.1", "'b'")])
def test_an_answer_may_be_typed_as_text(name, answer, capsys):
    assert said(capsys, name, answer).startswith(f"{name}: right")


def test_a_letter_that_is_not_there_is_no_answer(capsys):
    assert "one of the letters A, B, C, D" in said(capsys, "split.1", "F")
    assert "one of the letters A, B, C" in said(capsys, "runs.3", 1)


def test_a_film_opens_unless_the_next_question_would_be_answered(capsys):
    assert "insert([1, 2, 3], ['a', 'b', 'c'])" in said(capsys, "split.2", 3)
    assert "insert(" not in said(capsys, "evict.1", 3)


def test_ones_own_kills_are_asked_for_after_a_check(workspace, capsys):
    assert "run `check()` first" in said(capsys, "tests.1", [])
    bugs = [{"id": "s06", "by": ["oldest_leaf_goes_first", "locks_pin_ancestors"]}]
    workspace.remember({"chapter": "ds.07", "mutation": {"bugs": bugs}})
    answer = ["test_locks_pin_ancestors", "oldest_leaf_goes_first"]
    assert said(capsys, "tests.1", answer).startswith("tests.1: right")
    assert said(capsys, "tests.1", answer[:1]).startswith("tests.1: not so")


def test_an_answer_of_another_kind_is_no_answer(capsys):
    for answer in (None, "four", [4]):
        assert said(capsys, "split.2", answer).endswith("not attempted\nanswer with a number\n")
    assert said(capsys, "lru.1", 3).endswith("not attempted\nanswer with a list\n")
    lab.predict("runs.1", 2, 300)
    assert "a number has no comma" in capsys.readouterr().out


def test_an_unknown_prediction_says_which_there_are(capsys):
    assert "split.1" in said(capsys, "split.9", 1)
