"""What is seen of a tree while it plays a script: facts before the first step, and after each."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from types import ModuleType
from typing import Any

from radixlab.show.divergence.guarded import Unmade, new_tree
from radixlab.show.divergence.seen import MOST, Facts, Raised, Seen, ask, numbers, plainly, texts
from radixlab.show.script import Played, Script, play

SLACK = 2  # an id may be this much larger than the most nodes ever alive
_ABOUT_A_NODE = ("key", "values", "parent", "children", "child_count", "lock_count")


@dataclass(frozen=True)
class Ids:
    """The *largest* id that a tree ever gave, and whether it is *within* bounds, by the *most* nodes ever alive."""

    within: bool
    largest: int = field(compare=False)
    most: int = field(compare=False)


@dataclass(frozen=True)
class Moment:
    """What is seen after a step: the *facts*, and whether the step makes *sense*, so that they are specified.

    A step makes none that names a node whose id may be another's by now, or gives a lock back that it did not take.
    """

    facts: Facts
    sense: bool = True
    played: Played | None = None


def observe(script: Script, subject: ModuleType) -> Iterator[Moment]:
    """Play *script* on a new tree of *subject*; give what is seen of it before the first step, and after each.

    Nothing that the tree does raises here. Complexity: for each step linear in the tree.

    >>> from radixlab.chapters.ds07 import reference
    >>> from radixlab.show.script import insert
    >>> before, after = observe(Script(1, (insert([1, 2], "ab"),)), reference)
    >>> before.facts["len", ()], after.facts["len", ()], after.facts["values", (1, 2)], after.facts["lru_order", ()]
    (0, 2, ('a', 'b'), ((1, 2),))
    """
    tree, made = new_tree(subject, script.granule), ("made", (script.granule,))
    if isinstance(tree, Unmade):
        yield Moment({made: Raised.by(tree.error)})
        return
    seen = Seen(tree.tree)
    yield Moment({made: "a tree", **seen.facts, **({} if script.steps else _strangers(tree.tree))})
    history = _History(seen)
    for played in play(script, tree):
        seen = Seen(tree.tree)
        sense = history.makes_sense(played)
        yield Moment({**seen.facts, **history.add(played, seen)}, sense, played)


class _History:
    """What has happened to a tree: who held which locks, which ids died, how large ids became."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.held: Counter[int] = Counter()
        self.gave: dict[int, set[int]] = {}  # step -> the ids that it returned
        self.stale: set[tuple[int, int]] = set()  # (step, id): the id may be another node's by now
        self.largest = self.most = 0

    def makes_sense(self, played: Played) -> bool:
        """Return whether what *played* does is specified, by what was seen before it."""
        step = played.step
        if step.operation not in ("lock", "unlock"):
            return True
        node = played.arguments[0]
        if (step.node.step, node) in self.stale:
            return False
        locked = self.seen.facts.get(("lock_count", self.seen.paths.get(node)), 0)
        return step.operation == "lock" or not locked or self.held[node] > 0

    def add(self, played: Played, seen: Seen) -> Facts:
        """Remember a step, after which the tree is as *seen*; return the facts about the step itself."""
        before, self.seen = self.seen, seen
        born = seen.paths.keys() - before.paths.keys()
        if born:
            self.stale |= {(n, node) for n, ids in self.gave.items() for node in ids if node not in before.paths}
        self.gave[played.number] = {node for node in _ids(played) if type(node) is int and node in seen.paths}
        if played.error is None and played.step.operation in ("lock", "unlock"):
            self.held[played.arguments[0]] += 1 if played.step.operation == "lock" else -1
        self.largest, self.most = max(self.largest, *seen.paths), max(self.most, len(seen.paths) - 1)
        facts: Facts = {
            ("returned", ()): seen.result(played),
            ("ids", ()): Ids(self.largest <= self.most + SLACK, self.largest, self.most),
        }
        if played.step.operation == "evict":
            facts["freed", ()] = texts(played.freed)
            for node in before.paths.keys() - seen.paths.keys():
                facts["gone", before.paths[node]] = ask(seen.tree, numbers, "key", node)
        return facts


def _ids(played: Played) -> Iterator[int]:
    """Give the ids that a step returned."""
    try:
        node, path = played.returned
        yield from [node] if played.step.operation == "insert" else islice(path, MOST)
    except Exception:  # nothing that holds ids, or something of the tree's own that fails
        return


def _strangers(tree: Any) -> Facts:
    """Return what an empty tree says to ids that it never gave."""
    calls = [(name, node) for node in (-1, 1) for name in (*_ABOUT_A_NODE, "lock", "unlock")]
    return {("stranger", (name, node)): ask(tree, plainly, name, node) for name, node in calls}
