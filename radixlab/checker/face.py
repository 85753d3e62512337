"""The face: all that a test sees of a subject, the same in every shell.

Every public call is one operation: arguments and results cross as the kinds of `kinds.py`, an exception as the first
builtin class of its ancestry; `repr` is constant, and no other attribute exists. What a chapter's face holds is one
page of data, its `face.pyi`: an annotation names the kind of a result or an argument.
"""

import ast
import builtins
import functools
import reprlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from radixlab.checker.budget import CALL_COUNTS, Meter, OutOfSteps
from radixlab.checker.kinds import KINDS, Callback, Int, Kind, Node, Tuple, value_behind, without_addresses
from radixlab.checker.output import OutOfOutput
from radixlab.checker.trace import Trace
from radixlab.syntax import syntax_tree

TEXT = 500  # characters of a message that cross


@functools.lru_cache(maxsize=8)
def face_of(text: str) -> "Face":
    """Return the face that *text*, a `face.pyi`, promises: the same one for the same text."""
    return Face(text)


class Face:
    """What `face.pyi` promises, parsed once; `around` wraps it about a loaded subject.

    >>> face = Face("class Box:\\n    def __init__(self): ...\\n    def put(self, n) -> Int: ...")
    >>> subject = ModuleType("box")
    >>> exec("class Box:\\n    def put(self, n): self.n = n; return n", vars(subject))
    >>> box = face.around(subject, Meter(1000)).Box()
    >>> box.put(3), hasattr(box, "n")
    (3, False)
    """

    def __init__(self, text: str) -> None:
        page = syntax_tree(text)
        self.constants = [n.target.id for n in page.body if isinstance(n, ast.AnnAssign)]
        self.functions = [_Signature(n) for n in page.body if isinstance(n, ast.FunctionDef)]
        self.classes = {
            n.name: (
                [m.target.id for m in n.body if isinstance(m, ast.AnnAssign)],
                [_Signature(m) for m in n.body if isinstance(m, ast.FunctionDef)],
            )
            for n in page.body
            if isinstance(n, ast.ClassDef)
        }

    def around(
        self,
        subject: ModuleType,
        meter: Meter,
        caller: Meter | None = None,
        *,
        quiet: bool = False,
        makes: str = "tree",
    ) -> ModuleType:
        """Return a module that shows the face of *subject* and nothing else.

        *meter* counts the steps of the subject, call by call; *caller* is charged for each call. *quiet*: the text of
        its exceptions stays behind, for subjects of ours. What the subject lacks cannot be imported.
        """
        desk = _Desk(meter, caller, quiet, makes)
        module = ModuleType(subject.__name__)
        vars(module)["__trace__"] = desk.trace
        for name in self.constants:
            if hasattr(subject, name):
                setattr(module, name, getattr(subject, name))
        for signature in self.functions:
            if hasattr(subject, signature.name):
                setattr(module, signature.name, signature.function(desk, getattr(subject, signature.name)))
        for name, (attributes, methods) in self.classes.items():
            if hasattr(subject, name):
                shown = _class(name, attributes, methods, desk, getattr(subject, name))
                shown.__module__ = subject.__name__
                setattr(module, name, shown)

        def missing(name: str) -> Any:
            if name in promised:
                raise ImportError(f"{subject.__name__}.py defines no {name}")
            raise AttributeError(f"module {subject.__name__!r} has no attribute {name!r}")

        promised = {*self.constants, *(signature.name for signature in self.functions), *self.classes}
        module.__getattr__ = missing
        return module


class _Signature:
    """One call of the face: its name, its parameters, and the kinds of its arguments and its result."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.name = node.name
        self.arguments = {arg.arg: _kind(arg.annotation) for arg in node.args.args if arg.arg != "self"}
        self.plain = all(type(kind) in (Kind, Node) for kind in self.arguments.values())  # they cross as they are
        self.result = _kind(node.returns)
        for arg in node.args.args:
            arg.annotation = None
        given = ", ".join(self.arguments)
        first = "self, " if node.args.args[:1] and node.args.args[0].arg == "self" else ""
        space: dict[str, Any] = {}
        text = f"def {self.name}({ast.unparse(node.args)}): return call({first}({given}{',' if given else ''}))"
        exec(f"def wrapper(call):\n    {text}\n    return {self.name}", space)
        self.wrapper = space["wrapper"]  # a function with these very parameters: a wrong call is Python's own TypeError

    def take(self, result: Any) -> Any:
        """Return *result* as its kind; TypeError, with what was promised, when it is of another."""
        try:
            return self.result.take(result)
        except (TypeError, ValueError):
            shown = reprlib.repr(result)
            raise TypeError(f"{self.name} returned {shown}, where {self.result.promise} is promised") from None

    def function(self, desk: "_Desk", target: Callable) -> Callable:
        """Return the function *target* of a subject as the face shows it."""
        return self.wrapper(lambda given: desk.operate(self, target, given))

    def method(self, desk: "_Desk", inner: Callable) -> Callable:
        """Return this method as the face shows it; *inner* finds the subject's object behind one of the face's."""
        return self.wrapper(lambda self_, given: desk.operate(self, getattr(inner(self_), self.name), given))


def _kind(annotation: ast.expr | None) -> Kind:
    if annotation is None:
        return Kind()
    if isinstance(annotation, ast.Subscript):
        return Tuple([_kind(part) for part in annotation.slice.elts])
    return KINDS[annotation.id]


def _class(name: str, attributes: list[str], methods: list[_Signature], desk: "_Desk", target: type) -> type:
    """Return a class that shows *attributes* and *methods* of *target*; the object behind it has no name."""
    shown = type(name, (), {"__slots__": ("_",), "__repr__": lambda self: f"<{name}>"})
    slot = shown.__dict__["_"]
    del shown._

    def inner(self):
        return slot.__get__(self)

    for method in methods:
        if method.name == "__init__":
            make = method.wrapper(lambda self, given, made=method: slot.__set__(self, desk.make(made, target, given)))
            shown.__init__ = make
        else:
            setattr(shown, method.name, method.method(desk, inner))
    for attribute in attributes:
        setattr(shown, attribute, property(lambda self, attribute=attribute: desk.attribute(inner(self), attribute)))
    return shown


class _Desk:
    """Where calls cross: metering, the kinds of things, exceptions, and the trace."""

    def __init__(self, meter: Meter, caller: Meter | None, quiet: bool, makes: str) -> None:
        self.meter, self.caller, self.quiet, self.makes = meter, caller, quiet, makes
        self.trace = Trace()

    def make(self, signature: _Signature, target: type, given: tuple) -> Any:
        """Make the subject's object behind an object of the face."""
        made = []
        self.operate(signature, lambda *arguments: made.append(target(*arguments)), given)
        return made[0]

    def attribute(self, target: Any, name: str) -> Any:
        """Read an attribute that is a plain value."""
        crossing = None
        try:
            return Int().take(getattr(target, name))
        except Exception as error:
            crossing = self._crossing(error)
        raise crossing

    def operate(self, signature: _Signature, target: Callable, given: tuple) -> Any:
        """Carry out one call of the subject and return what it gave, as plain data."""
        arguments, late = (given, None) if signature.plain else self._given(signature, given)
        crossing = None
        self.meter.restart()
        if self.caller is not None:
            self.caller.charge(CALL_COUNTS)
        try:
            result = signature.take(target(*arguments))
        except (OutOfSteps, OutOfOutput, KeyboardInterrupt):
            raise
        except BaseException as error:
            crossing = self._crossing(error)
        if late:
            for f, value in late:
                f(value)
        if self.trace.running:
            self.trace.add(signature, given, crossing, None if crossing else result)
        if crossing is not None:
            raise crossing
        return result

    def _given(self, signature: _Signature, given: tuple) -> tuple[list, list[tuple[Callable, Any]]]:
        """Return the arguments as the subject gets them, and the list of calls that are put off until it is done."""
        late: list[tuple[Callable, Any]] = []
        arguments = []
        for kind, argument in zip(signature.arguments.values(), given, strict=True):
            is_callback = isinstance(kind, Callback) and callable(argument)
            arguments.append(self._callback(argument, late) if is_callback else kind.give(argument))
        return arguments, late

    def _callback(self, f: Callable, late: list) -> Callable:
        return lambda handle: late.append((f, value_behind(handle)))

    def _crossing(self, error: BaseException) -> BaseException:
        """Return *error* as it crosses: the first builtin exception of its ancestry, with a clean text or none."""
        cls = next(c for c in type(error).__mro__ if vars(builtins).get(c.__name__) is c)
        if not issubclass(cls, Exception):
            crossed = Exception(f"{cls.__name__} was raised: a {self.makes} must not end the program")
            crossed.__cause__ = None if self.quiet else error
        elif self.quiet:
            crossed = made(cls, f"the {self.makes} raised {cls.__name__}")
        else:
            text = error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else error
            name = "" if cls is type(error) else f"{type(error).__name__}: "
            crossed = made(cls, without_addresses(f"{name}{text}")[:TEXT])
            crossed.__cause__ = error
        crossed.__crossed__ = True
        return crossed


def made(cls: type, text: str) -> BaseException:
    """Make an exception of *cls* with *text*; a class that wants more than a text gives way to a plainer one."""
    try:
        return cls(text)
    except TypeError:
        return next(c for c in cls.__mro__ if c in (ValueError, RuntimeError, Exception))(text)
