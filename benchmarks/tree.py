"""What the reference tree costs: steps on the LRU list for each eviction, time for each token, and for each eviction.

Steps are counted and are the same on every machine; times are medians over many rounds that take turns.
"""

import gc
import random
from collections.abc import Callable
from types import ModuleType

from tables import Table, middle, milliseconds, options, ratio, show

from radixlab import course

OLDER = """\
            if older == ROOT or self._nodes[older].stamp < here.stamp:
                self._link_after(node, older)
                return
"""
NEWER = """\
            if self._nodes[newer].stamp > here.stamp:
                self._link_after(node, self._nodes[newer].prev)
                return
"""
STEPS = "self.list_steps += 2"
WALKS = {  # from which end of the list a node looks for its place -> edits of the reference
    "both, by turns (reference)": (),
    "newest only": ((NEWER, ""), (STEPS, "self.list_steps += 1")),
    "oldest only": (
        (OLDER, ""),
        ("if self._nodes[newer].stamp >", "if newer == ROOT or self._nodes[newer].stamp >"),
        (STEPS, "self.list_steps += 1"),
    ),
}
SIZES = (1_000, 16_000)
EVICTIONS = 128


def tree_module(edits: tuple[tuple[str, str], ...] = ()) -> ModuleType:
    """Return the reference as a module, with *edits*, each of a text that is there once."""
    source = course.chapter("ds.07").text("reference.py")
    for find, put in edits:
        if source.count(find) != 1:
            raise ValueError(f"the reference has changed; this is not there once: {find!r}")
        source = source.replace(find, put)
    module = ModuleType("radix")
    exec(compile(source, "radix.py", "exec"), vars(module))
    return module


# Steps on the list -------------------------------------------------------------------------------------------------


def turns(tree, conversation: int) -> None:
    """Store a conversation of two turns: the second below the first, which makes a parent of it."""
    first = [2 * conversation, 2 * conversation + 1]
    tree.insert(first, ["a", "b"])
    tree.insert([*first, 0, 1], ["a", "b", "c", "d"])


def left_old(tree, conversations: int) -> None:
    """No turn is ever used again: the parent left childless is as old as its leaf was."""


def matched_again(tree, conversations: int) -> None:
    """Each first turn is matched again, in order: the parent left childless is newer than every leaf."""
    for conversation in range(conversations):
        tree.match_prefix([2 * conversation, 2 * conversation + 1])


def matched_at_random(tree, conversations: int) -> None:
    """Each first turn is matched again, in any order: the parents left childless mix."""
    for conversation in random.Random(7).sample(range(conversations), conversations):
        tree.match_prefix([2 * conversation, 2 * conversation + 1])


WORKLOADS = {"parent old": left_old, "parent new": matched_again}
SHUFFLED = {"parent new, in any order": matched_at_random}


def steps_per_eviction(module: ModuleType, workload: Callable, conversations: int, evictions: int = EVICTIONS) -> float:
    """Return the mean of the list steps of *evictions* leaves, one at a time, from among two-turn *conversations*."""
    tree = tree_module().RadixTree(1)
    for conversation in range(conversations):
        turns(tree, conversation)
    workload(tree, conversations)
    tree.__class__ = module.RadixTree  # only now: the walk from the oldest end takes minutes to get here
    before = tree.list_steps
    for _ in range(evictions):
        tree.evict(1)
    return (tree.list_steps - before) / evictions


def steps_table(sizes: tuple[int, ...], evictions: int) -> Table:
    """Count for each walk, workload and size."""
    workloads = WORKLOADS | SHUFFLED
    rows = []
    for name, edits in WALKS.items():
        module = tree_module(edits)
        for title, workload in workloads.items():
            counted = [steps_per_eviction(module, workload, size, evictions) for size in sizes]
            rows.append((name, title, *(f"{steps:,.1f}" for steps in counted)))
    return Table(
        "List steps for each eviction",
        ("looks from the end", "workload", *(f"{size:,} conversations" for size in sizes)),
        rows,
        f"Mean of {evictions} calls of `evict(1)`. Aim: at most 2 for the reference where the parent is old, and where "
        "it is new. In any order is for information: there the list of parents grows with each leaf taken, and a place "
        "in it must be looked for.",
    )


# Time for each token -----------------------------------------------------------------------------------------------

TURN = 250  # tokens: a prompt is stored as a path of such edges
LENGTHS = (250, 500, 1_000, 2_000, 4_000, 8_000)


def stored_prompt(module: ModuleType, length: int, granule: int) -> Callable[[], object]:
    """Return the match of a stored prompt, ready to be timed: it ends at a node, so it splits nothing."""
    tree, prompt = module.RadixTree(granule), list(range(1_000, 1_000 + length))  # no small ints, which Python keeps
    edge = TURN - TURN % granule
    for end in [*range(edge, length, edge), length]:
        prompt_so_far = prompt[: end - end % granule]
        tree.insert(prompt_so_far, [None] * (len(prompt_so_far) // granule))
    return lambda: tree.match_prefix(prompt)


def match_table(lengths: tuple[int, ...], times: int) -> Table:
    """Time matches of stored prompts."""
    module, rows, taken = tree_module(), [], {}
    for granule in (1, 16):
        matches = {length: stored_prompt(module, length, granule) for length in lengths}
        taken[granule] = _nanoseconds_per_token(matches, times)
    for length in lengths:
        cells = [f"{length:,}"]
        for granule in (1, 16):
            per_token = taken[granule]
            cells += [f"{middle(per_token[length]):.0f} ns", f"{ratio(per_token[length], per_token[lengths[0]]):.2f}"]
        rows.append(cells)
    return Table(
        "A match is linear in the prompt",
        ("tokens", "a token, granule 1", f"to {lengths[0]}", "a token, granule 16", f"to {lengths[0]}"),
        rows,
        f"A prompt stored as a path of edges of about {TURN} tokens, matched whole; {times} rounds. The "
        "key's tokens are checked and copied as well. Aim: a ratio near 1.",
    )


def _nanoseconds_per_token(matches: dict[int, Callable], times: int) -> dict[int, list[float]]:
    """Time the matches in turn; each length is repeated until it has about as many tokens as the longest."""
    longest = max(matches)
    taken: dict[int, list[float]] = {length: [] for length in matches}
    for _ in range(times):
        for length in random.sample(list(matches), len(matches)):
            match = matches[length]
            repeats = longest // length
            spent = milliseconds(lambda match=match, repeats=repeats: [match() for _ in range(repeats)])
            taken[length].append(spent * 1e6 / (repeats * length))
    return taken


# Time for each eviction --------------------------------------------------------------------------------------------

LEAVES = (1_000, 4_000, 16_000, 50_000)
VALUES = 64


class Cache:
    """A tree full of two-turn conversations, as many leaves before each eviction as after."""

    def __init__(self, module: ModuleType, leaves: int) -> None:
        self.tree, self.stored = module.RadixTree(1), 0
        self.store(leaves)
        for _ in range(leaves * 4 // VALUES):  # every slot is used again once, so no tree is fresher than another
            self.evict()

    def store(self, conversations: int) -> None:
        for _ in range(conversations):
            turns(self.tree, self.stored)
            self.stored += 1

    def evict(self) -> float:
        """Return the microseconds of one `evict`, and fill up again."""
        spent = milliseconds(lambda: self.tree.evict(VALUES)) * 1000
        self.store(VALUES // 4)  # a conversation has four values: its second turn went, then its first, childless
        return spent


def evict_table(sizes: tuple[int, ...], times: int) -> Table:
    """Time `evict(64)` in trees of several sizes."""
    module = tree_module()
    caches = {size: Cache(module, size) for size in sizes}
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(times):
        for size in random.sample(sizes, len(sizes)):
            taken[size].append(caches[size].evict())
    rows = [
        (f"{size:,}", f"{middle(taken[size]):.0f} µs", f"{ratio(taken[size], taken[sizes[0]]):.2f}") for size in sizes
    ]
    return Table(
        f"`evict({VALUES})` does not feel the size of the tree",
        ("leaves", "a call", f"to {sizes[0]:,} leaves"),
        rows,
        f"Two-turn conversations never used again, so {VALUES} values are {VALUES // 2} leaves; {times} rounds, the "
        "garbage collector off while they run. Aim: a ratio below 1.5.",
    )


def main() -> None:
    parser = options(__doc__.splitlines()[0])
    asked = parser.parse_args()
    quick = asked.quick
    gc.disable()  # a collection takes longer the larger the heap is, whatever the tree does
    tables = [
        steps_table(SIZES if not quick else (1_000,), EVICTIONS if not quick else 16),
        match_table(LENGTHS if not quick else LENGTHS[:3], 51 if not quick else 3),
        evict_table(LEAVES if not quick else LEAVES[:2], 301 if not quick else 5),
    ]
    show("tree", "The tree", tables, write=asked.write)


if __name__ == "__main__":
    main()
