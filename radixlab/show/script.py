"""Operations as data: a script is a list of steps, which any tree can play; a node is named as what a step returned."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

OPERATIONS = ("insert", "match_prefix", "lock", "unlock", "evict")
ROOT = 0


class BadScript(ValueError):
    """A script cannot be read; the text is one sentence that says where and what to write instead."""


@dataclass(frozen=True)
class Node:
    """The node that *step* returned, counted from 1: of `insert` its node, of `match_prefix` the last of its path.

    *step* 0 is ROOT. *up*: that many places before the last of a path.
    """

    step: int
    up: int = 0


@dataclass(frozen=True)
class Step:
    """One operation: `insert` has a *key* and *values*, `match_prefix` a *key*, (un)`lock` a *node*, `evict` an *n*."""

    operation: str
    key: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    node: Node = Node(0)
    n: int = 0


@dataclass(frozen=True)
class Script:
    """Steps to be played on an empty tree of one *granule*.

    >>> script = Script(1, (insert([1, 2, 3], "abc"), match([1, 2]), lock(Node(2)), evict(1)))
    >>> print(script)
    tree = RadixTree(1)
    node_1, _ = tree.insert([1, 2, 3], ['a', 'b', 'c'])
    _, path_2 = tree.match_prefix([1, 2])
    tree.lock(path_2[-1])
    tree.evict(1)
    >>> Script.from_json(script.to_json()) == script
    True
    """

    granule: int
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        """Return the script as Python, as a learner would write it into a test."""
        named = {step.node.step for step in self.steps if step.operation in ("lock", "unlock")}
        lines = [_line(self.steps, number, step, named) for number, step in enumerate(self.steps, 1)]
        return "\n".join([f"tree = RadixTree({self.granule})", *lines])

    def without(self, number: int) -> "Script | None":
        """Return the script without step *number*, None when a later step names what it returned."""
        if any(step.node.step == number for step in self.steps if step.operation in ("lock", "unlock")):
            return None
        kept = (step for at, step in enumerate(self.steps, 1) if at != number)
        moved = (
            replace(step, node=replace(step.node, step=step.node.step - (step.node.step > number))) for step in kept
        )
        return Script(self.granule, tuple(moved))

    def to_json(self) -> str:
        """Return the script as JSON, a line a step."""
        steps = ",\n  ".join(json.dumps(_plain(step)) for step in self.steps)
        return f'{{"granule": {self.granule}, "steps": [\n  {steps}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> "Script":
        """Return the script that `to_json` wrote; BadScript when it is none."""
        try:
            plain = json.loads(text)
        except ValueError as error:
            raise BadScript(f"a script is JSON, and this is none: {error}") from None
        if type(plain) is not dict or type(plain.get("granule")) is not int or type(plain.get("steps")) is not list:
            raise BadScript('a script is {"granule": 1, "steps": [...]}')
        if plain["granule"] < 1:
            raise BadScript(f"the granule is at least 1, not {plain['granule']}")
        return cls(plain["granule"], tuple(_step(number, step) for number, step in enumerate(plain["steps"], 1)))


@dataclass(frozen=True)
class Played:
    """One step as it was played: its *arguments*, and what it *returned*, or the *error* that it raised."""

    number: int
    step: Step
    arguments: tuple[Any, ...]
    returned: Any = None
    error: Exception | None = None
    freed: tuple[Any, ...] = ()


def play(script: Script, tree: Any) -> Iterator[Played]:
    """Play *script* on *tree*, step by step, the caller looking between; what a step raises is part of its record.

    A node named by a step that gave none is ROOT. Complexity: one call a step.
    """
    gave: list[tuple[str, Any]] = []
    for number, step in enumerate(script.steps, 1):
        arguments = _arguments(step, gave)
        freed: list[Any] = []
        extra = (freed.append,) if step.operation == "evict" else ()
        try:
            returned, error = getattr(tree, step.operation)(*arguments, *extra), None
        except Exception as raised:
            returned, error = None, raised
        gave.append((step.operation, returned))
        yield Played(number, step, arguments, returned, error, tuple(freed))


def insert(key: Iterable[int], values: Iterable[str]) -> Step:
    """Return a step that inserts *key* with *values*, one a run."""
    return Step("insert", key=tuple(key), values=tuple(values))


def match(key: Iterable[int]) -> Step:
    """Return a step that matches a prefix of *key*."""
    return Step("match_prefix", key=tuple(key))


def lock(node: Node) -> Step:
    """Return a step that locks *node* and all above it."""
    return Step("lock", node=node)


def unlock(node: Node) -> Step:
    """Return a step that unlocks *node* and all above it."""
    return Step("unlock", node=node)


def evict(n: int) -> Step:
    """Return a step that evicts at least *n* values, if there are so many."""
    return Step("evict", n=n)


def _arguments(step: Step, gave: list[tuple[str, Any]]) -> tuple[Any, ...]:
    if step.operation == "insert":
        return list(step.key), list(step.values)
    if step.operation == "match_prefix":
        return (list(step.key),)
    if step.operation == "evict":
        return (step.n,)
    return (_named(step.node, gave),)


def _named(node: Node, gave: list[tuple[str, Any]]) -> Any:
    """Return the id that *node* stands for, given the operations so far and what they returned."""
    if node.step == 0:
        return ROOT
    operation, returned = gave[node.step - 1]
    try:
        return returned[0] if operation == "insert" else returned[1][-1 - node.up]
    except (TypeError, IndexError, KeyError):
        return ROOT


def _line(steps: tuple[Step, ...], number: int, step: Step, named: set[int]) -> str:
    """Return one step as a line of Python; who is *named* later gets a name."""
    if step.operation == "insert":
        call = f"tree.insert({list(step.key)}, {list(step.values)})"
        return f"node_{number}, _ = {call}" if number in named else call
    if step.operation == "match_prefix":
        call = f"tree.match_prefix({list(step.key)})"
        return f"_, path_{number} = {call}" if number in named else call
    if step.operation == "evict":
        return f"tree.evict({step.n})"
    return f"tree.{step.operation}({_name(steps, step.node)})"


def _name(steps: tuple[Step, ...], node: Node) -> str:
    if node.step == 0:
        return "ROOT"
    if steps[node.step - 1].operation == "insert":
        return f"node_{node.step}"
    return f"path_{node.step}[{-1 - node.up}]"


def _plain(step: Step) -> dict[str, Any]:
    if step.operation == "insert":
        return {"insert": list(step.key), "values": list(step.values)}
    if step.operation == "match_prefix":
        return {"match_prefix": list(step.key)}
    if step.operation == "evict":
        return {"evict": step.n}
    return {step.operation: {"step": step.node.step} | ({"up": step.node.up} if step.node.up else {})}


def _step(number: int, plain: Any) -> Step:
    """Return step *number* from its JSON; BadScript when it is none."""
    operation = next((name for name in OPERATIONS if type(plain) is dict and name in plain), None)
    if operation is None:
        raise BadScript(f"step {number} is none of {', '.join(OPERATIONS)}: {json.dumps(plain)[:60]}")
    given = plain[operation]
    if operation in ("insert", "match_prefix"):
        values = plain.get("values", []) if operation == "insert" else []
        if not _are(given, int) or not _are(values, str):
            raise BadScript(
                f'step {number}: {operation} takes tokens, as in {{"insert": [1, 2], "values": ["a", "b"]}}'
            )
        return Step(operation, key=tuple(given), values=tuple(values))
    if operation == "evict":
        if type(given) is not int:
            raise BadScript(f'step {number}: evict takes a number, as in {{"evict": 2}}')
        return evict(given)
    if type(given) is not dict or not _are([given.get("step"), given.get("up", 0)], int):
        raise BadScript(f'step {number}: {operation} takes what a step returned, as in {{"lock": {{"step": 1}}}}')
    if not 0 <= given["step"] < number or given.get("up", 0) < 0:
        raise BadScript(f"step {number}: {operation} names step {given['step']}, which is not before it")
    return Step(operation, node=Node(given["step"], given.get("up", 0)))


def _are(things: Any, kind: type) -> bool:
    return type(things) is list and all(type(thing) is kind for thing in things)
