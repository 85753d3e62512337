"""The player in a notebook: slider, buttons, large type; and what a notebook without widgets sees."""

import subprocess
import sys

import pytest

from radixlab import course
from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show import films
from radixlab.show.film import Film
from radixlab.show.notebook import bundle, register
from radixlab.show.player import player

CHAPTER = course.chapter("ds.07")


@pytest.fixture
def shown():
    return player(films.film(CHAPTER, "worked-example"))


def test_the_player_begins_with_the_first_frame_and_what_to_look_for(shown):
    assert shown.place == 0
    for words in ("frame 1 of 7", "RadixTree(1)", "an empty tree", films.film(CHAPTER, "worked-example").look, "<svg"):
        assert words in shown._screen.value
    assert shown._back.disabled and not shown._forward.disabled


def test_slider_and_buttons_step_both_ways_and_stop_at_the_ends(shown):
    shown._forward.click()
    shown._forward.click()
    assert shown.place == 2 and "insert([1, 2, 4, 5]" in shown._screen.value and "frame 3 of 7" in shown._screen.value
    shown._back.click()
    assert shown.place == 1
    shown._slider.value = 6
    assert "match_prefix([7, 1])" in shown._screen.value and shown._forward.disabled
    shown._forward.click()
    assert shown.place == 6
    shown.place = -5
    assert shown.place == 0


def test_play_moves_the_slider_and_the_picture(shown):
    shown._play.value = 4
    assert shown.place == 4 and "frame 5 of 7" in shown._screen.value
    shown._slider.value = 2
    assert shown._play.value == 2, "playing goes on from where the slider is"


def test_large_type_is_larger(shown):
    small = shown._screen.value
    shown._large.value = True
    assert shown._screen.value != small and "zoom:1.6" in shown._screen.value
    shown._large.value = False
    assert shown._screen.value == small


def test_all_frames_are_drawn_by_one_process(monkeypatch):
    runs, run = [], subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *args, **kw: runs.append(args) or run(*args, **kw))
    shown = player(films.film(CHAPTER, "worked-example"))
    for place in range(7):
        shown.place = place
    assert ["-Tsvg" in command for (command,) in runs] == [False, True]  # one lays out, one draws


def test_what_a_tree_says_is_text_and_no_markup():
    film = Film.record(RadixTree(1))
    film.tree.insert([1], ["<script>alert(1)</script>"])
    shown = player(film)
    shown.place = 1
    assert "<script" not in shown._screen.value and "&lt;script" in shown._screen.value


def test_a_film_in_a_notebook_is_its_player():
    film = films.film(CHAPTER, "worked-example")
    shown = bundle(film)
    assert "application/vnd.jupyter.widget-view+json" in shown and shown["text/plain"] == str(film)


def test_after_lab_is_imported_a_cell_that_ends_with_a_film_shows_its_player():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        register()
        data, _ = shell.display_formatter.format(films.film(CHAPTER, "worked-example"))
    finally:
        InteractiveShell.clear_instance()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_without_widgets_a_film_is_all_its_frames(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.delitem(sys.modules, "radixlab.show.player")
    shown = bundle(films.film(CHAPTER, "worked-example"))
    assert shown.keys() == {"text/plain", "text/html"}
    assert shown["text/html"].count("<svg") == 7 and "frame 7 of 7" in shown["text/html"]


def test_a_film_is_made_without_loading_widgets():
    code = "import sys, radixlab.show.films, radixlab.show.export; print('ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
