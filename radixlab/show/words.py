"""An operation in words: the call, what it returned, what it raised; each fits a line."""

import re
from pathlib import Path
from typing import Any

from radixlab.show.snapshot import plain

LONG, LINE = 60, 100  # characters of an argument or a result; of a line of code or an error
_OURS = str(Path(__file__).parents[1])
_ENDLESS = re.compile(r"ran [\d,]+ steps \(")  # what the step budget says


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


def error_words(error: BaseException, where: str | None = None) -> str:
    """Return what was raised, in words: the class, the message, and *where*, by default the line in the user's file.

    >>> error_words(ValueError("two values for one run"))
    'raised ValueError: two values for one run'
    """
    why = plain(error, LINE)
    place = where_raised(error) if where is None else where
    return f"raised {type(error).__name__}" + (f": {why}" if why else "") + (f" ({place})" if place else "")


def where_raised(error: BaseException) -> str:
    """Return the file and line that raised *error*, of a file that the user can open; else, or if it says so, "".

    It is the innermost line of the first file that is none of ours: what that file calls in the library is no place.
    """
    if is_endless(error):
        return ""
    trace, file, line = error.__traceback__, "", 0
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if name == file or (not file and not name.startswith(_OURS)):
            file, line = name, trace.tb_lineno
        trace = trace.tb_next
    return f"{Path(file).name}, line {line}" if line and Path(file).is_file() else ""


def is_endless(error: BaseException) -> bool:
    """Return whether *error* is a spent step budget, whose message names the loop and its line."""
    return type(error) is RuntimeError and bool(_ENDLESS.search(plain(error, LINE)))


def _listed(argument: Any) -> Any:
    """Return a sequence as a short list, the middle of a long one left out."""
    try:
        row = [str(part) if type(part) is int else repr(part) for part in argument]
    except Exception:
        return argument
    if len(row) > 8:
        row = [*row[:3], "...", *row[-2:]]
    return f"[{', '.join(row)}]"
