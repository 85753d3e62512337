"""A prefix cache that counts the readers of each cached block, so that it knows at any moment what can be evicted.

Blocks are handed out in a queue, the lowest number first; requests are numbered 41, 44, 47 and so on; and what the
tree has stored is read from the end of the path upwards.
"""

from array import array
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import count

from radix import ROOT, RadixTree


class OutOfBlocks(MemoryError):
    """Fewer blocks can be had than are asked for."""


class BlockPool:
    """A queue of free blocks: the one that has been free for longest is handed out next."""

    def __init__(self, blocks: int) -> None:
        if blocks < 1:
            raise ValueError("a pool has at least one block")
        self.is_free = [True] * blocks
        self.queue = deque(range(blocks))

    def free_count(self) -> int:
        """Return how many blocks are free."""
        return len(self.queue)

    def allocate(self, n: int) -> list[int]:
        """Return the next *n* blocks of the queue, or raise."""
        if n < 0:
            raise ValueError("less than no block")
        if n > len(self.queue):
            raise OutOfBlocks("too few free blocks")
        taken = [self.queue.popleft() for _ in range(n)]
        for block in taken:
            self.is_free[block] = False
        return taken

    def give_back(self, blocks: Iterable[int]) -> None:
        """Queue *blocks* again, or raise."""
        counted = Counter(blocks)
        for block, times in counted.items():
            if times > 1 or not 0 <= block < len(self.is_free) or self.is_free[block]:
                raise ValueError(f"block {block} is not in use, or comes twice")
        for block in counted:
            self.is_free[block] = True
            self.queue.append(block)


class Request:
    """The tokens of a request, the blocks that it shares and those that it owns."""

    def __init__(self, tokens: array, cached: list[int], node: int) -> None:
        self.tokens, self.prompt = tokens, len(tokens)
        self.cached, self.own, self.node = cached, [], node
        self.is_prefilled = False


class PrefixCache:
    """Blocks shared by requests that begin with the same tokens."""

    def __init__(self, block_size: int, blocks: int) -> None:
        self.tree, self.pool = RadixTree(block_size), BlockPool(blocks)
        self.block_size, self.blocks = block_size, blocks
        self.requests: dict[int, Request] = {}
        self.numbers = count(41, 3)
        self.readers: Counter[int] = Counter()  # of each cached block that somebody reads
        self.held = 0

    def tokens(self, request: int) -> list[int]:
        """Return prompt and decoded tokens."""
        return self._find(request).tokens.tolist()

    def table(self, request: int) -> list[int]:
        """Return the blocks in order."""
        found = self._find(request)
        return found.cached + found.own

    def free_blocks(self) -> int:
        """Return how many blocks are free."""
        return self.pool.free_count()

    def cached_blocks(self) -> int:
        """Return how many blocks are cached."""
        return len(self.tree)

    def held_blocks(self) -> int:
        """Return how many blocks are neither."""
        return self.held

    def warm(self, key: Sequence[int]) -> None:
        """Cache *key* for nobody yet."""
        tokens = array("I", list(key))
        whole, rest = divmod(len(tokens), self.block_size)
        if rest:
            raise ValueError("the last block is not full")
        blocks = self.pool.allocate(whole)
        self.tree.insert(tokens, blocks)
        stored = self._down_to(self.tree.match_prefix(tokens)[1][-1]) if whole else []
        self.pool.give_back(set(blocks).difference(stored))

    def flush(self) -> None:
        """Evict all that nobody reads."""
        evicted: list[int] = []
        self.tree.evict(len(self.tree), evicted.append)
        self.pool.give_back(evicted)

    def start(self, prompt: Sequence[int]) -> tuple[int, int]:
        """Lock what is cached of *prompt*, own the rest."""
        tokens = array("I", list(prompt))
        if not len(tokens):
            raise ValueError("nothing to compute")
        needed = (len(tokens) - 1) // self.block_size + 1
        if needed > self.blocks:
            raise OutOfBlocks("the prompt will never fit")
        matched, path = self.tree.match_prefix(tokens[:-1])
        node = path[-1] if path else ROOT
        found = Request(tokens, self._down_to(node), node)
        self._lock(found.node, found.cached)
        try:
            found.own = self._blocks(needed - len(found.cached))
        except OutOfBlocks:
            self._unlock(found.node, found.cached)
            raise
        self.held += len(found.own)
        number = next(self.numbers)
        self.requests[number] = found
        return number, matched

    def prefilled(self, request: int) -> None:
        """Share the prompt."""
        found = self._find(request)
        if found.is_prefilled:
            raise RuntimeError("prefilled before")
        found.is_prefilled = True
        self._share(found, found.prompt)

    def grow(self, request: int, token: int) -> None:
        """Add a token, and a place for it."""
        found = self._prefilled(request)
        longer = found.tokens + array("I", [token])
        places = (len(found.cached) + len(found.own)) * self.block_size
        if len(longer) > places:
            found.own += self._blocks(1)
            self.held += 1
        found.tokens = longer

    def finish(self, request: int) -> None:
        """Share all but the token that has no KV, and end."""
        found = self._prefilled(request)
        self._share(found, max(found.prompt, len(found.tokens) - 1))
        self.abort(request)

    def abort(self, request: int) -> None:
        """End."""
        found = self._find(request)
        del self.requests[request]
        self._unlock(found.node, found.cached)
        self.pool.give_back(found.own)
        self.held -= len(found.own)

    def preempt(self, request: int) -> list[int]:
        """End, and return what it takes to begin again."""
        tokens = self.tokens(request)
        self.abort(request)
        return tokens

    def _find(self, request: int) -> Request:
        if not isinstance(request, int) or isinstance(request, bool) or request not in self.requests:
            raise KeyError(request)
        return self.requests[request]

    def _prefilled(self, request: int) -> Request:
        found = self._find(request)
        if not found.is_prefilled:
            raise RuntimeError("not prefilled")
        return found

    def _share(self, found: Request, computed: int) -> None:
        whole = computed // self.block_size
        given = (found.cached + found.own)[:whole]
        node, _ = self.tree.insert(found.tokens[: whole * self.block_size], given)
        cached = self._down_to(node)
        self._lock(node, cached)
        self._unlock(found.node, found.cached)
        given = given[len(found.cached) :]
        self.held -= len(given)
        self.pool.give_back([block for block in given if block not in cached])
        found.own = found.own[len(given) :]
        found.cached, found.node = cached, node

    def _blocks(self, n: int) -> list[int]:
        missing = n - self.pool.free_count()
        if missing > len(self.tree) - len(self.readers):
            raise OutOfBlocks("too few blocks are free or unread")
        self.tree.evict(max(missing, 0), lambda block: self.pool.give_back([block]))
        return self.pool.allocate(n)

    def _down_to(self, node: int) -> list[int]:
        blocks: list[int] = []
        while node != ROOT:
            blocks += reversed(self.tree.values(node))
            node = self.tree.parent(node)
        return blocks[::-1]

    def _lock(self, node: int, blocks: list[int]) -> None:
        self.tree.lock(node)
        self.readers.update(blocks)

    def _unlock(self, node: int, blocks: list[int]) -> None:
        self.tree.unlock(node)
        self.readers -= Counter(blocks)  # drops those that nobody reads any more
