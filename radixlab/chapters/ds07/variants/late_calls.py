"""A radix tree that puts off what it can: `evict` calls *f* when all leaves are out, and its heap is told late.

Every unlocked leaf has exactly one entry ``(stamp, id)`` in a heap. A match moves no entry, so the stamp of an entry
is the leaf's own or an older one; `evict` corrects it when the entry comes to the top. An entry whose node is locked
or has children by then is dropped, and comes back when the node is an unlocked leaf again.
"""

from collections.abc import Callable, Sequence
from heapq import heappop, heappush, heapreplace
from operator import index
from typing import Generic, TypeVar

V = TypeVar("V")

ROOT = 0


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on."""
    pairs = enumerate(zip(label, key[at : at + len(label)], strict=False))
    shorter = max(0, min(len(label), len(key) - at))
    return next((i for i, (mine, yours) in pairs if mine != yours), shorter) // granule


class Node(Generic[V]):
    """The edge above a node and what hangs on it."""

    def __init__(self, label: list[int], values: list[V], parent: int | None) -> None:
        self.label, self.values, self.parent = label, values, parent
        self.children: dict[tuple[int, ...], int] = {}
        self.locks = 0
        self.stamp = 0
        self.in_heap = False

    def is_idle(self) -> bool:
        """Return whether this is an unlocked leaf, and not ROOT."""
        return self.parent is not None and not self.locks and not self.children


class RadixTree(Generic[V]):
    """A radix tree over token ids with a lazy heap of leaves."""

    def __init__(self, granule: int) -> None:
        if granule < 1:
            raise ValueError(f"granule: 1 or more, not {granule}")
        self.granule = granule
        self._nodes: dict[int, Node[V]] = {ROOT: Node([], [], None)}
        self._free: set[int] = set()
        self._heap: list[tuple[int, int]] = []
        self._len = 0
        self._time = 0

    def _at(self, node: int) -> Node[V]:
        """Return what *node* names; LookupError when it names nothing alive."""
        if type(node) is int and node in self._nodes:
            return self._nodes[node]
        raise LookupError(f"{node!r} names no node of this tree")

    def __len__(self) -> int:
        return self._len

    def is_empty(self) -> bool:
        """Return whether the tree holds nothing."""
        return self._len == 0

    def node_count(self) -> int:
        """Return how many nodes the tree has apart from ROOT."""
        return len(self._nodes) - 1

    def key(self, node: int) -> list[int]:
        """Return a copy of the label above *node*."""
        return list(self._at(node).label)

    def values(self, node: int) -> list[V]:
        """Return a copy of the values on the edge above *node*."""
        return list(self._at(node).values)

    def parent(self, node: int) -> int | None:
        """Return the node above, None for ROOT."""
        return self._at(node).parent

    def children(self, node: int) -> list[int]:
        """Return the nodes below in increasing order."""
        return sorted(self._at(node).children.values())

    def child_count(self, node: int) -> int:
        """Return how many nodes are right below *node*."""
        return len(self._at(node).children)

    def lock_count(self, node: int) -> int:
        """Return how many locks pass through *node*."""
        return self._at(node).locks

    def lru_order(self) -> list[int]:
        """Return the unlocked leaves by stamp: the heap, corrected and sorted."""
        entries = ((self._nodes[node], node) for _, node in self._heap)
        return [node for _, node in sorted((here.stamp, node) for here, node in entries if here.is_idle())]

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[int]]:
        """Return how much of *key* is stored, and the nodes on its path."""
        return self._walk(self._tokens(key))

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[int, list[V]]:
        """Store *key*; return the node at its end, and the values for what was there already."""
        key, values = self._tokens(key), list(values)
        if len(values) * self.granule != len(key):
            raise ValueError(f"{len(values)} values cannot belong to {len(key)} tokens")
        tokens, path = self._walk(key)
        end = path[-1] if path else ROOT
        runs = tokens // self.granule
        if tokens < len(key):
            # The walk has stamped the path; the leaf is stamped as its last node.
            end = self._add(Node(key[tokens:], values[runs:], end))
            self._offer(end)
            self._len += len(values) - runs
        return end, values[:runs]

    def lock(self, node: int) -> None:
        """Lock *node* and all above it."""
        here = self._at(node)
        while here.parent is not None:
            here.locks += 1
            here = self._nodes[here.parent]

    def unlock(self, node: int) -> None:
        """Take back one `lock` of *node*; RuntimeError when none is left."""
        here = self._at(node)
        if node != ROOT and here.locks == 0:
            raise RuntimeError(f"no lock on node {node}")
        while here.parent is not None:
            here.locks -= 1
            here = self._nodes[here.parent]
        self._offer(node)  # only *node* can be a leaf: the others have it below them

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Take the oldest leaves out until *n* values are gone, then call *f* on each value; return how many."""
        gone: list[V] = []
        while len(gone) < n and (leaf := self._pop_oldest()) is not None:
            here = self._nodes.pop(leaf)
            self._free.add(leaf)
            del self._nodes[here.parent].children[self._first_run(here.label)]
            self._offer(here.parent)
            self._len -= len(here.values)
            gone += here.values
        for value in gone if f else ():
            f(value)
        return len(gone)

    def _tokens(self, key: Sequence[int]) -> list[int]:
        """Return *key* as a list; TypeError or ValueError if something in it is no token."""
        tokens = list(map(index, key))
        if tokens and (min(tokens) | max(tokens)) >> 32:  # a bit beyond the 32, or a sign
            raise ValueError("a token lies outside 0 .. 2**32 - 1")
        return tokens

    def _first_run(self, label: list[int], start: int = 0) -> tuple[int, ...]:
        """Return the run of *label* at *start*, as `children` is keyed."""
        return tuple(label[start : start + self.granule])

    def _walk(self, key: list[int]) -> tuple[int, list[int]]:
        """Go down along *key* and stamp what is passed; return the tokens matched and the path.

        An edge that agrees only in part is split, and the node between is the last of the path.
        """
        self._time += 1
        tokens, path, here = 0, [], self._nodes[ROOT]
        while (node := here.children.get(self._first_run(key, tokens))) is not None:
            runs = common_runs(self._nodes[node].label, key, tokens, self.granule)
            if runs < len(self._nodes[node].values):
                node = self._split(node, runs)
            here = self._nodes[node]
            here.stamp = self._time
            path.append(node)
            tokens += runs * self.granule
        return tokens, path

    def _split(self, child: int, runs: int) -> int:
        """Return a new node halfway up to the parent of *child*, which keeps what is below the first *runs* runs."""
        lower, at = self._nodes[child], runs * self.granule
        upper = Node(lower.label[:at], lower.values[:runs], lower.parent)
        upper.locks = lower.locks
        upper.children[self._first_run(lower.label, at)] = child
        del lower.label[:at], lower.values[:runs]
        lower.parent = self._add(upper)
        return lower.parent

    def _add(self, new: Node[V]) -> int:
        """Give *new* an id and the current time, and hang it under its parent; return the id."""
        node = self._free.pop() if self._free else len(self._nodes)
        new.stamp = self._time
        self._nodes[node] = new
        self._nodes[new.parent].children[self._first_run(new.label)] = node
        return node

    def _offer(self, node: int) -> None:
        """Give *node* an entry if it is an unlocked leaf without one."""
        here = self._nodes[node]
        if here.is_idle() and not here.in_heap:
            heappush(self._heap, (here.stamp, node))
            here.in_heap = True

    def _pop_oldest(self) -> int | None:
        """Take the oldest unlocked leaf out of the heap and return it, None when there is none."""
        while self._heap:
            stamp, node = self._heap[0]
            here = self._nodes[node]
            if here.is_idle() and here.stamp > stamp:
                heapreplace(self._heap, (here.stamp, node))  # it was used since: it goes where it belongs
                continue
            heappop(self._heap)
            here.in_heap = False
            if here.is_idle():
                return node
        return None
