"""An operation in words: the call, what it returned, what it raised; each fits a line."""

from typing import Any

from radixlab.show.snapshot import plain

LONG, LINE = 60, 100  # characters of an argument or a result; of a line of code or an error


def call_words(name: str, arguments: tuple[Any, ...]) -> str:
    """Return a call as Python writes it, the middle of a long list left out.

    >>> call_words("insert", (range(1, 2001), ["a", "b"]))
    "insert([1, 2, 3, ..., 1999, 2000], ['a', 'b'])"
    """
    return f"{name}({', '.join(plain(_listed(argument), LONG) for argument in arguments)})"


def result_words(returned: Any) -> str:
    """Return what was returned in words, the middle of a long list left out; nothing but real lists is gone through."""
    if type(returned) is tuple and len(returned) == 2:
        return f"({', '.join(plain(_listed(part) if type(part) is list else part, LONG) for part in returned)})"
    return plain(returned, LONG)


def error_words(error: BaseException) -> str:
    """Return what was raised, in words.

    >>> error_words(ValueError("two values for one run"))
    'raised ValueError: two values for one run'
    """
    why = plain(error, LINE)
    return f"raised {type(error).__name__}" + (f": {why}" if why else "")


def _listed(argument: Any) -> Any:
    """Return a sequence as a short list, the middle of a long one left out."""
    try:
        row = [str(part) if type(part) is int else repr(part) for part in argument]
    except Exception:
        return argument
    if len(row) > 8:
        row = [*row[:3], "...", *row[-2:]]
    return f"[{', '.join(row)}]"
