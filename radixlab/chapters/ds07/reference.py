"""A radix tree over token ids, with locks on paths and a least-recently-used list of leaves (chapter ds.07).

Nodes live in one list, the arena, and name each other by index. A node holds the label of the edge above it and one
value per run of *granule* tokens. The unlocked leaves form a circular doubly linked list, oldest first, threaded
through the nodes; ROOT, which is never listed, is its sentinel.
"""

from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

V = TypeVar("V")
NodeId = int

ROOT: NodeId = 0


class Node(Generic[V]):
    """One node: the edge above it, its values, and its links to other nodes, each of them an id."""

    __slots__ = ("children", "label", "locks", "next", "parent", "prev", "stamp", "values")

    def __init__(self, label: tuple[int, ...], values: list[V], parent: NodeId | None) -> None:
        self.label = label
        self.values = values
        self.parent = parent
        self.children: dict[tuple[int, ...], NodeId] = {}  # the first run of a child's label -> the child
        self.locks = 0  # notebook 04
        self.stamp = 0  # notebook 05
        self.prev: NodeId | None = None  # notebook 05: the next older leaf; None: not on the list
        self.next: NodeId | None = None  # notebook 05: the next newer leaf; None: not on the list


def tokens_of(key: Sequence[int]) -> tuple[int, ...]:
    """Return *key* as a tuple of plain ints; anything but ints in ``0 .. 2**32 - 1`` raises.

    >>> tokens_of(range(3))
    (0, 1, 2)
    """
    return tuple(array("I", list(key)))


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on.

    Both are sequences of one kind, such as tuples: slices are compared. Complexity: linear in the runs that are equal.

    >>> common_runs((1, 2, 3, 4), (9, 1, 2, 3, 5), 1, 1), common_runs((1, 2, 3, 4), (1, 2, 3), 0, 2)
    (3, 1)
    """
    runs = 0
    whole = min(len(label), len(key) - at) // granule
    while runs < whole:
        start, end = runs * granule, (runs + 1) * granule
        if label[start:end] != key[at + start : at + end]:
            break
        runs += 1
    return runs


class RadixTree(Generic[V]):
    """A radix tree over token ids: the longest stored prefix of a prompt, shared, locked and evicted.

    Looking: ``granule``, ``len(tree)``, ``is_empty``, ``node_count``, ``key``, ``values``, ``parent``, ``children``,
    ``child_count``, ``lock_count``, ``lru_order``. Growing: ``match_prefix``, ``insert``. Holding: ``lock``,
    ``unlock``. Forgetting: ``evict``.

    >>> tree = RadixTree(1)
    >>> tree.insert([1, 2, 3], ["a", "b", "c"])
    (1, [])
    >>> leaf, handed_back = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    >>> tree.key(leaf), handed_back
    ((4, 5), ['x', 'y'])
    >>> tree.match_prefix([1, 9])[0]
    1
    """

    def __init__(self, granule: int, new_map: type = dict) -> None:
        """Make an empty tree whose labels, matches and splits come in runs of *granule* tokens; ValueError below 1.

        *new_map*: of what kind the map of a node's children is, such as that of chapter ds.05.
        """
        if granule < 1:
            raise ValueError(f"a granule is at least 1 token, not {granule}")
        self.granule = granule
        self._new_map = new_map
        root: Node[V] = Node((), [], None)
        root.children = new_map()
        root.prev = root.next = ROOT  # ROOT is never listed: it is the sentinel of the LRU list
        self._nodes: list[Node[V] | None] = [root]  # the arena: an id is an index; None is a freed slot
        self._free: list[NodeId] = []  # the freed slots, to be used again
        self._stored = 0  # values in the tree
        self._clock = 0  # one tick for each match and insert
        self.list_steps = 0  # nodes passed on the LRU list while a node looked for its place

    # Looking ------------------------------------------------------------------------------------------------------

    def _node(self, node: NodeId) -> Node[V]:
        """Return the live node with this id; LookupError for anything else."""
        if type(node) is not int or not 0 <= node < len(self._nodes):
            raise LookupError(f"no node {node!r}")
        found = self._nodes[node]
        if found is None:
            raise LookupError(f"node {node} was freed")
        return found

    def __len__(self) -> int:
        """Return how many values the tree holds. Complexity: O(1)."""
        return self._stored

    def is_empty(self) -> bool:
        """Return whether the tree holds no value. Complexity: O(1)."""
        return self._stored == 0

    def node_count(self) -> int:
        """Return how many nodes are alive, ROOT not counted. Complexity: O(1)."""
        return len(self._nodes) - len(self._free) - 1

    def key(self, node: NodeId) -> Sequence[int]:
        """Return the label of the edge above *node*: a multiple of *granule* tokens, empty for ROOT."""
        return self._node(node).label

    def values(self, node: NodeId) -> Sequence[V]:
        """Return the values of *node*, one per run of its label, as a list of the caller's own."""
        return list(self._node(node).values)

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
        order = []
        node = self._nodes[ROOT].next
        while node != ROOT:
            order.append(node)
            node = self._nodes[node].next
        return order

    # Growing ------------------------------------------------------------------------------------------------------

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[NodeId]]:
        """Return how many tokens of *key* are stored, and the nodes that spell them, ROOT not among them.

        A match that ends inside an edge splits the edge, so the last node of the path ends exactly where the match
        does. Every node of the path is stamped. Complexity: linear in the tokens matched. Chapter section 2.1.
        """
        tokens, path = self._walk(tokens_of(key))
        self._touch(path)
        return tokens, path

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[NodeId, list[V]]:
        """Store *key* with one value per run; return the node that ends it, and the values not needed.

        The part that is already stored keeps its stored values: the caller's values for that part are handed back.
        ValueError unless ``len(values) * granule == len(key)``. Complexity: linear in *key*. Chapter section 2.1.
        """
        key, values = tokens_of(key), list(values)
        if len(values) * self.granule != len(key):
            raise ValueError(f"{len(key)} tokens in runs of {self.granule} do not take {len(values)} values")
        if not key:
            return ROOT, []
        tokens, path = self._walk(key)
        known = tokens // self.granule
        if tokens < len(key):
            parent = path[-1] if path else ROOT
            leaf = self._alloc(Node(key[tokens:], values[known:], parent))
            self._nodes[parent].children[key[tokens : tokens + self.granule]] = leaf
            self._stored += len(values) - known
            path = [*path, leaf]
        self._touch(path)
        return path[-1], values[:known]

    def _walk(self, key: tuple[int, ...]) -> tuple[int, list[NodeId]]:
        """Walk down from ROOT as far as *key* is stored; return the tokens matched and the path."""
        tokens, node, path = 0, ROOT, []
        while len(key) - tokens >= self.granule:
            child = self._nodes[node].children.get(key[tokens : tokens + self.granule])
            if child is None:
                break
            label = self._nodes[child].label
            runs = common_runs(label, key, tokens, self.granule)
            ends_inside = runs * self.granule < len(label)
            node = self._split(child, runs) if ends_inside else child
            path.append(node)
            tokens += runs * self.granule
            if ends_inside:
                break
        return tokens, path

    def _split(self, child: NodeId, runs: int) -> NodeId:
        """Cut the edge above *child* after *runs* runs; return the new middle node, which takes the upper part."""
        lower, at = self._nodes[child], runs * self.granule
        upper = Node(lower.label[:at], lower.values[:runs], lower.parent)
        upper.locks = lower.locks  # notebook 04: every lock on the child passes through the middle
        middle = self._alloc(upper)
        self._nodes[lower.parent].children[lower.label[: self.granule]] = middle
        upper.children[lower.label[at : at + self.granule]] = child
        lower.label = lower.label[at:]
        lower.values = lower.values[runs:]
        lower.parent = middle
        return middle

    def _alloc(self, node: Node[V]) -> NodeId:
        """Put *node*, which has no children yet, into a freed slot, or a new one at the end; return its id."""
        node.children = self._new_map()
        if self._free:
            slot = self._free.pop()
            self._nodes[slot] = node
            return slot
        self._nodes.append(node)
        return len(self._nodes) - 1

    # Holding ------------------------------------------------------------------------------------------------------

    def lock(self, node: NodeId) -> None:
        """Pin *node* and every ancestor; ROOT needs no pin. Complexity: linear in the depth."""
        self._node(node)
        while node != ROOT:
            self._nodes[node].locks += 1
            self._relist(node)
            node = self._nodes[node].parent

    def unlock(self, node: NodeId) -> None:
        """Undo one `lock` of *node*; RuntimeError when it is not locked. Complexity: see `_relist`."""
        if self._node(node).locks == 0 and node != ROOT:
            raise RuntimeError(f"node {node} is not locked")
        while node != ROOT:
            self._nodes[node].locks -= 1
            self._relist(node)
            node = self._nodes[node].parent

    # Remembering what was used ------------------------------------------------------------------------------------

    def _touch(self, path: list[NodeId]) -> None:
        """Stamp every node of *path* with a new clock value, and put each where it now belongs."""
        self._clock += 1
        for node in path:
            self._nodes[node].stamp = self._clock
            self._relist(node)

    def _relist(self, node: NodeId) -> None:
        """Make it true that *node* is listed exactly when it is an unlocked leaf, at the place of its stamp.

        The place is looked for from both ends by turns: a node touched just now belongs at the newest end, a parent
        left childless near the oldest if it was not used since, near the newest if it was. Complexity: O(1) there,
        O(leaves) for a place in the middle.
        """
        self._unlink(node)
        here = self._nodes[node]
        if node == ROOT or here.locks or here.children:
            return
        older, newer = self._nodes[ROOT].prev, self._nodes[ROOT].next
        while True:
            if older == ROOT or self._nodes[older].stamp < here.stamp:
                self._link_after(node, older)
                return
            if self._nodes[newer].stamp > here.stamp:
                self._link_after(node, self._nodes[newer].prev)
                return
            older, newer = self._nodes[older].prev, self._nodes[newer].next
            self.list_steps += 2

    def _unlink(self, node: NodeId) -> None:
        """Take *node* off the LRU list; nothing happens when it is not on it, or is ROOT."""
        here = self._nodes[node]
        if node == ROOT or here.prev is None:
            return
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
        freed, plus `_relist` for each parent left childless. Chapter section 2.3.
        """
        freed = 0
        while freed < n and self._nodes[ROOT].next != ROOT:
            values = self._remove_leaf(self._nodes[ROOT].next)
            freed += len(values)
            if f is not None:
                for value in values:
                    f(value)
        return freed

    def _remove_leaf(self, leaf: NodeId) -> list[V]:
        """Take *leaf* out of the tree and free its slot; return its values. A parent left childless is listed."""
        gone = self._nodes[leaf]
        self._unlink(leaf)
        del self._nodes[gone.parent].children[gone.label[: self.granule]]
        self._relist(gone.parent)
        self._stored -= len(gone.values)
        self._nodes[leaf] = None
        self._free.append(leaf)
        return gone.values

    # Asserting ----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert every invariant of the tree; for tests. Complexity: linear in the tree."""
        live = {node: here for node, here in enumerate(self._nodes) if here is not None}
        root = live[ROOT]
        # ROOT has no edge, no value, no parent and no lock.
        assert (root.label, root.values, root.parent, root.locks) == ((), [], None, 0)
        # A slot is either alive or waiting on the free list, once.
        assert sorted([*live, *self._free]) == list(range(len(self._nodes)))
        for node, here in live.items():
            for run, child in here.children.items():
                # Parent and child name each other, under the first run of the child's label.
                assert live[child].parent == node and live[child].label[: self.granule] == run
                # No descendant is locked or stamped without its ancestors: what is below never outdoes what is above.
                assert node == ROOT or live[child].stamp <= here.stamp
            # A node's locks are its own and those of its children.
            assert node == ROOT or here.locks >= sum(live[child].locks for child in here.children.values())
            if node != ROOT:
                # A label is whole runs, at least one, and every run has one value.
                assert len(here.label) == len(here.values) * self.granule > 0
                assert live[here.parent].children[here.label[: self.granule]] == node
        # No value is lost and none is counted twice.
        assert self._stored == sum(len(here.values) for here in live.values())
        # The list holds exactly the unlocked leaves, each once, by increasing stamp.
        order = self.lru_order()
        assert set(order) == {n for n, h in live.items() if n != ROOT and not h.children and not h.locks}
        stamps = [live[node].stamp for node in order]
        assert all(older < newer for older, newer in pairwise(stamps))
        # Its links agree both ways, ROOT closes the circle, and no other node has any.
        ring = [ROOT, *order, ROOT]
        assert all(live[b].prev == a and live[a].next == b for a, b in pairwise(ring))
        assert all(h.prev is None and h.next is None for n, h in live.items() if n not in ring)
