"""`ol replay`: what a prefix cache saves of real traffic."""

import importlib.util
import json
import sys
from pathlib import Path

import click

from radixlab.commands.common import new_file, stderr, stdout
from radixlab.traffic import POLICIES, TRACES, NoTrace, Row, Trace, load, replay
from radixlab.traffic.names import GRANULE
from radixlab.traffic.plot import FORMATS

INFRASTRUCTURE = 3  # the exit code where a trace cannot be had


class Capacities(click.ParamType):
    """Numbers of blocks, such as `16,107,1_160`."""

    name = "capacities"

    def convert(self, value, param, ctx) -> tuple[int, ...]:
        """Return the numbers, in the order given."""
        return value if isinstance(value, tuple) else tuple(self._one(word, param, ctx) for word in value.split(","))

    def _one(self, word: str, param, ctx) -> int:
        try:
            blocks = int(word)
        except ValueError:
            self.fail(f"{word.strip()!r} is no whole number; write numbers of blocks as in 16,107,1_160", param, ctx)
        if blocks < 1:
            self.fail(f"{blocks} blocks are no cache: a capacity is at least 1", param, ctx)
        return blocks


@click.command("replay")
@click.argument("trace", type=click.Choice(list(TRACES), case_sensitive=False), default="chat", metavar="[TRACE]")
@click.option("--capacity", type=Capacities(), metavar="N,N,...", help="Blocks that the cache holds; one replay each.")
@click.option(
    "--policy",
    type=click.Choice(POLICIES, case_sensitive=False),
    default="lru",
    show_default=True,
    help="What goes first.",
)
@click.option("--whole-leaf", is_flag=True, help="Evict leaves whole, as `evict` does, not just what is needed.")
@click.option("--granule", type=click.IntRange(1), help=f"Tokens of a block, for chat.  [default: {GRANULE}]")
@click.option("--json", "json_path", metavar="FILE|-", help="Write the rows as JSON; - is standard output.")
@click.option("--plot", "plot_path", metavar="FILE", help="Draw hit rate against capacity, as .svg or .png.")
def command(trace, capacity, policy, whole_leaf, granule, json_path, plot_path) -> int | None:
    """Play the requests of TRACE on a prefix cache, and count the prompt tokens that need no prefill.

    \b
    chat          2,000 requests of chat and agents, made here (the default)
    ragpulse      7,106 questions to a campus service that retrieves passages
    conversation  12,031 chat requests to an online service (Mooncake, FAST '25)
    synthetic     3,993 requests made of public data sets (Mooncake, FAST '25)

    The last three are public files, fetched once; $RADIXLAB_DATA can name a folder that has them, as they are or as
    .xz. The first half of the requests fills the cache, the second half counts.

    \b
    lru     what was used least recently goes first, on the radix tree
    fifo    what was stored first goes first, used or not, even when others
            hang on it (they can then not be found)
    lfu     what was used least often goes first
    belady  what is needed again last goes first; knows the future, so measure
            the others by it
    """
    if whole_leaf and policy != "lru":
        raise click.UsageError(f"--whole-leaf is for lru: {policy} evicts block by block")
    format = _format(plot_path)
    new_file(json_path), new_file(plot_path)
    try:
        played = _loaded(trace, granule)
    except NoTrace as error:
        stderr.print(str(error), markup=False, soft_wrap=True)
        return INFRASTRUCTURE
    rows = _rows(played, capacity or played.capacities, policy, whole_leaf)
    _write(played, rows, policy, whole_leaf, json_path)
    console = stderr if json_path == "-" else stdout
    console.print(_table(played, rows, policy, whole_leaf))
    if format:
        _draw(played, rows, policy, whole_leaf, plot_path, format)
        console.print(f"wrote {plot_path}", markup=False, soft_wrap=True)
    console.print(f"next: {_next(trace, policy, capacity)}", markup=False, soft_wrap=True)
    return None


def _format(path: str | None) -> str | None:
    """Return what to draw into the file *path*, None for no picture; UsageError when it cannot be drawn."""
    if path is None:
        return None
    format = Path(path).suffix.lower().removeprefix(".")
    if format not in FORMATS:
        raise click.UsageError(f"--plot {path}: name a file that ends in .svg or .png")
    if importlib.util.find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs matplotlib: pip install matplotlib")
    return format


def _loaded(name: str, granule: int | None) -> Trace:
    try:
        return load(name, granule)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _rows(trace: Trace, capacities: tuple[int, ...], policy: str, whole_leaf: bool) -> list[Row]:
    """Play *trace* at each of *capacities*, with a bar on standard error."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
        task = progress.add_task(f"playing {trace.name}", total=len(trace.requests) * len(capacities))

        def watch(requests: int) -> None:
            progress.advance(task, requests)

        return [replay(trace, blocks, policy, whole_leaf=whole_leaf, watch=watch) for blocks in capacities]


def _write(trace: Trace, rows: list[Row], policy: str, whole_leaf: bool, path: str | None) -> None:
    """Write *rows*, and how they were played, as JSON into the file *path*, - for standard output; None for nowhere."""
    played = {"trace": trace.name, "policy": policy, "granule": trace.granule, "whole_leaf": whole_leaf}
    report = {**played, "total_tokens": trace.total_tokens, "rows": [row.as_dict() for row in rows]}
    text = json.dumps(report, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
    elif path:
        Path(path).write_text(text, encoding="utf-8")


def _cache(policy: str, whole_leaf: bool) -> str:
    return f"{policy}, whole leaves" if whole_leaf else policy


def _table(trace: Trace, rows: list[Row], policy: str, whole_leaf: bool):
    """Return *rows* as a table of rich, under what was played."""
    from rich.table import Table

    size = f", blocks of {trace.granule} tokens" if trace.name == "chat" else ""
    counted = len(trace.requests) - trace.warm
    title = f"{trace.name}, {_cache(policy, whole_leaf)}{size}\n"
    title += f"the last {counted:,} of {len(trace.requests):,} requests, {trace.total_tokens:,} prompt tokens"
    table = Table(title=title, title_justify="left", title_style="", box=None, header_style="bold")
    for column in ("capacity", "hit tokens", "hit rate", "evictions", "tokens/s"):
        table.add_column(column, justify="right")
    for row in rows:
        numbers = f"{row.capacity:,}", f"{row.hit_tokens:,}", f"{row.hit_rate:.2%}", f"{row.evictions:,}"
        table.add_row(*numbers, f"{row.tokens_per_s:,.0f}")
    return table


def _draw(trace: Trace, rows: list[Row], policy: str, whole_leaf: bool, path: str, format: str) -> None:
    from radixlab.traffic.plot import hit_rates

    Path(path).write_bytes(hit_rates({_cache(policy, whole_leaf): rows}, trace.name, format))


def _next(trace: str, policy: str, capacities: tuple[int, ...] | None) -> str:
    """Return what to type after a replay of *trace* under *policy*, at the same *capacities* where some were named."""
    same = f"{trace} --capacity {','.join(map(str, capacities))}" if capacities else trace
    if policy != "belady":
        return f"`ol replay {same} --policy belady` shows how much is left to win for {policy}"
    if trace == "chat":
        return "`ol replay ragpulse` plays real traffic, fetched once"
    return f"`ol replay {same} --plot rates.svg` draws hit rate against capacity"
