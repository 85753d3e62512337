"""Pictures of one layout from pieces: a card or an edge that several frames share is drawn once, and stands in each."""

import re
from collections.abc import Sequence
from html import unescape

_DEFAULTS = 4  # what a graph begins with: its first line, and what holds for it, its nodes, and its edges
_NAME = r'("[^"]*"|\w+)'
_NODE, _EDGE = re.compile(rf"\t{_NAME} \["), re.compile(rf"\t{_NAME} -> {_NAME}(?: \[|$)")
_UNSEEN = 'label="" style=invis'
_LABEL = re.compile(r"label=<.*>(?= )", re.DOTALL)
_GROUP = re.compile(r'<g class="(?:node|edge)">\n<title>(.*?)</title>.*?</g>\n', re.DOTALL)


class Pieces:
    """Graphs whose nodes have their places already, as fewer and smaller *dots* with the same statements in all.

    Each of *graphs* is DOT text in which a statement begins a line with a tab, and edges are drawn before nodes. What
    stands in *around*, statements too, is in each of *dots*. Complexity: linear in the text.
    """

    def __init__(self, graphs: Sequence[str], around: str) -> None:
        split = [graph.rstrip().removesuffix("}").rstrip().split("\n\t") for graph in graphs]
        self._frames = [
            ("\n\t".join(parts[:_DEFAULTS]), [f"\t{part}" for part in parts[_DEFAULTS:]]) for parts in split
        ]
        self._drawn: list[tuple[str, list[str]]] = []  # as in _frames, of each of *dots*
        self.dots: list[str] = []
        heads, done = set(), set()
        for head, statements in self._frames:
            missing = [statement for statement in statements if statement not in done]
            if not missing and head in heads:
                continue
            heads.add(head)
            done.update(missing)
            self._drawn.append((head, missing))
            self.dots.append("\n".join([head, *_with_ends(missing, statements), f"{around}}}"]))

    def together(self, svgs: Sequence[str]) -> list[str]:
        """Return the picture of each graph, from *svgs*, those of `dots`; KeyError when a piece is in none of them."""
        pieces: dict[str, str] = {}
        around: dict[str, tuple[str, str]] = {}
        for (head, statements), svg in zip(self._drawn, svgs, strict=True):
            found = {unescape(group[1]): group[0] for group in _GROUP.finditer(svg)}
            around[head] = _around(svg)
            pieces |= {statement: found[_title(statement)] for statement in statements}
        pictures = []
        for head, statements in self._frames:
            begin, end = around[head]
            edges_first = sorted(statements, key=lambda statement: _EDGE.match(statement) is None)
            pictures.append(begin + "".join(pieces[statement] for statement in edges_first) + end)
        return pictures


def _with_ends(missing: Sequence[str], statements: Sequence[str]) -> list[str]:
    """Return what is *missing*, nodes first, among them, out of all *statements*, unseen ends of its edges."""
    edges = [each for each in missing if _EDGE.match(each)]
    ends = {name for edge in edges for name in _EDGE.match(edge).groups()}
    nodes = [(each, name[1]) for each in statements if (name := _NODE.match(each))]
    drawn = [
        each if each in missing else _LABEL.sub(_UNSEEN, each)
        for each, name in nodes
        if each in missing or name in ends
    ]
    return [*drawn, *edges]


def _title(statement: str) -> str:
    """Return what a picture calls a node or an edge."""
    edge = _EDGE.match(statement)
    names = edge.groups() if edge else _NODE.match(statement).groups()
    return "->".join(name.strip('"') for name in names)


def _around(svg: str) -> tuple[str, str]:
    """Return what a picture begins and ends with."""
    first, end = _GROUP.search(svg), svg.rindex("</g>")
    return svg[: first.start() if first else end], svg[end:]
