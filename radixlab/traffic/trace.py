"""A trace: requests in order of arrival, cut into the blocks that a prefix cache keeps."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Request:
    """One request: what of its prompt can be cached, and how long prompt and answer are."""

    key: Sequence[int]  # whole blocks: token ids, or one id a block where a trace names nothing finer
    block_tokens: int  # tokens of the prompt that one block stands for
    tokens: int  # tokens of the whole prompt; the last block may stand for fewer than the others
    output: int = 0  # tokens of the answer

    def served(self, blocks: int) -> int:
        """Return how many tokens of the prompt the first so many *blocks* stand for.

        >>> Request([7, 8, 9], 512, 1100).served(2), Request([7, 8, 9], 512, 1100).served(3)
        (1024, 1100)
        """
        return min(blocks * self.block_tokens, self.tokens)


@dataclass(frozen=True)
class Trace:
    """The *requests* of a trace in order of arrival; a block is *granule* ids of a request's key."""

    name: str
    requests: Sequence[Request]
    granule: int = 1
    capacities: tuple[int, ...] = ()  # in blocks: where it is worth looking

    @property
    def warm(self) -> int:
        """Return the number of the first request that counts: the first half only fills the cache."""
        return len(self.requests) // 2

    @cached_property
    def total_tokens(self) -> int:
        """Return the prompt tokens of the requests that count."""
        return sum(request.tokens for request in self.requests[self.warm :])

    @cached_property
    def prefixes(self) -> list[list[int]]:
        """Return for each request a number for each of its blocks, which stands for the block *and all before it*.

        Numbers go by first appearance. Two requests share a number exactly as far as their keys agree, so these are
        the nodes of a trie of blocks. Complexity: linear in the blocks of the trace.

        >>> Trace("", [Request([5, 6, 7], 1, 3), Request([5, 7], 1, 2), Request([7], 1, 1)]).prefixes
        [[0, 1, 2], [0, 3], [4]]
        """
        number: dict[tuple[int, bytes], int] = {}
        found = []
        for request in self.requests:
            key, at, path = array("I", request.key), -1, []
            for start in range(0, len(key), self.granule):
                at = number.setdefault((at, key[start : start + self.granule].tobytes()), len(number))
                path.append(at)
            found.append(path)
        return found


def cut(name: str, prompts: Iterable[tuple[Sequence[int], int]], granule: int, room: Iterable[int] = ()) -> Trace:
    """Return *prompts*, each token ids and the tokens of its answer, as a trace of blocks of *granule* tokens.

    What is left of a prompt after its last whole block is no part of the key: it can be neither stored nor matched.
    *room* are capacities in tokens. ValueError when *granule* is below 1.

    >>> trace = cut("two", [([1, 2, 3, 4, 5], 9), ([1, 2, 3], 9)], 2, room=[100])
    >>> [list(request.key) for request in trace.requests], trace.requests[0].tokens, trace.capacities
    ([[1, 2, 3, 4], [1, 2]], 5, (50,))
    """
    if granule < 1:
        raise ValueError(f"a granule is at least 1 token, not {granule}")
    requests = [
        Request(array("I", prompt[: len(prompt) // granule * granule]), granule, len(prompt), output)
        for prompt, output in prompts
    ]
    return Trace(name, requests, granule, tuple(max(1, tokens // granule) for tokens in room))
