"""Cells in a row, as for the LRU list: what is written in them, their size, and the table that Graphviz draws."""

from collections.abc import Iterable
from dataclasses import dataclass

from radixlab.show.picture import markup
from radixlab.show.picture.markup import BLACK, BLUE, GREY, SMALL, VERMILION, WHITE, cell, font, middle, run_text, width
from radixlab.show.snapshot import Snapshot

_FIRST, _LAST = 5, 2  # places of a long list that are drawn
_HIGH, _LINE = 64, 17  # points: how high a row of cells is, and a line below


@dataclass(frozen=True)
class Cell:
    """Three *lines*; a *changed* one is bold with a heavy border; one without a *fill* is a dashed outline."""

    lines: tuple[str, str, str]
    fill: str = WHITE
    changed: bool = False

    @property
    def wide(self) -> int:
        """Return the width in points."""
        return width(max(self.lines, key=len), SMALL) + 12

    def html(self) -> str:
        """Return the cell of a table."""
        ink = BLACK if self.fill else GREY
        lines = [font(line, None, ink, bold=self.changed or place == 1) for place, line in enumerate(self.lines)]
        border, color = (3, BLUE) if self.changed else (1, GREY)
        outline = {} if self.fill else {"STYLE": "dashed"}
        return cell("<BR/>".join(lines), self.fill, WIDTH=self.wide, BORDER=border, COLOR=color, **outline)


_UNWRITTEN = "lru_order() raised NotImplementedError"  # the normal case for half of the course: no alarm


@dataclass(frozen=True)
class Strip:
    """*rows* of cells, what stands *before* the first and *after* the last, and *problems* below."""

    rows: tuple[tuple[Cell, ...], ...]
    before: str = ""
    after: str = ""
    problems: tuple[str, ...] = ()

    def size(self) -> tuple[int, int]:
        """Return the width and height in points that hold all of it."""
        ends = width(self.before + self.after, SMALL) + 24
        wide = [ends + sum(each.wide + 4 for each in row) for row in self.rows]
        wide += [width(line, SMALL) + 16 for line in self.problems]
        return max(wide), _HIGH * len(self.rows) + _LINE * len(self.problems)

    def html(self, wide: int, high: int) -> str:
        """Return the strip as an HTML label of that size."""
        rows = [[each.html() for each in row] for row in self.rows]
        if self.before:
            rows[0].insert(0, cell(font(self.before, None, GREY)))
        if self.after:
            rows[-1].append(cell(font(self.after, None, GREY)))
        inner = markup.table(rows, BORDER=0, CELLSPACING=4, CELLPADDING=2)
        lines = [[cell(font(line), VERMILION, HEIGHT=_LINE)] for line in self.problems]
        rest = high - _LINE * len(lines)
        return f"<{markup.table([[cell(inner, WIDTH=wide, HEIGHT=rest)], *lines], BORDER=0, CELLSPACING=0)}>"


def lru_strip(seen: Snapshot, moved: Iterable[int] = ()) -> Strip:
    """Return the LRU list of a tree, oldest first; those that *moved* are marked."""
    problems = tuple(middle(problem, 60) for problem in seen.problems)
    if not seen.order:
        untold = any(problem.startswith("lru_order(") for problem in seen.problems)
        said = f"no LRU list: {_UNWRITTEN}" if _UNWRITTEN in problems else "no LRU list"
        others = tuple(problem for problem in problems if problem != _UNWRITTEN)
        return Strip(((),), said if untold else "the LRU list is empty", problems=others)
    cells = []
    for place, leaf in enumerate(seen.order, 1):
        node = seen.nodes.get(leaf)
        label = run_text(node.label) if node and node.label else "?"
        changed = leaf in moved
        cells.append(Cell((f"lru {place}", label, f"node {leaf}"), markup.SKY if changed else WHITE, changed))
    if len(cells) > _FIRST + _LAST + 1:
        cells[_FIRST:-_LAST] = [Cell(("...", f"{len(cells):,} leaves", "..."))]
    return Strip((tuple(cells),), "oldest", "newest", problems)
