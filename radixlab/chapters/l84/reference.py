"""A prefix cache of KV blocks on the radix tree of ds.07: what an engine asks about the blocks of a request (L8.4).

A block holds the KV of *block_size* tokens and is known by its number. It is in one of three places: free in the pool,
cached in the tree (one value per run of *block_size* tokens), or held by the one running request that writes it. A
request reads cached blocks under a lock, so that eviction never takes what somebody reads.

A request's life: start, prefilled, grow for each decoded token, finish; or abort, or preempt and start again.
"""

from array import array
from collections.abc import Iterable, Sequence

from radix import ROOT, RadixTree

RequestId = int


class OutOfBlocks(MemoryError):
    """Free and evictable blocks together are fewer than what is asked for."""


class BlockPool:
    """The numbers of the blocks that nobody uses.

    >>> pool = BlockPool(3)
    >>> taken = pool.allocate(2)
    >>> pool.free_count()
    1
    >>> pool.allocate(2)
    Traceback (most recent call last):
    ...
    prefix_cache.OutOfBlocks: 2 blocks are asked for, and 1 of 3 are free
    >>> pool.give_back(taken)
    >>> pool.free_count()
    3
    """

    def __init__(self, blocks: int) -> None:
        """Make a pool of *blocks* blocks, all free; ValueError below 1."""
        if blocks < 1:
            raise ValueError(f"a pool has at least 1 block, not {blocks}")
        self.blocks = blocks
        self._free = list(range(blocks))
        self._used: set[int] = set()

    def free_count(self) -> int:
        """Return how many blocks are free. Complexity: O(1)."""
        return len(self._free)

    def allocate(self, n: int) -> list[int]:
        """Return *n* free blocks, all of them or none: OutOfBlocks, and nothing has changed, when fewer are free.

        ValueError below 0. Complexity: linear in *n*.
        """
        if n < 0:
            raise ValueError(f"{n} blocks cannot be allocated")
        if n > len(self._free):
            raise OutOfBlocks(f"{n} blocks are asked for, and {len(self._free)} of {self.blocks} are free")
        blocks = [self._free.pop() for _ in range(n)]
        self._used.update(blocks)
        return blocks

    def give_back(self, blocks: Iterable[int]) -> None:
        """Make *blocks* free again; ValueError, and nothing has changed, unless each is in use and comes once.

        Complexity: linear in their number.
        """
        blocks = list(blocks)
        if len(set(blocks)) < len(blocks) or not self._used.issuperset(blocks):
            raise ValueError(f"some of these blocks are not in use, or come twice: {blocks}")
        self._used.difference_update(blocks)
        self._free += blocks


class Request:
    """One running request: its tokens, the blocks that their KV stands in, and the node that it keeps locked."""

    __slots__ = ("computed", "decodes", "node", "shared", "table", "tokens")

    def __init__(self, tokens: "array[int]", table: list[int], path: Sequence[int]) -> None:
        self.tokens = tokens  # the prompt, then what was decoded
        self.table = table  # one block per block_size tokens: the first *shared* are in the tree, the rest its own
        self.shared = len(table)
        self.node = path[-1] if path else ROOT  # ends exactly where the shared blocks do, and is locked
        self.computed = 0  # tokens whose KV exists, counted once the prompt's does
        self.decodes = False  # the prompt's KV exists


class PrefixCache:
    """The blocks of an engine, shared between requests that begin with the same tokens.

    A request's life: ``start``, ``prefilled``, ``grow``, ``finish``; ``abort`` and ``preempt`` end it early. Looking:
    ``block_size``, ``tokens``, ``table``, ``free_blocks``, ``cached_blocks``, ``held_blocks``. Besides requests:
    ``warm``, ``flush``. A request that does not run (never started, finished, aborted, preempted): LookupError.

    >>> cache = PrefixCache(2, 8)
    >>> first, cached = cache.start([1, 2, 3, 4, 5])
    >>> cache.prefilled(first)
    >>> second, cached = cache.start([1, 2, 3, 4, 9])
    >>> cached, cache.table(first)[:2] == cache.table(second)[:2]
    (4, True)
    >>> cache.free_blocks(), cache.cached_blocks(), cache.held_blocks()
    (4, 2, 2)
    """

    def __init__(self, block_size: int, blocks: int) -> None:
        """Make a cache of *blocks* blocks of *block_size* tokens; ValueError when either is below 1."""
        self.tree: RadixTree[int] = RadixTree(block_size)
        self.pool = BlockPool(blocks)
        self.block_size = block_size
        self._running: dict[RequestId, Request] = {}
        self._started = 0  # requests so far: an id is never used again

    # Looking ------------------------------------------------------------------------------------------------------

    def tokens(self, request: RequestId) -> list[int]:
        """Return the tokens of *request*: its prompt, then what was decoded."""
        return list(self._request(request).tokens)

    def table(self, request: RequestId) -> list[int]:
        """Return the blocks of *request* in order, one for each *block_size* tokens, the last one maybe not full."""
        return list(self._request(request).table)

    def free_blocks(self) -> int:
        """Return how many blocks are free."""
        return self.pool.free_count()

    def cached_blocks(self) -> int:
        """Return how many blocks are in the tree, read by running requests or not."""
        return len(self.tree)

    def held_blocks(self) -> int:
        """Return how many blocks running requests hold alone: free + cached + held is every block, at any moment."""
        return sum(len(here.table) - here.shared for here in self._running.values())

    def _request(self, request: RequestId) -> Request:
        """Return the running request with this id; LookupError for anything else."""
        if type(request) is not int or request not in self._running:
            raise LookupError(f"no running request {request!r}")
        return self._running[request]

    def _read(self, path: Sequence[int]) -> list[int]:
        """Return the blocks that the nodes of *path* store, in order."""
        return [block for node in path for block in self.tree.values(node)]

    # Besides requests ---------------------------------------------------------------------------------------------

    def warm(self, key: Sequence[int]) -> None:
        """Cache *key*, tokens in whole blocks, for nobody yet, as an engine does with a system prompt before it opens.

        ValueError when the last block is not full; OutOfBlocks, and nothing has changed, when fewer are free.
        Complexity: linear in *key*.
        """
        key = array("I", list(key))
        if len(key) % self.block_size:
            raise ValueError(f"{len(key)} tokens are no whole blocks of {self.block_size}")
        _, known = self.tree.insert(key, self.pool.allocate(len(key) // self.block_size))
        self.pool.give_back(known)

    def flush(self) -> None:
        """Evict all that nobody reads. Complexity: linear in what goes, see `RadixTree.evict`."""
        self.tree.evict(len(self.tree), lambda block: self.pool.give_back([block]))

    # Starting and ending ------------------------------------------------------------------------------------------

    def start(self, prompt: Sequence[int]) -> tuple[RequestId, int]:
        """Begin a request; return its id and how many tokens of *prompt* need no computing, a multiple of *block_size*.

        At least one token is left to compute, as the first answer token is sampled from its logits: a prompt that is
        cached whole computes its last block again. ValueError for an empty prompt. OutOfBlocks when the rest of the
        prompt does not fit: nothing has changed then, except that the match counts as a use.
        """
        tokens = array("I", list(prompt))
        if not tokens:
            raise ValueError("an empty prompt has no token to compute")
        needed = -(-len(tokens) // self.block_size)
        if needed > self.pool.blocks:
            raise OutOfBlocks(f"{len(tokens)} tokens need {needed} blocks: with {self.pool.blocks} they can never fit")
        cached, path = self.tree.match_prefix(tokens[:-1])
        here = Request(tokens, self._read(path), path)
        request = self._started
        self._started += 1
        self._running[request] = here
        self.tree.lock(here.node)  # before anything is evicted: what was matched is as evictable as the rest
        try:
            here.table += self._take(needed - here.shared)
        except OutOfBlocks:
            self._release(request)
            raise
        return request, cached

    def abort(self, request: RequestId) -> None:
        """End *request* at any moment of its life; what it held alone is free, what it shares stays cached."""
        self._release(request)

    def preempt(self, request: RequestId) -> list[int]:
        """End *request* to make room; return its tokens, with which it can start again later."""
        tokens = self.tokens(request)
        self._release(request)
        return tokens

    def _release(self, request: RequestId) -> None:
        """Forget *request*: its lock is undone, and the blocks that it holds alone are free."""
        here = self._request(request)
        del self._running[request]
        self.tree.unlock(here.node)
        self.pool.give_back(here.table[here.shared :])

    def _take(self, n: int) -> list[int]:
        """Return *n* blocks, after evicting as many as are missing; OutOfBlocks when not enough can be evicted.

        It is known before anything goes whether enough will: a request that does not fit must not empty the cache.
        Complexity: linear in *n* and, when blocks are missing, in the shared blocks of all running requests.
        """
        missing = n - self.pool.free_count()
        if missing > 0:
            pinned = {block for here in self._running.values() for block in here.table[: here.shared]}
            evictable = len(self.tree) - len(pinned)
            if missing > evictable:
                raise OutOfBlocks(f"{n} blocks are needed: {n - missing} are free, and {evictable} can be evicted")
            evicted: list[int] = []
            self.tree.evict(missing, evicted.append)
            self.pool.give_back(evicted)
        return self.pool.allocate(n)

    # Sharing ------------------------------------------------------------------------------------------------------

    def prefilled(self, request: RequestId) -> None:
        """Share the whole blocks of the prompt of *request*, whose KV exists from now on; RuntimeError the second time.

        Where the tree has a block for the same tokens already, the table takes that one over, and its own is free.
        """
        here = self._request(request)
        if here.decodes:
            raise RuntimeError(f"request {request} was prefilled already")
        here.decodes = True
        here.computed = len(here.tokens)
        self._store(here)

    def _store(self, here: Request) -> None:
        """Put the whole blocks with KV of *here* into the tree; it reads the stored ones and locks where they end.

        Complexity: linear in the tokens.
        """
        whole = here.computed // self.block_size
        key = here.tokens[: whole * self.block_size]
        node, _ = self.tree.insert(key, here.table[:whole])
        _, path = self.tree.match_prefix(key)
        stored = self._read(path)
        duplicates = [mine for mine, kept in zip(here.table, stored, strict=False) if mine != kept]
        here.table[:whole] = stored
        here.shared = whole
        self.pool.give_back(duplicates)  # no table names them any more
        self.tree.lock(node)  # before the old lock goes: at no moment is what it reads without one
        self.tree.unlock(here.node)
        here.node = node

    # Decoding -----------------------------------------------------------------------------------------------------

    def grow(self, request: RequestId, token: int) -> None:
        """Add one decoded *token*, and a block when the last one is full; RuntimeError before `prefilled`.

        The KV of *token* is computed only when the token after it is sampled. OutOfBlocks leaves the request as it was:
        the engine preempts another one and asks again.
        """
        here = self._decoding(request)
        decoded = array("I", [token])  # refuses what is no token, before anything has changed
        if len(here.tokens) == len(here.table) * self.block_size:
            here.table += self._take(1)
        here.computed = len(here.tokens)
        here.tokens += decoded

    def finish(self, request: RequestId) -> None:
        """End *request*, and share the whole blocks of the tokens that have KV: all but the last one decoded.

        RuntimeError before `prefilled`: abort it instead.
        """
        self._store(self._decoding(request))
        self._release(request)

    def _decoding(self, request: RequestId) -> Request:
        """Return the running request with this id; RuntimeError when its prompt is not prefilled yet."""
        here = self._request(request)
        if not here.decodes:
            raise RuntimeError(f"request {request} is not prefilled yet")
        return here

    # Asserting ----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert every invariant of the cache; for tests. Complexity: linear in the tree and the tables."""
        paths, locks, todo = {ROOT: []}, {ROOT: 0}, [ROOT]  # of a node: the nodes down to it, the requests at or below
        for node in todo:
            for child in self.tree.children(node):
                paths[child], locks[child] = [*paths[node], child], 0
                todo.append(child)
        cached = self._read([node for node in paths if node != ROOT])
        held = [block for here in self._running.values() for block in here.table[here.shared :]]
        # Every block is free, cached or held, and in one place only.
        assert len(cached) == self.cached_blocks() and len(held) == self.held_blocks()
        assert self.free_blocks() + len(cached) + len(held) == self.pool.blocks
        assert self.pool._used == {*cached, *held} and len(self.pool._used) == len(cached) + len(held)
        for here in self._running.values():
            # A request reads what its node and the nodes above it store, and has blocks for its tokens, no more.
            assert here.table[: here.shared] == self._read(paths[here.node])
            assert len(here.table) == -(-len(here.tokens) // self.block_size)
            for node in paths[here.node]:
                locks[node] += 1
        # Each running request is one lock, on the path that it reads.
        assert all(self.tree.lock_count(node) == count for node, count in locks.items())
