"""A hash map as it lies in memory: its slots in rows, in each the key, its home, and the steps from there."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import graphviz

from radixlab.show.draw import Drawing, Reel
from radixlab.show.picture import markup
from radixlab.show.picture.markup import GREY, ORANGE, PALE, SKY, SMALL, TEXT, VERMILION, WHITE, cell, font, middle
from radixlab.show.picture.strip import Cell, Strip
from radixlab.show.snapshot import plain

MOST_SLOTS = 48  # that are drawn
_ROW = 8  # slots in a row
_FILLS = (WHITE, PALE, SKY, ORANGE)  # of a key at home, and of one that is 1, 2, or more slots behind it
_NO_KEY = object()


@dataclass(frozen=True)
class Slot:
    """One slot: its *key* as text, None when it is free; the *home* of the key, and its *distance* from there.

    *astray*: the two do not lead to this slot. *look*: the number of the look that a search takes here, 0 for none.
    """

    number: int
    key: str | None = None
    home: int | None = None
    distance: int = -1
    astray: bool = False
    look: int = 0

    def lines(self) -> tuple[str, str, str]:
        """Return the three lines that are written into the slot."""
        head = f"slot {self.number}" + (f", look {self.look}" if self.look else "")
        if self.key is None:
            return head, "free", ""
        home = "?" if self.home is None else self.home
        steps = f" + {self.distance}" if self.distance else ""
        return head, self.key, f"home {home}{steps}{' ?' if self.astray else ''}"

    def cell(self) -> Cell:
        """Return the slot as a cell: the further from home the stronger its colour; a look has a heavy border."""
        fill = "" if self.key is None else _FILLS[min(max(self.distance, 0), len(_FILLS) - 1)]
        return Cell(self.lines(), VERMILION if self.astray else fill, bool(self.look))

    def text(self) -> str:
        """Return the slot as a line of text."""
        head, what, where = self.lines()
        return f"{head}: {what}" + (f", {where}" if where else "")


def probes(table: Any, search: Hashable = _NO_KEY) -> Drawing:
    """Return a drawing of the slots of *table*, a `RobinHoodMap`, half-written or wrong ones too.

    With a key to *search*, each slot that the search looks at is marked and numbered. What the map raises is written
    into the drawing; TypeError for what is no such map. Complexity: linear in the slots; the first 48 are drawn.

    >>> from radixlab.chapters.ds05.reference import RobinHoodMap
    >>> table = RobinHoodMap()
    >>> for key in (0, 8, 1):
    ...     table[key] = "value"
    >>> print("\\n".join(str(probes(table, 8)).splitlines()[:4]))
    slot 0, look 1: 0, home 0
    slot 1, look 2: 8, home 0 + 1
    slot 2: 1, home 1 + 1
    slot 3: free
    """
    slots, problems = _slots(table)
    taken = sum(slot.key is not None for slot in slots)
    said = f"{taken:,} key{'s' if taken != 1 else ''} in {len(slots):,} slots"
    if search is not _NO_KEY:
        slots, found = _searched(table, slots, search)
        said = f"{said}; {found}"
    drawn = slots[:MOST_SLOTS]
    if len(slots) > MOST_SLOTS:
        problems = (*problems, f"only {MOST_SLOTS} of {len(slots):,} slots are drawn")
    text = "\n".join([*(slot.text() for slot in drawn), said, *problems])
    return Drawing(text, Reel([_dot(drawn, said, problems)]))


def _slots(table: Any) -> tuple[list[Slot], tuple[str, ...]]:
    """Return the slots of *table* as it tells of them, and what it does not tell."""
    if not hasattr(type(table), "probe_distances") or isinstance(table, type):
        raise TypeError(f"{plain(table)!r} is no Robin Hood map; make one, as in RobinHoodMap()")
    try:
        keys, distances = list(table.slots()), list(table.probe_distances())
    except Exception as error:
        return [], (f"the slots cannot be seen: {type(error).__name__}",)
    slots = [
        _slot(number, key, distance, len(keys))
        for number, (key, distance) in enumerate(zip(keys, distances, strict=False))
    ]
    alike = len(keys) == len(distances)
    return slots, () if alike else (f"{len(keys)} slots, but {len(distances)} probe distances",)


def _slot(number: int, key: Any, distance: int, capacity: int) -> Slot:
    if key is None and distance == -1:
        return Slot(number)
    try:
        home = hash(key) % capacity
    except Exception:
        home = None
    astray = home is None or distance < 0 or (home + distance) % capacity != number
    return Slot(number, middle(plain(key)), home, distance, astray)


def _searched(table: Any, slots: list[Slot], key: Hashable) -> tuple[list[Slot], str]:
    """Return *slots* with the looks that the search for *key* takes, and in words how it ends."""
    try:
        end, distance = table.probe(key)
        found = key in table
        walk = {(end - distance + step) % len(slots): step + 1 for step in range(distance + 1)}
    except Exception as error:
        return slots, f"{plain(key)}: the search raised {type(error).__name__}"
    looked = [replace(slot, look=walk.get(slot.number, 0)) for slot in slots]
    many = f"{distance + 1} look{'s' if distance else ''}"
    return looked, f"{plain(key)}: {'found' if found else 'missing'}, {many}"


def _dot(slots: list[Slot], said: str, problems: tuple[str, ...]) -> str:
    """Return *slots* as a graph of one node."""
    cells = [slot.cell() for slot in slots]
    rows = tuple(tuple(cells[at : at + _ROW]) for at in range(0, len(cells), _ROW)) or ((),)
    strip = Strip(rows, problems=tuple(map(middle, problems)))
    attributes = {"shape": "plain", "fontsize": str(SMALL)} | TEXT
    graph = graphviz.Digraph("probes", graph_attr={"bgcolor": "transparent"}, node_attr=attributes)
    lines = [[cell(strip.html(*strip.size())[1:-1])], [cell(font(said, None, GREY))]]
    graph.node("the table", f"<{markup.table(lines, BORDER=0, CELLSPACING=0)}>")
    return graph.source
