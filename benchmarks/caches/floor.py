"""What a match of a path of two nodes costs at least: two lookups and two comparisons, written by hand."""

from collections.abc import Callable

from caches.cache import Cache
from radixlab.chapters.ds07.variants.fast import TOKEN, packed


class Floor(Cache):
    """A table of system prompts, and for each a table of tails: nothing is stamped, split or evicted."""

    title = "two lookups, two comparisons"
    operations = ("whole", "again")

    def __init__(self, granule: int, system: int) -> None:
        """Make one for system prompts of so many tokens."""
        super().__init__(granule)
        self.system = TOKEN * system
        self.prompts: dict[bytes, tuple[bytes, dict[bytes, bytes]]] = {}
        self.match = self._match(TOKEN * granule)

    def _match(self, size: int) -> Callable[[bytes], int]:
        prompts = self.prompts

        def match(key: bytes) -> int:
            system, tails = prompts[key[:size]]
            if not key.startswith(system):
                return 0
            at = len(system)
            tail = tails[key[at : at + size]]
            return at + len(tail) if key.startswith(tail, at) else at

        return match

    def key(self, tokens: list[int]) -> bytes:
        return packed(tokens)

    def matched(self, answer: int) -> int:
        return answer // TOKEN

    def insert(self, key: bytes, values: list[int]) -> None:
        size, system, tail = TOKEN * self.granule, key[: self.system], key[self.system :]
        _, tails = self.prompts.setdefault(key[:size], (system, {}))
        tails[tail[:size]] = tail

    def __len__(self) -> int:
        return 0
