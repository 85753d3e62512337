"""Drawings: a picture in a notebook, text in a terminal, advice where nothing can draw; half-written trees too."""

import re
import sys

import pytest

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show import draw as drawing
from radixlab.show.draw import arena, draw, film_drawings
from radixlab.show.film import Film
from radixlab.show.picture.render import NoEngine, render, render_alike
from radixlab.show.script import Script, evict, insert, match
from radixlab.show.snapshot import snapshot
from radixlab.show.text import tree_text

STEPS = (insert([1, 2, 3], "abc"), insert([1, 2, 4, 5], "xyde"), match([1, 9]))


@pytest.fixture
def tree():
    grown = RadixTree(1)
    grown.insert([1, 2, 3], "abc")
    grown.insert([1, 2, 4], "xyd")
    return grown


@pytest.fixture
def film():
    return Film.of(Script(1, STEPS), RadixTree(1))


@pytest.fixture
def renders(monkeypatch):
    """How many graphs were rendered, each time."""
    counts = []
    monkeypatch.setattr(drawing, "render", lambda dots: counts.append(len(dots)) or render(dots))
    monkeypatch.setattr(drawing, "render_alike", lambda dots: counts.append(len(dots)) or render_alike(dots))
    return counts


@pytest.fixture
def no_engine(monkeypatch):
    def refuse(dots):
        raise NoEngine("There is <no> engine: install one.")

    monkeypatch.setattr(drawing, "render", refuse)
    monkeypatch.setattr(drawing, "render_alike", refuse)


def test_a_notebook_gets_a_picture_and_a_terminal_gets_text(tree):
    drawn = draw(tree)
    assert repr(drawn) == drawn.text == tree_text(tree)
    bundle = drawn._repr_mimebundle_()
    assert bundle == {"text/plain": drawn.text, "text/html": drawn.svg, "image/svg+xml": drawn.svg}
    assert drawn.svg.startswith("<svg ") and drawn._repr_svg_() == drawn._repr_html_() == drawn.svg
    assert drawn.advice == ""


def test_without_an_engine_there_is_text_with_a_line_of_advice(tree, no_engine):
    drawn = draw(tree)
    assert drawn.svg is None and drawn._repr_svg_() is None
    assert drawn.advice == "There is <no> engine: install one."
    bundle = drawn._repr_mimebundle_()
    assert bundle["text/plain"] == f"{tree_text(tree)}\n{drawn.advice}" and "image/svg+xml" not in bundle
    assert bundle["text/html"].endswith("There is &lt;no&gt; engine: install one.</pre>")
    assert repr(drawn) == tree_text(tree) and drawn.dot.startswith("digraph")


def test_a_drawing_is_rendered_once_and_only_when_it_is_looked_at(tree, renders):
    drawn = draw(tree)
    assert repr(drawn) and renders == []
    assert drawn.svg and drawn._repr_mimebundle_() and renders == [1]


def test_the_drawings_of_a_film_are_rendered_together(film, renders):
    drawings = film_drawings(film)
    assert renders == [] and len({each.svg for each in drawings}) == 4
    assert renders == [4]


def test_a_drawing_stays_as_the_tree_was(tree):
    drawn = draw(tree)
    before = drawn.text
    tree.insert([9], "z")
    assert drawn.text == before and "node 4" not in drawn.svg


def test_a_frame_says_the_call_and_what_it_returned(film):
    lines = film_drawings(film)[3].text.splitlines()
    assert lines[0] == "match_prefix([1, 9]) -> (1, [4])"
    assert "\n".join(lines[1:]) == tree_text(film[3].tree)
    assert draw(film[3]).text == film_drawings(film)[3].text
    assert "NEW" in draw(film[3]).svg and "NEW" not in draw(film[3].tree).svg


def test_a_snapshot_is_drawn_as_the_tree(tree):
    assert draw(snapshot(tree)).dot == draw(tree).dot


def test_the_stub_is_drawn(stub):
    """Its `__init__` raises, so it has no attributes, as the tree of a learner whose `__init__` is a `pass`."""
    namespace = {}
    exec(compile(stub, "radix.py", "exec"), namespace)
    kind = namespace["RadixTree"]
    drawn = draw(kind.__new__(kind))
    for accessor in ("children(0)", "lru_order()"):
        assert re.search(rf"{re.escape(accessor)} raised \w+Error", drawn.text)
        assert re.search(rf"{re.escape(accessor)} raised \w+Error", drawn.svg)


def test_an_accessor_that_raises_is_drawn_as_such(tree):
    def refuse(node):
        if node == 3:
            raise NotImplementedError("stage read: later")
        return RadixTree.children(tree, node)

    tree.children = refuse
    assert "children(3) raised NotImplementedError" in draw(tree).svg


def test_the_arena_of_a_film_knows_the_slots_that_are_free_again():
    film = Film.of(
        Script(1, (insert([1], "a"), insert([2], "b"), insert([3], "c"), evict(1), match([3]))), RadixTree(1)
    )
    drawn = arena(film)
    assert drawn.text.splitlines() == ["slot 0: ROOT", "slot 1: free", "slot 2: 2, parent 0", "slot 3: 3, parent 0"]
    assert drawn.svg.count("free") == 1 and "stroke-dasharray" in drawn.svg
    film.tree.evict(9)
    assert arena(film).text.count("free") == 3 and arena(film.tree).text == "slot 0: ROOT"
    film.tree.insert([7], "g")
    assert "NEW" in arena(film).dot and "NEW" not in arena(film.tree).dot


def test_the_arena_leaves_out_what_is_too_much():
    grown = RadixTree(1)
    for token in range(60):
        grown.insert([token], "a")
    assert "only 48 of 61 slots are drawn" in arena(grown).text
    assert "only 48 of 61 slots are drawn" in arena(grown).svg


@pytest.mark.parametrize("wrong", [None, 5, "abc", RadixTree, sys])
def test_what_is_no_tree_is_refused_with_what_to_write(wrong):
    for show in (draw, arena):
        with pytest.raises(TypeError, match=r"RadixTree\(1\)"):
            show(wrong)


def test_a_list_that_is_not_written_yet_is_no_alarm(stub, chapter):
    from radixlab.checker.live import loaded

    tree = loaded(stub, "stub.py", set()).RadixTree(1)
    dot = draw(tree).dot
    assert "no LRU list: lru_order() raised NotImplementedError" in dot
    assert "lru_order() raised NotImplementedError" in repr(draw(tree))
