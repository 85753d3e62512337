"""A tree, or each frame of a film, as a graph for Graphviz; in a film no node jumps, for all frames have one layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import graphviz

from radixlab.show.film import Film, Frame
from radixlab.show.picture.card import Card, card, ghost
from radixlab.show.picture.markup import BLUE, GREY, LARGE, SMALL, TEXT
from radixlab.show.picture.strip import Strip, lru_strip
from radixlab.show.snapshot import Snapshot

MOST_NODES, MOST_FRAMES = 60, 40  # of a film whose frames have one layout

Edge = tuple[str, str]  # from a parent to a child, both by name
Size = tuple[int, int]  # width and height in points

_GRAPH = {
    "bgcolor": "transparent",
    "ordering": "out",
    "outputorder": "edgesfirst",  # a line that has to cross a card goes behind it
    "nodesep": "0.25",
    "ranksep": "0.45",
    "fontsize": str(SMALL),
} | TEXT
_NODE = {"shape": "none", "margin": "0", "fixedsize": "true", "fontsize": str(LARGE)} | TEXT
_EDGE = {"color": GREY, "arrowhead": "none"}
_KEPT = 2_000  # statements: the frames of a film have most of theirs in common
_UNSEEN = {"style": "invis"}
_PLAIN, _WALKED, _GONE = {}, {"color": BLUE, "penwidth": "4"}, {"style": "dashed"}


@dataclass(frozen=True)
class Picture:
    """What one graph shows: *cards* by name, *edges* and how they are drawn, the LRU list as a *strip*."""

    cards: dict[str, Card]
    edges: dict[Edge, dict[str, str]]
    strip: Strip


def tree_dot(seen: Snapshot) -> str:
    """Return a tree as one graph in the DOT language; the same tree gives the same text.

    >>> from radixlab.show.snapshot import Node
    >>> "node 1" in tree_dot(Snapshot(1, {0: Node(0, children=(1,)), 1: Node(1, (7,), ("a",))}))
    True
    """
    return frame_dot(Frame("", "", seen, seen))


def frame_dot(frame: Frame) -> str:
    """Return one *frame* as a graph with a layout of its own, what changed marked."""
    names = {node: f"n{node}" for node in (*frame.before.nodes, *frame.tree.nodes)}
    return _graphs([_picture(frame, names, names)])[0]


def film_dots(film: Film) -> list[str]:
    """Return each frame as a graph; all of them have one layout, unless the film is too large for that.

    Complexity: linear in the frames times the nodes that any frame shows.
    """
    pictures, were = [], {}
    for frame, names in zip(film, film.names(), strict=True):
        pictures.append(_picture(frame, names, were))
        were = were | names
    if len(pictures) <= MOST_FRAMES and len({name for picture in pictures for name in picture.cards}) <= MOST_NODES:
        return _graphs(pictures)
    return [graph for picture in pictures for graph in _graphs([picture])]


def _picture(frame: Frame, names: Mapping[int, str], were: Mapping[int, str]) -> Picture:
    """Return what *frame* shows, each node called by *names*, and by what nodes *were* called before."""
    tree, before = frame.tree, frame.before
    cards: dict[str, Card] = {}
    edges: dict[Edge, dict[str, str]] = {}
    for node in tree.nodes.values():
        drawn = card(
            node,
            tree.granule,
            before.nodes.get(node.id),
            relocked=node.id in frame.relocked,
            moved=node.id in frame.moved,
        )
        name = _title(names[node.id])
        cards[name] = replace(drawn, new=node.id in frame.new, walked=node.id in frame.path)
        edges |= {(name, _title(names[child])): _WALKED if child in frame.path else _PLAIN for child in node.children}
    parents = before.parents
    for node in frame.gone:
        name = _title(were[node.id])
        cards[name] = ghost(node, before.granule, "CUT OFF" if frame.inner else "GONE")
        if node.id in parents:
            edges[_title(were[parents[node.id]]), name] = _GONE
    return Picture(cards, edges, lru_strip(tree, frame.moved))


def _title(name: str) -> str:
    """Return the name of a node in the graph, which a browser shows when the mouse is over it."""
    return "ROOT" if name == "n0" else f"node {name[1:]}"


def _graphs(pictures: Sequence[Picture]) -> list[str]:
    """Return each picture as a graph that holds, unseen, what the others show: so all of them have one layout."""
    sizes: dict[str, Size] = {}
    edges: dict[Edge, None] = {}
    for picture in pictures:
        for name, shown in picture.cards.items():
            sizes[name] = _larger(shown.size(), sizes.get(name, (0, 0)))
        edges |= dict.fromkeys(picture.edges)
    strip = (0, 0)
    for picture in pictures:
        strip = _larger(picture.strip.size(), strip)
    return [_graph(picture, sizes, list(edges), strip) for picture in pictures]


def _graph(picture: Picture, sizes: Mapping[str, Size], edges: Sequence[Edge], strip: Size) -> str:
    label = picture.strip.html(*strip)
    graph = graphviz.Digraph("radix tree", graph_attr=_GRAPH | {"label": label}, node_attr=_NODE, edge_attr=_EDGE)
    graph.body += [_node_line(name, picture.cards.get(name), size) for name, size in sizes.items()]
    graph.body += [_edge_line(*edge, **picture.edges.get(edge, _UNSEEN)) for edge in edges]
    return graph.source


@lru_cache(_KEPT)
def _node_line(name: str, shown: Card | None, size: Size) -> str:
    """Return the statement of a node, unseen if it is not *shown*."""
    graph, (wide, high) = graphviz.Digraph(), size
    attributes = {"width": f"{wide / 72:.3f}", "height": f"{high / 72:.3f}"} | ({} if shown else _UNSEEN)
    graph.node(name, shown.html(wide, high) if shown else "", **attributes)
    return graph.body[0]


@lru_cache(_KEPT)
def _edge_line(parent: str, child: str, **attributes: str) -> str:
    graph = graphviz.Digraph()
    graph.edge(parent, child, **attributes)
    return graph.body[0]


def _larger(one: Size, other: Size) -> Size:
    return max(one[0], other[0]), max(one[1], other[1])
