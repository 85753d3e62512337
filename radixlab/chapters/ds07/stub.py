"""Your radix tree over token ids (chapter ds.07).

Fill it in stage by stage, in the notebooks or here: runs, new, insert, split, locks, lru, evict. A body that raises
NotImplementedError is yours to write; so are the hooks `_touch`, `_relist` and `_alloc` when their stage comes. What
is already complete stays as it is. `ol check ds.07` says what is next.
"""

from array import array
from collections.abc import Callable, Sequence
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
    """Return *key* as a tuple of plain ints; anything but ints in ``0 .. 2**32 - 1`` raises."""
    return tuple(array("I", list(key)))


def common_runs(label: Sequence[int], key: Sequence[int], at: int, granule: int) -> int:
    """Return how many whole runs of *label*, from its start, equal the runs of *key* from token *at* on."""
    raise NotImplementedError("stage runs: count the whole runs that are equal")


class RadixTree(Generic[V]):
    """A radix tree over token ids: the longest stored prefix of a prompt, shared, locked and evicted."""

    def __init__(self, granule: int) -> None:
        """Make an empty tree whose labels, matches and splits come in runs of *granule* tokens; ValueError below 1."""
        # stage new: refuse a granule below 1 here, before anything is made
        self.granule = granule
        root: Node[V] = Node((), [], None)
        root.prev = root.next = ROOT  # ROOT is never listed: it is the sentinel of the LRU list
        self._nodes: list[Node[V] | None] = [root]  # the arena: an id is an index; None is a freed slot
        self._free: list[NodeId] = []  # the freed slots, to be used again
        self._stored = 0  # values in the tree
        self._clock = 0  # one tick for each match and insert
        self.list_steps = 0  # nodes passed on the LRU list while a node looked for its place

    # Looking ------------------------------------------------------------------------------------------------------

    def _node(self, node: NodeId) -> Node[V]:
        """Return the live node with this id; LookupError for anything else."""
        raise NotImplementedError("stage new: return the node, or raise LookupError when the id is not alive")

    def __len__(self) -> int:
        """Return how many values the tree holds."""
        raise NotImplementedError("stage new: return how many values are stored")

    def is_empty(self) -> bool:
        """Return whether the tree holds no value."""
        raise NotImplementedError("stage new: say whether no value is stored")

    def node_count(self) -> int:
        """Return how many nodes are alive, ROOT not counted."""
        raise NotImplementedError("stage new: count the nodes that are alive, without ROOT")

    def key(self, node: NodeId) -> Sequence[int]:
        """Return the label of the edge above *node*: a multiple of *granule* tokens, empty for ROOT."""
        return self._node(node).label

    def values(self, node: NodeId) -> Sequence[V]:
        """Return the values of *node*, one per run of its label, as a list of the caller's own."""
        raise NotImplementedError("stage new: return the node's values")

    def parent(self, node: NodeId) -> NodeId | None:
        """Return the parent of *node*, None for ROOT."""
        raise NotImplementedError("stage new: return the node's parent")

    def children(self, node: NodeId) -> list[NodeId]:
        """Return the children of *node* by increasing id."""
        raise NotImplementedError("stage new: return the children's ids in increasing order")

    def child_count(self, node: NodeId) -> int:
        """Return how many children *node* has."""
        raise NotImplementedError("stage new: count the node's children")

    def lock_count(self, node: NodeId) -> int:
        """Return how many locks pin *node*: its own and those of its descendants; 0 for ROOT."""
        return self._node(node).locks

    def lru_order(self) -> list[NodeId]:
        """Return the unlocked leaves, the least recently used first."""
        raise NotImplementedError("stage lru: follow the list from its oldest end")

    # Growing ------------------------------------------------------------------------------------------------------

    def match_prefix(self, key: Sequence[int]) -> tuple[int, list[NodeId]]:
        """Return how many tokens of *key* are stored, and the nodes that spell them, ROOT not among them."""
        raise NotImplementedError("stage split: walk, touch the path, return what the walk found")

    def insert(self, key: Sequence[int], values: Sequence[V]) -> tuple[NodeId, list[V]]:
        """Store *key* with one value per run; return the node that ends it, and the values not needed.

        The part that is already stored keeps its stored values: the caller's values for that part are handed back.
        ValueError unless ``len(values) * granule == len(key)``.
        """
        raise NotImplementedError("stage insert: walk, hang the rest of the key as a leaf, touch path and leaf")

    def _walk(self, key: tuple[int, ...]) -> tuple[int, list[NodeId]]:
        """Walk down from ROOT as far as *key* is stored; return the tokens matched and the path."""
        raise NotImplementedError("stage insert: follow whole edges; where the key leaves an edge, call _split")

    def _split(self, child: NodeId, runs: int) -> NodeId:
        """Cut the edge above *child* after *runs* runs; return the new middle node, which takes the upper part."""
        raise NotImplementedError("this edge must be cut: notebook 03")

    def _alloc(self, node: Node[V]) -> NodeId:
        """Put *node* into the arena; return its id."""
        self._nodes.append(node)  # stage evict: use a freed slot first
        return len(self._nodes) - 1

    # Holding ------------------------------------------------------------------------------------------------------

    def lock(self, node: NodeId) -> None:
        """Pin *node* and every ancestor; ROOT needs no pin."""
        raise NotImplementedError("stage locks: count one lock on the node and on every ancestor but ROOT")

    def unlock(self, node: NodeId) -> None:
        """Undo one `lock` of *node*; RuntimeError when it is not locked."""
        raise NotImplementedError("stage locks: undo one lock, or refuse before anything has changed")

    # Remembering what was used ------------------------------------------------------------------------------------

    def _touch(self, path: list[NodeId]) -> None:
        """Stamp every node of *path* with a new clock value, and put each where it now belongs: stage lru."""

    def _relist(self, node: NodeId) -> None:
        """Make it true that *node* is listed exactly when it is an unlocked leaf, at its own stamp: stage lru."""

    def _unlink(self, node: NodeId) -> None:
        """Take *node* off the LRU list; nothing happens when it is not on it, or is ROOT."""
        raise NotImplementedError("stage lru: let the two neighbours name each other")

    def _link_after(self, node: NodeId, older: NodeId) -> None:
        """Put *node* on the LRU list right after *older*; after ROOT is the oldest place."""
        raise NotImplementedError("stage lru: four links change")

    # Forgetting ---------------------------------------------------------------------------------------------------

    def evict(self, n: int, f: Callable[[V], object] | None = None) -> int:
        """Take out least recently used leaves, whole, until at least *n* values are gone; return how many went.

        *f* is called on each value of a leaf, in label order, once the leaf is out.
        """
        raise NotImplementedError("stage evict: take the oldest leaf out, again and again, until n values are gone")

    def _remove_leaf(self, leaf: NodeId) -> list[V]:
        """Take *leaf* out of the tree and free its slot; return its values. A parent left childless is listed."""
        raise NotImplementedError("stage evict: undo every trace of the leaf, then look at its parent")
