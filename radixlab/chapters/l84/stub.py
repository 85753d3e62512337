"""Your prefix cache of KV blocks, on your radix tree (chapter L8.4).

Fill it in stage by stage, in the notebook or here: pool, start, share, room, finish. A body that raises
NotImplementedError is yours to write; so is the hook `_take` when its stage comes. What is already complete stays as it
is. `ol check L8.4` says what is next.
"""

from array import array
from collections.abc import Iterable, Sequence

from radix import ROOT, RadixTree

RequestId = int


class OutOfBlocks(MemoryError):
    """Free and evictable blocks together are fewer than what is asked for."""


class BlockPool:
    """The numbers of the blocks that nobody uses."""

    def __init__(self, blocks: int) -> None:
        """Make a pool of *blocks* blocks, all free; ValueError below 1."""
        if blocks < 1:
            raise ValueError(f"a pool has at least 1 block, not {blocks}")
        self.blocks = blocks
        self._free = list(range(blocks))
        self._used: set[int] = set()

    def free_count(self) -> int:
        """Return how many blocks are free."""
        raise NotImplementedError("stage pool: count the free blocks")

    def allocate(self, n: int) -> list[int]:
        """Return *n* free blocks, all of them or none: OutOfBlocks, and nothing has changed, when fewer are free.

        ValueError below 0.
        """
        raise NotImplementedError("stage pool: refuse what cannot be done, then hand out n blocks")

    def give_back(self, blocks: Iterable[int]) -> None:
        """Make *blocks* free again; ValueError, and nothing has changed, unless each is in use and comes once."""
        raise NotImplementedError("stage pool: refuse a block that is not in use, or comes twice; then take all back")


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
    """The blocks of an engine, shared between requests that begin with the same tokens."""

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
        raise NotImplementedError("stage start: add up what each running request holds besides its shared blocks")

    def _request(self, request: RequestId) -> Request:
        """Return the running request with this id; LookupError for anything else."""
        raise NotImplementedError("stage start: return the request, or raise LookupError when it does not run")

    def _read(self, path: Sequence[int]) -> list[int]:
        """Return the blocks that the nodes of *path* store, in order."""
        return [block for node in path for block in self.tree.values(node)]

    # Besides requests ---------------------------------------------------------------------------------------------

    def warm(self, key: Sequence[int]) -> None:
        """Cache *key*, tokens in whole blocks, for nobody yet, as an engine does with a system prompt before it opens.

        ValueError when the last block is not full; OutOfBlocks, and nothing has changed, when fewer are free.
        """
        key = array("I", list(key))
        if len(key) % self.block_size:
            raise ValueError(f"{len(key)} tokens are no whole blocks of {self.block_size}")
        _, known = self.tree.insert(key, self.pool.allocate(len(key) // self.block_size))
        self.pool.give_back(known)

    def flush(self) -> None:
        """Evict all that nobody reads."""
        self.tree.evict(len(self.tree), lambda block: self.pool.give_back([block]))

    # Starting and ending ------------------------------------------------------------------------------------------

    def start(self, prompt: Sequence[int]) -> tuple[RequestId, int]:
        """Begin a request; return its id and how many tokens of *prompt* need no computing, a multiple of *block_size*.

        At least one token is left to compute, as the first answer token is sampled from its logits. ValueError for an
        empty prompt. OutOfBlocks when the rest of the prompt does not fit: nothing has changed then, except that the
        match counts as a use.
        """
        raise NotImplementedError("stage start: match, lock, then take the blocks that are missing")

    def abort(self, request: RequestId) -> None:
        """End *request* at any moment of its life; what it held alone is free, what it shares stays cached."""
        raise NotImplementedError("stage start: release it")

    def preempt(self, request: RequestId) -> list[int]:
        """End *request* to make room; return its tokens, with which it can start again later."""
        raise NotImplementedError("stage room: release it, and give back what it would need to start again")

    def _release(self, request: RequestId) -> None:
        """Forget *request*: its lock is undone, and the blocks that it holds alone are free."""
        raise NotImplementedError("stage start: undo what start did")

    def _take(self, n: int) -> list[int]:
        """Return *n* blocks, after evicting as many as are missing; OutOfBlocks when not enough can be evicted."""
        return self.pool.allocate(n)  # stage room: evict what is missing first

    # Sharing ------------------------------------------------------------------------------------------------------

    def prefilled(self, request: RequestId) -> None:
        """Share the whole blocks of the prompt of *request*, whose KV exists from now on; RuntimeError the second time.

        Where the tree has a block for the same tokens already, the table takes that one over, and its own is free.
        """
        raise NotImplementedError("stage share: note that the prompt has KV, and store it")

    def _store(self, here: Request) -> None:
        """Put the whole blocks with KV of *here* into the tree; it reads the stored ones and locks where they end."""
        raise NotImplementedError("stage share: insert, take over the stored blocks, free duplicates, move the lock")

    # Decoding -----------------------------------------------------------------------------------------------------

    def grow(self, request: RequestId, token: int) -> None:
        """Add one decoded *token*, and a block when the last one is full; RuntimeError before `prefilled`.

        The KV of *token* is computed only when the token after it is sampled. OutOfBlocks leaves the request as it was:
        the engine preempts another one and asks again.
        """
        raise NotImplementedError("stage finish: take a block if the last one is full, then add the token")

    def finish(self, request: RequestId) -> None:
        """End *request*, and share the whole blocks of the tokens that have KV: all but the last one decoded.

        RuntimeError before `prefilled`: abort it instead.
        """
        raise NotImplementedError("stage finish: store what has KV, then release the request")

    def _decoding(self, request: RequestId) -> Request:
        """Return the running request with this id; RuntimeError when its prompt is not prefilled yet."""
        raise NotImplementedError("stage finish: return the request, or refuse one that is not prefilled")
