"""pygtrie, a trie from PyPI."""

import importlib.util
from collections.abc import Hashable

from caches.cache import Cache, runs_of


class Gtrie(Cache):
    """A node for each run, a value for each prompt; it finds prompts that were inserted, not where two part."""

    title = "pygtrie"
    partial = False
    operations = ("whole", "again", "fresh", "insert")

    def __init__(self, granule: int) -> None:
        super().__init__(granule)
        import pygtrie

        self.trie = pygtrie.Trie()
        self.match = self.trie.longest_prefix

    @staticmethod
    def missing() -> str:
        if importlib.util.find_spec("pygtrie"):
            return ""
        return "it is not installed; `pip install pygtrie==2.6.2` into the environment that `--peers` names"

    def key(self, tokens: list[int]) -> list[Hashable]:
        return runs_of(tokens, self.granule)

    def matched(self, answer) -> int:
        return len(answer.key) * self.granule if answer else 0

    def insert(self, key: list[Hashable], values: list[int]) -> None:
        self.trie[key] = values[-1]

    def __len__(self) -> int:
        return len(self.trie)
