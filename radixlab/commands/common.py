"""What several commands need: the chapter argument, the consoles, the learner's files, the end of an answer."""

from collections.abc import Iterable
from pathlib import Path

import click

from radixlab import course
from radixlab.checker.subject import Subject, Unreadable, read
from radixlab.commands.lines import Terminal
from radixlab.course import Chapter, NoSuchChapter
from radixlab.workspace import Workspace, home, shown

stdout, stderr = Terminal(highlight=False, emoji=False), Terminal(stderr=True, highlight=False, emoji=False)


class ChapterName(click.ParamType):
    """The name of a chapter, such as `ds.07`."""

    name = "chapter"

    def convert(self, value, param, ctx):
        """Return the chapter."""
        try:
            return value if isinstance(value, Chapter) else course.chapter(value)
        except NoSuchChapter as error:
            self.fail(str(error), param, ctx)


chapter_argument = click.argument("chapter", type=ChapterName())


def new_file(path: str | None) -> str | None:
    """Return *path*, where a file is to be written; UsageError when there is a folder, or no folder to put it in."""
    if path and path != "-":
        if Path(path).is_dir():
            raise click.UsageError(f"{path} is a folder; name a file in it")
        if not Path(path).absolute().parent.is_dir():
            raise click.UsageError(f"{Path(path).parent} does not exist")
    return path


def spare_others_files(paths: Iterable[Path], force: bool) -> None:
    """Raise UsageError when one of *paths* is there and no page or picture that we wrote, unless *force*."""
    from radixlab.show.export import is_ours

    alien = next((path for path in paths if path.exists() and not is_ours(path)), None)
    if alien and not force:
        raise click.UsageError(f"{alien} is there and none of ours: --force overwrites it, -o names another")


def able_to_draw() -> None:
    """Raise UsageError, with what to do, when no picture can be made here: before anything is played for one."""
    from radixlab.show.picture.render import NoEngine, render

    try:
        render(["digraph { a }"])
    except NoEngine as error:
        raise click.UsageError(f"nothing can be drawn here. {error}") from None


def started(chapter: Chapter) -> Workspace:
    """Return the workspace; NotStarted when *chapter* has not been begun in it."""
    return Workspace(home()).started(chapter)


def learners_tree(chapter: Chapter) -> Subject:
    """Return the learner's tree; NotStarted when there is no work on *chapter*."""
    path = Path(shown(started(chapter).tree(chapter)))
    return Subject.read(path, str(path), chapter.file)


def subject_named(chapter: Chapter, impl: str | None) -> Subject:
    """Return the subject that `--impl` names, the learner's file when it names none; UsageError for what is none."""
    if impl is None:
        return learners_tree(chapter)
    if Path(impl).is_dir():
        raise click.UsageError(f"{impl} is a folder; name the file in it")
    if Path(impl).exists():
        return Subject.read(Path(impl), impl, chapter.file)
    try:
        return Subject(chapter.source(impl), impl, filename=chapter.file)
    except NoSuchChapter:
        bug = f"a bug such as {chapter.bugs[0].id}; `ol bugs {chapter.id}` has more"
        names = f"{', '.join(('reference', 'stub', *chapter.variants))}, or {bug}"
        raise click.UsageError(f"{impl} does not exist; --impl takes a path, or a name: {names}") from None


def tree_or_stub(chapter: Chapter) -> Subject:
    """Return the learner's tree, the stub before there is any."""
    path = Path(shown(Workspace(home()).tree(chapter)))
    if path.exists():
        return Subject.read(path, str(path), chapter.file)
    return Subject(chapter.text("stub.py"), "stub", filename=chapter.file)


def learners_tests(chapter: Chapter) -> str | Unreadable:
    """Return the source of the learner's tests, or why there is none."""
    return source_or_reason(Workspace(home()).tests(chapter))


def source_or_reason(path: Path) -> str | Unreadable:
    """Return the source in *path*, or why it cannot be read."""
    try:
        return read(Path(shown(path)))
    except Unreadable as error:
        return error


def say(problems: list[str], good: str, step: str) -> int:
    """Print *problems* a line each, or that all is *good*, and the next *step*; return the exit code."""
    for problem in problems:
        stdout.print(f"- {problem}", markup=False)
    end = f"{good}\nnext: {step}" if not problems else f"not {good} yet\nnext: mend the first of these"
    stdout.print(end, markup=False)
    return 1 if problems else 0
