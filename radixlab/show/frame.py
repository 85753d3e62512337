"""Frames: a call on a tree, what it answered, the tree then and before, and what is marked of the difference."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from radixlab.show.snapshot import Node, Snapshot


@dataclass(frozen=True)
class Frame:
    """The tree after a *call*, its *answer* in words, the *path* walked; and the tree in the frame *before*.

    *inner*: the call is one inside an operation, or a line in it, and the tree may be half linked. *caption*: a
    sentence for the audience. *alive*: nodes seen since the operation began, which may be out of reach in it. *freed*:
    the values that an eviction handed to its function.
    """

    call: str
    answer: str
    tree: Snapshot
    before: Snapshot
    path: tuple[int, ...] = ()
    inner: bool = False
    caption: str = ""
    alive: frozenset[int] = frozenset()
    freed: str = ""

    @property
    def returned(self) -> str:
        """Return the answer and what was freed, in one line."""
        return self.answer + (f", freed {self.freed}" if self.freed else "")

    @cached_property
    def new(self) -> frozenset[int]:
        """Return the nodes that were not there before."""
        return frozenset(self.tree.nodes.keys() - self.before.nodes.keys() - self.alive)

    @cached_property
    def gone(self) -> tuple[Node, ...]:
        """Return the nodes that are no longer there, as they were."""
        return tuple(node for node in self.before.nodes.values() if node.id not in self.tree.nodes)

    @cached_property
    def relocked(self) -> frozenset[int]:
        """Return the nodes whose lock count changed."""
        return frozenset(
            node.id for node in self.tree.nodes.values() if node.locks != getattr(self._was(node), "locks", 0)
        )

    @cached_property
    def moved(self) -> frozenset[int]:
        """Return the nodes that joined the LRU list, or changed their place among those that stayed."""
        before, after = self.before.order[::-1], self.tree.order[::-1]  # a use moves to the newest end: that one moved
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        stayed = {node for block in blocks for node in after[block.b : block.b + block.size]}
        return frozenset(node for node in self.tree.order if node not in stayed)

    def _was(self, node: Node) -> Node | None:
        return self.before.nodes.get(node.id)
