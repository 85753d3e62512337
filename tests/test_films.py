"""The shipped films: they play on the right tree without an error, and are as short and plain as an audience needs."""

import dataclasses

import pytest

from radixlab import course
from radixlab.lab import subject
from radixlab.show import films
from radixlab.show.films import NoSuchFilm
from radixlab.show.script import BadScript

CHAPTER = course.chapter("ds.07")
NAMES = films.names(CHAPTER)


def trees(name: str) -> list[str]:
    """Return the labels and values of each frame, from ROOT down."""
    return [
        " | ".join(
            f"{' '.join(map(str, node.label))}: {' '.join(node.values)}"
            for node in frame.tree.nodes.values()
            if node.id
        )
        for frame in films.film(CHAPTER, name)
    ]


def test_the_worked_example_is_the_one_of_the_chapter():
    film = films.film(CHAPTER, NAMES[0])
    assert NAMES[0] == "worked-example" and film.granule == 1
    after_2, after_5 = "1 2: a b | 3: c | 4 5: d e", "1: a | 2: b | 3: c | 4 5: d e"
    assert trees(NAMES[0]) == ["", "1 2 3: a b c", after_2, after_2, after_2, after_5, after_5]
    matched = [frame.returned for frame in film if frame.call.startswith("match_prefix")]
    assert [answer.split(",")[0] for answer in matched] == ["(3", "(2", "(1", "(0"]


def test_every_topic_has_a_film():
    topics = {"worked-example", "granule-2", "inside-a-split", "locks", "lru", "eviction", "prompt-sharing"}
    assert topics <= set(NAMES)


def test_no_two_chapters_give_a_film_the_same_name():
    every = [name for chapter in course.chapters() for name in chapter.films]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("name", NAMES)
def test_a_film_plays_on_the_right_tree_and_each_step_has_its_sentence(name):
    film = films.film(CHAPTER, name)
    assert not any(frame.returned.startswith("raised") for frame in film)
    assert all(frame.caption for frame in film.frames[1:])
    assert len(film) <= 12 and film.title and film.look.endswith(".")
    assert all(len(frame.caption) <= 120 and frame.caption.isascii() for frame in film)
    assert not any(node.problems for frame in film for node in frame.tree.nodes.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["objects", "late_calls", "s03", "s09", "m02", "stub"])
def test_a_film_plays_on_any_tree(name, other):
    film = films.film(CHAPTER, name, subject(other))
    assert len([frame for frame in film if not frame.inner]) == len(films.script(CHAPTER, name).steps) + 1


def test_the_prompt_is_one_node_that_becomes_a_tree():
    film = films.film(CHAPTER, "prompt-sharing")
    sizes = [len(frame.tree.nodes) - 1 for frame in film]
    assert sizes[1] == 1 and sizes[-1] == 6
    stored = [sum(len(node.values) for node in frame.tree.nodes.values()) for frame in film]
    assert stored == [0, 125, 125, 131, 137, 140, 140]


def test_locks_hold_and_are_inherited_by_the_middle():
    film = films.film(CHAPTER, "locks")
    assert {node.locks for node in film[4].tree.nodes.values() if node.id not in (0, 3)} == {1}
    assert film[6].returned == "1, freed d" and len(film[len(film) - 1].tree.nodes) == 1


def test_the_oldest_goes_and_an_unlock_is_no_use():
    film = films.film(CHAPTER, "lru")
    assert [frame.tree.order for frame in film][3:8] == [(1, 2, 3), (2, 3, 1), (3, 1), (2, 3, 1), (3, 1, 4)]
    assert film[8].returned == "2, freed e f"


def test_forgetting_empties_a_parent_and_uses_its_slot_again():
    film = films.film(CHAPTER, "eviction")
    assert [frame.returned for frame in film if frame.call == "evict(1)"] == [
        "1, freed c",
        "1, freed d",
        "2, freed a b",
    ]
    assert film[5].tree.order == (2, 4), "1 2 joins before 9"
    assert film[7].new == {2}


def test_an_unknown_film_names_those_there_are():
    with pytest.raises(NoSuchFilm, match="'nix': choose from worked-example, "):
        films.film(CHAPTER, "nix")


def test_a_mistake_in_the_data_names_the_film_and_the_step():
    data = {"title": "t", "look": "l", "granule": 1, "steps": [{"insert": "1..x", "values": ""}]}
    chapter = dataclasses.replace(CHAPTER)
    vars(chapter)["films"] = {"mine": data}
    with pytest.raises(BadScript, match="film mine: step 1: "):
        films.film(chapter, "mine")


def test_a_chapter_without_films_has_none(tmp_path):
    assert dataclasses.replace(CHAPTER, folder=tmp_path).films == {}
