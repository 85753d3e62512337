"""The trees of this project: the plain reference, and the fast one."""

from types import ModuleType

import radixlab.fast
from caches.cache import Cache
from radixlab.chapters.ds07 import reference
from radixlab.chapters.ds07.variants.fast import packed


class Reference(Cache):
    """The chapter's reference: labels are tuples, compared run by run."""

    title = "radixlab, the plain reference"
    module: ModuleType = reference

    def __init__(self, granule: int) -> None:
        super().__init__(granule)
        self.tree = self.module.RadixTree(granule)
        self.match = self.tree.match_prefix  # bound, so that a call costs the tree's own time and no more
        self.insert = self.tree.insert

    def key(self, tokens: list[int]) -> list[int]:
        return tokens[: len(tokens) - len(tokens) % self.granule]

    def matched(self, answer: tuple[int, list[int]]) -> int:
        return answer[0]

    def evict(self, tokens: int) -> int:
        return self.tree.evict(-(-tokens // self.granule), self.drop) * self.granule

    def __len__(self) -> int:
        return len(self.tree)


class Fast(Reference):
    """The fast tree: labels are bytes, compared in C."""

    title = "radixlab, the fast tree"
    module = radixlab.fast

    def key(self, tokens: list[int]) -> bytes:
        return packed(super().key(tokens))
