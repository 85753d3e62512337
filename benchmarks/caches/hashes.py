"""A cache of blocks by chained hashes, as vLLM keeps it: no tree."""

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import sha256

from caches.cache import Cache
from radixlab.chapters.ds07.variants.fast import packed


class BlockHashes(Cache):
    """The hash of a block covers the block and, by the hash before it, all that precedes: equal hashes, equal prefix.

    The blocks lie in order of use. Of one prompt the last block is the oldest, so a prefix outlives what extends it.
    """

    title = "chained block hashes"

    def __init__(self, granule: int) -> None:
        super().__init__(granule)
        self.blocks: OrderedDict[bytes, int] = OrderedDict()

    def key(self, tokens: list[int]) -> bytes:
        return packed(tokens)

    def chain(self, key: bytes) -> Iterator[bytes]:
        """Yield the hash of each whole block of *key*."""
        size, before = 4 * self.granule, b""
        for at in range(0, len(key) - size + 1, size):
            before = sha256(before + key[at : at + size]).digest()
            yield before

    def match(self, key: bytes) -> int:
        blocks, found = self.blocks, []
        for block in self.chain(key):
            if block not in blocks:
                break
            found.append(block)
        for block in reversed(found):
            blocks.move_to_end(block)
        return len(found)

    def matched(self, answer: int) -> int:
        return answer * self.granule

    def insert(self, key: bytes, values: list[int]) -> None:
        blocks = self.blocks
        for block, value in reversed(list(zip(self.chain(key), values, strict=True))):
            blocks.setdefault(block, value)
            blocks.move_to_end(block)

    def evict(self, tokens: int) -> int:
        blocks = min(len(self.blocks), -(-tokens // self.granule))
        for _ in range(blocks):
            self.drop(self.blocks.popitem(last=False)[1])
        return blocks * self.granule

    def __len__(self) -> int:
        return len(self.blocks)
