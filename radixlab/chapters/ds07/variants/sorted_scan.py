"""A radix tree that keeps no order: whoever asks for the oldest leaf sorts the leaves by their stamps.

A node is a row across tables, a number that is a key of each of them. `_children` and `_locks` hold only the nodes
that have any, and `_stamp` all but ROOT: take the keys of the first two from those of the third, and the unlocked
leaves are left. Nothing has to be kept up to date; the price is a scan of the whole tree for each look at the order.
"""

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from operator import index
from typing import Generic, TypeVar

V = TypeVar("V")

ROOT = 0


def checked(key: Sequence[int]) -> tuple[int, ...]:
    """Return *key* as a tuple of ints; TypeError or ValueError for what is no token."""
    tokens = tuple(map(index, key))
    if tokens and (min(tokens) < 0 or max(tokens) >= 2**32):
        raise ValueError("a token is at least 0 and below 2**32")
    return tokens


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on."""
    equal = 0
    for ours, theirs in zip(label, key[at : at + len(label)], strict=False):
        if ours != theirs:
            break
        equal += 1
    return equal // granule


class RadixTree(Generic[V]):
    """A radix tree over token ids whose leaves are sorted when somebody asks."""

    def __init__(self, granule: int) -> None:
        if granule < 1:
            raise ValueError(f"granule {granule} is below 1")
        self.granule = granule
        self._label: dict[int, tuple[int, ...]] = {ROOT: ()}
        self._values: dict[int, tuple[V, ...]] = {ROOT: ()}
        self._parent: dict[int, int | None] = {ROOT: None}
        self._children: dict[int, dict[tuple[int, ...], int]] = {}  # by the first run of the child's label
        self._locks: dict[int, int] = {}
        self._stamp: dict[int, int] = {}
        self._fresh = count(1)
        self._freed: deque[int] = deque()
        self._size = 0
        self._clock = 0

    def _live(self, node: int) -> int:
        """Return *node* when it has a row; LookupError when not."""
        if type(node) is not int or node not in self._label:
            raise LookupError(f"{node!r} is no live node")
        return node

    def __len__(self) -> int:
        return self._size

    def is_empty(self) -> bool:
        """Return whether nothing is stored."""
        return self._size == 0

    def node_count(self) -> int:
        """Return the number of nodes without ROOT."""
        return len(self._label) - 1

    def key(self, node: int) -> tuple[int, ...]:
        """Return the label of *node*."""
        return self._label[self._live(node)]

    def values(self, node: int) -> tuple[V, ...]:
        """Return the values of *node*."""
        return self._values[self._live(node)]

    def parent(self, node: int) -> int | None:
        """Return the parent of *node*, None for ROOT."""
        return self._parent[self._live(node)]

    def children(self, node: int) -> list[int]:
        """Return the children of *node*, smallest id first."""
        return sorted(self._children.get(self._live(node), {}).values())

    def child_count(self, node: int) -> int:
        """Return the number of children of *node*."""
        return len(self._children.get(self._live(node), {}))

    def lock_count(self, node: int) -> int:
        """Return how often *node* or a node below it is locked."""
        return self._locks.get(self._live(node), 0)

    def lru_order(self) -> list[int]:
        """Return the unlocked leaves, oldest first: a scan and a sort."""
        leaves = self._stamp.keys() - self._children.keys() - self._locks.keys()
        return sorted(leaves, key=self._stamp.get)

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[int]]:
        """Return the tokens of *key* that are stored, and the nodes that spell them."""
        tokens, path, cut = self._find(checked(key))
        if cut:
            path.append(self._split(*cut))
        self._use(path)
        return tokens, path

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[int, list[V]]:
        """Store *key*; return the node that ends it, and the values of the part that was stored before."""
        key, values = checked(key), list(values)
        if len(key) != len(values) * self.granule:
            raise ValueError(f"{len(key)} tokens and {len(values)} values do not fit at granule {self.granule}")
        if not key:
            return ROOT, []
        tokens, path, cut = self._find(key)
        known = tokens // self.granule
        # A leaf gets its number before the middle node of the split does: which id a node has means nothing.
        leaf = self._new_id() if tokens < len(key) else None
        if cut:
            path.append(self._split(*cut))
        if leaf is not None:
            self._hang(leaf, path[-1] if path else ROOT, key[tokens:], tuple(values[known:]))
            self._size += len(values) - known
            path.append(leaf)
        self._use(path)
        return path[-1], values[:known]

    def lock(self, node: int) -> None:
        """Pin *node* and its ancestors."""
        for pinned in self._upwards(self._live(node)):
            self._add_lock(pinned, 1)

    def unlock(self, node: int) -> None:
        """Undo one `lock` of *node*; RuntimeError when there is none."""
        if self._live(node) != ROOT and node not in self._locks:
            raise RuntimeError(f"node {node} has no lock")
        for pinned in self._upwards(node):
            self._add_lock(pinned, -1)

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Remove whole leaves, oldest first, until *n* values are gone; return how many went."""
        freed, gone, order = 0, 0, self.lru_order()
        while freed < n and gone < len(order):
            leaf, gone = order[gone], gone + 1
            parent, values = self._parent[leaf], self._values[leaf]
            self._remove(leaf)
            if parent != ROOT and parent not in self._children and parent not in self._locks:
                # No node is older than a node below it, so the parent's place is still ahead.
                insort(order, parent, lo=gone, key=self._stamp.get)
            freed += len(values)
            for value in values if f else ():
                f(value)
        return freed

    def _find(self, key: tuple[int, ...]) -> tuple[int, list[int], tuple[int, int] | None]:
        """Return the tokens stored, the whole nodes that spell them, and where an edge has to be split, if one has.

        Only a look: nothing changes. A split is asked for as the node below the edge and the runs that stay above.
        """
        tokens, path, node = 0, [], ROOT
        while True:
            node = self._children.get(node, {}).get(key[tokens : tokens + self.granule])
            if node is None:
                return tokens, path, None
            label = self._label[node]
            runs = common_runs(label, key, tokens, self.granule)
            tokens += runs * self.granule
            if runs * self.granule < len(label):
                return tokens, path, (node, runs)
            path.append(node)

    def _split(self, child: int, runs: int) -> int:
        """Put a new node above *child* that takes the first *runs* runs of its edge; return it."""
        middle, at = self._new_id(), runs * self.granule
        label, values = self._label[child], self._values[child]
        self._hang(middle, self._parent[child], label[:at], values[:runs])
        self._hang(child, middle, label[at:], values[runs:])
        if child in self._locks:
            self._locks[middle] = self._locks[child]
        return middle

    def _new_id(self) -> int:
        """Return an id that no live node has, the one that was freed first if there is any."""
        return self._freed.popleft() if self._freed else next(self._fresh)

    def _hang(self, node: int, parent: int, label: tuple[int, ...], values: tuple[V, ...]) -> None:
        """Write the row of *node* under *parent*, in place of the child that starts like it."""
        self._label[node], self._values[node], self._parent[node] = label, values, parent
        self._children.setdefault(parent, {})[label[: self.granule]] = node

    def _remove(self, leaf: int) -> None:
        """Delete the row of *leaf*."""
        parent = self._parent.pop(leaf)
        del self._children[parent][self._label.pop(leaf)[: self.granule]]
        if not self._children[parent]:
            del self._children[parent]
        self._size -= len(self._values.pop(leaf))
        del self._stamp[leaf]
        self._freed.append(leaf)

    def _add_lock(self, node: int, change: int) -> None:
        """Add *change* to the locks of *node*, which has an entry only while there are some."""
        locks = self._locks.pop(node, 0) + change
        if locks:
            self._locks[node] = locks

    def _use(self, path: list[int]) -> None:
        """Stamp all nodes of *path* with one new time."""
        self._clock += 1
        self._stamp.update(dict.fromkeys(path, self._clock))

    def _upwards(self, node: int) -> Iterator[int]:
        """Yield *node* and its ancestors below ROOT."""
        while node != ROOT:
            yield node
            node = self._parent[node]
