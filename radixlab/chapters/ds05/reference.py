"""A hash map in one table of slots: a key lies in its home slot or a short walk behind it (chapter ds.05).

Two keys with one home collide; the later one walks on, slot by slot. On the way, whoever is nearer to its own home
gives way to whoever is further from its own: the rich give to the poor, so no key ends far from home, and a search
for a missing key ends where that key would lie. The walk is linear probing; the exchange is from Celis, Larson and
Munro, Robin Hood Hashing (1985); deletion moves keys back instead of leaving tombstones.
"""

from collections.abc import Hashable, Iterator, MutableMapping
from itertools import pairwise
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
    """A map in one table, where the key that is nearer to its home gives way.

    Like a dict: ``map[key]``, ``map[key] = value``, ``del map[key]``, ``key in map``, ``len``, and what a
    `MutableMapping` has: ``get``, ``keys``, ``values``, ``items``... Keys are hashable and compared by ``==``; the
    order in which they come is not promised. Looking inside: ``capacity``, ``slots``, ``probe``, ``probe_distances``.

    >>> table = RobinHoodMap()
    >>> for key in (0, 8, 1, 16):  # homes 0, 0, 1, 0
    ...     table[key] = f"value of {key}"
    >>> table.slots()[:5], table.probe_distances()[:5]
    ([0, 8, 16, 1, None], [0, 1, 2, 2, -1])
    >>> table[16], 24 in table, table.probe(24)
    ('value of 16', False, (3, 3))
    """

    def __init__(self) -> None:
        """Make an empty map of `SMALLEST` slots."""
        self._slots: list[Entry[K, V] | None] = [None] * SMALLEST  # None: the slot is free
        self._stored = 0  # keys in the map

    # Looking ------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return how many keys the map holds. Complexity: O(1)."""
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
        return hash(key) % len(self._slots)

    def _holds(self, slot: int, key: K) -> bool:
        """Return whether *key* is in *slot*."""
        entry = self._slots[slot]
        return entry is not None and entry.key == key

    def _gives_way(self, slot: int, distance: int) -> bool:
        """Return whether *slot* is for one who has come *distance* slots: it is free, or its key is nearer to home."""
        entry = self._slots[slot]
        return entry is None or entry.distance < distance

    def probe(self, key: K) -> tuple[int, int]:
        """Return the slot where a search for *key* ends, and how many slots behind the home of *key* it is.

        It is the slot that holds *key*; for a missing key the first one that gives way to it. After the last slot comes
        the first. Complexity: linear in the distance returned.
        """
        slot, distance = self._home(key), 0
        while not self._holds(slot, key) and not self._gives_way(slot, distance):
            slot, distance = (slot + 1) % len(self._slots), distance + 1
        return slot, distance

    def __getitem__(self, key: K) -> V:
        """Return the value of *key*; KeyError when it is missing. Complexity: as `probe`."""
        slot, _ = self.probe(key)
        if not self._holds(slot, key):
            raise KeyError(key)
        return self._slots[slot].value

    # Storing ------------------------------------------------------------------------------------------------------

    def __setitem__(self, key: K, value: V) -> None:
        """Give *key* this *value*: in its own slot when it is known, else as a new key. Complexity: as `_place`."""
        slot, _ = self.probe(key)
        if self._holds(slot, key):
            self._slots[slot].value = value
            return
        self._make_room()
        self._place(Entry(key, value))
        self._stored += 1

    def _place(self, entry: Entry[K, V]) -> None:
        """Put *entry*, whose key is not in the table, into a slot behind its home.

        Whoever is nearer to its own home gives way, is the one to be placed from there on, and keeps its distance.
        Complexity: linear in the run of taken slots. Celis 1985.
        """
        slot, entry.distance = self._home(entry.key), 0
        while self._slots[slot] is not None:
            if self._gives_way(slot, entry.distance):
                entry, self._slots[slot] = self._slots[slot], entry
            slot, entry.distance = (slot + 1) % len(self._slots), entry.distance + 1
        self._slots[slot] = entry

    def _make_room(self) -> None:
        """Double the table when one key more would fill over 7/8 of it. Complexity: linear in it, but seldom."""
        if 8 * (self._stored + 1) <= 7 * len(self._slots):
            return
        old, self._slots = self._slots, [None] * (2 * len(self._slots))
        for entry in old:
            if entry is not None:
                self._place(entry)

    # Forgetting ---------------------------------------------------------------------------------------------------

    def __delitem__(self, key: K) -> None:
        """Take *key* out; KeyError when it is missing. Complexity: linear in the run of taken slots behind it.

        Each key behind it moves back by one, up to a free slot or a key that is at home: the table is then as if *key*
        had never been there.
        """
        slot, _ = self.probe(key)
        if not self._holds(slot, key):
            raise KeyError(key)
        after = (slot + 1) % len(self._slots)
        while self._slots[after] is not None and self._slots[after].distance > 0:
            self._slots[after].distance -= 1
            self._slots[slot] = self._slots[after]
            slot, after = after, (after + 1) % len(self._slots)
        self._slots[slot] = None
        self._stored -= 1

    # Asserting ----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert every invariant of the table; for tests. Complexity: linear in it."""
        slots = len(self._slots)
        # The table is a power of two, and at most 7/8 of it are taken, so that every walk ends.
        assert slots >= SMALLEST and slots & (slots - 1) == 0
        assert self._stored == sum(entry is not None for entry in self._slots) <= slots * 7 // 8
        for slot, entry in enumerate(self._slots):
            # A key lies as far behind its home as its distance says, and a search finds it there.
            assert entry is None or (self._home(entry.key) + entry.distance) % slots == slot
            assert entry is None or self.probe(entry.key) == (slot, entry.distance)
        # Nobody lies behind one who should have given way: from slot to slot a distance rises by at most one.
        distances = self.probe_distances()
        assert all(there <= here + 1 for here, there in pairwise([*distances, distances[0]]))
