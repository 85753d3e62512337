"""The inside of an operation: a tree tells of each call of its inner methods, and of each line of a split."""

import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import CodeType, FrameType, FunctionType
from typing import Any

METHODS = ("_split", "_touch", "_relist")  # the methods whose calls are told of
BY_LINE = ("_split",)  # those whose lines are told of as well: in between, the tree is half linked

Begin = Callable[[], None]
Call = Callable[[str, tuple[Any, ...], Any, BaseException | None], None]
Line = Callable[[str, str, int], None]


def spied(tree: Any, on_begin: Begin, on_call: Call, on_line: Line) -> Any:
    """Make *tree* tell of its inner methods, as far as it has them, and return it.

    *on_begin* is called before each call; *on_call* gets the name, the arguments, and what was returned or raised, when
    the call is over; *on_line* the name, the text of the line that has just run, "" when that is not known, and its
    number.
    """
    kind = type(tree)
    methods = {name: getattr(kind, name, None) for name in METHODS}
    spies = {
        name: _spy(name, method, on_begin, on_call, on_line) for name, method in methods.items() if _is_function(method)
    }
    tree.__class__ = type(kind.__name__, (kind,), {"__slots__": (), "__doc__": kind.__doc__, **spies})
    return tree


def _is_function(thing: Any) -> bool:
    return isinstance(thing, FunctionType)


def _spy(name: str, function: FunctionType, on_begin: Begin, on_call: Call, on_line: Line) -> Callable[..., Any]:
    code = inspect.unwrap(function).__code__
    linecache.checkcache(code.co_filename)  # the file may have changed since its lines were last asked for

    @wraps(function)
    def call(self: Any, *arguments: Any) -> Any:
        given = tuple(list(part) if isinstance(part, list) else part for part in arguments)  # as they were
        on_begin()
        try:
            with _lines_of(name, code, on_line):
                returned = function(self, *arguments)
        except BaseException as error:
            on_call(name, given, None, error)
            raise
        on_call(name, given, returned, None)
        return returned

    return call


@contextmanager
def _lines_of(name: str, code: CodeType, on_line: Line) -> Iterator[None]:
    """Tell of each line of *code* that has run; whoever traced before goes on afterwards."""
    if name not in BY_LINE:
        yield
        return
    last = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal last
        if frame.f_code is not code:
            return None
        if event in ("line", "return") and last:  # the event of a line comes before it runs
            on_line(name, linecache.getline(code.co_filename, last).strip(), last)
        last = frame.f_lineno if event == "line" else 0
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
