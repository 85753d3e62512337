"""Lines that fit the terminal: no word of a message or of a help text is broken where a line has room for it."""

import re
import shutil
from collections.abc import Iterable
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console

_NO_END = 10**6  # columns


class Terminal(Console):
    """A console on which what is printed with *soft_wrap* ends its lines between two words, and in a pipe never."""

    def print(self, *things: Any, soft_wrap: bool | None = None, **options: Any) -> None:
        """Print *things*, as the console of rich does."""
        if soft_wrap and self.is_terminal:
            things = tuple(fitted(thing, self.width) if isinstance(thing, str) else thing for thing in things)
        super().print(*things, soft_wrap=soft_wrap, **options)


class HelpFormatter(click.HelpFormatter):
    """Writes the help of a command no wider than the terminal; that of click breaks names such as `a-file.zip`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.width = min(self.width, shutil.get_terminal_size().columns)

    def write_text(self, text: str) -> None:
        """Write paragraphs, and what is laid out by hand."""
        begin, width = len(self.buffer), self.width
        self.width = _NO_END
        super().write_text(text)
        self.width = width
        self.buffer[begin:] = [fitted("".join(self.buffer[begin:]), width)]

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write two columns, the first of which leaves enough room to the second."""
        rows = list(rows)
        first = min(col_max, self.width * 2 // 5, max(len(term) for term, _ in rows))
        column = self.current_indent + first + col_spacing
        for term, words in rows:
            head = " " * self.current_indent + term
            if len(term) > first:
                self.write(f"{head}\n")
                head = ""
            self.write(_fitted(f"{head:{column}}{' '.join(words.splitlines())}", self.width, column).rstrip() + "\n")


class Context(click.Context):
    """The call of a command whose help is written to fit."""

    formatter_class = HelpFormatter


def with_fitted_help(command: click.Command) -> click.Command:
    """Return *command*, its help and that of its subcommands written to fit."""
    for each in (command, *getattr(command, "commands", {}).values()):
        each.context_class = Context
    return command


def fitted(text: str, width: int) -> str:
    """Return *text* with each line that is longer than *width* broken between words, below its last column.

    A word that is longer than that stays whole: it may be a path, to be copied.

    >>> print(fitted("-o demo.html   a page for the projector", 32))
    -o demo.html   a page for the
                   projector
    """
    return "\n".join(_fitted(line, width, _last_column(line, width)) for line in text.split("\n"))


def _last_column(line: str, width: int) -> int:
    """Return where the last column of *line* begins, or a little to the right of the first if it leaves no room."""
    column = max((gap.end() for gap in re.finditer("^ +|  +", line)), default=0)
    return column if column <= width // 2 else len(line) - len(line.lstrip()) + 4


def _fitted(line: str, width: int, column: int) -> str:
    """Return *line* as lines of at most *width*, all but the first indented to *column*."""
    if cell_len(line) <= width:
        return line
    rows = [""]
    for word in re.findall(" *[^ ]+", line):
        if rows[-1].strip() and cell_len(rows[-1] + word) > width:
            rows.append(" " * column + word.lstrip())
        else:
            rows[-1] += word
    return "\n".join(rows)
