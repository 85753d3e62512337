"""What `ol` shows besides a report: contents, catalogue, hints, bugs, progress."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from radixlab.checker.job import Outcome
from radixlab.checker.mutation import DECOYS
from radixlab.checker.standing import Standing, current
from radixlab.course import Chapter, Stage
from radixlab.reports.terminal import matrix


def contents(chapter: Chapter, standings: list[Standing]) -> RenderableType:
    """Return the stages of *chapter*, each marked by its standing, and an arrow where the learner stands."""
    at = current(standings)
    table = Table.grid(padding=(0, 1))
    for _ in range(5):
        table.add_column(overflow="fold")
    for standing in standings:
        stage = standing.stage
        sign, style = _SIGNS[standing.state]
        arrow = "->" if standing is at else "  "
        table.add_row(
            arrow, Text(sign, style), Text(stage.name, style), f"{stage.title} ({stage.minutes} min)", stage.notebook
        )
    here = "every stage passes its checks" if at is None else f"you are at stage {at.stage.name}"
    head = Text.assemble((f"{chapter.id}  {chapter.title}", "bold"), f", {chapter.hours} hours")
    return Group(head, table, Text(f"{here}   (+ passes, x fails, . not written yet)", "dim"))


_SIGNS = {"passed": ("+", "green"), "failing": ("x", "red"), "unwritten": (".", "dim"), "unknown": ("?", "yellow")}


def catalogue(chapter: Chapter) -> RenderableType:
    """Return the official tests of *chapter*: what each checks, and why that matters downstream."""
    return Group(
        *(
            _entry(test.name, f"{test.kind}, green after {test.stage}", test.checks, f"why: {test.why}")
            for test in chapter.tests
        )
    )


def _entry(name: str, beside: str, *lines: str) -> RenderableType:
    """Return a paragraph that folds well at any width: a name, what stands beside it, and lines below."""
    head = Text.assemble((name, "bold"), (f"  {beside}", "dim"))
    return Group(head, *(Padding(Text(line), (0, 0, 0, 4)) for line in lines))


def bugs(chapter: Chapter, last: dict[str, Any] | None, *, hints: bool) -> RenderableType:
    """Return the kill matrix of the *last* report; without one, the planted bugs by their areas."""
    intro = Text(
        f"Your tests run {len(chapter.bugs)} times on a {chapter.makes} with a planted bug; "
        f"{chapter.needed} must be caught."
    )
    if last is None or last["mutation"] is None:
        table = Table.grid(padding=(0, 2, 0, 0))
        for bug in chapter.bugs:
            required = "required" if bug.id in chapter.required else ""
            table.add_row(bug.id, bug.stage, bug.area, required)
        lines = [Text.assemble((f"{bug.id}  ", "bold"), bug.hint) for bug in chapter.bugs] if hints else []
        return Group(intro, "No kills yet: all tests must be valid first.", "", table, "", *lines)
    found = last["mutation"]
    parts: list[RenderableType] = [intro, "", matrix(last["own_tests"], found["bugs"], found["required"]), ""]
    alive = [bug["id"] for bug in found["bugs"] if not bug["killed"]]
    if alive and hints:
        parts += [Text.assemble((f"{name}  ", "bold"), chapter.bug(name).hint) for name in alive]
    elif alive:
        parts.append(f"`ol bugs {chapter.id} --hints` gives a hint for each that is alive")
    return Group(*parts)


def seen_bugs(chapter: Chapter) -> RenderableType:
    """Return the bugs that were seen in production, with their source and the official tests that catch them."""
    return Group(
        *(
            _entry(
                f"{bug.id}  {bug.title}",
                bug.source or "",
                f"shows as: {bug.symptom}",
                f"caught by: {', '.join(bug.caught_by) or 'none of the eleven'}",
            )
            for bug in chapter.seen
        )
    )


def hint(stage: Stage, level: int) -> RenderableType:
    """Return the hints of *stage* up to *level*, counted from 1, and how to see more."""
    lines = [Text.assemble((f"{n}  ", "bold"), text) for n, text in enumerate(stage.hints[:level], 1)]
    more = len(stage.hints) - level
    left = f"{more} more: ask again" if more else "that was the last one"
    return Group(Text(f"stage {stage.name}: {stage.goal}", "bold"), *lines, Text(left, "dim"))


@contextlib.contextmanager
def progress(console: Console, chapter: Chapter) -> Iterator[Callable[[int, Outcome], None]]:
    """Show a bar while tests run, on a terminal only; give what counts the outcomes as they come."""
    columns = TextColumn("checking"), BarColumn(), MofNCompleteColumn()
    own = len(chapter.own_tests) * (len(chapter.bugs) + len(chapter.variants) + DECOYS + 4)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=own + len(chapter.tests))
        yield lambda number, outcome: bar.advance(task)
