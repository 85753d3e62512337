"""The side of the wire that has the subject: each message calls something of it."""

import builtins
import contextlib
from typing import Any

from radixlab.checker.budget import CALL_STEPS, Meter, OutOfSteps
from radixlab.checker.face import face_of
from radixlab.checker.job import Job
from radixlab.checker.judge import lines_of, message_of
from radixlab.checker.output import CappedOutput, OutOfOutput
from radixlab.checker.subject import importable, load
from radixlab.classroom.wire import PRINTED, Ref, Tampered, packed, unpacked


class Served:
    """A loaded subject, of which each message calls something.

    It is that of *job*; when the job is quiet, the texts and lines of its exceptions, and its steps, stay here. What it
    prints crosses if it goes to `output`: whoever serves it sees to that, for its process has nothing else to print.
    *problem*: why it does not load, if it does not.
    """

    def __init__(self, job: Job) -> None:
        self.face, self.quiet, self.filename = face_of(job.face), job.quiet, job.subject.co_filename
        self.meter, self.output = Meter(CALL_STEPS), CappedOutput()
        self._functions = {function.name for function in self.face.functions}
        self._members = {
            name: {*attributes, *(method.name for method in methods)}
            for name, (attributes, methods) in self.face.classes.items()
        }
        self._attributes = {(name, each) for name, (attributes, _) in self.face.classes.items() for each in attributes}
        self.things: dict[int, Any] = {}  # the trees and the like that the asking side made
        self.problem: dict[str, Any] | None = None
        self._made = 0
        try:
            with contextlib.nullcontext() if self.quiet else self.output, importable(job.needs, self.meter):
                raw = load(job.subject, self.meter, job.module)
            self.module = self.face.around(raw, self.meter, quiet=job.quiet, makes=job.makes)
            vars(self.module).pop("__trace__")
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self.quiet:
                raise
            self.problem = self._raised(error) | {"text": message_of(error), "unloadable": True}

    def promises(self) -> dict[str, Any]:
        """Return what the asking side has to know before it asks: constants, and which names are there."""
        if self.problem:
            return self.problem
        there = [name for name in (*self.face.classes, *(f.name for f in self.face.functions)) if self._has(name)]
        constants = {name: vars(self.module)[name] for name in self.face.constants if self._has(name)}
        return {"constants": {name: packed(value, _no_number) for name, value in constants.items()}, "there": there}

    def _has(self, name: str) -> bool:
        return name in vars(self.module)

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Carry *message* out and return the answer; Tampered for one that asks for what is not there."""
        if "drop" in message:
            for number in message["drop"]:
                self.things.pop(number, None)
        if self.meter.spent:
            self.meter.fresh()
        before = self.meter.total()
        self.output.fresh()
        called: list[Any] = []
        try:
            given = unpacked(message["given"], Ref, called.append) if "given" in message else []
            answer = {"value": packed(self._carried_out(message, given), _number_of_ref)}
        except Tampered:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self.quiet:
                raise
            answer = self._raised(error)
        if called:
            answer["called"] = packed(called, _number_of_ref)
        if not self.quiet:
            answer["steps"] = self.meter.total() - before
            if self.output.count and (printed := self.output.tail()):
                answer["printed"] = printed[-PRINTED:]
        return answer

    def _carried_out(self, message: dict[str, Any], given: list[Any]) -> Any:
        name = message.get("name")
        if "new" in message:
            kind = message["new"]
            if type(kind) is not str or kind not in self._members or not self._has(kind):
                raise Tampered("no such class")
            thing = getattr(self.module, kind)(*given)
            self._made += 1
            self.things[self._made] = thing
            return self._made
        if "on" not in message and name in self._functions:
            return getattr(self.module, name)(*given)
        thing = self.things.get(message.get("on"))
        kind = type(thing).__name__
        if thing is not None and name in self._members.get(kind, ()):
            found = getattr(thing, name)
            return found if (kind, name) in self._attributes else found(*given)
        raise Tampered(f"nothing called {str(name)[:100]!r}")

    def _raised(self, error: BaseException) -> dict[str, Any]:
        line = None if self.quiet else lines_of(error, ("", self.filename))[1]
        if isinstance(error, OutOfSteps):
            return {"budget": "" if self.quiet else self.meter.spent, "line": line}
        if isinstance(error, OutOfOutput):
            return {"output": self.output.spent, "line": line}
        cls = next(c for c in type(error).__mro__ if vars(builtins).get(c.__name__) is c)
        return {"raised": cls.__name__, "text": str(error.args[0]) if error.args else "", "line": line}


def _no_number(thing: Any) -> None:
    """There is no value among constants."""


def _number_of_ref(thing: Any) -> int | None:
    return thing.number if type(thing) is Ref else None
