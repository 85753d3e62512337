"""Build every structure for one workload, size and granule, in a process of its own, and time them in turn."""

import gc
import os
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from caches import CACHES, Cache, Floor
from workloads import WORKLOADS, Workload

CALLS = 16  # of each operation, for each structure in each round


class Case(NamedTuple):
    """What one process measures."""

    workload: str
    leaves: int
    granule: int
    names: tuple[str, ...]  # of the structures
    rounds: int

    def __str__(self) -> str:
        return f"{WORKLOADS[self.workload].title}, {self.leaves:,} leaves, granule {self.granule}"


@dataclass
class Figures:
    """What one structure took in a case."""

    memory: float | None  # bytes a stored token
    times: dict[str, list[float]] = field(default_factory=dict)  # operation -> µs a call, in each round


def measure(case: Case, tick: Callable[[str], object]) -> dict[str, Figures]:
    """Measure *case* in a new process; *tick* is told each structure that is built, and at last the rounds."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_in_child, args=(case, theirs))
    process.start()
    theirs.close()
    try:
        while isinstance(said := ours.recv(), str):
            tick(said)
    except EOFError:
        process.join()
        raise RuntimeError(f"the process for {case} ended with exit code {process.exitcode}, see above") from None
    process.join()
    return said


def _in_child(case: Case, parent: Connection) -> None:
    parent.send(figures(case, parent.send))


def figures(case: Case, tick: Callable[[str], object]) -> dict[str, Figures]:
    """Build the structures, then time them in rounds: the same prompts for all, to each in its own form."""
    gc.disable()  # a collection takes longer the larger the heap is, whatever the structure does
    workload, caches, taken = WORKLOADS[case.workload](case.leaves), {}, {}
    for name in case.names:
        _fill(_empty(name, case.granule, workload), [workload.whole(0)])  # imports and first calls, out of the way
        before = resident()
        caches[name] = _empty(name, case.granule, workload)
        _fill(caches[name], workload.stored())
        after, tokens = resident(), workload.system + case.leaves * workload.prompts * workload.tail
        taken[name] = Figures(None if before is None or after is None else (after - before) / tokens)
        tick(name)
    # The newer half: what is evicted meanwhile is of the older.
    leaves = random.Random(3).sample(range(case.leaves // 2, case.leaves), case.rounds * CALLS)
    for number in range(case.rounds):
        chosen, first = leaves[number * CALLS :][:CALLS], number % len(caches)
        for name in (*case.names[first:], *case.names[:first]):
            _round(caches[name], workload, chosen, taken[name].times)
    tick("rounds")
    return taken


def _empty(name: str, granule: int, workload: Workload) -> Cache:
    return Floor(granule, workload.system) if name == "floor" else CACHES[name](granule)


def _fill(cache: Cache, prompts: Iterable[list[int]]) -> None:
    for number, prompt in enumerate(prompts):
        cache.insert(cache.key(prompt), cache.values(number, len(prompt)))


def _round(cache: Cache, workload: Workload, leaves: list[int], times: dict[str, list[float]]) -> None:
    """Time the calls of one round on *cache*; RuntimeError when a match finds anything but what it must."""
    whole, fresh = ([prompt(leaf) for leaf in leaves] for prompt in (workload.whole, workload.fresh))
    stored, new = ([cache.key(prompt) for prompt in prompts] for prompts in (whole, fresh))
    values = [cache.values(leaf, len(prompt)) for leaf, prompt in zip(leaves, fresh, strict=True)]
    calls = {
        "whole": (cache.match, stored),
        "again": (cache.match, stored),
        "fresh": (cache.match, new),
        "insert": (cache.insert, new, values),
        "evict": (cache.evict, [workload.tail] * len(leaves)),
    }
    known = {"whole": len(whole[0]), "again": len(whole[0]), "fresh": len(fresh[0]) - workload.tail}
    for operation in cache.operations:
        call, *arguments = calls[operation]
        began = time.perf_counter_ns()
        answers = list(map(call, *arguments))
        spent = time.perf_counter_ns() - began
        times.setdefault(operation, []).append(spent / 1000 / len(leaves))
        if operation in known and cache.partial and {*map(cache.matched, answers)} != {known[operation]}:
            raise RuntimeError(f"{cache.title} does not find the {known[operation]} tokens that it stores")


def resident() -> int | None:
    """Return the bytes of memory that this process has; None where the system does not tell."""
    said = Path("/proc/self/statm")
    return int(said.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if said.exists() else None
