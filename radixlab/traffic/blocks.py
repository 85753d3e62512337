"""Caches of blocks that evict in another order than the tree: as a policy ranks them, or as they came."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from math import isnan
from typing import Any

from radixlab.traffic.trace import Trace

NEVER = float("inf")


class Block:
    """A block in the cache, as a policy sees it. Requests are numbered from 0 in order of arrival."""

    __slots__ = ("_children", "_place", "depth", "first_use", "last_use", "parent", "prefix", "uses")

    def __init__(self, prefix: int, parent: "Block | None", now: int) -> None:
        self.prefix = prefix  # a number for the block and all before it: the same when it comes back later
        self.parent = parent  # the block before it, None for the first of a prompt
        self.depth = parent.depth + 1 if parent else 1  # blocks from the start of the prompt up to here
        self.first_use = self.last_use = now  # the requests that stored it, and that used it last
        self.uses = 1  # requests that used it since it was stored, the one that stored it included
        self._children = 0  # blocks in the cache right behind it
        self._place = 0  # its valid entry in the heap, 0 when it has none


Policy = Callable[[Block], Any]  # gives a block a rank; ranks can be compared, and the lowest goes first


class BlockCache:
    """A prefix cache of blocks that evicts the leaf of the lowest rank.

    It is a radix tree whose edges are all one block long, so that every eviction trims exactly. Only a leaf can go,
    and none of the request being served. A policy is asked about a leaf when the leaf was used, and when it became
    one, and no more: a rank can depend on the block alone. Of equal ranks the one used longer ago goes first. A
    *selective* cache asks about the block that is to come, too: when none ranks lower, that block stays out, with all
    behind it. ValueError for a rank that ranks nothing: None, or NaN.

    >>> cache = BlockCache(2, lambda block: block.last_use)
    >>> [cache.serve(path) for path in ([0, 1], [2], [0, 1], [0])]
    [0, 0, 1, 1]
    >>> len(cache), cache.evictions
    (2, 2)
    """

    def __init__(self, capacity: int, policy: Policy, selective: bool = False) -> None:
        self.capacity = capacity
        self.policy = policy
        self.selective = selective
        self.evictions = 0
        self._blocks: dict[int, Block] = {}  # by prefix
        self._leaves: list[tuple[Any, int, int, Block]] = []  # a heap: rank, last use, place, block
        self._places = count(1)
        self._now = -1  # the request being served

    def __len__(self) -> int:
        """Return how many blocks are stored."""
        return len(self._blocks)

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks that are stored, each after the one before it."""
        return iter(self._blocks.values())

    def serve(self, path: list[int]) -> int:
        """Serve the request of these prefixes; return how many of its blocks were found.

        What it did not find is stored as far as it fits. Complexity: linear in *path*, and a heap's logarithm for each
        block evicted.
        """
        self._now += 1
        end, found = None, 0
        for prefix in path:
            block = self._blocks.get(prefix)
            if block is None:
                break
            block.last_use = self._now
            block.uses += 1
            block._place = 0  # not to be evicted now
            end, found = block, found + 1
        for prefix in path[found:]:
            block = Block(prefix, end, self._now)
            if len(self._blocks) >= self.capacity and not self._make_room(block):
                break
            self._blocks[prefix] = block
            if end:
                end._children += 1
            end = block
        if end:
            self._list(end)
        return found

    def _rank(self, block: Block) -> Any:
        """Return what the policy says of *block*; ValueError for None, and for NaN, which has no place in any order."""
        rank = self.policy(block)
        if rank is None:
            raise ValueError("the policy returned None for a block: it must return a rank, on every path")
        if isinstance(rank, float) and isnan(rank):
            raise ValueError("the policy returned nan for a block: a rank must be below, above or equal to any other")
        return rank

    def _list(self, block: Block) -> None:
        """Let *block* be evicted from now on, if it is a leaf."""
        if not block._children:
            block._place = next(self._places)
            heappush(self._leaves, (self._rank(block), block.last_use, block._place, block))

    def _make_room(self, newcomer: Block) -> bool:
        """Evict the leaf of the lowest rank to make room for *newcomer*; return whether there is room."""
        while self._leaves and self._leaves[0][3]._place != self._leaves[0][2]:
            heappop(self._leaves)  # used since, or out of the cache
        if not self._leaves or (self.selective and self._rank(newcomer) <= self._leaves[0][0]):
            return False
        block = heappop(self._leaves)[3]
        block._place = 0
        del self._blocks[block.prefix]
        self.evictions += 1
        parent = block.parent
        if parent:
            parent._children -= 1
            if parent.last_use != self._now:  # the path being served is listed at its end, when all is stored
                self._list(parent)
        return True


class QueueCache:
    """A cache of blocks that evicts in the order in which they were stored, whatever hangs on them.

    This is the FIFO of the published tables: a queue that knows no tree. When a block goes, what is stored behind it
    cannot be reached until the block is there again, and takes up room all the while.

    >>> cache = QueueCache(3)
    >>> [cache.serve(path) for path in ([0, 1], [2, 3], [0, 1])]  # 0 went for 3, and 1 was of no use without it
    [0, 0, 0]
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.evictions = 0
        self._stored: OrderedDict[int, None] = OrderedDict()  # prefixes, in the order in which they were stored

    def __len__(self) -> int:
        """Return how many blocks are stored."""
        return len(self._stored)

    def serve(self, path: list[int]) -> int:
        """Serve the request of these prefixes; return how many of its blocks were found.

        Complexity: linear in *path*.
        """
        found = next((at for at, prefix in enumerate(path) if prefix not in self._stored), len(path))
        for prefix in path:
            if prefix in self._stored:
                continue
            if len(self._stored) >= self.capacity:
                self._stored.popitem(last=False)
                self.evictions += 1
            self._stored[prefix] = None
        return found


def lfu(block: Block) -> int:
    """Rank a leaf by how often it was used; of equals the one used longer ago goes first."""
    return block.uses


def belady(trace: Trace) -> Policy:
    """Return the policy that knows the future of *trace*: the leaf goes whose next use lies furthest ahead.

    It assumes to know all requests to come, that blocks go one at a time and leaves only, and, in a *selective* cache,
    that a block may stay out. Where blocks stand for unequal numbers of tokens, as in ``ragpulse``, the very best may
    be a little better. Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM
    Systems Journal 5 (1966).
    """
    uses: dict[int, list[int]] = {}  # the requests that use a prefix, in order
    for now, path in enumerate(trace.prefixes):
        for prefix in path:
            uses.setdefault(prefix, []).append(now)

    def rank(block: Block) -> float:
        to_come = uses[block.prefix]
        at = bisect_right(to_come, block.last_use)
        return -to_come[at] if at < len(to_come) else -NEVER

    return rank
