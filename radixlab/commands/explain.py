"""`ol explain`: where your tree, or a planted bug, parts from the reference."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from radixlab import course
from radixlab.checker.subject import Unreadable
from radixlab.commands.apart import Tell, apart
from radixlab.commands.common import (
    able_to_draw,
    chapter_argument,
    learners_tree,
    new_file,
    spare_others_files,
    stderr,
    stdout,
)
from radixlab.course import Bug, Chapter, NoSuchChapter
from radixlab.workspace import Workspace, home

if TYPE_CHECKING:
    from rich.console import RenderableType

DEEP = 12  # levels of a tree that a terminal shows


@dataclass(frozen=True)
class Pair:
    """Two subjects to tell apart: the *source* and *name* of the first, a file; how to speak of both, their *titles*.

    *lead*: the line above all else, "" for none.
    """

    chapter: str
    source: str
    name: str
    names: tuple[str, str]
    titles: tuple[str, str]
    lead: str = ""


@dataclass(frozen=True)
class Explained:
    """What a search found: a *script* and the difference in *words*, a (heading, text) for each of both *trees*.

    *script* is "" when nothing was found; *unwritten*: something was left out of the search, as it is not written yet.
    """

    unwritten: bool = False
    script: str = ""
    words: str = ""
    trees: tuple[tuple[str, str], ...] = ()
    page: str = ""


@click.command("explain")
@chapter_argument
@click.argument("bug", required=False)
@click.option("-o", "--output", metavar="FILE.html", help="Write both films side by side, as one HTML file.")
@click.option("--force", is_flag=True, help="Overwrite a file that is none of ours.")
@click.option("--spoil", is_flag=True, help="Show a bug before your tests are valid; no workspace is needed.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed, another search.")
def command(chapter: Chapter, bug: str | None, output: str | None, force: bool, spoil: bool, seed: int) -> int:
    """Show the shortest script on which your tree and the reference differ, and the first difference in words.

    With BUG, such as s07, it is that planted bug instead of your tree: once your tests are valid, or with --spoil.
    """
    if chapter.makes != "tree":
        why = f"only trees are told apart by scripts, and {chapter.id} makes a {chapter.makes}"
        raise click.UsageError(
            f"{why}: `ol check {chapter.id}` says what fails and how, `ol bugs {chapter.id}` what may"
        )
    planted = _bug(chapter, bug) if bug else None
    if output:
        _place(output, force)
    if planted and not spoil and not _tests_are_valid(chapter):
        stdout.print("a bug is explained once your tests are valid; `--spoil` shows it now")
        stdout.print(f"next: `ol check {chapter.id}` says which tests are not, and why")
        return 1
    pair = _planted(chapter, planted) if planted else _learners(chapter)
    with _progress() as watch:
        found = apart(search, pair, seed, bool(output), file=pair.name, watch=watch)
    if not found.script:
        return _no_difference(chapter, found, watch.played)
    _show(found, pair.lead)
    if output:
        Path(output).write_text(found.page, encoding="utf-8")
        stdout.print(f"wrote {output}: both films side by side; open it in a browser", markup=False, soft_wrap=True)
    mend = f"write a test that plays these steps, then `ol check {chapter.id}`"
    stdout.print(f"next: {mend if bug else f'mend it, then `ol explain {chapter.id}` once more'}")
    return 0


# What is asked --------------------------------------------------------------------------------------------------------


def _bug(chapter: Chapter, name: str) -> Bug:
    """Return the planted bug called *name*; UsageError when there is none."""
    try:
        return chapter.bug(name)
    except NoSuchChapter:
        why = f"there is no bug called {name!r}: take one such as {chapter.bugs[0].id}; `ol bugs {chapter.id}` has more"
        alone = f"`ol explain {chapter.id}` alone explains your own tree"
        raise click.UsageError(f"{why}; {alone}") from None


def _place(output: str, force: bool) -> None:
    """Raise UsageError when no page can be written to *output*, before anything is played for it."""
    if Path(output).suffix.lower() != ".html":
        raise click.UsageError(f"-o {output}: the films go into one HTML file, so name one that ends in .html")
    new_file(output)
    spare_others_files([Path(output)], force)
    able_to_draw()


def _tests_are_valid(chapter: Chapter) -> bool:
    """Return whether the last check graded the learner's tests: it grades none while one of them is invalid."""
    return Workspace(home()).last_report(chapter) is not None


def _planted(chapter: Chapter, bug: Bug) -> Pair:
    names, titles = (f"in {bug.id}", "in the reference"), (bug.id, "the reference")
    return Pair(chapter.id, chapter.source(bug.id), f"{bug.id}.py", names, titles, f"{bug.id}: {bug.title}")


def _learners(chapter: Chapter) -> Pair:
    tree = learners_tree(chapter)
    if tree.problem:
        raise Unreadable(tree.problem)
    return Pair(chapter.id, tree.source, tree.name, ("here", "in the reference"), ("your tree", "the reference"))


# Apart ----------------------------------------------------------------------------------------------------------------


def search(tell: Tell, pair: Pair, seed: int, with_page: bool) -> Explained:
    """Return how the first of *pair* and the reference part; *tell* is told how many scripts were played.

    What is not written yet (NotImplementedError) is no difference. Unreadable when the first does not load.
    """
    from radixlab.show.divergence.beside import beside
    from radixlab.show.divergence.diverge import Duel
    from radixlab.show.text import tree_text

    mine = subject(pair.name, pair.source)
    duel = Duel(mine, subject("reference.py", course.chapter(pair.chapter).text("reference.py")), tell)
    script = duel.search(seed)
    if script is None:
        return Explained(duel.unwritten)
    found = duel.divergence(script, pair.names, pair.titles)
    when = f"after step {found.step}" if found.step else "new"
    trees = tuple((f"{film.title}, {when}", tree_text(film[-1].tree, deep=DEEP)) for film in found.films)
    page = beside(found, f"{pair.chapter}: {' and '.join(pair.titles)}", pair.lead) if with_page else ""
    return Explained(duel.unwritten, str(script), found.words, trees, page)


def subject(name: str, source: str) -> ModuleType:
    """Return *source*, of a file called *name*, under its step budget; Unreadable when it defines no RadixTree."""
    from radixlab.checker.live import loaded

    module = loaded(source, name, {"RadixTree"})
    if not hasattr(module, "RadixTree"):
        raise Unreadable(f"{Path(name).name} defines no RadixTree")
    return module


# What is said ---------------------------------------------------------------------------------------------------------


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


def _no_difference(chapter: Chapter, found: Explained, played: int) -> int:
    """Say that nothing was found, and what is next: for a tree that is not all written, the stage that is."""
    if not found.unwritten:
        stdout.print(f"no difference found in {played:,} scripts\nnext: `ol check {chapter.id}`")
        return 0
    from radixlab.checker.standing import current, stand
    from radixlab.checker.worker import Worker

    with Worker() as worker:
        at = current(stand(chapter, learners_tree(chapter), worker))
    stdout.print(f"no difference as far as your tree is written ({played:,} scripts)")
    next_stage = f"stage {at.stage.name}, notebook {at.stage.notebook}; " if at else ""
    stdout.print(f"next: {next_stage}`ol check {chapter.id}` at any time")
    return 0


def _show(found: Explained, lead: str) -> None:
    """Print the script, the first difference in words, and the two trees at that step."""
    if lead:
        stdout.print(f"{lead}\n", markup=False)
    stdout.print(found.script, markup=False, soft_wrap=True)
    stdout.print(f"\n{found.words}\n", markup=False, style="bold")
    stdout.print(trees(found, stdout.width))


def trees(found: Explained, width: int) -> "RenderableType":
    """Return the two trees beside each other where *width* has room for them, else one below the other."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    wide = sum(max(map(len, [head, *text.splitlines()])) for head, text in found.trees)
    if wide + 6 > width:
        return Group(*(Text.assemble((f"{head}\n", "bold"), text, "\n") for head, text in found.trees))
    table = Table.grid(padding=(0, 6, 0, 0))
    table.add_row(*(Text(head, "bold") for head, _ in found.trees))
    table.add_row(*(Text(text) for _, text in found.trees))
    return Group(table, "")
