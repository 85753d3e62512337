"""The wire: what goes over two pipes, one JSON object a line. Written down in docs/wire.md.

The side that asks (`asking.py`) plays a test, the side that serves (`serving.py`) has the subject. Values stay where
they are given, and cross as numbers.
"""

import base64
import marshal
from collections.abc import Callable
from types import CodeType
from typing import Any, BinaryIO, NamedTuple

import msgspec

from radixlab.checker.job import Job, TestFile
from radixlab.checker.kinds import Foreign

LINE = 2_000_000  # bytes of a message
DEPTH = 20  # lists in lists
BITS = 13_000  # of a number: Python reads none of many more digits
RANGE = 100_000  # numbers in a range: whoever gets a longer one could fill memory by a word
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
PRINTED = 2_000  # characters that cross of what a call printed


class Tampered(BaseException):
    """The channel carried what no honest side sends; not an Exception, so that no test can hide it."""


class Ref(NamedTuple):
    """A value of the asking side, by its number."""

    number: int


def write(pipe: BinaryIO, message: dict[str, Any]) -> None:
    """Send *message*."""
    pipe.write(line(message))
    pipe.flush()


def line(message: dict[str, Any]) -> bytes:
    """Return the line that says *message*."""
    return _encode(message) + b"\n"


def read(line: bytes) -> dict[str, Any]:
    """Return the message in *line*, which comes from us."""
    return _decode(line)


def parsed(line: bytes) -> dict[str, Any]:
    """Return the message in *line*; Tampered unless it is one JSON object, whole, and not too long."""
    try:
        message = _decode(line) if len(line) <= LINE and line.endswith(b"\n") else None
    except (msgspec.DecodeError, RecursionError):
        message = None
    if type(message) is not dict:
        raise Tampered("a line that is no message")
    return message


def begin_message(job: Job, run: str, nonce: str) -> dict[str, Any]:
    """Return the message that begins *job* in the sandbox: a *run* of `tests`, or a `tree` to be served.

    Code goes as `marshal` has it, from the trusted side to the other only, and never back. A job without a subject
    asks for its tree over the wire.
    """
    fields = dict(vars(job))
    fields["subject"] = None if job.subject is None else _coded(job.subject)
    fields["needs"] = [(name, _coded(code)) for name, code in job.needs]
    return {"run": run, "n": nonce, "job": fields}


def job_in(message: dict[str, Any], asks: str) -> Job:
    """Return the job that *message* begins; *asks*: the source of a subject that asks over the wire."""
    fields = message["job"]
    code = fields["subject"]
    fields["subject"] = _decoded(code) if code else compile(asks, f"{fields['module']}.py", "exec")
    fields["needs"] = tuple((name, _decoded(code)) for name, code in fields["needs"])
    return Job(**{**fields, "tests": TestFile(*fields["tests"]), "names": tuple(fields["names"])})


def _coded(code: CodeType) -> str:
    return base64.b64encode(marshal.dumps(code)).decode()


def _decoded(text: str) -> CodeType:
    return marshal.loads(base64.b64decode(text))


# Things in messages ---------------------------------------------------------------------------------------------------


def packed(thing: Any, number_of: Callable[[Any], int | None], depth: int = 0) -> Any:
    """Return *thing* as JSON can say it; *number_of* gives the number of a value, None for what is none.

    What cannot be said crosses as the name of its type.

    >>> packed([1, (True, None), range(3), 2.5, len, {3}], lambda thing: None)
    [1, {'tuple': [True, None]}, {'range': [0, 3, 1]}, {'float': '2.5'}, {'call': True}, {'other': 'set'}]
    """
    kind = type(thing)
    if kind is int and thing.bit_length() < BITS:
        return thing
    if kind is list and all(type(part) is int and part.bit_length() < BITS for part in thing):
        return thing
    if thing is None or kind is bool:
        return thing
    number = number_of(thing)
    if number is not None:
        return {"ref": number}
    if isinstance(thing, float):
        return {"float": repr(float(thing))}
    if isinstance(thing, str):
        return {"text": str(thing).encode("utf8", "replace").decode()}
    if kind is tuple and depth < DEPTH:
        return {"tuple": [packed(part, number_of, depth + 1) for part in thing]}
    if kind is range and not thing[RANGE:]:
        return {"range": packed([thing.start, thing.stop, thing.step], number_of)}
    if kind is bytes:
        return {"bytes": thing.decode("latin-1")}
    if isinstance(thing, Foreign):
        return {"foreign": thing.made_up}
    if isinstance(thing, int) and thing.bit_length() < BITS:  # a subclass: it counts as the int that it is
        return int(thing)
    if callable(thing):
        return {"call": True}
    if _is_sequence(thing) and depth < DEPTH:
        return [packed(part, number_of, depth + 1) for part in thing]
    return {"other": type(thing).__name__[:100]}


def _is_sequence(thing: Any) -> bool:
    return isinstance(thing, list | tuple) or (
        hasattr(thing, "__len__") and hasattr(thing, "__getitem__") and not isinstance(thing, dict | set | range)
    )


def unpacked(thing: Any, behind: Callable[[int], Any], call: Any = None) -> Any:
    """Return what `packed` packed; *behind* gives the value of a number, *call* stands for a function. Tampered.

    >>> unpacked([1, {"ref": 7}, {"float": "2.5"}], lambda number: f"value {number}")
    [1, 'value 7', 2.5]
    """
    if thing is None or type(thing) in (bool, int):
        return thing
    if type(thing) is list:
        if all(type(part) is int for part in thing):
            return thing
        return [unpacked(part, behind, call) for part in thing]
    if type(thing) is dict and len(thing) == 1:
        ((kind, what),) = thing.items()
        if kind == "ref" and type(what) is int:
            return behind(what)
        if kind == "tuple" and type(what) is list:
            return tuple(unpacked(what, behind, call))
        if kind == "text" and type(what) is str:
            return what
        if kind == "range":
            return _range(what)
        if kind == "bytes" and type(what) is str:
            return _bytes(what)
        if kind == "float" and type(what) is str and len(what) < 40:
            return float(what)
        if kind == "call":
            return call
        if kind in ("foreign", "other") and type(what) is str:
            return type(what if what.isidentifier() else "object", (), {})()
    raise Tampered("a thing that is none")


def _range(what: Any) -> range:
    if type(what) is list and len(what) == 3 and all(type(part) is int for part in what) and what[2]:
        made = range(*what)
        if not made[RANGE:]:
            return made
    raise Tampered("a range that is none")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise Tampered("bytes that are none") from None
