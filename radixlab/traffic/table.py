"""A table of replays: hit tokens and their share, a row for each capacity, a column for each label."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain

from radixlab.traffic.replay import Row


class Table:
    """What several replays of a trace found; a notebook shows it as a table, anything else as text.

    >>> Table({"lru": [Row(100, 58, 0.25, 0, 9, 1.0)], "fifo": [Row(1_000, 1_234, 0.5, 0, 9, 1.0)]})
    blocks        lru          fifo
       100  58  25.0%
     1,000             1,234  50.0%
    """

    def __init__(self, curves: dict[str, Sequence[Row]]) -> None:
        """Take the replays under each label; those of one label have different capacities."""
        self.curves = curves

    def _lines(self) -> Iterator[list[str]]:
        """Yield the cells of each line, the heads first."""
        yield ["blocks", *self.curves]
        for capacity in sorted({row.capacity for row in chain.from_iterable(self.curves.values())}):
            found = [next((row for row in rows if row.capacity == capacity), None) for rows in self.curves.values()]
            yield [f"{capacity:,}", *(f"{row.hit_tokens:,}  {row.hit_rate:.1%}" if row else "" for row in found)]

    def __repr__(self) -> str:
        """Return the table as text."""
        lines = list(self._lines())
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def _repr_html_(self) -> str:
        """Return the table as HTML without a style of its own, so that it follows the theme of the notebook."""
        heads, *lines = self._lines()
        head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
        rows = "".join(
            f'<tr><th scope="row">{blocks}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
            for blocks, *cells in lines
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
