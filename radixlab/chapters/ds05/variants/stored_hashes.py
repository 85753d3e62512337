"""A Robin Hood map in columns, as Rust's standard library had it: the hash of each key is kept, its distance is not.

A distance follows from a slot and the hash in it. A new key is not exchanged from slot to slot: its place is looked up,
and the rest of the run moves on by one. Of two keys with one home, the newer one lies nearer.
"""

from collections.abc import Iterator
from typing import Any

FREE = object()  # the key of a free slot


class RobinHoodMap:
    """A Robin Hood map that compares hashes before keys."""

    def __init__(self) -> None:
        self._mask = 7
        self._hashes = [0] * 8
        self._keys: list[Any] = [FREE] * 8
        self._values: list[Any] = [None] * 8
        self._taken = 0

    def __len__(self) -> int:
        return self._taken

    def __iter__(self) -> Iterator:
        return iter(self.keys())

    def capacity(self) -> int:
        """Return the number of slots."""
        return self._mask + 1

    def slots(self) -> list:
        """Return the key in each slot, or None."""
        return [None if key is FREE else key for key in self._keys]

    def keys(self) -> list:
        """Return the keys."""
        return [key for key in self._keys if key is not FREE]

    def values(self) -> list:
        """Return the values."""
        return [value for key, value in zip(self._keys, self._values, strict=True) if key is not FREE]

    def items(self) -> list[tuple]:
        """Return the keys with their values."""
        return list(zip(self.keys(), self.values(), strict=True))

    def probe_distances(self) -> list[int]:
        """Return the distance of the key in each slot, or -1."""
        return [self._distance(slot) for slot in range(self.capacity())]

    def _distance(self, slot: int) -> int:
        return -1 if self._keys[slot] is FREE else (slot - self._hashes[slot]) & self._mask

    def probe(self, key: Any) -> tuple[int, int]:
        """Return where a search ends, and how far from home."""
        wanted, distance = hash(key), 0
        while True:
            slot = (wanted + distance) & self._mask
            there = self._distance(slot)
            if there < distance or (self._hashes[slot] == wanted and self._keys[slot] == key):
                return slot, distance
            distance += 1

    def _found(self, key: Any) -> int | None:
        slot, _ = self.probe(key)
        return slot if self._keys[slot] is not FREE and self._keys[slot] == key else None

    def __contains__(self, key: Any) -> bool:
        return self._found(key) is not None

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of *key*, or *default*."""
        slot = self._found(key)
        return default if slot is None else self._values[slot]

    def __getitem__(self, key: Any) -> Any:
        slot = self._found(key)
        if slot is None:
            raise KeyError(key)
        return self._values[slot]

    def __setitem__(self, key: Any, value: Any) -> None:
        slot = self._found(key)
        if slot is not None:
            self._values[slot] = value
            return
        if self._taken == self.capacity() - self.capacity() // 8:
            self._double()
        self._insert(hash(key), key, value)
        self._taken += 1

    def _insert(self, hashed: int, key: Any, value: Any) -> None:
        """Move the run from the place of *key* on by one, its last slot first, and put *key* there."""
        place, distance = hashed & self._mask, 0
        while self._distance(place) > distance:
            place, distance = (place + 1) & self._mask, distance + 1
        free = place
        while self._keys[free] is not FREE:
            free = (free + 1) & self._mask
        while free != place:
            before = (free - 1) & self._mask
            self._copy(before, free)
            free = before
        self._hashes[place], self._keys[place], self._values[place] = hashed, key, value

    def _copy(self, source: int, target: int) -> None:
        self._hashes[target], self._keys[target] = self._hashes[source], self._keys[source]
        self._values[target] = self._values[source]

    def _double(self) -> None:
        rows = [row for row in zip(self._hashes, self._keys, self._values, strict=True) if row[1] is not FREE]
        size = 2 * self.capacity()
        self._mask = size - 1
        self._hashes, self._keys, self._values = [0] * size, [FREE] * size, [None] * size
        for row in rows:
            self._insert(*row)

    def __delitem__(self, key: Any) -> None:
        slot = self._found(key)
        if slot is None:
            raise KeyError(key)
        end = slot
        while self._distance((end + 1) & self._mask) > 0:
            end = (end + 1) & self._mask
        while slot != end:
            self._copy((slot + 1) & self._mask, slot)
            slot = (slot + 1) & self._mask
        self._keys[slot], self._values[slot] = FREE, None
        self._taken -= 1
