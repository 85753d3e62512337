"""What is seen of a tree at one moment, as facts in which two trees can be compared.

A node is named by its path, the tokens from ROOT down to it, never by its id: which ids a tree gives is its own affair.
What the interface leaves open is no fact.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from radixlab.show.script import ROOT, Played
from radixlab.show.snapshot import plain
from radixlab.show.words import LINE, is_endless, where_raised

MOST = 200  # nodes that are looked at
UNWRITTEN = "NotImplementedError"  # the family of what is not there yet
_FAMILIES = (NotImplementedError, RecursionError, LookupError, ValueError, RuntimeError)

Path = tuple[Any, ...]
NOWHERE: Path = ("nowhere",)  # the path of what is no node of the tree
Facts = dict[tuple[str, Path], Any]  # (what is seen, the node or call that it is seen at) -> what that is


@dataclass(frozen=True)
class Raised:
    """An exception, compared by its *family*: the classes that the interface tells apart; the rest is for words."""

    family: str
    name: str = field(compare=False)
    text: str = field(default="", compare=False)
    where: str = field(default="", compare=False)

    @classmethod
    def by(cls, error: BaseException) -> "Raised":
        """Return *error* as it is compared; a spent step budget is a family of its own."""
        name, text = type(error).__name__, plain(error, LINE)
        if is_endless(error):
            return cls("endless", name, text)
        found = next((kind for kind in _FAMILIES if isinstance(error, kind)), None)
        return cls(found.__name__ if found else name, name, text, where_raised(error))


class Seen:
    """A tree at one moment: its *facts*, and the *paths* of its nodes by their ids."""

    def __init__(self, tree: Any) -> None:
        self.tree, self.paths, self.facts = tree, {ROOT: ()}, {}
        waiting = [ROOT]
        for node in waiting:  # grows while it is walked
            waiting += self._children(node)
            if len(waiting) > MOST:
                break
        for node in waiting:
            self._node(node)
        self.facts["granule", ()] = ask(lambda: tree.granule, number)
        self.facts["len", ()] = ask(lambda: len(tree), number)
        self.facts["is_empty", ()] = ask(tree, number, "is_empty")
        self.facts["node_count", ()] = ask(tree, number, "node_count")
        self.facts["lru_order", ()] = ask(tree, self.named, "lru_order")

    def _children(self, node: int) -> list[int]:
        """Note the children of *node*; return those that are met for the first time."""
        path, new = self.paths[node], []
        ids = ask(self.tree, numbers, "children", node)
        if isinstance(ids, Raised):
            self.facts["children", path] = ids
            return new
        for child in ids:
            if type(child) is int and child not in self.paths:
                label = ask(self.tree, numbers, "key", child)
                below = (*path, "?") if isinstance(label, Raised) else (*path, *label)
                while below in self.paths.values():
                    below = (*below, "once more")
                self.paths[child] = below
                new.append(child)
                if isinstance(label, Raised):
                    self.facts["label", below] = label
        self.facts["children", path] = tuple(sorted(self.named(ids), key=str))
        self.facts["increasing", path] = _ints(ids) and all(a < b for a, b in pairwise(ids))
        return new

    def _node(self, node: int) -> None:
        path = self.paths[node]
        if node == ROOT:
            self.facts["label", path] = ask(self.tree, numbers, "key", node)
        self.facts["values", path] = ask(self.tree, texts, "values", node)
        self.facts["lock_count", path] = ask(self.tree, number, "lock_count", node)
        self.facts["child_count", path] = ask(self.tree, number, "child_count", node)
        self.facts["parent", path] = ask(self.tree, self._name, "parent", node)

    def named(self, ids: Any) -> tuple[Path | None, ...]:
        """Return the paths of *ids*."""
        return tuple(self._name(node) for node in islice(ids, MOST))

    def _name(self, node: Any) -> Path | None:
        """Return the path of *node*; of what is no node of the tree, a word that says so."""
        if node is None:
            return None
        known = number(node)
        return self.paths.get(known, NOWHERE) if type(known) is int else NOWHERE

    def result(self, played: Played) -> Any:
        """Return what a step returned, with paths for ids; or what it raised."""
        if played.error is not None:
            return Raised.by(played.error)
        operation, returned = played.step.operation, played.returned
        try:
            if operation == "insert":
                node, back = returned
                return self._name(node), texts(back)
            if operation == "match_prefix":
                tokens, path = returned
                return number(tokens), self.named(path)
        except Exception:
            return plain(returned)
        return number(returned) if operation == "evict" else None


# What is asked, and how answers compare -------------------------------------------------------------------------------


def ask(tree: Any, take: Callable[[Any], Any], name: str = "", *arguments: int) -> Any:
    """Return what an accessor gives, as *take* takes it, or what it raised; without a *name*, call *tree* itself."""
    try:
        given = getattr(tree, name)(*arguments) if name else tree()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Raised.by(error)
    try:
        return take(given)
    except Exception:
        return plain(given)


def number(thing: Any) -> Any:
    """Return an int of any kind as an int, anything else as text."""
    try:
        return operator.index(thing)
    except TypeError:
        return plain(thing)


def numbers(things: Any) -> tuple[Any, ...]:
    """Return a row of any kind as ints, as far as they are some."""
    return tuple(number(thing) for thing in islice(things, MOST * MOST))


def texts(things: Any) -> tuple[str, ...]:
    """Return a row of values: those of a script are texts, anything else is shown in <>."""
    return tuple(thing if type(thing) is str else f"<{plain(thing)}>" for thing in islice(things, MOST * MOST))


def plainly(thing: Any) -> str:
    """Return *thing* as text, a tuple as a list."""
    return plain(list(thing) if isinstance(thing, tuple) else thing)


def _ints(things: tuple[Any, ...]) -> bool:
    return all(type(thing) is int for thing in things)
