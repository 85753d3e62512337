"""Match, insert, evict and memory of the trees of this project, beside other structures, in one run."""

import sys
import time
from collections.abc import Callable

from caches import CACHES, Floor, parse, versions
from measuring import Case, Figures, measure
from plots import plot
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from tables import RESULTS, Table, middle, options, ratio, rounds, show
from workloads import WORKLOADS, SharedPrompt

LEAVES = (1_000, 10_000, 50_000)
GRANULES = (1, 16)
ROUNDS = 15
HEADS = {
    "whole": "match, stored",
    "again": "match, once more",
    "fresh": "match, end new",
    "insert": "insert, end new",
    "evict": "evict",
}
TITLES = {"floor": Floor.title} | {name: cache.title for name, cache in CACHES.items()}

NODES = 3_500_000  # a node for each run: more take about 1 GB or more
TOKENS, HASHES = 110_000_000, 10_000_000  # compared run by run, or hashed: more would take over a minute

Results = dict[Case, dict[str, Figures]]

OPERATIONS = (
    "Stored: any of the newer half of the prompts; once more: the same ones right after, when the processor has them "
    "at hand; end new: all but the last tokens are stored."
)
NOT_EQUAL = (
    "Not all do the same work. SGLang's tree is that of an engine: a node has a tensor with a slot for each token, cut "
    "and copied as the node is made, and it keeps a policy, priorities, hit counts and sizes; its events are off. A "
    "match gathers no values in any of them. The trees of this project hand back the values that they do not need, and "
    "the fast one takes keys as bytes. Block hashes are SHA-256, computed in each match and insert; an engine computes "
    "them once for a prompt, and uses no granule of 1. The trie and pygtrie have no order of use, so they evict "
    "nothing, and grow a little as they are timed. pygtrie finds only prompts that were inserted whole, not where two "
    "part, and keeps a value a prompt, not a run. The two lookups and comparisons keep no values, stamps or order."
)


def skipped(name: str, workload: str, leaves: int, granule: int) -> str:
    """Return why a structure is left out of a case; nothing when it is not."""
    kind = WORKLOADS[workload]
    nodes = leaves * kind.prompts * kind.tail // granule
    if nodes > NODES and name in ("trie", "pygtrie"):
        return f"{nodes / 1e6:.0f} million nodes take about 1 GB or more"
    tokens = leaves * kind.prompts * (kind.system + (kind.prompts + 1) * kind.tail // 2)
    if (tokens > TOKENS and name == "reference") or (tokens // granule > HASHES and name == "hashes"):
        return f"prompts of {tokens / 1e6:.0f} million tokens in all take a minute or more to store"
    return ""


# Measuring ---------------------------------------------------------------------------------------------------------


def cases(names: list[str], *, quick: bool) -> list[Case]:
    """Return all that is to be measured."""
    found = []
    for workload in WORKLOADS:
        for granule in GRANULES:
            for leaves in (100,) if quick else LEAVES:
                there = [name for name in names if not skipped(name, workload, leaves, granule)]
                floor = ["floor"] if workload == "shared" else []
                found.append(Case(workload, leaves, granule, (*floor, *there), 2 if quick else ROUNDS))
    return found


def measured(wanted: list[Case]) -> Results:
    """Measure every case, each in a process of its own, and show how far it is."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results = {}
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=sum(len(case.names) + 1 for case in wanted))
        for case in wanted:
            progress.update(task, description=str(case))
            began = time.monotonic()
            results[case] = measure(case, lambda _: progress.advance(task))
            progress.console.print(f"{case}: {time.monotonic() - began:.0f} s")
    return results


# Tables ------------------------------------------------------------------------------------------------------------


def operation_table(results: Results, workload: str, granule: int) -> Table:
    """Return what every structure took at each size, and the ratio to the fast tree."""
    kind, rows, left_out = WORKLOADS[workload], [], []
    for case, taken in results.items():
        if (case.workload, case.granule) != (workload, granule):
            continue
        for name in TITLES:
            if name not in taken and name == "floor":
                continue
            figures = taken.get(name, Figures(None))
            cells = [_cell(figures.times.get(operation), taken["fast"].times[operation]) for operation in HEADS]
            memory = "-" if figures.memory is None or name == "floor" else f"{figures.memory:.1f}"
            rows.append((f"{case.leaves:,}", TITLES[name], *cells, memory))
            if reason := skipped(name, workload, case.leaves, granule):
                left_out.append(f"{TITLES[name]}, {case.leaves:,} leaves: {reason}.")
    heads = (*list(HEADS.values())[:-1], f"evict({kind.tail} tokens)")
    return Table(
        f"{kind.title.capitalize()}, granule {granule}",
        ("leaves", "structure", *heads, "bytes a token"),
        rows,
        " ".join([str(kind(1)), f"µs a call, and how many times that of the fast tree. {OPERATIONS}", *left_out]),
    )


def _cell(spent: list[float] | None, fast: list[float]) -> str:
    if spent is None:
        return "-"
    return f"{_figure(middle(spent))} ({_figure(ratio(spent, fast))})" if spent is not fast else _figure(middle(spent))


def _figure(value: float) -> str:
    """Write *value* with two digits that count, or whole."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def aim_table(results: Results) -> Table:
    """Return the aims, all on the prompt of two nodes, with what was measured at each size."""
    rows = []
    for granule in GRANULES:
        taken = {c.leaves: f for c, f in results.items() if (c.workload, c.granule) == ("shared", granule)}
        for title, aim, above, below, operation in (
            ("the fast tree's match, stored, to the floor's", "at most 3", "fast", "floor", "whole"),
            ("the fast tree's match, once more, to the floor's", "at most 3", "fast", "floor", "again"),
            ("SGLang's match, stored, to the fast tree's", "at least 6", "sglang", "fast", "whole"),
            ("SGLang's match, once more, to the fast tree's", "at least 6", "sglang", "fast", "again"),
            ("SGLang's evict to the fast tree's", "at least 500 at 50,000 leaves", "sglang", "fast", "evict"),
        ):
            found = [
                f"{_figure(ratio(figures[above].times[operation], figures[below].times[operation]))} at {leaves:,}"
                for leaves, figures in taken.items()
                if above in figures
            ]
            rows.append((str(granule), title, aim, ", ".join(found) or "-"))
    text = f"Ratios on the prompt of {SharedPrompt.system + SharedPrompt.tail:,} tokens. {NOT_EQUAL}"
    return Table("Aims", ("granule", "ratio of", "aim", "measured, at so many leaves"), rows, text)


def key_table(names: list[str], times: int) -> Table:
    """Return what it costs to bring a prompt, a list of ints, into the form that each structure takes."""
    prompt = SharedPrompt(1).whole(0)
    runs: dict[str, Callable[[], object]] = {}
    for granule in GRANULES:
        for name in names:
            cache = CACHES[name](granule)
            runs[f"{name} {granule}"] = lambda cache=cache: [cache.key(prompt) for _ in range(10)]
    taken = rounds(times, runs)
    rows = [
        (TITLES[name], *(f"{_figure(middle(taken[f'{name} {granule}']) * 100)} µs" for granule in GRANULES))
        for name in names
    ]
    text = f"A list of {len(prompt):,} ints into the form that each takes; not in the figures above."
    return Table("Keys", ("structure", *(f"granule {granule}" for granule in GRANULES)), rows, text)


def main() -> int:
    asked = parse(options(__doc__))
    missing = {name: reason for name, cache in CACHES.items() if (reason := cache.missing())}
    for name, reason in missing.items():
        print(f"Without {TITLES[name]}: {reason}.", file=sys.stderr)
    names = [name for name in CACHES if name not in missing]
    results = measured(cases(names, quick=asked.quick))
    tables = [operation_table(results, workload, granule) for workload in WORKLOADS for granule in GRANULES]
    tables += [aim_table(results), key_table(names, 3 if asked.quick else 51)]
    tables[-2].notes += f" Versions: {versions()}." * (versions() > "")
    tables[-2].notes += "".join(f" {TITLES[name]} is left out: {reason}." for name, reason in missing.items())
    show("structures", "Structures", tables, write=asked.write)
    if asked.write:
        plot(results, TITLES, HEADS, RESULTS / "structures.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
