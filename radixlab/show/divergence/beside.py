"""Where two trees part, as one page: both films side by side in one scale, the node at which they differ marked."""

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
_PICTURE = re.compile(r'<svg role="img"[^>]*>')
_SIZE = re.compile(r' (?:width|height|viewBox)="[^"]*"')


def beside(found: Divergence, title: str, lead: str = "") -> str:
    """Return a page with both films of *found*, and above them *lead*, and in what they differ."""
    words = found.words[:1].upper() + found.words[1:]
    html = page(_marked(found), title, f"{lead}. {words}" if lead else words, parts=found.step + 1)
    return _in_one_scale(html)


def _marked(found: Divergence) -> list[Film]:
    """Return both films, in the last frame a mark on the node that the difference is about, if it is about one."""
    kind, at = found.fact
    nodes = [node_at(film[-1].tree, at) for film in found.films]
    if kind not in _MARKS:
        return list(found.films)
    words = "only in this tree" if None in nodes else f"!= {_MARKS[kind]}"
    return [_with_mark(film, node, words) for film, node in zip(found.films, nodes, strict=True)]


def _with_mark(film: Film, node: int | None, words: str) -> Film:
    """Return *film* with *words* written on *node* in its last frame."""
    if node is None:
        return film
    last = film[-1]
    shown = last.tree.nodes[node]
    nodes = last.tree.nodes | {node: replace(shown, problems=(*shown.problems, words))}
    marked = copy(film)
    marked.frames = [*film.frames[:-1], replace(last, tree=replace(last.tree, nodes=nodes))]
    return marked


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
