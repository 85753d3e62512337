"""Play a trace on a prefix cache of a certain capacity, and count the prompt tokens that it saves."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from radixlab.traffic.blocks import BlockCache, Policy, QueueCache, belady, lfu
from radixlab.traffic.trace import Trace

POLICIES = ("lru", "fifo", "lfu", "belady")  # the policies that have a name
STEP = 100  # requests between two signs of life


@dataclass(frozen=True)
class Row:
    """What one replay showed. Hits are of the second half of the requests: the first half only fills the cache."""

    capacity: int  # blocks
    hit_tokens: int  # prompt tokens that were in the cache
    hit_rate: float  # their share of all prompt tokens of these requests
    evictions: int  # blocks that went, in the whole replay
    requests: int  # in the whole replay
    tokens_per_s: float  # prompt tokens played a second, in the whole replay

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON takes it."""
        return asdict(self) | {"tokens_per_s": round(self.tokens_per_s)}


class TreeCache:
    """A prefix cache on a radix tree: match, lock, make room, unlock, insert.

    *tree* is a class that is called with a granule and has the face of the chapter's tree. Room is made by ``trim`` to
    the value, which `radixlab.fast` has beyond the chapter, or with *whole_leaf* by the chapter's own ``evict``.
    ValueError for a tree without ``trim`` where it is needed.

    >>> from radixlab.fast import RadixTree
    >>> cache = TreeCache(RadixTree, 1, capacity=3)
    >>> [cache.serve([1, 2, 3]), cache.serve([1, 2, 4]), cache.serve([1, 2, 3])]  # 3 made room for 4
    [0, 2, 2]
    """

    def __init__(self, tree: Callable[[int], Any], granule: int, capacity: int, whole_leaf: bool = False) -> None:
        self.tree = tree(granule)
        self.capacity = capacity
        self.evictions = 0
        if not whole_leaf and not hasattr(self.tree, "trim"):
            raise ValueError(f"{type(self.tree).__name__} of {type(self.tree).__module__} cannot trim: play whole_leaf")
        self._make_room = self.tree.evict if whole_leaf else self.tree.trim

    def __len__(self) -> int:
        """Return how many blocks are stored."""
        return len(self.tree)

    def serve(self, key: Any) -> int:
        """Serve a request with this *key*, whole blocks; return how many of its blocks were found.

        What was not found is stored as far as it fits. The matched node is locked while room is made: what was just
        found must not go for what comes after it.
        """
        granule = self.tree.granule
        tokens, path = self.tree.match_prefix(key)
        found, wanted = tokens // granule, len(key) // granule
        shortfall = len(self.tree) + wanted - found - self.capacity
        if shortfall > 0:
            if path:
                self.tree.lock(path[-1])
            self.evictions += self._make_room(shortfall)
            if path:
                self.tree.unlock(path[-1])
        fits = min(wanted, found + self.capacity - len(self.tree))
        if fits > found:
            self.tree.insert(key[: fits * granule], range(fits))
        return found


def replay(
    trace: Trace,
    capacity: int,
    policy: str | Policy = "lru",
    *,
    selective: bool = False,
    whole_leaf: bool = False,
    tree: Callable[[int], Any] | None = None,
    watch: Callable[[int], Any] | None = None,
) -> Row:
    """Return what a prefix cache of *capacity* blocks saves of *trace*.

    Under ``"lru"`` the cache is a radix tree that evicts what was used least recently, exactly as much as is needed, or
    *whole_leaf*; *tree* is its class, `radixlab.fast.RadixTree` by default, and may be your own. Another *policy* is
    one of `POLICIES`, or a function that ranks a `Block`, and evicts block by block: see `BlockCache`, also for what
    *selective* means (``"belady"`` always is). *watch* is told now and then how many requests have been played since it
    was last told. TypeError where *trace* is no trace, such as a name; ValueError for a capacity below 1, for a policy
    that is none or gives a block no rank, and for one other than LRU together with what only the tree knows.
    Complexity: that of the cache, and the trace's `prefixes` once for what is no tree.

    A prompt that is in the cache whole counts whole. An engine would compute its last token again, since it needs the
    logits; the published tables that these numbers are compared with leave that out. Answers are not stored.

    >>> from radixlab.traffic import load
    >>> trace = load("chat")
    >>> [round(replay(trace, 2_000, policy).hit_rate, 2) for policy in ("lru", lambda block: -block.depth)]
    [0.73, 0.49]
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"replay plays a trace, not {trace!r:.60}: make one with load(name), or with cut(...)")
    if capacity < 1:
        raise ValueError(f"a capacity is at least 1 block, not {capacity}")
    if policy != "lru" and (whole_leaf or tree):
        raise ValueError("only LRU is played on a tree: leave out whole_leaf and tree")
    watch = watch or _unwatched
    cache, asked = _cache(trace, capacity, policy, selective, whole_leaf, tree)
    hits, untold = 0, 0
    start = time.perf_counter()
    for now, (request, blocks) in enumerate(zip(trace.requests, asked, strict=True)):
        found = cache.serve(blocks)
        if now >= trace.warm:
            hits += request.served(found)
        untold += 1
        if untold == STEP:
            watch(untold)
            untold = 0
    took = time.perf_counter() - start
    watch(untold)
    played = sum(request.tokens for request in trace.requests)
    rate = hits / trace.total_tokens if trace.total_tokens else 0.0
    return Row(capacity, hits, rate, cache.evictions, len(trace.requests), played / took if took else 0.0)


def _unwatched(requests: int) -> None:
    """Tell nobody of *requests*."""


def _cache(trace, capacity, policy, selective, whole_leaf, tree) -> tuple[Any, Sequence]:
    """Return an empty cache, and what it is asked for by each request: a key, or the prefixes of its blocks."""
    if policy == "lru":
        if tree is None:
            from radixlab.fast import RadixTree as tree
        return TreeCache(tree, trace.granule, capacity, whole_leaf), [request.key for request in trace.requests]
    if policy == "fifo":
        return QueueCache(capacity), trace.prefixes
    if policy == "belady":
        return BlockCache(capacity, belady(trace), selective=True), trace.prefixes
    rank = lfu if policy == "lfu" else policy
    if not callable(rank):
        raise ValueError(f"there is no policy {rank!r}: choose {', '.join(POLICIES)}, or write a function of a block")
    return BlockCache(capacity, rank, selective), trace.prefixes
