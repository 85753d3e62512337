"""Pictures from pieces: each is the one that is drawn whole, and nothing is drawn twice."""

import random
import re
import shutil
from collections import Counter

import pytest
from test_render import grow

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.film import Film
from radixlab.show.picture import pieces as module
from radixlab.show.picture import render as rendering
from radixlab.show.picture.dot import film_dots
from radixlab.show.picture.pieces import Pieces
from radixlab.show.picture.render import NoEngine, render_alike

HEAD = "digraph {\n\tgraph [label=x]\n\tnode [a=1]\n\tedge [b=1]\n"


class Whole(Pieces):
    """Graphs that are drawn as they are."""

    def __init__(self, graphs, around):
        self.dots = [f"{graph}{around}}}" for graph in graphs]

    def together(self, svgs):
        return svgs


def films():
    rng = random.Random(5)
    for granule in (1, 1, 2, 16):
        film = Film.record(RadixTree(granule))
        grow(film.tree, rng, 15, most=12)
        yield film


def parts(svg):
    """A picture as what is around its cards and edges, and how often it has each of those."""
    group = re.compile(rb'<g class="(?:node|edge)">.*?</g>\n', re.DOTALL)
    return group.sub(b"", svg), Counter(group.findall(svg))


@pytest.mark.parametrize("engine", ["dot", "graphviz-pure"])
def test_a_picture_from_pieces_has_what_the_whole_has(engine, monkeypatch):
    if engine == "dot" and shutil.which("dot") is None:
        pytest.skip("there is no dot of Graphviz on the PATH")
    monkeypatch.setenv("RADIXLAB_DOT", engine)
    for film in films():
        dots = film_dots(film)
        made = render_alike(dots)
        with monkeypatch.context() as patched:
            patched.setattr(rendering, "Pieces", Whole)
            whole = render_alike(dots)
        assert [*map(parts, made)] == [*map(parts, whole)]
        for svg in made:
            classes = re.findall(rb'<g class="(node|edge)"', svg)
            assert classes == sorted(classes), "edges behind cards"


def test_what_was_drawn_is_not_drawn_again():
    one, two = '\ta [label=<<b>a</b>> pos="0,0!"]', '\tb [label=<<b>b</b>> pos="1,1!"]'
    edge, walked = "\ta -> b", "\ta -> b [penwidth=4]"
    graphs = [
        "\n".join([HEAD + lines[0], *lines[1:]]) for lines in ([one], [one, two, edge], [one], [one, two, walked])
    ]
    pieces = Pieces(graphs, "\tcorner\n")
    assert len(pieces.dots) == 3, "the third graph is the first one"
    unseen = [each.replace("<<b>" + name + "</b>>", '"" style=invis') for each, name in ((one, "a"), (two, "b"))]
    assert [dot.removeprefix(HEAD).splitlines() for dot in pieces.dots] == [
        [one, "\tcorner", "}"],
        [unseen[0], two, edge, "\tcorner", "}"],
        [*unseen, walked, "\tcorner", "}"],
    ]


def test_a_film_is_drawn_from_less_text_than_its_graphs():
    for film in films():
        dots = film_dots(film)
        assert sum(map(len, Pieces(dots, "").dots)) < 0.8 * sum(map(len, dots))


def test_an_engine_that_leaves_a_piece_out_is_named(monkeypatch):
    monkeypatch.setattr(module, "_GROUP", re.compile("(nothing)"))
    with pytest.raises(NoEngine, match=r"left .* out of its pictures. Set RADIXLAB_DOT"):
        render_alike(film_dots(next(films())))
