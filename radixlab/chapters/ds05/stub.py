"""Your Robin Hood map: a hash map in one table of slots (chapter ds.05).

Fill it in stage by stage, in the notebook or here: probe, steal, shift, grow. A body that raises NotImplementedError is
yours to write; so are `_gives_way`, `_place` and `_make_room` when their stage comes. What is already complete stays as
it is. `ol check ds.05` says what is next.
"""

from collections.abc import Hashable, Iterator, MutableMapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SMALLEST = 8  # slots of a new table; the number of slots is always a power of two


class Entry(Generic[K, V]):
    """What a slot holds: a key, its value, and its distance, which is how many slots behind its home it lies."""

    __slots__ = ("distance", "key", "value")

    def __init__(self, key: K, value: V) -> None:
        self.key = key
        self.value = value
        self.distance = 0


class RobinHoodMap(MutableMapping[K, V]):
    """A map in one table, where the key that is nearer to its home gives way; used like a dict.

    A key's home is ``hash(key) % capacity()``. It lies there or some slots behind, the first slot coming after the
    last. A new table has 8 slots, and doubles before a new key would fill more than 7/8 of it; it never shrinks.
    """

    def __init__(self) -> None:
        """Make an empty map of `SMALLEST` slots."""
        self._slots: list[Entry[K, V] | None] = [None] * SMALLEST  # None: the slot is free
        self._stored = 0  # keys in the map

    # Looking ------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return how many keys the map holds."""
        return self._stored

    def __iter__(self) -> Iterator[K]:
        """Yield the keys, slot by slot; the map must not change meanwhile."""
        return (entry.key for entry in self._slots if entry is not None)

    def capacity(self) -> int:
        """Return how many slots the table has."""
        return len(self._slots)

    def slots(self) -> list[K | None]:
        """Return the key in each slot, None where the slot is free."""
        return [None if entry is None else entry.key for entry in self._slots]

    def probe_distances(self) -> list[int]:
        """Return for each slot how far behind its home the key in it lies, -1 where the slot is free."""
        return [-1 if entry is None else entry.distance for entry in self._slots]

    # Searching ----------------------------------------------------------------------------------------------------

    def _home(self, key: K) -> int:
        """Return the slot where the walk of *key* begins: its hash, modulo the number of slots."""
        raise NotImplementedError("stage probe: take the hash of the key, modulo the number of slots")

    def _holds(self, slot: int, key: K) -> bool:
        """Return whether *key* is in *slot*."""
        entry = self._slots[slot]
        return entry is not None and entry.key == key

    def _gives_way(self, slot: int, distance: int) -> bool:
        """Return whether *slot* is for one who has come *distance* slots: it is free, or its key is nearer to home."""
        return self._slots[slot] is None  # stage steal: or its key is nearer to home

    def probe(self, key: K) -> tuple[int, int]:
        """Return the slot where a search for *key* ends, and how many slots behind the home of *key* it is.

        It is the slot that holds *key*; for a missing key the first one that gives way to it. After the last slot comes
        the first.
        """
        raise NotImplementedError("stage probe: walk from home until _holds or _gives_way says yes")

    def __getitem__(self, key: K) -> V:
        """Return the value of *key*; KeyError when it is missing."""
        raise NotImplementedError("stage probe: return the value in the slot where the search ends, or raise KeyError")

    # Storing ------------------------------------------------------------------------------------------------------

    def __setitem__(self, key: K, value: V) -> None:
        """Give *key* this *value*: in its own slot when it is known, else as a new key."""
        raise NotImplementedError(
            "stage probe: give a known key the value; for a new one make room, place it, count it"
        )

    def _place(self, entry: Entry[K, V]) -> None:
        """Put *entry*, whose key is not in the table, into a slot behind its home.

        Whoever is nearer to its own home gives way, is the one to be placed from there on, and keeps its distance.
        """
        slot, entry.distance = self._home(entry.key), 0
        while self._slots[slot] is not None:  # stage steal: who gives way here?
            slot, entry.distance = (slot + 1) % len(self._slots), entry.distance + 1
        self._slots[slot] = entry

    def _make_room(self) -> None:
        """Double the table when one key more would fill over 7/8 of it: stage grow."""

    # Forgetting ---------------------------------------------------------------------------------------------------

    def __delitem__(self, key: K) -> None:
        """Take *key* out; KeyError when it is missing.

        Each key behind it moves back by one, up to a free slot or a key that is at home: the table is then as if *key*
        had never been there.
        """
        raise NotImplementedError("stage shift: close the gap, or raise KeyError when the key is missing")
