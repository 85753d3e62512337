"""How many steps a call takes: loop rounds and calls, the same on every machine."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

from radixlab.checker.budget import CALL_STEPS, TICK, Meter, OutOfSteps, with_ticks


def steps(call: Callable[..., Any], *arguments: Any) -> int:
    """Return how many steps *call* takes: rounds of loops and comprehensions, and calls of functions.

    Of a method of a tree those of the tree's file are counted, of a function of the notebook its own. What Python does
    in C (`sorted`, `list.remove`) is one step or none, however long it takes.

    >>> from radixlab.lab import subject
    >>> tree = subject("reference").RadixTree(1)
    >>> steps(tree.insert, [1, 2], "ab") > steps(tree.node_count)
    True
    """
    meter = getattr(call, "meter", None)
    if meter is None and isinstance(call, FunctionType):
        meter, call = _metered(call)
    if meter is None:
        raise TypeError(f"steps() counts the steps of a tree's method, or of a function of yours, not of {call!r}")
    try:
        call(*arguments)
    except OutOfSteps as error:
        raise RuntimeError(str(error)) from None
    return meter.total()


def _metered(function: FunctionType) -> tuple[Meter, FunctionType]:
    """Return *function* once more, with ticks in it, and the meter that they tell."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        raise TypeError(f"the text of {function.__name__} is not known, so its steps cannot be counted") from None
    tree.body[0].decorator_list = []
    meter = Meter(CALL_STEPS)
    space = {**function.__globals__, TICK: meter.tick}
    exec(compile(with_ticks(tree), function.__code__.co_filename, "exec"), space)
    return meter, space[function.__name__]
