"""`ol explain`: where your tree, or a planted bug, parts from the reference."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from radixlab.checker.subject import Unreadable
from radixlab.commands.common import chapter_argument, learners_tree, new_file, stderr, stdout
from radixlab.course import Chapter
from radixlab.workspace import Workspace, home

if TYPE_CHECKING:
    from rich.console import RenderableType

    from radixlab.show.divergence.diverge import Divergence


@click.command("explain")
@chapter_argument
@click.argument("bug", required=False)
@click.option("-o", "--output", metavar="FILE.html", help="Write both films side by side, as one HTML file.")
@click.option("--spoil", is_flag=True, help="Show a bug before your tests are valid; no workspace is needed.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed, another search.")
def command(chapter: Chapter, bug: str | None, output: str | None, spoil: bool, seed: int) -> int:
    """Show the shortest script on which your tree and the reference differ, and the first difference in words.

    With BUG, such as s07, it is that planted bug instead of your tree: once your tests are valid, or with --spoil.
    """
    new_file(output)
    if bug:
        planted = chapter.bug(bug)
        if not spoil and not _tests_are_valid(chapter):
            stdout.print("a bug is explained once your tests are valid; `--spoil` shows it now")
            stdout.print(f"next: `ol check {chapter.id}` says which tests are not, and why")
            return 1
        name, source, names = f"{planted.id}.py", chapter.source(planted.id), (f"in {planted.id}", "in the reference")
    else:
        tree = learners_tree(chapter)
        if tree.problem:
            raise Unreadable(tree.problem)
        name, source, names = tree.name, tree.source, ("here", "in the reference")
    titles = (bug or "your tree", "the reference")
    with _quiet(), _progress() as watch:
        from radixlab.show.divergence.diverge import diverge

        mine, reference = _subject(name, source), _subject("reference.py", chapter.source("reference"))
        found = diverge(mine, reference, names=names, titles=titles, seed=seed, watch=watch)
    if found is None:
        stdout.print(f"no difference found in {watch.played:,} scripts")
        stdout.print(f"next: `ol check {chapter.id}`")
        return 0
    _show(found)
    if output:
        _write(found, f"{chapter.id}: {titles[0]} and {titles[1]}", output)
    mend = f"write a test that plays these steps, then `ol check {chapter.id}`"
    stdout.print(f"next: {mend if bug else f'mend it, then `ol explain {chapter.id}` once more'}")
    return 0


def _tests_are_valid(chapter: Chapter) -> bool:
    """Return whether the last check graded the learner's tests: it grades none while one of them is invalid."""
    workspace = Workspace(home())
    if not workspace.folder.exists():
        return False
    with workspace.state() as state:
        report = state.get("reports", {}).get(chapter.id)
    return bool(report and report["mutation"])


def _subject(name: str, source: str) -> ModuleType:
    from radixlab.checker.live import loaded

    module = loaded(source, name, {"RadixTree"})
    if not hasattr(module, "RadixTree"):
        raise Unreadable(f"{Path(name).name} defines no RadixTree")
    return module


class _Counter:
    """Counts the scripts that were played, and shows the count."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self.show, self.played = show, 0

    def __call__(self, played: int) -> None:
        self.played = played
        if played % 20 == 0:
            self.show(f"looking for a script that tells them apart: {played:,} played")


@contextlib.contextmanager
def _progress() -> Iterator[_Counter]:
    """Show one line while the search goes on, on a terminal only."""
    if not stderr.is_terminal:
        yield _Counter(lambda text: None)
        return
    with stderr.status("looking for a script that tells them apart") as status:
        yield _Counter(status.update)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let a tree that prints print nothing: it is played a thousand times."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


def _show(found: "Divergence") -> None:
    """Print the script, the first difference in words, and the two trees at that step."""
    stdout.print(str(found.script), markup=False, soft_wrap=True)
    stdout.print(f"\n{found.words}\n", markup=False, style="bold")
    stdout.print(_trees(found, stdout.width))


def _trees(found: "Divergence", width: int) -> "RenderableType":
    """Return the two trees beside each other where *width* has room for them, else one below the other."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from radixlab.show.text import tree_text

    texts = [tree_text(film[-1].tree) for film in found.films]
    heads = [f"{film.title}, {f'after step {found.step}' if found.step else 'new'}" for film in found.films]
    wide = sum(max(map(len, [head, *text.splitlines()])) for head, text in zip(heads, texts, strict=True))
    if wide + 6 > width:
        parts = zip(heads, texts, strict=True)
        return Group(*(Text.assemble((f"{head}\n", "bold"), text, "\n") for head, text in parts))
    table = Table.grid(padding=(0, 6, 0, 0))
    table.add_row(*(Text(head, "bold") for head in heads))
    table.add_row(*(Text(text) for text in texts))
    return Group(table, "")


def _write(found: "Divergence", title: str, output: str) -> None:
    from radixlab.show.export import page

    Path(output).write_text(page(list(found.films), title, lead=found.words, parts=found.step + 1), encoding="utf-8")
    stdout.print(f"both films are in {output}", markup=False, soft_wrap=True)
