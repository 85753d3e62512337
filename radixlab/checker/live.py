"""A subject to play with, in a notebook: a module of its own, each call of it under a step budget."""

import functools
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from radixlab.checker.budget import CALL_STEPS, Meter, OutOfSteps
from radixlab.checker.judge import lines_of, message_of
from radixlab.checker.subject import Unreadable, compile_subject, importable, load


def loaded(source: str, filename: str, public: set[str], needs: tuple[tuple[str, str], ...] = ()) -> ModuleType:
    """Return *source* as a module under its step budget; Unreadable, with the line, when it does not load.

    *public*: the functions and classes whose calls are metered, each with an allowance of its own; *needs*: the modules
    that it builds on, name and source, under the same budget.
    """
    meter = Meter(CALL_STEPS)
    try:
        with importable([(name, compile_subject(text, f"{name}.py")) for name, text in needs], meter):
            module = load(compile_subject(source, filename), meter, Path(filename).stem)
    except Unreadable:
        raise
    except (Exception, SystemExit, OutOfSteps) as error:
        line = lines_of(error, ("", filename))[1]
        at = f", line {line}" if line else ""
        raise Unreadable(f"{Path(filename).name}{at}: {message_of(error)}", line) from None
    budget = _Budget(meter, Path(filename).name)
    for name in public & vars(module).keys():
        thing = vars(module)[name]
        if isinstance(thing, FunctionType):
            setattr(module, name, budget.around(thing))
        elif isinstance(thing, type):
            for method, function in list(vars(thing).items()):
                if isinstance(function, FunctionType):
                    setattr(thing, method, budget.around(function))
    return module


class _Budget:
    """Gives each call from outside a fresh allowance of steps; one that runs past it ends as a RuntimeError."""

    def __init__(self, meter: Meter, filename: str) -> None:
        self.meter, self.filename, self.depth = meter, filename, 0

    def around(self, function: FunctionType) -> Callable[..., Any]:
        """Return *function* under the budget; calls inside of calls share the allowance of the outermost."""

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            __tracebackhide__ = True  # IPython then shows the learner's frames alone
            if self.depth == 0:
                self.meter.fresh()
            self.depth += 1
            try:
                result = function(*arguments, **named)
            except OutOfSteps:
                if self.depth > 1:
                    raise
            finally:
                self.depth -= 1
            if self.depth == 0 and self.meter.spent:  # even if the learner's code hid it
                raise RuntimeError(f"{self.meter.spent} ({self.filename})")
            return result

        call.meter = self.meter  # for those who count
        return call
