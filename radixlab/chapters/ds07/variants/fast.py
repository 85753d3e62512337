"""The radix tree for real use: labels as bytes, no loop over tokens, and what an engine needs beyond the chapter.

A label is the bytes of its tokens, 4 each, little-endian: one comparison in C takes a whole edge, and a key that comes
as bytes is used as it is. Nodes name each other by ids, so nothing nests: a tree of any depth can be copied, pickled
and dropped. Beyond the chapter: `trim`, `peek`, `evictable_size`, `protected_size`, `check`, `pretty`, and namespaces,
for equal tokens that have other KV: under a LoRA adapter, where an image stands behind placeholder tokens, or where
tenants must not share. All of it is one class, so the module is longer than others. One thread at a time.
"""

import sys
from array import array
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from operator import index
from typing import Generic, TypeVar

V = TypeVar("V")
NodeId = int

ROOT: NodeId = 0
TOKEN = 4  # bytes
BIG_ENDIAN = sys.byteorder == "big"
INDENTED = 20  # levels that `pretty` indents


class Node(Generic[V]):
    """One node: the edge above it, its values, and its links to other nodes, each of them an id."""

    __slots__ = ("children", "first", "label", "locks", "next", "parent", "prev", "stamp", "values")

    def __init__(self, first: Hashable, label: bytes, values: list[V], parent: NodeId | None, stamp: int) -> None:
        self.first = first  # what its parent files it under: its first run, or (namespace, first run)
        self.label = label
        self.values = values
        self.parent = parent
        self.stamp = stamp
        self.children: dict[Hashable, NodeId] = {}
        self.locks = 0
        self.prev: NodeId | None = None  # the next older leaf; None: not on the list
        self.next: NodeId | None = None  # the next newer leaf; None: not on the list


def packed(key: Sequence[int]) -> bytes:
    """Return the tokens of *key* as bytes, 4 each, little-endian; bytes are such already. Complexity: linear, in C.

    ValueError for bytes that cut a token; TypeError or OverflowError for an item that is no token.

    >>> packed([1, 256]), packed(array("I", [1, 256])) == packed(packed([1, 256])) == packed([1, 256])
    (b'\\x01\\x00\\x00\\x00\\x00\\x01\\x00\\x00', True)
    """
    if isinstance(key, (bytes, bytearray)):
        if len(key) % TOKEN:
            raise ValueError(f"{len(key)} bytes are no key: a token takes {TOKEN}")
        return bytes(key)
    if isinstance(key, array) and key.typecode == "I":
        return swapped(key).tobytes()
    items = key if type(key) is list else list(key)
    try:
        return swapped(array("I", items)).tobytes()
    except (TypeError, OverflowError) as error:
        refused = next((i for i in items if not hasattr(i, "__index__") or not 0 <= index(i) < 2**32), error)
        raise type(error)(f"a token is an int in 0 .. 2**32 - 1, not {refused!r}") from None


def swapped(tokens: array) -> array:
    """Return *tokens* with their bytes in the order of labels, or from there as the machine has them."""
    if BIG_ENDIAN:
        # An array has the order of its machine. Labels are little-endian everywhere, so that bytes mean the same tokens
        # on every machine that they are sent to.
        tokens = tokens[:]
        tokens.byteswap()
    return tokens


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from item *at* on.

    Items are tokens, or bytes where both are bytes; *granule* counts items. Slices compare in C, so the first run that
    differs is found by halving. Complexity: linear in C, about log2(runs) steps.

    >>> common_runs((1, 2, 3, 4), [9, 1, 2, 3, 5], 1, 1), common_runs(packed([1, 2]), packed([1, 3]), 0, 4)
    (3, 1)
    """
    if not type(label) is type(key) is bytes:
        label, key = list(label), list(key)
    equal, most = 0, max(0, min(len(label), len(key) - at)) // granule
    while equal < most:
        half = (equal + most + 1) // 2
        start, end = equal * granule, half * granule
        if label[start:end] == key[at + start : at + end]:
            equal = half
        else:
            most = half - 1
    return equal


class RadixTree(Generic[V]):
    """A radix tree over token ids: the longest stored prefix of a prompt, shared, locked and evicted.

    A key is bytes, 4 per token, little-endian (``numpy.asarray(tokens, "<u4").tobytes()``); an ``array("I")``; or any
    other sequence of ints, of which each has to be converted. Keys match within their *namespace* only, which is
    anything hashable and takes neither a token nor a value.

    >>> tree = RadixTree(1)
    >>> leaf, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    >>> tuned, handed_back = tree.insert([1, 2], ["x", "y"], namespace="lora 7")
    >>> handed_back, tree.values(tuned), len(tree)
    ([], ['x', 'y'], 5)
    >>> [tree.match_prefix([1, 2, 9], namespace)[0] for namespace in (None, "lora 7", "lora 8")]
    [2, 2, 0]
    """

    def __init__(self, granule: int) -> None:
        """Make an empty tree whose labels, matches and splits come in runs of *granule* tokens; ValueError below 1."""
        if granule < 1:
            raise ValueError(f"a granule is at least 1 token, not {granule}")
        self.granule = granule
        root: Node[V] = Node(None, b"", [], None, 0)
        root.prev = root.next = ROOT  # ROOT is never listed: it is the sentinel of the LRU list
        self._nodes: list[Node[V] | None] = [root]  # the arena: an id is an index; None is a freed slot
        self._free: list[NodeId] = []  # the freed slots, to be used again
        self._run = TOKEN * granule  # bytes of a run
        self._stored = 0  # values in the tree
        self._protected = 0  # values of its locked nodes
        self._clock = 0  # one tick for each match and insert

    # Looking ------------------------------------------------------------------------------------------------------

    def _node(self, node: NodeId) -> Node[V]:
        """Return the live node with this id; LookupError for anything else."""
        if type(node) is not int or not 0 <= node < len(self._nodes):
            raise LookupError(f"no node {node!r}")
        here = self._nodes[node]
        if here is None:
            raise LookupError(f"node {node} was freed")
        return here

    def __len__(self) -> int:
        """Return how many values the tree holds. Complexity: O(1)."""
        return self._stored

    def is_empty(self) -> bool:
        """Return whether the tree holds no value. Complexity: O(1)."""
        return self._stored == 0

    def evictable_size(self) -> int:
        """Return how many values an eviction of everything would free. Complexity: O(1).

        >>> tree = RadixTree(1)
        >>> tree.lock(tree.insert([1, 2], ["a", "b"])[0])
        >>> tree.insert([1, 2, 3], ["x", "y", "c"]), tree.evictable_size()
        ((2, ['x', 'y']), 1)
        """
        return self._stored - self._protected

    def protected_size(self) -> int:
        """Return how many values are in locked nodes, and stay whatever is evicted. Complexity: O(1).

        >>> tree = RadixTree(1)
        >>> tree.lock(tree.insert([1, 2], ["a", "b"])[0])
        >>> tree.match_prefix([1]), tree.protected_size()
        ((1, [2]), 2)
        """
        return self._protected

    def node_count(self) -> int:
        """Return how many nodes are alive, ROOT not counted. Complexity: O(1)."""
        return len(self._nodes) - len(self._free) - 1

    def key(self, node: NodeId) -> list[int]:
        """Return the label of the edge above *node* as ints: a multiple of *granule* tokens, none for ROOT."""
        return swapped(array("I", self._node(node).label)).tolist()

    def values(self, node: NodeId) -> list[V]:
        """Return the values of *node*, one per run of its label, as a list of the caller's own."""
        return self._node(node).values[:]

    def parent(self, node: NodeId) -> NodeId | None:
        """Return the parent of *node*, None for ROOT."""
        return self._node(node).parent

    def children(self, node: NodeId) -> list[NodeId]:
        """Return the children of *node* by increasing id."""
        return sorted(self._node(node).children.values())

    def child_count(self, node: NodeId) -> int:
        """Return how many children *node* has."""
        return len(self._node(node).children)

    def lock_count(self, node: NodeId) -> int:
        """Return how many locks pin *node*: its own and those of its descendants; 0 for ROOT."""
        return self._node(node).locks

    def lru_order(self) -> list[NodeId]:
        """Return the unlocked leaves, the least recently used first. Complexity: linear in their number."""
        order, node = [], self._nodes[ROOT].next
        while node != ROOT:
            order.append(node)
            node = self._nodes[node].next
        return order

    def peek(self, key: Sequence[int], namespace: Hashable = None) -> int:
        """Return how many tokens of *key* a match would find; nothing is split, and nothing counts as used.

        For a scheduler that sorts waiting requests, or a router that compares engines. Complexity: as `match_prefix`.

        >>> tree = RadixTree(1)
        >>> leaf, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
        >>> tree.peek([1, 2, 9]), tree.node_count()
        (2, 1)
        """
        key, nodes, size = packed(key), self._nodes, self._run
        at, here = 0, nodes[ROOT]
        first = key[:size] if namespace is None else (namespace, key[:size])
        while (node := here.children.get(first)) is not None:
            here = nodes[node]
            if not key.startswith(here.label, at):
                return at // TOKEN + common_runs(here.label, key, at, size) * self.granule
            at += len(here.label)
            first = key[at : at + size]
        return at // TOKEN

    # Growing ------------------------------------------------------------------------------------------------------

    def match_prefix(self, key: Sequence[int], namespace: Hashable = None) -> tuple[int, list[NodeId]]:
        """Return how many tokens of *key* are stored, and the nodes that spell them, ROOT not among them.

        A match that ends inside an edge splits the edge, so the last node of the path ends exactly where the match
        does. Every node of the path is stamped. Complexity: O(1) for a node; tokens compare in C. Chapter section 2.1.
        """
        if type(key) is not bytes or len(key) % TOKEN:
            key = packed(key)
        nodes, size = self._nodes, self._run
        self._clock = clock = self._clock + 1
        at, here, path = 0, nodes[ROOT], []
        first = key[:size] if namespace is None else (namespace, key[:size])
        while (node := here.children.get(first)) is not None:
            here = nodes[node]
            label = here.label
            if not key.startswith(label, at):
                runs = common_runs(label, key, at, size)
                path.append(self._split(node, runs))  # a node with a child: the list stays as it is
                return at // TOKEN + runs * self.granule, path
            here.stamp = clock
            path.append(node)
            at += len(label)
            first = key[at : at + size]
        # Only the last node of a path can be listed, and now its stamp is the newest. Its `next` is None when it is not
        # listed, and ROOT, which is 0, when it is at the newest end already.
        if here.next and path:
            self._unlink(here)
            self._link_after(path[-1], nodes[ROOT].prev)
        return at // TOKEN, path

    def insert(self, key: Sequence[int], values: Sequence[V], namespace: Hashable = None) -> tuple[NodeId, list[V]]:
        """Store *key* with one value per run; return the node that ends it, and the values not needed.

        The stored part of *key* keeps its values: the caller's for that part are handed back. ValueError unless
        ``len(values) * granule`` is the tokens of *key*. Complexity: as `match_prefix`. Chapter section 2.1.
        """
        key, values = packed(key), list(values)
        if len(values) * self._run != len(key):
            tokens = len(key) // TOKEN
            raise ValueError(f"{tokens} tokens in runs of {self.granule} do not take {len(values)} values")
        if not key:
            return ROOT, []
        tokens, path = self.match_prefix(key, namespace)
        known, parent = tokens // self.granule, path[-1] if path else ROOT
        if known == len(values):
            return parent, values
        label, new = key[tokens * TOKEN :], values[known:]
        first = label[: self._run] if path or namespace is None else (namespace, label[: self._run])
        leaf = self._alloc(Node(first, label, new, parent, self._clock))
        above = self._nodes[parent]
        above.children[first] = leaf
        if path and above.next is not None:
            self._unlink(above)
        self._link_after(leaf, self._nodes[ROOT].prev)
        self._stored += len(new)
        del values[known:]
        return leaf, values

    def _split(self, child: NodeId, runs: int) -> NodeId:
        """Cut the edge above *child* after *runs* runs; return the new middle node, which takes the upper part."""
        lower, at = self._nodes[child], runs * self._run
        upper: Node[V] = Node(lower.first, lower.label[:at], lower.values[:runs], lower.parent, self._clock)
        upper.locks = lower.locks  # so as many values are protected as before
        middle = self._alloc(upper)
        self._nodes[lower.parent].children[lower.first] = middle
        lower.label, lower.values, lower.parent = lower.label[at:], lower.values[runs:], middle
        lower.first = lower.label[: self._run]
        upper.children[lower.first] = child
        return middle

    def _alloc(self, node: Node[V]) -> NodeId:
        """Put *node* into a freed slot, or a new one at the end; return its id."""
        if self._free:
            slot = self._free.pop()
            self._nodes[slot] = node
            return slot
        self._nodes.append(node)
        return len(self._nodes) - 1

    # Holding ------------------------------------------------------------------------------------------------------

    def lock(self, node: NodeId) -> None:
        """Pin *node* and every ancestor; ROOT needs no pin. Complexity: linear in the depth."""
        here = self._node(node)
        if node != ROOT and here.next is not None:
            self._unlink(here)  # its ancestors have a child each, so they are not listed
        while here.parent is not None:
            if here.locks == 0:
                self._protected += len(here.values)
            here.locks += 1
            here = self._nodes[here.parent]

    def unlock(self, node: NodeId) -> None:
        """Undo one `lock` of *node*; RuntimeError when it is not locked. Complexity: the depth, plus `_list`."""
        here = self._node(node)
        if here.locks == 0 and node != ROOT:
            raise RuntimeError(f"node {node} is not locked")
        while here.parent is not None:
            here.locks -= 1
            if here.locks == 0:
                self._protected -= len(here.values)
            here = self._nodes[here.parent]
        self._list(node)

    # Remembering what was used ------------------------------------------------------------------------------------

    def _list(self, node: NodeId) -> None:
        """Put *node*, which is not listed, at the place of its stamp, if it is an unlocked leaf.

        The place is looked for from both ends by turns: it is near the oldest if *node* was not used since, near the
        newest if it was. Complexity: O(1) there, O(leaves) for a place in the middle.
        """
        nodes = self._nodes
        here, root = nodes[node], nodes[ROOT]
        if node == ROOT or here.locks or here.children:
            return
        older, newer = root.prev, root.next
        while older != ROOT and nodes[older].stamp > here.stamp:
            if nodes[newer].stamp > here.stamp:
                older = nodes[newer].prev
                break
            older, newer = nodes[older].prev, nodes[newer].next
        self._link_after(node, older)

    def _unlink(self, here: Node[V]) -> None:
        """Take *here*, which is listed, off the LRU list."""
        self._nodes[here.prev].next = here.next
        self._nodes[here.next].prev = here.prev
        here.prev = here.next = None

    def _link_after(self, node: NodeId, older: NodeId) -> None:
        """Put *node* on the LRU list right after *older*; after ROOT is the oldest place."""
        here, before = self._nodes[node], self._nodes[older]
        here.prev, here.next = older, before.next
        self._nodes[before.next].prev = node
        before.next = node

    # Forgetting ---------------------------------------------------------------------------------------------------

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Take out least recently used leaves, whole, until at least *n* values are gone; return how many went.

        *f* is called on each value of a leaf, in label order, once the leaf is out. Complexity: linear in the values
        freed, plus `_list` for each parent left childless. Chapter section 2.3.
        """
        root, freed = self._nodes[ROOT], 0
        while freed < n and root.next != ROOT:
            values = self._remove_oldest()
            freed += len(values)
            if f is not None:
                for value in values:
                    f(value)
        return freed

    def trim(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Take out exactly *n* values, or all that no lock protects; return how many went.

        The oldest leaf loses its last runs, and stays the oldest, or goes whole when all are asked for. *f* is called
        on each value that goes, in label order within a leaf. Complexity: as `evict`.

        >>> tree, gone = RadixTree(1), []
        >>> leaf, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
        >>> tree.trim(2, gone.append), gone, tree.key(leaf)
        (2, ['b', 'c'], [1])
        """
        root, freed = self._nodes[ROOT], 0
        while freed < n and root.next != ROOT:
            oldest = self._nodes[root.next]
            kept = len(oldest.values) - (n - freed)
            if kept > 0:
                values, oldest.label = oldest.values[kept:], oldest.label[: kept * self._run]
                del oldest.values[kept:]
                self._stored -= len(values)
            else:
                values = self._remove_oldest()
            freed += len(values)
            for value in values if f is not None else ():
                f(value)
        return freed

    def _remove_oldest(self) -> list[V]:
        """Take the oldest leaf out of the tree and free its slot; return its values. A childless parent is listed."""
        nodes, root = self._nodes, self._nodes[ROOT]
        leaf = root.next
        gone = nodes[leaf]
        root.next = gone.next
        nodes[gone.next].prev = ROOT
        siblings = nodes[gone.parent].children
        del siblings[gone.first]
        if not siblings:
            self._list(gone.parent)
        self._stored -= len(gone.values)
        nodes[leaf] = None
        self._free.append(leaf)
        return gone.values

    # Showing and asserting ----------------------------------------------------------------------------------------

    def pretty(self) -> str:
        """Return the tree as indented text, a line for each node; long labels are cut short.

        >>> tree = RadixTree(1)
        >>> tree.lock(tree.insert(range(9), range(9))[0])
        >>> leaf, _ = tree.insert([0, 1, 7], "xyz", namespace="lora 7")
        >>> leaf, _ = tree.insert([0, 1, 9], "xyz")
        >>> print(tree.pretty())
        ROOT: granule 1, values 13, protected 9, nodes 4
          'lora 7' 0 1 7: values 3, locks 0, stamp 2, node 2
          0 1: values 2, locks 1, stamp 3, node 3
            2 3 4 5 .. 8: values 7, locks 1, stamp 1, node 1
            9: values 1, locks 0, stamp 3, node 4
        """
        sizes = f"values {self._stored}, protected {self._protected}, nodes {self.node_count()}"
        lines, todo = [f"ROOT: granule {self.granule}, {sizes}"], [(1, node) for node in self.children(ROOT)[::-1]]
        while todo:
            depth, node = todo.pop()
            here, label = self._nodes[node], self.key(node)
            # A chain may be thousands of nodes deep: its indentation ends, and the depth is written instead.
            indent = "  " * depth if depth <= INDENTED else f"{'  ' * INDENTED}({depth}) "
            namespace = f"{here.first[0]!r} " if isinstance(here.first, tuple) else ""
            tokens = " ".join(map(str, label if len(label) <= 6 else [*label[:4], "..", label[-1]]))
            counts = f"values {len(here.values)}, locks {here.locks}, stamp {here.stamp}, node {node}"
            lines.append(f"{indent}{namespace}{tokens}: {counts}")
            todo += [(depth + 1, child) for child in self.children(node)[::-1]]
        return "\n".join(lines)

    def check(self) -> None:
        """Assert every invariant of the tree; for tests. Complexity: linear in the tree.

        >>> tree = RadixTree(1)
        >>> tree.lock(tree.insert([1, 2], ["a", "b"])[0])
        >>> tree.check()
        """
        live = {node: here for node, here in enumerate(self._nodes) if here is not None}
        below = {node: here for node, here in live.items() if node != ROOT}
        root, run = live[ROOT], self._run
        # ROOT has no edge, no value, no parent and no lock.
        assert (root.first, root.label, root.values, root.parent, root.locks) == (None, b"", [], None, 0)
        # A slot is either alive or waiting on the free list, once.
        assert sorted([*live, *self._free]) == list(range(len(self._nodes)))
        for node, here in below.items():
            # A label is whole runs, at least one, and every run has one value.
            assert len(here.label) == len(here.values) * run > 0
            # Parent and child name each other under the first run of the label, and ROOT knows the namespace as well.
            assert here.first == here.label[:run] or (here.parent == ROOT and here.first[1] == here.label[:run])
            assert live[here.parent].children[here.first] == node
            # What is below never outdoes what is above.
            assert here.parent == ROOT or here.stamp <= live[here.parent].stamp
            assert here.locks >= sum(live[child].locks for child in here.children.values())
        # There is no child beside these.
        assert sum(len(here.children) for here in live.values()) == len(below)
        # No value is lost and none is counted twice.
        assert self._stored == sum(len(here.values) for here in below.values())
        assert self._protected == sum(len(here.values) for here in below.values() if here.locks)
        # The list holds exactly the unlocked leaves, each once, by increasing stamp.
        order = self.lru_order()
        assert sorted(order) == [node for node, here in below.items() if not here.children and not here.locks]
        assert all(live[older].stamp < live[newer].stamp for older, newer in pairwise(order))
        # Its links agree both ways, ROOT closes the circle, and no other node has any.
        ring = [ROOT, *order, ROOT]
        assert all(live[b].prev == a and live[a].next == b for a, b in pairwise(ring))
        listed = set(ring)
        assert all(here.prev is None and here.next is None for node, here in live.items() if node not in listed)
