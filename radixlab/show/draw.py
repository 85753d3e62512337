"""A tree is drawn: as a picture where there are Graphviz and a browser, as text everywhere."""

import html
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from radixlab.show.film import Film, Frame
from radixlab.show.picture.arena import arena_dot, arena_text, slots
from radixlab.show.picture.dot import film_dots, frame_dot, tree_dot
from radixlab.show.picture.render import NoEngine, render, render_alike
from radixlab.show.snapshot import Snapshot, snapshot, tree_or_error
from radixlab.show.text import tree_text


class Drawing:
    """What was drawn: `text` in ASCII, `dot`, and `svg`; a terminal shows the text, a notebook the picture.

    Where nothing can draw, `svg` is None, `advice` says why in one sentence, and a notebook shows the text with it.
    """

    def __init__(self, text: str, reel: "Reel", place: int = 0) -> None:
        self.text = text
        self._reel, self._place = reel, place

    @property
    def dot(self) -> str:
        """Return the graph in the DOT language."""
        return self._reel.dots[self._place]

    @property
    def svg(self) -> str | None:
        """Return the picture, to stand in a page; None when nothing here can draw."""
        svgs = self._reel.svgs
        return svgs[self._place] if svgs else None

    @property
    def advice(self) -> str:
        """Return one sentence on why there is no picture, "" when there is one."""
        return "" if self._reel.svgs else self._reel.advice

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg or f"<pre>{html.escape(self._said())}</pre>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = {"text/plain": self._said(), "text/html": self._repr_html_()}
        return bundle | ({"image/svg+xml": self.svg} if self.svg else {})

    def _said(self) -> str:
        return f"{self.text}\n{self.advice}".rstrip()


class Reel:
    """Graphs that are rendered together when the first of them is looked at; *alike* ones are laid out once."""

    def __init__(self, dots: Sequence[str], *, alike: bool = False) -> None:
        self.dots, self._render = dots, render_alike if alike else render
        self.advice = ""

    @cached_property
    def svgs(self) -> list[str]:
        """Return the pictures, none when nothing here can draw; the *advice* is then there."""
        try:
            return [svg.decode() for svg in self._render(self.dots)]
        except NoEngine as error:
            self.advice = str(error)
            return []


def draw(tree: Any) -> Drawing:
    """Return a drawing of *tree*, finished or not, right or wrong; or of a snapshot, or of a frame with its marks.

    What an accessor raises is written into the drawing; TypeError for what is no tree at all. Complexity: linear in the
    nodes; the first 200 are drawn.

    >>> from radixlab.chapters.ds07.reference import RadixTree
    >>> tree = RadixTree(1)
    >>> _ = tree.insert([1, 2], "ab")
    >>> draw(tree)
    root
    `-- 1 2: a b  [node 1, lru 1]
    """
    if isinstance(tree, Frame):
        return Drawing(frame_text(tree), Reel([frame_dot(tree)]))
    seen = tree if isinstance(tree, Snapshot) else snapshot(tree_or_error(tree))
    return Drawing(tree_text(seen), Reel([tree_dot(seen)]))


def film_drawings(film: Film) -> list[Drawing]:
    """Return a drawing of each frame that *film* has so far; no node of them jumps, and all are rendered together."""
    reel = Reel(film_dots(film), alike=True)
    return [Drawing(frame_text(frame), reel, place) for place, frame in enumerate(film)]


def arena(tree: Any) -> Drawing:
    """Return a drawing of the slots that the nodes of *tree* live in; of a film, of its last frame.

    The public face does not tell of free slots: those are drawn that lie below a slot in use, or were in use in a frame
    of the film.

    >>> from radixlab.chapters.ds07.reference import RadixTree
    >>> film = Film.record(RadixTree(1))
    >>> _ = film.tree.insert([1, 2], "ab"), film.tree.insert([3], "c"), film.tree.evict(1)
    >>> arena(film)
    slot 0: ROOT
    slot 1: free
    slot 2: 3, parent 0
    """
    frames = list(tree) if isinstance(tree, Film) else [tree if isinstance(tree, Frame) else _still(tree)]
    count = slots(frames)
    return Drawing(arena_text(frames[-1], count), Reel([arena_dot(frames[-1], count)]))


def frame_text(frame: Frame) -> str:
    """Return a frame as text: a line with the call and what it returned, and the tree."""
    return f"{frame.call} -> {frame.returned}\n{tree_text(frame.tree)}"


def _still(tree: Any) -> Frame:
    """Return *tree* as a frame in which nothing happens."""
    seen = tree if isinstance(tree, Snapshot) else snapshot(tree_or_error(tree))
    return Frame("", "", seen, seen)
