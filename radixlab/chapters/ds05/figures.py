"""Figures about a map that `ol check` prints and that decide nothing: how far keys lie from home in a full table.

Where the rich give way, the worst distance stays close to the mean, and a missing key is given up soon.
"""

import random

from robin_hood import RobinHoodMap

KEYS = 896  # 7/8 of 1,024 slots


def test_distances_in_a_full_table(figure):
    """Fill a table as far as it may be filled; look for keys that are there, and for some that are not."""
    rng, table = random.Random(0), RobinHoodMap()
    for _ in range(KEYS):
        table[rng.getrandbits(28)] = 0
    figure(f"worst distance of {KEYS} keys in {table.capacity():,} slots", max(table.probe_distances()))
    passed = [table.probe(rng.getrandbits(28))[1] for _ in range(200)]
    figure("slots passed for a missing key, mean", round(sum(passed) / len(passed), 1))
