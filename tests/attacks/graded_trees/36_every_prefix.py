"""Keeps every stored prefix in a dict, and no tree: right in all that it says, by quadratic work."""

from collections import Counter

ROOT = 0


def common_runs(label, key, at, granule):
    pairs = zip(range(0, len(label), granule), range(at, len(key), granule), strict=False)
    equal = 0
    for here, there in pairs:
        run = list(label[here : here + granule])
        if len(run) < granule or run != list(key[there : there + granule]):
            break
        equal += 1
    return equal


class RadixTree:
    def __init__(self, granule):
        if granule < 1:
            raise ValueError("a granule is at least 1")
        self.granule, self.clock = granule, 0
        self.stored = {}  # every prefix -> its value
        self.ends = {(): ROOT}  # the prefixes that end a node -> its id
        self.stamps, self.locks, self.freed = {}, Counter(), []

    def __len__(self):
        return len(self.stored)

    def is_empty(self):
        return not self.stored

    def node_count(self):
        return len(self.ends) - 1

    def prefixes(self, key):
        return [key[:end] for end in range(self.granule, len(key) + 1, self.granule)]

    def end(self, node):
        for prefix, there in self.ends.items():
            if there == node:
                return prefix
        raise LookupError(f"no node {node!r}")

    def above(self, prefix):
        shorter = (prefix[:end] for end in range(len(prefix) - self.granule, -1, -self.granule))
        return next(filter(self.ends.__contains__, shorter))

    def below(self, prefix):
        return [other for other in self.ends if other and self.above(other) == prefix]

    def label(self, prefix):
        return [each for each in self.prefixes(prefix) if len(each) > len(self.above(prefix))] if prefix else []

    def key(self, node):
        prefix = self.end(node)
        return prefix[len(self.above(prefix)) :] if prefix else ()

    def values(self, node):
        return [self.stored[prefix] for prefix in self.label(self.end(node))]

    def parent(self, node):
        prefix = self.end(node)
        return self.ends[self.above(prefix)] if prefix else None

    def children(self, node):
        return sorted(self.ends[prefix] for prefix in self.below(self.end(node)))

    def child_count(self, node):
        return len(self.children(node))

    def lock_count(self, node):
        prefix = self.end(node)
        return sum(n for other, n in self.locks.items() if prefix and other[: len(prefix)] == prefix)

    def lru_order(self):
        held = {prefix for lock, n in self.locks.items() if n for prefix in self.prefixes(lock)}
        inner = {self.above(prefix) for prefix in self.ends if prefix}
        free = sorted(self.ends.keys() - inner - held - {()}, key=self.stamps.get)
        return [self.ends[prefix] for prefix in free]

    def new(self, prefix):
        self.ends[prefix] = self.freed.pop() if self.freed else len(self.ends)

    def walk(self, key):
        known = [prefix for prefix in self.prefixes(key) if prefix in self.stored]
        if known and known[-1] not in self.ends:
            self.new(known[-1])
        path = [prefix for prefix in known if prefix in self.ends]
        self.clock += 1
        self.stamps.update(dict.fromkeys(path, self.clock))
        return path

    def match_prefix(self, key):
        path = self.walk(tuple(key))
        return len(path[-1]) if path else 0, [self.ends[prefix] for prefix in path]

    def insert(self, key, values):
        key, values = tuple(key), list(values)
        if len(values) * self.granule != len(key):
            raise ValueError("one value for each run")
        path = self.walk(key)
        known = len(path[-1]) // self.granule if path else 0
        self.stored.update(zip(self.prefixes(key)[known:], values[known:], strict=True))
        if key and key not in self.ends:
            self.new(key)
            self.stamps[key] = self.clock
        return self.ends[key], values[:known]

    def lock(self, node):
        prefix = self.end(node)
        self.locks[prefix] += bool(prefix)

    def unlock(self, node):
        prefix = self.end(node)
        if prefix and not self.lock_count(node):
            raise RuntimeError("it is not locked")
        self.locks[prefix] -= bool(prefix)

    def evict(self, n, f=None):
        freed = 0
        while freed < n and (leaves := self.lru_order()):
            prefix = self.end(leaves[0])
            gone = [self.stored.pop(each) for each in self.label(prefix)]
            self.freed.append(self.ends.pop(prefix))
            freed += len(gone)
            for value in gone if f else ():
                f(value)
        return freed
