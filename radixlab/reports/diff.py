"""Two files beside each other, or one above the other where the terminal is narrow."""

import difflib

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

WIDE = 140  # columns, from which on two files fit beside each other
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def side_by_side(mine: str, theirs: str, name: str, width: int) -> RenderableType:
    """Return *mine*, called *name*, against the reference *theirs*, for a terminal of *width* columns."""
    if width < WIDE:
        return _unified(mine, theirs, name)
    left, right = mine.splitlines(), theirs.splitlines()
    table = Table(box=None, padding=(0, 1), header_style="bold", expand=True)
    table.add_column(name, ratio=1, overflow="fold")
    table.add_column("", width=1)
    table.add_column("the reference", ratio=1, overflow="fold")
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        style = "" if tag == "equal" else "bold"
        sign = " " if tag == "equal" else "|"
        for row in range(max(j - i, m - k)):
            mine_here = left[i + row] if i + row < j else ""
            theirs_here = right[k + row] if k + row < m else ""
            table.add_row(Text(mine_here, style and "red"), sign, Text(theirs_here, style and "green"))
    return table


def _unified(mine: str, theirs: str, name: str) -> Text:
    lines = list(difflib.unified_diff(mine.splitlines(), theirs.splitlines(), name, "the reference", lineterm=""))
    text = Text()
    for line in lines or ["your file is the reference, line by line"]:
        text.append(line + "\n", _STYLES.get(line[:1], ""))
    return text
