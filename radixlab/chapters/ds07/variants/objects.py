"""A radix tree of objects that refer to each other; ids are only names for the outside.

Parent and children are references, and one table turns an id into its node. The unlocked leaves stand in a plain
Python list sorted by stamp: a bisection finds the place of a leaf that comes or goes, and the oldest is at the front.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from operator import attrgetter, index
from typing import Generic, TypeVar

V = TypeVar("V")

ROOT = 0

stamp_of = attrgetter("stamp")


def as_tokens(key: Sequence[int]) -> list[int]:
    """Return *key* as a list of plain ints; TypeError or ValueError when one is none in ``0 .. 2**32 - 1``."""
    tokens = [index(token) for token in key]
    for extreme in (min(tokens, default=0), max(tokens, default=0)):
        if not 0 <= extreme <= 0xFFFF_FFFF:
            raise ValueError(f"a token has 32 bits and no sign: {extreme}")
    return tokens


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on."""
    tokens, end = 0, min(len(label), len(key) - at)
    while tokens < end and label[tokens] == key[at + tokens]:
        tokens += 1
    return tokens // granule


class Node(Generic[V]):
    """One node, which knows its id, its parent and its children."""

    def __init__(self, number: int, parent: "Node[V] | None", label: tuple[int, ...], values: list[V]) -> None:
        self.number = number
        self.parent = parent
        self.label = label
        self.values = values
        self.children: dict[tuple[int, ...], Node[V]] = {}
        self.locks = 0
        self.stamp = 0
        self.idle = False  # whether it stands in the tree's list of unlocked leaves

    def line(self) -> "list[Node[V]]":
        """Return this node and its ancestors, upwards, without ROOT."""
        line, node = [], self
        while node.parent is not None:
            line.append(node)
            node = node.parent
        return line


class RadixTree(Generic[V]):
    """A radix tree over token ids, as parents and children that hold each other."""

    def __init__(self, granule: int) -> None:
        if not granule >= 1:
            raise ValueError("a run has at least one token")
        self.granule = granule
        self._root: Node[V] = Node(ROOT, None, (), [])
        self._by_id = {ROOT: self._root}
        self._free: list[int] = []  # a heap of the free ids
        self._idle: list[Node[V]] = []  # the unlocked leaves by stamp, oldest first
        self._count = 0
        self._now = 0

    def _get(self, node: int) -> Node[V]:
        """Return the node called *node*; LookupError when there is none."""
        found = self._by_id.get(node) if type(node) is int else None
        if found is None:
            raise LookupError(f"nothing alive is called {node!r}")
        return found

    def __len__(self) -> int:
        return self._count

    def is_empty(self) -> bool:
        """Return whether there is no value in the tree."""
        return not self._count

    def node_count(self) -> int:
        """Return how many nodes there are beside ROOT."""
        return len(self._by_id) - 1

    def key(self, node: int) -> tuple[int, ...]:
        """Return the tokens on the edge above *node*."""
        return self._get(node).label

    def values(self, node: int) -> list[V]:
        """Return a list of the values of *node*."""
        return self._get(node).values.copy()

    def parent(self, node: int) -> int | None:
        """Return the id of the parent, None above ROOT."""
        above = self._get(node).parent
        return above.number if above else None

    def children(self, node: int) -> list[int]:
        """Return the ids of the children in increasing order."""
        return sorted(child.number for child in self._get(node).children.values())

    def child_count(self, node: int) -> int:
        """Return how many children *node* has."""
        return len(self._get(node).children)

    def lock_count(self, node: int) -> int:
        """Return how many locks hold *node*, those on its descendants included."""
        return self._get(node).locks

    def lru_order(self) -> list[int]:
        """Return the ids of the unlocked leaves, oldest first."""
        return [leaf.number for leaf in self._idle]

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[int]]:
        """Return how many tokens of *key* the tree knows, and the ids of the nodes on the way."""
        matched, end = self._reach(as_tokens(key))
        self._stamp(end)
        return matched, [node.number for node in reversed(end.line())]

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[int, list[V]]:
        """Make *key* known; return the id of its last node and the values that were not needed."""
        key, values = as_tokens(key), list(values)
        if len(values) * self.granule != len(key):
            raise ValueError(f"{len(values)} values for {len(key)} tokens, and {self.granule} tokens share one")
        if not key:
            return ROOT, []
        matched, end = self._reach(key)
        spare = matched // self.granule
        if matched < len(key):
            end = self._grow(end, tuple(key[matched:]), values[spare:])
            self._count += len(end.values)
        self._stamp(end)
        return end.number, values[:spare]

    def lock(self, node: int) -> None:
        """Hold *node* and everything above it."""
        for held in self._get(node).line():
            held.locks += 1
            self._settle(held)

    def unlock(self, node: int) -> None:
        """Let go what one `lock` held; RuntimeError when nothing is held."""
        line = self._get(node).line()
        if line and line[0].locks == 0:
            raise RuntimeError(f"node {node} is unlocked more often than it was locked")
        for held in line:
            held.locks -= 1
            self._settle(held)

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Drop the oldest leaves until *n* values or more are gone; return how many are."""
        freed = 0
        while freed < n and self._idle:
            leaf = self._idle[0]
            self._drop(leaf)
            freed += len(leaf.values)
            if f is not None:
                for value in leaf.values:
                    f(value)
        return freed

    def _reach(self, key: list[int]) -> tuple[int, Node[V]]:
        """Follow *key* down as far as it goes, splitting the last edge if need be; return tokens and node."""
        node, matched = self._root, 0
        while True:
            child = node.children.get(tuple(key[matched : matched + self.granule]))
            if child is None:
                return matched, node
            runs = common_runs(child.label, key, matched, self.granule)
            matched += runs * self.granule
            if runs < len(child.values):
                return matched, self._split(child, runs)
            node = child

    def _split(self, child: Node[V], runs: int) -> Node[V]:
        """Grow a node between *child* and its parent, with the first *runs* runs of the edge; return it."""
        at = runs * self.granule
        middle = self._grow(child.parent, child.label[:at], child.values[:runs])
        middle.locks = child.locks
        middle.children[child.label[at : at + self.granule]] = child
        child.parent, child.label, child.values = middle, child.label[at:], child.values[runs:]
        return middle

    def _number(self) -> int:
        """Return a free id: where there is none, two new ones are made, and the larger is given out first."""
        if not self._free:
            heappush(self._free, len(self._by_id))
            return len(self._by_id) + 1
        return heappop(self._free)

    def _grow(self, parent: Node[V], label: tuple[int, ...], values: list[V]) -> Node[V]:
        """Return a new child of *parent*, in place of the one that starts alike, if there is one."""
        number = self._number()
        node = self._by_id[number] = parent.children[label[: self.granule]] = Node(number, parent, label, values)
        return node

    def _drop(self, leaf: Node[V]) -> None:
        """Take *leaf* out of its parent, the table and the order."""
        self._leave(leaf)
        del leaf.parent.children[leaf.label[: self.granule]]
        del self._by_id[leaf.number]
        heappush(self._free, leaf.number)
        self._count -= len(leaf.values)
        self._settle(leaf.parent)

    def _stamp(self, end: Node[V]) -> None:
        """Give *end* and everything above it a new time."""
        self._now += 1
        for node in end.line():
            self._leave(node)  # before the stamp changes, for it is found by its stamp
            node.stamp = self._now
            self._settle(node)

    def _settle(self, node: Node[V]) -> None:
        """Let *node* stand in the order if it is an unlocked leaf, and only then."""
        self._leave(node)
        if node.parent is not None and not node.locks and not node.children:
            self._idle.insert(bisect_left(self._idle, node.stamp, key=stamp_of), node)
            node.idle = True

    def _leave(self, node: Node[V]) -> None:
        """Take *node* out of the order if it stands in it."""
        if node.idle:
            # Exact, since no two leaves have the same stamp.
            del self._idle[bisect_left(self._idle, node.stamp, key=stamp_of)]
            node.idle = False
