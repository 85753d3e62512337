"""A naive trie: a dict for each run."""

from collections.abc import Hashable

from caches.cache import Cache, runs_of


class Trie(Cache):
    """A node is a value and a dict of the runs that may follow; there is no order of use."""

    title = "a naive trie, a dict a run"
    operations = ("whole", "again", "fresh", "insert")  # no order of use, so nothing to evict by

    def __init__(self, granule: int) -> None:
        super().__init__(granule)
        self.root: dict = {}
        self.stored = 0

    def key(self, tokens: list[int]) -> list[Hashable]:
        return runs_of(tokens, self.granule)

    def match(self, key: list[Hashable]) -> int:
        below, runs = self.root, 0
        for run in key:
            node = below.get(run)
            if node is None:
                break
            below = node[1]
            runs += 1
        return runs

    def matched(self, answer: int) -> int:
        return answer * self.granule

    def insert(self, key: list[Hashable], values: list[int]) -> None:
        below = self.root
        for run, value in zip(key, values, strict=True):
            node = below.get(run)
            if node is None:
                node = below[run] = (value, {})
                self.stored += 1
            below = node[1]

    def __len__(self) -> int:
        return self.stored
