"""`ol`: arguments in, exit code out."""

import secrets
import sys
from pathlib import Path

import click
from rich.console import Console

from radixlab import __version__, course
from radixlab.checker import author, tdd
from radixlab.checker.mutation import suite
from radixlab.checker.process import CheckerFailed
from radixlab.checker.report import Report
from radixlab.checker.subject import Unreadable, read
from radixlab.checker.verdict import Shells, Subject, check, check_stage
from radixlab.course import Chapter, NoSuchChapter
from radixlab.reports import diff, junit, pages, terminal
from radixlab.reports import json as as_json
from radixlab.watch import watch
from radixlab.workspace import AlreadyThere, NotStarted, Workspace, home, shown

USAGE, INFRASTRUCTURE = 2, 3


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
stdout, stderr = Console(highlight=False), Console(stderr=True, highlight=False)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog="Begin with `ol start ds.07`.")
@click.version_option(__version__, prog_name="ol")
def ol() -> None:
    """Write a radix tree over token ids, stage by stage, and have your own tests graded by the bugs they catch."""


@ol.command("list")
def list_() -> None:
    """Show the chapters, their stages, and where you are."""
    for chapter in course.chapters():
        stdout.print(pages.contents(chapter, _source(chapter)))
    stdout.print("next: `ol start ds.07` begins, `ol check ds.07` says how far you are")


@ol.command()
@chapter_argument
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="The workspace folder, instead of work/.")
@click.option("--from", "stage", metavar="STAGE", help="Begin at this stage, the ones before it solved.")
@click.option("--force", is_flag=True, help="Start anew; the old files go to .history in the workspace.")
def start(chapter: Chapter, folder: Path | None, stage: str | None, force: bool) -> None:
    """Write the two files of CHAPTER that you will fill in: radix.py and test_radix.py."""
    solved = ()
    if stage is not None:
        before = chapter.stages_up_to(stage)[:-1]
        solved = tuple(name for solved_stage in before for name in solved_stage.writes)
    workspace = Workspace(folder.absolute() if folder else home())
    tree, tests = workspace.start(chapter, solved=solved, force=force)
    stdout.print(f"wrote {shown(tree)} and {shown(tests)}")
    if folder is not None and workspace.folder != home():
        stdout.print(f"set RADIXLAB_WORK={shown(workspace.folder)} so that the other commands find it")
    first = chapter.stage(stage) if stage else chapter.stages[0]
    stdout.print(f"next: stage {first.name}, notebook {first.notebook}; `ol check {chapter.id}` at any time")


@ol.command()
@chapter_argument
def tests(chapter: Chapter) -> None:
    """Show what the official tests of CHAPTER check, and why it matters."""
    stdout.print(pages.catalogue(chapter))
    stdout.print(f"next: `ol check {chapter.id}` runs them on your tree")


@ol.command("check")
@chapter_argument
@click.option("--stage", metavar="STAGE", help="Run only the checks of this stage.")
@click.option("--impl", metavar="PATH|NAME", help="Check this file, or: reference, stub, fast, or a bug such as s07.")
@click.option("--tests", "tests_path", metavar="PATH", help="Grade the tests in this file.")
@click.option("--no-mutation", is_flag=True, help="Run the official tests alone.")
@click.option("--seed", type=click.IntRange(0), help="Repeat a run: everything random follows from it.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write the report as JSON; - is standard output.")
@click.option("--junit", "junit_path", metavar="FILE", help="Write the report as JUnit XML.")
def check_(chapter, stage, impl, tests_path, no_mutation, seed, json_path, junit_path) -> int:
    """Say honestly how far CHAPTER is: the official tests on your tree, your own tests by the bugs they catch.

    The verdict is the exit code: 0 pass, 1 not there yet, 2 wrong usage, 3 the checker could not do its job.
    """
    console = stderr if json_path == "-" else stdout
    seed = secrets.randbelow(2**31) if seed is None else seed
    subject = _subject(chapter, impl)
    shells = Shells()
    try:
        if stage is not None:
            report = check_stage(chapter, subject, chapter.stage(stage), shells, seed=seed)
        else:
            own = None if no_mutation else _own_tests(chapter, impl, tests_path)
            with pages.progress(console, chapter) as seen:
                report = check(chapter, subject, own, shells, seed=seed, watch=seen)
    except (CheckerFailed, OSError) as error:
        why = f"the checker could not do its job: {error}; install radixlab anew, or report this"
        report = Report(chapter.id, subject.name, "error", seed, 0.0, [], None, None, why, stage=stage)
    finally:
        shells.close()
    if impl is None and report.mutation is not None:
        with Workspace(home()).state() as state:
            state.setdefault("reports", {})[chapter.id] = report.as_dict()
    _write(report, json_path, junit_path, console)
    terminal.show(report, console)
    return report.exit_code


@ol.group("tdd")
def tdd_() -> None:
    """Write your tests first: red before the tree is there, green after."""


@tdd_.command()
@chapter_argument
def red(chapter: Chapter) -> int:
    """Pass when your tests exist, fail on the stub, and pass on every correct tree."""
    with Shells().tests as shell:
        problems = tdd.red(chapter, _suite(chapter), shell)
    return _say(problems, "red", f"write the tree, then `ol tdd green {chapter.id}`")


@tdd_.command()
@chapter_argument
def green(chapter: Chapter) -> int:
    """Pass when all your tests pass on your tree."""
    tests = _suite(chapter)
    source = read(Workspace(home()).tree(chapter.folder.name))
    with Shells().tests as shell:
        problems = tdd.green(chapter, source, tests, shell)
    return _say(problems, "green", f"`ol check {chapter.id}` grades your tests")


@ol.command("diff")
@chapter_argument
@click.option("--spoil", is_flag=True, help="Show it before you have passed.")
def diff_(chapter: Chapter, spoil: bool) -> int:
    """After passing: your file beside the reference."""
    subject = _subject(chapter, None)
    if not spoil:
        shells = Shells()
        try:
            report = check(chapter, subject, _own_tests(chapter, None, None), shells, seed=0)
        finally:
            shells.close()
        if report.verdict != "pass":
            stdout.print(f"the reference is shown after passing; `--spoil` shows it now\nnext: {report.next}")
            return 1
    stdout.print(diff.side_by_side(subject.source, chapter.text("reference.py"), subject.name, stdout.width))
    stdout.print(f"next: the other correct trees in {chapter.folder.name}/variants, and `ol bugs {chapter.id} --seen`")
    return 0


@ol.command()
@chapter_argument
@click.option("--seen", is_flag=True, help="Show the bugs seen in production, which count for nothing.")
@click.option("--hints", is_flag=True, help="Add a hint to each bug that is still alive.")
def bugs(chapter: Chapter, seen: bool, hints: bool) -> None:
    """Show the planted bugs, and which of your tests caught which in the last check."""
    if seen:
        stdout.print(pages.seen_bugs(chapter))
        return
    with Workspace(home()).state() as state:
        last = state.get("reports", {}).get(chapter.id)
    stdout.print(pages.bugs(chapter, last, hints=hints))
    stdout.print(f"next: sharpen a test, then `ol check {chapter.id}`")


@ol.command()
@chapter_argument
@click.argument("stage", required=False)
def hint(chapter: Chapter, stage: str | None) -> None:
    """Give the next hint for STAGE, or for the stage where you are."""
    here = chapter.stage(stage) if stage else pages.current_stage(chapter, _source(chapter))
    stdout.print(pages.hint(here, Workspace(home()).next_hint(chapter, here)))


@ol.command("watch")
@chapter_argument
def watch_(chapter: Chapter) -> int:
    """Check again whenever you save; keys: n next, h hint, l list, c check all, x reset, q quit."""
    return watch(chapter, Workspace(home()).started(chapter), stdout)


@ol.group()
def dev() -> None:
    """For authors of chapters."""


@dev.command("check")
@click.option("--decoys", default=200, show_default=True, help="Random rewrites of the reference to try.")
def dev_check(decoys: int) -> int:
    """Check the chapters themselves: cuts, counts, bugs, variants, hints, catchers, decoys."""
    problems = []
    for chapter in course.chapters():
        for title, found in author.lint(chapter, decoys):
            stdout.print(f"{chapter.id}: {title}: {'ok' if not found else f'{len(found)} problems'}")
            problems += [f"{chapter.id}: {title}: {problem}" for problem in found]
    return _say(problems, "sound", "commit it")


def _suite(chapter: Chapter):
    return suite(chapter, read(Workspace(home()).started(chapter).tests(chapter.folder.name)))


def _source(chapter: Chapter) -> str:
    """Return the learner's file as it is, the stub when there is none to be read."""
    try:
        return read(Workspace(home()).tree(chapter.folder.name))
    except Unreadable:
        return chapter.text("stub.py")


def _subject(chapter: Chapter, impl: str | None) -> Subject:
    """Return the subject that `--impl` names, the learner's file when it names none."""
    if impl is None:
        path = Path(shown(Workspace(home()).started(chapter).tree(chapter.folder.name)))
        return Subject.read(path, str(path))
    if impl == "fast" and not (chapter.folder / "variants" / "fast.py").exists():
        raise click.UsageError("the fast tree is not there yet: choose reference, stub, a bug such as s07, or a path")
    if Path(impl).exists():
        return Subject.read(Path(impl), impl)
    try:
        return Subject(chapter.source(impl), impl)
    except NoSuchChapter as error:
        raise click.UsageError(f"{impl} does not exist; --impl takes a path, or a name ({error})") from None


def _own_tests(chapter: Chapter, impl: str | None, tests_path: str | None) -> str | Unreadable:
    """Return the source of the own tests that count here."""
    if tests_path is not None:
        if not Path(tests_path).exists():
            raise click.UsageError(f"{tests_path} does not exist")
        path = Path(tests_path)
    else:
        path = Workspace(home()).tests(chapter.folder.name)
        if impl is not None and not path.exists():
            raise click.UsageError("no tests to grade: name them with --tests PATH, or leave them out (--no-mutation)")
    try:
        return read(path)
    except Unreadable as error:
        return error


def _write(report: Report, json_path: str | None, junit_path: str | None, console: Console) -> None:
    if json_path == "-":
        sys.stdout.write(as_json.render(report))
    elif json_path:
        Path(json_path).write_text(as_json.render(report), encoding="utf-8")
    if junit_path:
        Path(junit_path).write_text(junit.render(report), encoding="utf-8")


def _say(problems: list[str], good: str, step: str) -> int:
    for problem in problems:
        stdout.print(f"- {problem}")
    stdout.print(f"{good}\nnext: {step}" if not problems else f"not {good} yet\nnext: mend the first of these")
    return 1 if problems else 0


def main(argv: list[str] | None = None) -> int:
    """Run `ol` with *argv*, the command line's own by default, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another
    try:
        code = ol.main(argv, prog_name="ol", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Abort:
        stderr.print("interrupted; nothing was changed")
        return 130
    except click.ClickException as error:
        error.show()
        return USAGE
    except (NoSuchChapter, NotStarted, AlreadyThere) as error:
        stderr.print(str(error))
        return USAGE
    except Unreadable as error:
        stderr.print(f"{error}\nnext: mend the file, then try again")
        return 1
    except (CheckerFailed, OSError) as error:
        stderr.print(f"the checker could not do its job: {error}")
        return INFRASTRUCTURE
