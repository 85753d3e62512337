"""Long rows in short: of tokens or values that count up, the first and the last stand for all of them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from radixlab.show.words import LONG

_FEW = 8  # things in a row that is not long
_SHORT = 3  # things in a stretch that are written out


class Shortened:
    """A row in short; it is no sequence, so nothing is left out of it once more."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def shortened_at_gaps(row: Any) -> Any:
    """Return a long *row* of a few stretches in short, each by its first and last; anything else as it is.

    Complexity: linear in the row.

    >>> print(shortened_at_gaps([*range(1, 2001), *range(3001, 3097)]))
    [1, ..., 2000, 3001, ..., 3096]
    >>> print(shortened_at_gaps(["x1", "x2", "x3", "x4", "b7", "b8", "b9", "b10", "b11"]))
    ['x1', ..., 'x4', 'b7', ..., 'b11']
    >>> shortened_at_gaps([3, 1, 2])
    [3, 1, 2]
    """
    if type(row) not in (list, tuple, range) or len(row) <= _FEW:
        return row
    stretches = _stretches(row)
    if len(stretches) == 1 or max(map(len, stretches)) <= _SHORT:
        return row
    text = f"[{', '.join(map(_ends, stretches))}]"
    return Shortened(text) if len(text) <= LONG else row


def _stretches(row: Sequence[Any]) -> list[Sequence[Any]]:
    """Return the parts of *row* within which each thing counts on from the one before."""
    cuts = [at for at, (one, next_) in enumerate(pairwise(row), 1) if not _counts_on(one, next_)]
    return [row[begin:end] for begin, end in pairwise([0, *cuts, len(row)])]


def _ends(stretch: Sequence[Any]) -> str:
    if len(stretch) <= _SHORT:
        return ", ".join(map(repr, stretch))
    return f"{stretch[0]!r}, ..., {stretch[-1]!r}"


def _counts_on(one: Any, next_: Any) -> bool:
    """Return whether *next_* is one more: 8 after 7, b8 after b7."""
    if type(one) is int and type(next_) is int:
        return next_ == one + 1
    if type(one) is str and type(next_) is str:
        this, that = (re.fullmatch(r"(\D*)([1-9]\d{0,9})", name, re.ASCII) for name in (one, next_))
        return bool(this and that) and this[1] == that[1] and int(that[2]) == int(this[2]) + 1
    return False
