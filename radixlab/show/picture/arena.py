"""The arena: the slots that nodes live in, as a strip; a slot that was seen in use and is free now is an outline."""

from collections.abc import Iterable

import graphviz

from radixlab.show.film import Frame
from radixlab.show.picture.markup import SMALL, TEXT, WHITE, YELLOW, run_text
from radixlab.show.picture.strip import Cell, Strip
from radixlab.show.snapshot import ROOT

MOST_SLOTS = 48  # that are drawn
_ROW = 8  # slots in a row


def slots(frames: Iterable[Frame]) -> int:
    """Return how many slots were ever seen in use, and so are there: one more than the largest id."""
    return 1 + max((node for frame in frames for node in frame.tree.nodes), default=ROOT)


def arena_text(frame: Frame, count: int) -> str:
    """Return the first *count* slots as text, a line a slot.

    >>> from radixlab.show.snapshot import Node, Snapshot
    >>> seen = Snapshot(1, {0: Node(0, children=(2,)), 2: Node(2, (7, 8), ("a", "b"))})
    >>> print(arena_text(Frame("", "", seen, seen), 3))
    slot 0: ROOT
    slot 1: free
    slot 2: 7 8, parent 0
    """
    lines = []
    for slot in range(min(count, MOST_SLOTS)):
        what, parent = _slot(frame, slot)
        lines.append(f"slot {slot}: {what}" + (f", {parent}" if parent else ""))
    return "\n".join([*lines, *_left_out(count)])


def arena_dot(frame: Frame, count: int) -> str:
    """Return the first *count* slots as a graph of one node; what *frame* put into a slot is marked NEW."""
    cells = []
    for slot in range(min(count, MOST_SLOTS)):
        lines = _slot(frame, slot)
        new = slot in frame.new
        fill = YELLOW if new else WHITE if slot in frame.tree.nodes else ""
        cells.append(Cell((f"slot {slot} NEW" if new else f"slot {slot}", *lines), fill, new))
    rows = tuple(tuple(cells[at : at + _ROW]) for at in range(0, len(cells), _ROW))
    strip = Strip(rows, problems=_left_out(count))
    attributes = {"shape": "plain", "fontsize": str(SMALL)} | TEXT
    graph = graphviz.Digraph("arena", graph_attr={"bgcolor": "transparent"}, node_attr=attributes)
    graph.node("the arena", strip.html(*strip.size()))
    return graph.source


def _slot(frame: Frame, slot: int) -> tuple[str, str]:
    """Return what is in a slot, and the slot of its parent."""
    node = frame.tree.nodes.get(slot)
    if node is None:
        return "free", ""
    if slot == ROOT:
        return "ROOT", ""
    what = run_text(node.label) if node.label else "?"
    return what, f"parent {frame.tree.parents[slot]}" if slot in frame.tree.parents else ""


def _left_out(count: int) -> tuple[str, ...]:
    return (f"only {MOST_SLOTS} of {count:,} slots are drawn",) if count > MOST_SLOTS else ()
