"""Operations as data: a script is a list of steps, which any tree can play; a node is named as what a step returned."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

OPERATIONS = ("insert", "match_prefix", "lock", "unlock", "evict")
ROOT = 0
LONGEST = 100_000  # tokens or values that a short notation may stand for
_ROW = 8  # as many tokens are written one by one; more in a row are written as a range


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
    tree.insert([1, 2, 3], ['a', 'b', 'c'])
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
        """Return the script as JSON, a line a step; a long key is written in the short notation of `from_data`."""
        steps = ",\n  ".join(json.dumps(_plain(step)) for step in self.steps)
        return f'{{"granule": {self.granule}, "steps": [\n  {steps}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> "Script":
        """Return the script that `to_json` wrote; BadScript when it is none."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadScript(f"a script is JSON, and this is none: {error}") from None
        return cls.from_data(data)

    @classmethod
    def from_data(cls, data: Any) -> "Script":
        """Return the script that *data* holds, as JSON or TOML give it; BadScript when it holds none.

        Tokens and values are lists, or in short one string of words, where `1..2000` stands for all from 1 to 2000, and
        `b1..b125` for b1, b2 and so on.

        >>> steps = [{"insert": "1..4 9", "values": "a b1..b4"}, {"lock": {"step": 1}}]
        >>> print(Script.from_data({"granule": 1, "steps": steps}))
        tree = RadixTree(1)
        node_1, _ = tree.insert([1, 2, 3, 4, 9], ['a', 'b1', 'b2', 'b3', 'b4'])
        tree.lock(node_1)
        """
        if type(data) is not dict or type(data.get("granule")) is not int or type(data.get("steps")) is not list:
            raise BadScript('a script is {"granule": 1, "steps": [...]}')
        if data["granule"] < 1:
            raise BadScript(f"the granule is at least 1, not {data['granule']}")
        return cls(data["granule"], tuple(_step(number, step) for number, step in enumerate(data["steps"], 1)))


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


# As Python ------------------------------------------------------------------------------------------------------------


def _line(steps: tuple[Step, ...], number: int, step: Step, named: set[int]) -> str:
    """Return one step as a line of Python; who is *named* later gets a name."""
    if step.operation == "insert":
        call = f"tree.insert({_python(step.key)}, {list(step.values)})"
        return f"node_{number}, _ = {call}" if number in named else call
    if step.operation == "match_prefix":
        call = f"tree.match_prefix({_python(step.key)})"
        return f"_, path_{number} = {call}" if number in named else call
    if step.operation == "evict":
        return f"tree.evict({step.n})"
    return f"tree.{step.operation}({_name(steps, step.node)})"


def _name(steps: tuple[Step, ...], node: Node) -> str:
    gave = steps[node.step - 1].operation if node.step else ""
    if gave == "insert":
        return f"node_{node.step}"
    return f"path_{node.step}[{-1 - node.up}]" if gave == "match_prefix" else "ROOT"


def _python(key: tuple[int, ...]) -> str:
    """Return *key* as Python writes a list, long stretches as ranges."""
    words = [f"*range({row[0]}, {row[-1] + 1})" if len(row) > 1 else str(row[0]) for row in _rows(key)]
    return f"[{', '.join(words)}]"


# As data --------------------------------------------------------------------------------------------------------------


def _plain(step: Step) -> dict[str, Any]:
    if step.operation == "insert":
        return {"insert": _short(step.key), "values": list(step.values)}
    if step.operation == "match_prefix":
        return {"match_prefix": _short(step.key)}
    if step.operation == "evict":
        return {"evict": step.n}
    return {step.operation: {"step": step.node.step} | ({"up": step.node.up} if step.node.up else {})}


def _short(key: tuple[int, ...]) -> list[int] | str:
    """Return *key* as a list, or in the short notation when there is a long stretch in it."""
    rows = _rows(key)
    if len(rows) == len(key) or not all(0 <= token < 2**32 for token in key):
        return list(key)
    return " ".join(f"{row[0]}..{row[-1]}" if len(row) > 1 else str(row[0]) for row in rows)


def _rows(key: tuple[int, ...]) -> list[list[int]]:
    """Return *key* cut into stretches that count up by one, and single tokens where such a stretch is short."""
    stretches = groupby(enumerate(key), lambda pair: pair[1] - pair[0])
    rows = [[token for _, token in stretch] for _, stretch in stretches]
    return [part for row in rows for part in ([row] if len(row) > _ROW else [[token] for token in row])]


def _step(number: int, data: Any) -> Step:
    """Return step *number* from its data; BadScript when it is none."""
    operation = next((name for name in OPERATIONS if type(data) is dict and name in data), None)
    if operation is None:
        raise BadScript(f"step {number} is none of {', '.join(OPERATIONS)}: {str(data)[:60]}")
    given = data[operation]
    if operation in ("insert", "match_prefix"):
        key = tuple(map(int, _list(number, given, int, "tokens", '[1, 2] or "1..2000"')))
        if operation == "match_prefix":
            return match(key)
        return insert(key, _list(number, data.get("values", []), str, "values", '["a", "b"] or "b1..b125"'))
    if operation == "evict":
        if type(given) is not int:
            raise BadScript(f'step {number}: evict takes a number, as in {{"evict": 2}}')
        return evict(given)
    return Step(operation, node=_node(number, operation, given))


def _node(number: int, operation: str, given: Any) -> Node:
    if type(given) is not dict or not _are([given.get("step"), given.get("up", 0)], int):
        raise BadScript(
            f'step {number}: {operation} takes what a step returned, as in {{"{operation}": {{"step": 1}}}}'
        )
    if not 0 <= given["step"] < number or given.get("up", 0) < 0:
        raise BadScript(f"step {number}: {operation} names step {given['step']}, which is not before it")
    return Node(given["step"], given.get("up", 0))


def _list(number: int, given: Any, kind: type, what: str, example: str) -> list[Any]:
    """Return the tokens or values that *given* holds, in full or in the short notation."""
    if type(given) is str:
        things = [thing for word in given.split() for thing in _range(number, word)]
        if kind is str or all(re.fullmatch(r"-?[0-9]{1,20}", thing) for thing in things):
            return things
    elif _are(given, kind):
        return given
    raise BadScript(f"step {number}: {str(given)[:60]} are no {what}; write them as in {example}")


def _range(number: int, word: str) -> Iterable[str]:
    """Return the things that a *word* of the short notation stands for."""
    ends = re.fullmatch(r"(\D*?)(\d{1,20})\.\.(\D*?)(\d{1,20})", word, re.ASCII)
    if ".." not in word:
        return [word]
    if not ends or ends[1] != ends[3]:
        raise BadScript(f'step {number}: {word[:60]} is no range; write one as in "1..2000" or "b1..b125"')
    first, last = int(ends[2]), int(ends[4])
    if not 0 <= last - first < LONGEST:
        raise BadScript(f"step {number}: {word[:60]} holds no or too many; a range counts up, by at most {LONGEST:,}")
    return (f"{ends[1]}{place}" for place in range(first, last + 1))


def _are(things: Any, kind: type) -> bool:
    return type(things) is list and all(type(thing) is kind for thing in things)
