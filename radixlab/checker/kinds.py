"""How things cross between a test and a subject: the kinds that a chapter's `face.pyi` names.

Ids and tokens cross as plain ints, sequences as lists. Values go in as handles, which a subject can keep and move but
not read, and come back as the very objects that the test gave; anything else comes back as a `Foreign`.
"""

import re
from collections.abc import Iterable
from operator import index
from typing import Any


class Handle:
    """A value as the subject sees it: an opaque object that it can keep and move."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "<value>"


class Foreign:
    """What a test sees in place of an object that is none of the values it gave; it equals nothing but itself."""

    def __init__(self, made_up: object) -> None:
        self.made_up = type(made_up).__name__

    def __repr__(self) -> str:
        return f"<a {self.made_up} that was never inserted>"


class Kind:
    """How one kind of thing crosses; `promise` names it in a message."""

    promise = "anything"

    def give(self, argument: Any) -> Any:
        """Return *argument* as the subject gets it."""
        return argument

    def take(self, result: Any) -> Any:
        """Return *result* as the test gets it; TypeError when it is not of this kind."""
        return result

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Return *crossed* as a trace writes it down; *names* numbers the nodes in order of appearance."""
        return crossed


class Nothing(Kind):
    """No result."""

    def take(self, result: Any) -> None:
        """Drop *result*."""


class Int(Kind):
    """A count."""

    promise = "an int"

    def take(self, result: Any) -> int:
        """Return *result* as a plain int."""
        return int(index(result))


class Bool(Kind):
    """True or False."""

    promise = "a bool"

    def take(self, result: Any) -> bool:
        """Return *result* as a plain bool."""
        if isinstance(result, bool):
            return bool(result)
        raise TypeError


class Node(Int):
    """The id of a node."""

    promise = "a node id"

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Name the node by its first appearance: which id a node gets is not specified."""
        return names.setdefault(crossed, len(names)) if type(crossed) is int else repr(crossed)


class MaybeNode(Node):
    """The id of a node, or None."""

    promise = "a node id or None"

    def take(self, result: Any) -> int | None:
        """Return *result* as a plain int, or None."""
        return None if result is None else int(index(result))


class Ints(Kind):
    """A sequence of tokens."""

    promise = "a sequence of ints"

    def take(self, result: Any) -> list[int]:
        """Return *result* as a list of plain ints."""
        return [int(index(item)) for item in result]


class Tokens(Ints):
    """A key: bytes are the tokens that they count as, whatever else a subject takes them for."""

    def give(self, argument: Any) -> Any:
        """Return bytes as a list of tokens, anything else as it is."""
        return list(argument) if isinstance(argument, bytes | bytearray) else argument


class Nodes(Ints):
    """A sequence of node ids."""

    promise = "a sequence of node ids"

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Name each node by its first appearance."""
        return [names.setdefault(node, len(names)) for node in crossed]


class Values(Kind):
    """A sequence of values."""

    promise = "a sequence of values"

    def give(self, argument: Any) -> Any:
        """Return a list with a handle for each value; what is no iterable crosses as it is."""
        return [Handle(value) for value in argument] if isinstance(argument, Iterable) else argument

    def take(self, result: Any) -> list[Any]:
        """Return the values behind the handles of *result*, as a list."""
        return [value_behind(item) for item in result]

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Write the values down as they print, addresses removed."""
        return without_addresses(repr(crossed))


class Callback(Kind):
    """A function to be called with values: once the call is over, one by one."""

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Write down only whether there is one."""
        return crossed is not None


class Tuple(Kind):
    """A tuple of other kinds."""

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds = kinds
        self.promise = f"({', '.join(kind.promise for kind in kinds)})"

    def take(self, result: Any) -> tuple:
        """Return *result* as a tuple, each part as its own kind."""
        parts = tuple(result)
        if len(parts) != len(self.kinds):
            raise TypeError
        return tuple(kind.take(part) for kind, part in zip(self.kinds, parts, strict=True))

    def note(self, crossed: Any, names: dict[int, int]) -> Any:
        """Write down each part as its own kind."""
        return [kind.note(part, names) for kind, part in zip(self.kinds, crossed, strict=True)]


KINDS = {kind.__name__: kind() for kind in (Nothing, Int, Bool, Node, MaybeNode, Ints, Tokens, Nodes, Values, Callback)}


def value_behind(item: Any) -> Any:
    """Return the value behind a handle; a `Foreign` in place of anything else."""
    return item._value if type(item) is Handle else Foreign(item)


def without_addresses(text: str) -> str:
    """Return *text* without the addresses of objects, which differ from run to run.

    >>> without_addresses("<object at 0x7f12ab>")
    '<object at 0x...>'
    """
    return re.sub(r"0x[0-9a-fA-F]{4,}", "0x...", text)
