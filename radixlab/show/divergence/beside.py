"""Where two trees part, as one page: both films side by side in one scale, the difference told where it is seen."""

import re
from copy import copy
from dataclasses import replace

from radixlab.show.divergence.diverge import Divergence
from radixlab.show.divergence.seen import Path
from radixlab.show.export import page, size
from radixlab.show.film import Film
from radixlab.show.snapshot import ROOT, Snapshot

_MARKS = {  # facts about one node -> what is written on it
    "values": "its values differ",
    "label": "its label differs",
    "lock_count": "its lock counts differ",
    "children": "its children differ",
    "child_count": "its child counts differ",
    "increasing": "the order of its children differs",
    "parent": "its parents differ",
}
_ASKS = "In what will the two trees part?"  # a room that is to say what will come must not read it
_PICTURE = re.compile(r'<svg role="img"[^>]*>')
_SIZE = re.compile(r' (?:width|height|viewBox)="[^"]*"')


def beside(found: Divergence, title: str, lead: str = "") -> str:
    """Return a page with both films of *found*, above them *lead*, and in the last frame in what they differ."""
    html = page(_told(found), title, f"{lead}. {_ASKS}" if lead else _ASKS, parts=found.step + 1)
    return _in_one_scale(html)


def _told(found: Divergence) -> list[Film]:
    """Return both films, in the last frame the words, and a mark on the node they are about, if they are about one."""
    kind, at = found.fact
    nodes = [node_at(film[-1].tree, at) if kind in _MARKS else None for film in found.films]
    mark = "only in this tree" if None in nodes else f"!= {_MARKS[kind]}"
    words = found.words[:1].upper() + found.words[1:]
    return [_ending(film, words, node, mark) for film, node in zip(found.films, nodes, strict=True)]


def _ending(film: Film, words: str, node: int | None, mark: str) -> Film:
    """Return *film* with *words* as the caption of its last frame, and there *mark* written on *node*."""
    last = film[-1]
    nodes = dict(last.tree.nodes)
    if node is not None:
        nodes[node] = replace(nodes[node], problems=(*nodes[node].problems, mark))
    told = copy(film)
    told.frames = [*film.frames[:-1], replace(last, caption=words, tree=replace(last.tree, nodes=nodes))]
    return told


def node_at(tree: Snapshot, path: Path) -> int | None:
    """Return the node of *tree* that the tokens of *path* lead to, None when there is none."""
    for node in tree.nodes:
        labels = [tree.nodes[above].label or () for above in tree.path(node)]
        if (node == ROOT or labels) and tuple(token for label in labels for token in label) == path:
            return node
    return None


def _in_one_scale(html: str) -> str:
    """Return a page with all of its pictures as large as the largest: what is drawn stays in the middle, at the top."""
    sizes = [size(picture) for picture in _PICTURE.findall(html)]
    wide, high = (max(sides) for sides in zip(*sizes, strict=True)) if sizes else (0, 0)

    def grown(picture: re.Match) -> str:
        left = (size(picture[0])[0] - wide) / 2
        box = f' width="{wide:g}pt" height="{high:g}pt" viewBox="{left:g} 0 {wide:g} {high:g}"'
        return _SIZE.sub("", picture[0]).removesuffix(">") + box + ">"

    return _PICTURE.sub(grown, html)
