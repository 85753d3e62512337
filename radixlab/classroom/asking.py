"""The side of the wire that plays a test: a module that looks like the subject, each call of which is a message."""

import builtins
from collections.abc import Callable
from typing import Any

from radixlab.checker.budget import CALL_STEPS, Meter, OutOfSteps
from radixlab.checker.face import face_of, made
from radixlab.checker.kinds import Handle
from radixlab.checker.output import LIMIT
from radixlab.classroom.wire import PRINTED, Tampered, packed, unpacked

Ask = Callable[[dict[str, Any]], dict[str, Any]]


class Asker:
    """Makes the module that a test plays with, each call of which is asked over the wire.

    *ask* sends a message and returns the answer; *meter* learns what the subject spent; *filename*: where its lines
    are.
    """

    def __init__(self, face: str, ask: Ask, meter: Meter, filename: str) -> None:
        self.face, self.ask, self.meter, self.filename = face_of(face), ask, meter, filename
        self.numbers: dict[int, int] = {}  # of the handles, by identity
        self.handles: list[Handle] = []
        self.dropped: list[int] = []

    def names(self, promises: dict[str, Any]) -> dict[str, Any]:
        """Return what the subject defines, by its *promises*; what keeps it from loading is raised."""
        if promises.get("unloadable"):
            self._raise(promises)
        there, constants = promises.get("there"), promises.get("constants")
        if type(there) is not list or type(constants) is not dict:
            raise Tampered("no promises")
        found = {name: unpacked(constants[name], self._handle) for name in self.face.constants if name in constants}
        for function in self.face.functions:
            if function.name in there:
                found[function.name] = self._function(function.name)
        for name, (attributes, methods) in self.face.classes.items():
            if name in there:
                found[name] = self._class(name, attributes, [method.name for method in methods])
        return found

    def _function(self, name: str) -> Callable[..., Any]:
        return lambda *given: self._asked({"name": name}, given)

    def _class(self, name: str, attributes: list[str], methods: list[str]) -> type:
        def make(thing: Any, *given: Any) -> None:
            thing.number = self._asked({"new": name}, given)

        def drop(thing: Any) -> None:
            if hasattr(thing, "number"):
                self.dropped.append(thing.number)

        space: dict[str, Any] = {"__init__": make, "__del__": drop}
        for method in methods:
            if method != "__init__":
                space[method] = lambda thing, *given, method=method: self._asked(
                    {"on": thing.number, "name": method}, given
                )
        for attribute in attributes:
            space[attribute] = property(
                lambda thing, attribute=attribute: self._asked({"on": thing.number, "name": attribute}, ())
            )
        return type(name, (), space)

    def _asked(self, message: dict[str, Any], given: tuple[Any, ...]) -> Any:
        if given:
            message["given"] = [packed(thing, self._number) for thing in given]
        if self.dropped:
            message["drop"], self.dropped = self.dropped, []
        answer = self.ask(message)
        steps = answer.get("steps", 0)
        if type(steps) is int and 0 <= steps <= 2 * CALL_STEPS:
            self.meter.add(steps)
        if type(answer.get("printed")) is str:
            print(answer["printed"][:PRINTED])
        functions = [thing for thing in given if callable(thing) and type(thing) is not Handle]
        for value in unpacked(answer.get("called", []), self._handle) if functions else ():
            functions[0](value)
        if "value" not in answer:
            self._raise(answer)
        return unpacked(answer["value"], self._handle)

    def _number(self, thing: Any) -> int | None:
        if type(thing) is not Handle:
            return None
        number = self.numbers.setdefault(id(thing), len(self.handles))
        if number == len(self.handles):
            self.handles.append(thing)  # kept, so that its identity is not used again
        return number

    def _handle(self, number: int) -> Handle:
        if not 0 <= number < len(self.handles):
            raise Tampered("a value that was never given")
        return self.handles[number]

    def _raise(self, answer: dict[str, Any]) -> None:
        """Raise what *answer* says, at its line of the subject's file, so that reports find it there."""
        line = answer.get("line")
        if line is not None and (type(line) is not int or not 0 < line < 1_000_000):
            raise Tampered("a line that is none")
        if type(answer.get("budget")) is str:
            self.meter.spent = answer["budget"] or "the steps are used up"
            error: BaseException = OutOfSteps(self.meter.spent)
        elif type(answer.get("output")) is str:
            print(" " * (LIMIT + 1))  # past the limit here as there
            raise Tampered("a flood where none is")
        else:
            cls = vars(builtins).get(str(answer.get("raised")))
            known = isinstance(cls, type) and issubclass(cls, BaseException) and type(answer.get("text")) is str
            if not known:
                raise Tampered("an exception that is none")
            if answer.get("unloadable"):  # its text says all
                cls = Exception
            error = made(cls if issubclass(cls, Exception) else Exception, answer["text"][:2_000])
            error.__crossed__ = True
        if line is None:
            raise error
        code = compile("\n" * (line - 1) + "raise error", self.filename, "exec")
        exec(code, {"error": error})
