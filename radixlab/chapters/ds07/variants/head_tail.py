"""A radix tree in columns: a node is a row number, and each of its fields stands in a column of its own.

Labels are arrays of 32-bit tokens, and a child is found by the bytes of its first run. The unlocked leaves are
linked from `_head`, the oldest, to `_tail`, the newest, with NIL before and behind. Freed rows are linked too, through
the column of parents, which they no longer need.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

V = TypeVar("V")

ROOT = 0
NIL = -1  # no row


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on.

    Two sequences that agree on their first k runs agree on fewer, so the last k is found by halving.
    """
    at_least, at_most = 0, max(0, min(len(label), len(key) - at)) // granule
    while at_least < at_most:
        half = (at_least + at_most + 1) // 2
        start, end = at_least * granule, half * granule
        if list(label[start:end]) == list(key[at + start : at + end]):
            at_least = half
        else:
            at_most = half - 1
    return at_least


class RadixTree(Generic[V]):
    """A radix tree over token ids whose order of leaves has a head and a tail."""

    def __init__(self, granule: int) -> None:
        if granule < 1:
            raise ValueError(f"no tree has runs of {granule} tokens")
        self.granule = granule
        self._label: list[array | None] = []  # None: the row is free
        self._values: list[list[V]] = []
        self._children: list[dict[bytes, int]] = []
        self._parent = array("q")
        self._locks = array("q")
        self._stamp = array("q")
        self._older = array("q")
        self._newer = array("q")
        self._head = self._tail = NIL
        self._free = NIL
        self._rows = 0  # rows in use
        self._stored = 0
        self._clock = 0
        self._new(array("I"), [], NIL)  # ROOT

    def _row(self, node: int) -> int:
        """Return *node* if it is a row in use, else raise LookupError."""
        if type(node) is not int or not 0 <= node < len(self._label) or self._label[node] is None:
            raise LookupError(f"row {node!r} is not in use")
        return node

    def __len__(self) -> int:
        return self._stored

    def is_empty(self) -> bool:
        """Return whether no value is stored."""
        return self._stored == 0

    def node_count(self) -> int:
        """Return the rows in use, not counting ROOT."""
        return self._rows - 1

    def key(self, node: int) -> array:
        """Return a copy of the label of *node*."""
        return self._label[self._row(node)][:]

    def values(self, node: int) -> list[V]:
        """Return a copy of the values of *node*."""
        return self._values[self._row(node)][:]

    def parent(self, node: int) -> int | None:
        """Return the parent of *node*; ROOT has none."""
        return None if self._row(node) == ROOT else self._parent[node]

    def children(self, node: int) -> list[int]:
        """Return the children of *node*, in the order of their rows."""
        return sorted(self._children[self._row(node)].values())

    def child_count(self, node: int) -> int:
        """Return the number of children."""
        return len(self._children[self._row(node)])

    def lock_count(self, node: int) -> int:
        """Return the number of locks on *node* and below it."""
        return self._locks[self._row(node)]

    def lru_order(self) -> list[int]:
        """Return the unlocked leaves from head to tail."""
        order, leaf = [], self._head
        while leaf != NIL:
            order.append(leaf)
            leaf = self._newer[leaf]
        return order

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[int]]:
        """Return the length of the longest stored prefix of *key*, and its path."""
        tokens, path = self._walk(array("I", list(key)))
        self._use(path)
        return tokens, path

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[int, list[V]]:
        """Store *key* with its values; return the row that ends it, and the values of what was stored before."""
        key, values = array("I", list(key)), list(values)
        if len(values) * self.granule != len(key):
            raise ValueError(f"{len(key)} tokens need {len(key) / self.granule:g} values, not {len(values)}")
        if not key:
            return ROOT, []
        tokens, path = self._walk(key)
        duplicates, rest = values[: tokens // self.granule], values[tokens // self.granule :]
        if rest:
            path.append(self._new(key[tokens:], rest, path[-1] if path else ROOT))
            self._stored += len(rest)
        self._use(path)
        return path[-1], duplicates

    def lock(self, node: int) -> None:
        """Add a lock to *node* and to each row above it."""
        self._add_locks(self._row(node), 1)

    def unlock(self, node: int) -> None:
        """Take a lock from *node* and from each row above it; RuntimeError when it has none."""
        if self._row(node) != ROOT and not self._locks[node]:
            raise RuntimeError(f"row {node} has no lock to take away")
        self._add_locks(node, -1)

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Take leaves from the head, whole, until *n* values went or none is left; return how many went."""
        freed = 0
        while freed < n and self._head != NIL:
            values = self._delete(self._head)
            freed += len(values)
            if f is not None:
                for value in values:
                    f(value)
        return freed

    def _walk(self, key: array) -> tuple[int, list[int]]:
        """Return how far *key* is stored, and the path, whose last edge is split where the key leaves it."""
        tokens, node, path = 0, ROOT, []
        # After a split the loop ends by itself: the lower part starts with another run than the rest of the key.
        while (child := self._children[node].get(key[tokens : tokens + self.granule].tobytes())) is not None:
            runs = common_runs(self._label[child], key, tokens, self.granule)
            node = child if runs == len(self._values[child]) else self._split(child, runs)
            path.append(node)
            tokens += runs * self.granule
        return tokens, path

    def _split(self, child: int, runs: int) -> int:
        """Return a new row between *child* and its parent that takes *runs* runs of the label."""
        label, values, at = self._label[child], self._values[child], runs * self.granule
        middle = self._new(label[:at], values[:runs], self._parent[child])
        self._locks[middle] = self._locks[child]
        self._label[child], self._values[child], self._parent[child] = label[at:], values[runs:], middle
        self._children[middle][label[at : at + self.granule].tobytes()] = child
        return middle

    def _new(self, label: array, values: list[V], parent: int) -> int:
        """Fill a row, hang it under *parent* and return it; a child that starts alike makes room."""
        if self._free == NIL:
            node = len(self._label)
            for column in (self._label, self._values, self._children):
                column.append(None)
            for column in (self._parent, self._locks, self._stamp, self._older, self._newer):
                column.append(NIL)
        else:
            node, self._free = self._free, self._parent[self._free]
        self._label[node], self._values[node], self._children[node] = label, values, {}
        self._parent[node], self._locks[node], self._stamp[node] = parent, 0, 0
        if parent != NIL:
            self._children[parent][label[: self.granule].tobytes()] = node
        self._rows += 1
        return node

    def _delete(self, leaf: int) -> list[V]:
        """Free the row of *leaf* and return its values."""
        parent, label, values = self._parent[leaf], self._label[leaf], self._values[leaf]
        self._unlink(leaf)
        del self._children[parent][label[: self.granule].tobytes()]
        self._place(parent)
        self._label[leaf], self._values[leaf] = None, []
        self._parent[leaf], self._free = self._free, leaf
        self._rows -= 1
        self._stored -= len(values)
        return values

    def _add_locks(self, node: int, change: int) -> None:
        """Add *change* to the locks of *node* and of each row above it but ROOT."""
        while node != ROOT:
            self._locks[node] += change
            self._place(node)
            node = self._parent[node]

    def _use(self, path: list[int]) -> None:
        """Stamp *path* with the next tick of the clock."""
        self._clock += 1
        for node in path:
            self._stamp[node] = self._clock
            self._place(node)

    def _place(self, node: int) -> None:
        """Link *node* where its stamp belongs if it is an unlocked leaf; else see that it is not linked."""
        self._unlink(node)
        if node == ROOT or self._locks[node] or self._children[node]:
            return
        older, newer, stamp = self._tail, NIL, self._stamp[node]
        if older != NIL and stamp - self._stamp[self._head] < self._stamp[older] - stamp:
            # Nearer to the oldest than to the newest leaf by time: look from the head.
            older, newer = NIL, self._head
            while self._stamp[newer] < stamp:
                older, newer = newer, self._newer[newer]
        else:
            while older != NIL and self._stamp[older] > stamp:
                older, newer = self._older[older], older
        self._join(older, node)
        self._join(node, newer)

    def _unlink(self, node: int) -> None:
        """Let the neighbours of *node* name each other if it is linked."""
        if node == self._head or self._older[node] != NIL:
            self._join(self._older[node], self._newer[node])
            self._older[node] = self._newer[node] = NIL

    def _join(self, older: int, newer: int) -> None:
        """Make *older* and *newer* neighbours; NIL on one side makes the other the tail or the head."""
        if older == NIL:
            self._head = newer
        else:
            self._newer[older] = newer
        if newer == NIL:
            self._tail = older
        else:
            self._older[newer] = older
