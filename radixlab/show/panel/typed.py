"""What somebody types becomes tokens, values or a number; what cannot be read is answered in one sentence."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice, product
from string import ascii_lowercase

from radixlab.show.script import BadScript, Script
from radixlab.show.snapshot import plain, shortened

_LIMIT = 2**32  # tokens are below
_EACH = 26  # as many values get a letter each; more get one letter and a number


class Unclear(ValueError):
    """What was typed cannot be read; the text is one sentence that says why and what to type."""


def read_tokens(text: str) -> tuple[int, ...]:
    """Return the tokens that *text* says: numbers, ranges of them, or letters, of which a is 1; Unclear.

    >>> read_tokens("1 2 3"), read_tokens("7, 1..3"), read_tokens("abd"), read_tokens("[]")
    ((1, 2, 3), (7, 1, 2, 3), (1, 2, 4), ())
    """
    words = re.sub(r"[\[\](),]", " ", text).split()
    if not words and not text.strip():
        raise Unclear("type tokens: numbers as in 1 2 3, or letters as in abc; [] is the empty key")
    if are_letters(text):
        return tuple(ascii_lowercase.index(letter) + 1 for letter in "".join(words))
    for word in words:
        if not re.fullmatch(r"\d+(\.\.\d+)?", word, re.ASCII):
            raise Unclear(f"{plain(word)} is no token: type numbers as in 1 2 3, or small letters as in abc, not both")
    tokens = _spelled_out({"match_prefix": " ".join(words)}).steps[0].key
    largest = max(tokens, default=0)
    if largest >= _LIMIT:
        raise Unclear(f"{plain(largest)} is too large: a token is less than {_LIMIT:,}")
    return tokens


def are_letters(text: str) -> bool:
    """Return whether *text* says its tokens in letters.

    >>> are_letters("abc"), are_letters("1 2"), are_letters("")
    (True, False, False)
    """
    return bool(re.fullmatch(r"[a-z\s]*[a-z][a-z\s]*", text))


def read_values(text: str, key: Sequence[int], granule: int) -> tuple[str, ...]:
    """Return the values that *text* says, one for each run of *key*; Unclear when there are more or less.

    >>> read_values("a b1..b3", [1] * 8, 2)
    ('a', 'b1', 'b2', 'b3')
    """
    runs = whole_runs(key, granule)
    values = _spelled_out({"insert": [], "values": text}).steps[0].values
    if len(values) != runs:
        there, wanted = _counted(len(values), "value"), _counted(runs, "run")
        raise Unclear(f"{there} for {wanted}: type one a run, as in {fresh_values((), runs) or 'nothing'}")
    return values


def whole_runs(key: Sequence[int], granule: int) -> int:
    """Return the number of runs in *key*; Unclear when they do not come out even."""
    runs, rest = divmod(len(key), granule)
    if rest:
        more = granule - rest
        raise Unclear(f"{_counted(len(key), 'token')}, and a run has {granule}: type {more} more, or {rest} less")
    return runs


def read_number(text: str) -> int:
    """Return the number that *text* says; Unclear.

    >>> read_number(" 3 ")
    3
    """
    if not re.fullmatch(r"\s*\d{1,9}\s*", text, re.ASCII):
        raise Unclear(f"{plain(text.strip()) or 'nothing'} is no number: type how many values to free, as in 2")
    return int(text)


def said(text: str, key: Sequence[int], granule: int) -> str:
    """Return in words what *text* was understood as: *key*.

    >>> said("abd", [1, 2, 4], 1), said("1 2 3", [1, 2, 3], 2)
    ('abd is 1 2 4: 3 tokens, 3 runs', '3 tokens: 1 run of 2, and 1 token that fills none')
    """
    runs, rest = divmod(len(key), granule)
    tokens = _counted(len(key), "token")
    if are_letters(text):
        tokens = f"{plain(text.strip())} is {shortened(key, 'tokens')}: {tokens}"
    if granule == 1:
        return f"{tokens}, {_counted(runs, 'run')}"
    left = f", and {_counted(rest, 'token')} that {'fills' if rest == 1 else 'fill'} none" if rest else ""
    return f"{tokens}: {_counted(runs, 'run')} of {granule}{left}"


def fresh_values(used: Iterable[str], runs: int) -> str:
    """Return values for so many *runs* that are not among the *used*: letters, or a letter and numbers for many.

    >>> fresh_values(["a", "b"], 3), fresh_values(["a1", "b"], 100)
    ('c d e', 'c1..c100')
    """
    taken = {value.rstrip("0123456789") for value in used}
    letters = (letter for letter in _letters() if letter not in taken)
    if runs > _EACH:
        letter = next(letters)
        return f"{letter}1..{letter}{runs}"
    return " ".join(islice(letters, runs))


def _letters() -> Iterator[str]:
    """Return a, b, ... z, aa, ab, and so on."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))


def _spelled_out(step: dict[str, object]) -> Script:
    """Return *step*, in the short notation of scripts, as a script; Unclear."""
    try:
        return Script.from_data({"granule": 1, "steps": [step]})
    except BadScript as error:
        raise Unclear(str(error).removeprefix("step 1: ")) from None


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
