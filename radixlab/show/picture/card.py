"""One node as a card: what is written on it, its size, and the opaque table that Graphviz draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from radixlab.show.picture import markup
from radixlab.show.picture.markup import (
    BLACK,
    CELL,
    GREY,
    LARGE,
    LINE,
    SMALL,
    WHITE,
    cell,
    characters,
    font,
    middle,
    run_text,
    width,
)
from radixlab.show.snapshot import ROOT, Node

_HEAD, _ROW, _LINE = 24, 22, 17  # points: how high the parts of a card are
_INDENT = 3  # points: what stays free at the ends of a head
_SHOWN = ((3, 2), (2, 2), (2, 1), (1, 1))  # of a long row: as many first runs, and last ones
_MOST = 8  # runs in a row


@dataclass(frozen=True)
class Badge:
    """A few words, and the *fill* of a head that bears them; when they *changed*, it is bold, with a heavy border."""

    text: str
    fill: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Card:
    """What a card shows: *name* and *badges* in its head, *columns* of a run over its value, a *note*, *problems*.

    The head has the colour of its first badge that has one; *new* makes it yellow, *walked* the border heavy and blue,
    *gone* all of it a dashed outline.
    """

    name: str
    badges: tuple[Badge, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    note: str = ""
    problems: tuple[str, ...] = ()
    ruled: bool = False
    root: bool = False
    new: bool = False
    walked: bool = False
    gone: bool = False

    def size(self) -> tuple[int, int]:
        """Return the width and height in points that hold all of it, whether new or not, walked or not."""
        wide = [width(self._head(), LARGE if self.root else SMALL) + 12]
        wide += [width(line, LARGE) + 12 for line in self._rows]
        wide += [width(line, SMALL) + 12 for line in (self.note, *self.problems)]
        lines = bool(self.note) + len(self.problems)
        return max(wide) + 8, _HEAD + _ROW * 2 * bool(self.columns) + _LINE * lines + 8

    def html(self, wide: int, high: int) -> str:
        """Return the card as an HTML label of that size; few cells, for each of them costs time."""
        border = 4 if self.walked else 1
        ink, fill, head = BLACK, WHITE, self._fill()
        if self.root:
            ink, fill, head = WHITE, markup.DARK, ""
        if self.gone:
            ink, fill, head = GREY, "", ""
        inner, rest = wide - 2 * border, high - 2 * border - _LINE * len(self.problems)
        news = any(badge.changed for badge in self.badges)
        text = self._head(inner - 2 * _INDENT) if self.columns else self._head()
        title = font(text, None if self.root else SMALL, ink, bold=self.root or self.new or news)
        frame = {"BORDER": 2, "COLOR": BLACK} if news and not self.gone else {}
        rows = [cell(title, head, WIDTH=inner, HEIGHT=_HEAD if self.columns else rest, **frame)]
        if self.columns:
            runs, values = self._rows
            text = f"{font(runs, None, ink, bold=True)}<BR/>{font(values, None, ink)}"
            text += f"<BR/>{font(self.note, SMALL, ink)}" if self.note else ""
            rows.append(cell(text, HEIGHT=rest - _HEAD))
        rows += [cell(font(line, SMALL), markup.VERMILION, HEIGHT=_LINE) for line in self.problems]
        shape = {
            "BORDER": border,
            "CELLBORDER": 0,
            "CELLSPACING": 0,
            "CELLPADDING": 0,
            "COLOR": markup.BLUE if self.walked else GREY,
        }
        shape |= {"BGCOLOR": fill} if fill else {"STYLE": "dashed"}
        return f"<{markup.table([[row] for row in rows], **shape)}>"

    def _fill(self) -> str:
        """Return the colour of the head: what is new before what a badge tells."""
        return markup.YELLOW if self.new else next((badge.fill for badge in self.badges if badge.fill), markup.PALE)

    @property
    def _rows(self) -> tuple[str, str]:
        """Return the runs in one line, and in one of the same length their values, each below its run.

        Each begins its column: engines keep the spaces in a text and after it, but not those before it.
        """
        wide = [max(map(len, column)) for column in self.columns]
        between = " | " if self.ruled else "  "
        runs, values = zip(*self.columns, strict=True) if self.columns else ((), ())
        lines = (between.join(map(str.ljust, row, wide)) for row in (runs, values))
        return tuple(lines)

    def _head(self, wide: int = 0) -> str:
        """Return the name, and at the right end of *wide* points the words of the badges."""
        words = "  ".join([*(["NEW"] if self.new else []), *(badge.text for badge in self.badges)])
        if not words:
            return self.name.ljust(characters(wide, SMALL))
        return f"{self.name.ljust(characters(wide, SMALL) - len(words) - 2)}  {words}"


def card(node: Node, granule: int, was: Node | None = None, *, relocked: bool = False, moved: bool = False) -> Card:
    """Return the card of *node* in a tree of one *granule*; *relocked* or *moved* says that it *was* otherwise."""
    problems = tuple(middle(problem, 52) for problem in node.problems)
    if node.id == ROOT:
        return Card("ROOT", problems=problems, root=True)
    badges = (*_lock(node, relocked, was), *_place(node, moved, was))
    columns, note = _columns(node, granule)
    return Card(f"node {node.id}", badges, columns, note, problems, ruled=granule > 1)


def ghost(node: Node, granule: int, why: str = "GONE") -> Card:
    """Return the card of a *node* that is no longer there, and *why*."""
    return replace(card(node, granule), badges=(Badge(why),), problems=(), gone=True)


def _lock(node: Node, changed: bool, was: Node | None) -> list[Badge]:
    """Return the badge of the locks: none for none, unless that is news."""
    if node.locks is None or not (node.locks or changed):
        return []
    before = f"{was.locks}->" if changed and was is not None and was.locks is not None else ""
    return [Badge(f"lock {before}{node.locks}", markup.ORANGE if node.locks else "", changed)]


def _place(node: Node, changed: bool, was: Node | None) -> list[Badge]:
    """Return the badge of the place in the LRU list."""
    if node.place is None:
        return []
    before = f"{was.place or ''}->" if changed and was is not None else ""
    return [Badge(f"lru {before}{node.place}", markup.SKY, changed)]


def _columns(node: Node, granule: int) -> tuple[tuple[tuple[str, str], ...], str]:
    """Return each run of *node* over its value; the middle of many is left out, and then the note counts them."""
    label = ("?",) if node.label is None else node.label
    values = ("?",) if node.values is None else node.values
    runs = [label[at : at + granule] for at in range(0, len(label), granule)]
    count = max(len(runs), len(values))
    columns = [_column(runs, values, at) for at in range(min(count, _MOST))]
    if count <= _MOST and _fits(columns):
        return tuple(columns), ""
    for first, last in _SHOWN:
        columns = [_column(runs, values, at) for at in (*range(first), *range(count - last, count))]
        if _fits(columns):
            break
    note = f"{len(label):,} tokens" + (f" in {len(runs):,} runs" if granule > 1 else "")
    return (*columns[:first], ("...", "..."), *columns[first:]), note


def _column(runs: Sequence[tuple], values: Sequence[str], at: int) -> tuple[str, str]:
    """Return a run and its value, a dash for what is missing; what cannot be seen is quoted."""
    value = values[at] if at < len(values) else "-"
    return run_text(runs[at]) if at < len(runs) else "-", middle(value.strip() or repr(value), CELL)


def _fits(columns: Sequence[tuple[str, str]]) -> bool:
    return sum(max(map(len, column)) + 2 for column in columns) <= LINE
