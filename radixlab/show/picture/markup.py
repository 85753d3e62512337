"""What the tables of cards and strips are made of: colours, sizes in points, text that is safe in an HTML label."""

import html
from collections.abc import Sequence
from typing import Any

BLACK, WHITE, GREY, DARK, PALE = "#000000", "#FFFFFF", "#808080", "#404040", "#DFE6EC"
YELLOW, ORANGE, SKY, VERMILION, BLUE = "#F0E442", "#E69F00", "#56B4E9", "#D55E00", "#0072B2"  # Okabe and Ito
FONT = "Courier"  # of fixed width, and both engines have it; pages name their own
LARGE, SMALL = 15, 11  # points
TEXT = {"fontname": FONT, "fontcolor": BLACK}  # of a graph and its nodes
CELL = 10  # characters of one run or one value
LINE = 36  # characters of a line, and of a row of runs
_ADVANCE = 0.61  # of the font size: what a character takes, and a little more


def width(text: str, size: int) -> int:
    """Return how wide *text* is, in points."""
    return round(len(text) * size * _ADVANCE)


def characters(wide: int, size: int) -> int:
    """Return how many characters fit into *wide* points."""
    return int(wide / (size * _ADVANCE))


def font(text: str, size: int | None = None, ink: str = BLACK, *, bold: bool = False) -> str:
    """Return any *text* in one size and colour; those of its graph or node, None and `BLACK`, cost no markup."""
    inner = f"<B>{escaped(text)}</B>" if bold else escaped(text)
    named = ({"POINT-SIZE": size} if size else {}) | ({"COLOR": ink} if ink != BLACK else {})
    return f"<FONT{_attributes(named)}>{inner}</FONT>" if named else inner


def cell(text: str, fill: str = "", **attributes: Any) -> str:
    """Return a cell of a table around marked-up *text*, of one *fill* or none."""
    named = attributes | ({"BGCOLOR": fill} if fill else {})
    return f"<TD{_attributes(named)}>{text}</TD>"


def table(rows: Sequence[Sequence[str]], **attributes: Any) -> str:
    """Return a table of *rows* of cells; one of a single row or column is laid out several times as fast as a grid."""
    lines = "\n".join(f"<TR>{''.join(row)}</TR>" for row in rows)
    return f"<TABLE{_attributes(attributes)}>\n{lines}\n</TABLE>"


def _attributes(named: dict[str, Any]) -> str:
    return "".join(f' {name}="{value}"' for name, value in named.items())


def escaped(text: str) -> str:
    """Return *text* for an HTML label, where a backslash is an escape, however it is written, and no text an error.

    >>> escaped("<a\\\\N>"), escaped("")
    ('&lt;a&#92;&#92;N&gt;', ' ')
    """
    return html.escape(ascii_text(text)).replace("\\", "&#92;&#92;") or " "


def ascii_text(text: str) -> str:
    """Return *text* with an escape for each character whose width an engine may not know."""
    return text.encode("ascii", "backslashreplace").decode()


def middle(text: str, wide: int = LINE) -> str:
    """Return *text* in ASCII, the middle left out of a long one, or more of the end where that was left out already.

    >>> middle("a caf\\xe9"), middle("x" * 9 + "y" * 9, 10)
    ('a caf\\\\xe9', 'xxxx...yyy')
    """
    text = ascii_text(text)
    if len(text) <= wide:
        return text
    kept = wide - 3
    if text.endswith("..."):
        return f"{text[:kept]}..."
    return f"{text[: kept - kept // 2]}...{text[-(kept // 2) :]}"


def run_text(run: Sequence[Any], wide: int = CELL) -> str:
    """Return the tokens of a *run*, the middle left out of a long one.

    >>> run_text((1, 2)), run_text(tuple(range(16)))
    ('1 2', '0 ... 15')
    """
    whole = " ".join(ascii_text(str(token)) for token in run)
    if len(whole) > wide and len(run) > 2:
        whole = f"{run[0]} ... {run[-1]}"
    return middle(whole, 2 * wide + 5)
