"""The wire: a subject served over two pipes, one JSON object a line. Written down in docs/wire.md.

The asking side plays a test; `Asker` gives it a module that looks like the subject, each call of which is a message.
The serving side has the subject; `Served` carries each message out. Values stay on the asking side, and cross as
numbers: what the serving side answers can name a value, and can be none.
"""

import base64
import builtins
import contextlib
import json
import marshal
from collections.abc import Callable
from types import CodeType
from typing import Any, BinaryIO, NamedTuple

from radixlab.checker.budget import CALL_STEPS, Meter, OutOfSteps
from radixlab.checker.face import face_of, made
from radixlab.checker.job import Job, TestFile
from radixlab.checker.judge import lines_of, message_of
from radixlab.checker.kinds import Foreign, Handle
from radixlab.checker.output import LIMIT, CappedOutput, OutOfOutput
from radixlab.checker.subject import importable, load

LINE = 2_000_000  # bytes of a message
DEPTH = 20  # lists in lists
BITS = 13_000  # of a number: Python reads none of many more digits
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
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
    return _ENCODER.encode(message).encode() + b"\n"


def parsed(line: bytes) -> dict[str, Any]:
    """Return the message in *line*; Tampered unless it is one JSON object, whole, and not too long."""
    try:
        message = json.loads(line.decode()) if len(line) <= LINE and line.endswith(b"\n") else None
    except (ValueError, RecursionError):
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

    >>> packed([1, (True, None), 2.5, len, {3}], lambda thing: None)
    [1, [True, None], {'float': '2.5'}, {'call': True}, {'other': 'set'}]
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
    return isinstance(thing, list | tuple | range) or (
        hasattr(thing, "__len__") and hasattr(thing, "__getitem__") and not isinstance(thing, dict | set | bytes)
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
        if kind == "text" and type(what) is str:
            return what
        if kind == "float" and type(what) is str and len(what) < 40:
            return float(what)
        if kind == "call":
            return call
        if kind in ("foreign", "other") and type(what) is str:
            return type(what if what.isidentifier() else "object", (), {})()
    raise Tampered("a thing that is none")


# Serving --------------------------------------------------------------------------------------------------------------


class Served:
    """A loaded subject, of which each message calls something.

    It is that of *job*; when the job is quiet, the texts and lines of its exceptions, and its steps, stay here.
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
        for number in message.get("drop", ()):
            self.things.pop(number, None)
        if self.meter.spent:
            self.meter.fresh()
        before = self.meter.total()
        self.output.fresh()
        called: list[Any] = []
        try:
            given = unpacked(message.get("given", []), Ref, called.append)
            if self.quiet:  # ours print nothing
                value = self._carried_out(message, given)
            else:
                with self.output:
                    value = self._carried_out(message, given)
            answer = {"value": packed(value, _number_of_ref)}
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
            if printed := self.output.tail():
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


# Asking ---------------------------------------------------------------------------------------------------------------


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
