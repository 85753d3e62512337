"""What a structure must do to be measured."""

from collections import deque
from collections.abc import Hashable, Sequence
from typing import Any

from radixlab.chapters.ds07.variants.fast import packed

SLOTS = list(range(2**17))  # ints that are there already, as those of an engine's pool: a structure keeps references


def runs_of(tokens: Sequence[int], granule: int) -> list[Hashable]:
    """Return the whole runs of *tokens*: the tokens themselves at granule 1, else bytes, which hash faster than tuples.

    >>> runs_of([1, 2, 3], 1), runs_of([1, 2, 3], 2)
    ([1, 2, 3], [b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00'])
    """
    if granule == 1:
        return list(tokens)
    key, size = packed(tokens), 4 * granule
    return [key[at : at + size] for at in range(0, len(key) - size + 1, size)]


class Cache:
    """A structure of *granule* tokens a run behind the calls that the benchmarks make.

    `key` and `values` bring tokens and slots into the form that the structure takes; they are not timed with the rest.
    `match` and `insert` take that form, and what they return is the structure's own: `matched` reads it.
    """

    title: str
    partial = True  # a match finds the longest stored prefix; False: only a prompt that was inserted whole
    operations = ("whole", "again", "fresh", "insert", "evict")  # that are timed: three kinds of match, and changes

    def __init__(self, granule: int) -> None:
        self.granule = granule
        self.drop = deque(maxlen=0).append  # takes what is evicted, as the allocator of an engine would

    @staticmethod
    def missing() -> str:
        """Return why the structure cannot be had here; nothing when it can."""
        return ""

    def key(self, tokens: list[int]) -> Any:
        """Return *tokens* in the structure's own form."""
        raise NotImplementedError

    def values(self, first: int, tokens: int) -> Any:
        """Return a value for each whole run of so many *tokens*: slots, counted from *first*."""
        first %= len(SLOTS) // 2
        return SLOTS[first : first + tokens // self.granule]

    def match(self, key: Any) -> Any:
        """Look up *key*; it counts as used."""
        raise NotImplementedError

    def matched(self, answer: Any) -> int:
        """Return how many tokens the *answer* of a match found."""
        raise NotImplementedError

    def insert(self, key: Any, values: Any) -> Any:
        """Store *key*."""
        raise NotImplementedError

    def evict(self, tokens: int) -> int:
        """Evict at least so many *tokens*, those least recently used; return how many went."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return how many values are stored."""
        raise NotImplementedError
