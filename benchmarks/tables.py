"""What the benchmarks share: options, rounds, and tables written as Markdown."""

import argparse
import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass
class Table:
    """A table with a title, and what must be known to read it."""

    title: str
    head: Sequence[str]
    rows: list[Sequence[str]]
    notes: str = ""

    def __str__(self) -> str:
        lines = [" | ".join(row) for row in (self.head, ["---"] * len(self.head), *self.rows)]
        return "\n".join(
            [f"## {self.title}", "", *(f"| {line} |" for line in lines), *(["", self.notes] * (self.notes > ""))]
        )


def options(what: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--quick", action="store_true", help="small sizes and one round, to see that it runs")
    parser.add_argument("--write", action="store_true", help="write the tables into results/ too")
    return parser


def show(name: str, title: str, tables: Iterable[Table], *, write: bool) -> None:
    """Print the *tables* as Markdown, and *write* them to `results/<name>.md`."""
    text = "\n\n".join([f"# {title}", machine(), *map(str, tables)]) + "\n"
    print(text)
    if write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def machine() -> str:
    """Say on what machine this runs, and how busy it is."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = models[0] if models else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{datetime.date.today()}: {python}, {platform.system()}, {cores} cores of {model}{load}."


def milliseconds(run: Callable[[], object]) -> float:
    """Return how long *run* takes."""
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def rounds(times: int, runs: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Run everything in turn, *times* times over, so that a busy moment hits all alike; return the milliseconds."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            taken[name].append(milliseconds(run))
    return taken


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the median of the ratios, each of two figures of one round."""
    return middle([a / b for a, b in zip(above, below, strict=True)])
