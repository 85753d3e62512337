"""`ol grade`: a class, graded."""

import os
from collections import Counter
from pathlib import Path

import click

from radixlab.commands.common import ChapterName, stderr, stdout

INFRASTRUCTURE, INTERRUPTED = 3, 130
_KEPT = "what was graded so far is kept: mend that, then type the same line with --resume"
ISOLATIONS = ("required", "auto", "none")
_FORMATS = """Which outputs to write: json, html (a page for each learner), csv, page (the class), gradescope, nbgrader,
junit.  [default: all]"""


class Formats(click.ParamType):
    """Names of outputs, such as `csv,page`."""

    name = "formats"

    def convert(self, value, param, ctx) -> tuple[str, ...]:
        """Return the names, in the order given."""
        from radixlab.classroom.outputs import FORMATS

        names = value if isinstance(value, tuple) else tuple(word.strip() for word in value.split(","))
        if wrong := [name for name in names if name not in FORMATS]:
            self.fail(f"there is no format {wrong[0]!r}: choose from {', '.join(FORMATS)}", param, ctx)
        return names


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command("grade")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Where all goes."
)
@click.option("--chapter", type=ChapterName(), default="ds.07", show_default=True, help="What was handed in.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Submissions at a time.  [default: the cores]")
@click.option("--resume", is_flag=True, help="Go on in DIR: grade only what has no grade there.")
@click.option(
    "--timeout",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds that a whole submission may take.",
)
@click.option(
    "--isolation",
    type=click.Choice(ISOLATIONS),
    default="required",
    show_default=True,
    help="Whether submissions run in a sandbox.",
)
@click.option("--formats", type=Formats(), metavar="NAME,...", help=_FORMATS)
@click.option("--dask", metavar="ADDRESS", help="Grade on the workers of a Dask scheduler, such as tcp://host:8786.")
def command(paths, out, chapter, jobs, resume, timeout, isolation, formats, dask) -> int:
    """Grade the submissions in each PATH, and write grades and reports into DIR.

    \b
    A submission is   a folder with radix.py in it, or with ds07/radix.py
                      a zip of that
                      a single .py
    A PATH is         a submission, or a folder of submissions, as a course
                      system exports it: the learner's name is in the file name

    test_radix.py beside it holds the learner's own tests. A submission gets points for each official test that passes
    and for each planted bug that its own tests kill. None is trusted: each runs in a sandbox (bubblewrap), apart from
    the others, and whatever it does, the run goes on. `--isolation auto` does without where there is none, `none`
    always: only for submissions that you trust.

    \b
    DIR/report.html   the class: scores, pitfalls, what the tests catch
    DIR/grades.csv    one row a submission, for the course system
    DIR/...           a report for each learner, and other formats
    DIR/ledger.sqlite every grade, at once: Ctrl-C, a crash or a power cut lose
                      nothing, and --resume goes on

    \b
    ol grade submissions/ --out graded/              a class
    ol grade submissions/ --out graded/ --resume     go on where it was
    ol grade late/ --out graded/ --resume            add what came late
    ol grade jane/radix.py --out jane-graded/        one submission

    With --resume, what ran out of time is graded again if --timeout is longer now, and what was graded before stays in
    the outputs, also when its folder is not named again.

    The exit code is 0 once all are graded, whatever the grades; 2 for wrong usage; 3 when something that grading needs
    is missing or fails; 130 after Ctrl-C.
    """
    from radixlab.classroom.executor import BadAddress, NoExecutor, check_address
    from radixlab.classroom.ledger import NAME, LedgerFailed
    from radixlab.classroom.sandbox import NoSandbox
    from radixlab.classroom.submissions import NoSubmission, find

    _check_out(out, resume, NAME)
    try:
        if dask is not None:
            check_address(dask)
        found, passed_over = find(paths, chapter, skip=out)
    except (BadAddress, NoSubmission) as error:
        raise click.UsageError(str(error)) from None
    for name in passed_over:
        stderr.print(f"passed over: {ascii(name)[1:-1]}", markup=False, soft_wrap=True)
    try:
        return _graded(found, chapter, out, jobs or cores(), timeout, isolation, formats, dask)
    except NoSandbox as error:
        return _failed(str(error))
    except (NoExecutor, LedgerFailed) as error:
        return _failed(f"{error}\n{_KEPT}")
    except OSError as error:
        return _failed(f"{error.filename or out} cannot be written: {error.strerror or error}\n{_KEPT}")


def _check_out(out: Path, resume: bool, ledger: str) -> None:
    """Raise UsageError unless *out* is a folder to begin in, or to go on in."""
    there = out.is_dir() and any(out.iterdir())
    if there and not resume:
        raise click.UsageError(f"{out} is not empty: --resume goes on in it, or name another folder")
    if there and not (out / ledger).is_file():
        raise click.UsageError(f"{out} is no folder that `ol grade` began: it holds no {ledger}; name another one")


def _graded(found, chapter, out, jobs, timeout, isolation, formats, dask) -> int:
    """Grade what is missing, write the outputs, say how it went; return the exit code."""
    from radixlab.classroom.ledger import NAME, Ledger
    from radixlab.classroom.outputs import FORMATS, write
    from radixlab.classroom.outputs.words import counted
    from radixlab.classroom.run import Run, isolation_here

    isolation = isolation_here(isolation)
    out.mkdir(parents=True, exist_ok=True)
    with Ledger(out / NAME) as ledger:
        if ledger.chapter() not in (None, chapter.id):
            raise click.UsageError(f"{out} has grades of {ledger.chapter()}: name another folder for {chapter.id}")
        run = Run(found, chapter, ledger, isolation, timeout)
        if len(found) > len(run.missing):
            stderr.print(f"{counted(len(found), 'submission')}, {len(run.missing)} to grade", markup=False)
        if run.missing and not _all_missing(run, jobs, dask):
            graded = f"{len(run.grades())} of {len(found)} submissions are graded and kept in {out}"
            stderr.print(f"interrupted: {graded}; the same line with --resume goes on", markup=False, soft_wrap=True)
            return INTERRUPTED
        grades = run.grades()
        if others := ledger.ungraded(run.version):
            stderr.print(
                f"{counted(len(others), 'submission')} named in an earlier run and not now, such as {others[0]}, and "
                f"have no grade by this version of {chapter.id}: name their folder too",
                markup=False,
                soft_wrap=True,
            )
    formats = formats or tuple(FORMATS)
    write(grades, chapter, out, formats)
    return _told(grades, out, formats)


def _all_missing(run, jobs: int, dask: str | None) -> bool:
    """Grade what is missing in *run*, under a bar; return False when it was interrupted."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from radixlab.classroom.executor import Local, OnDask

    executor = OnDask(dask) if dask else Local(jobs)
    columns = TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TextColumn("left:"), TimeRemainingColumn()
    bar = Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal)
    try:
        with bar:
            task = bar.add_task("", total=len(run.missing))
            run.grade(executor, lambda done, all: bar.update(task, completed=done))
    except KeyboardInterrupt:
        return False
    return True


def _told(grades, out: Path, formats: tuple[str, ...]) -> int:
    """Print the summary of *grades* and what is next; return the exit code."""
    stdout.print(_table(grades))
    if open_ := [grade for grade in grades if grade.isolation == "none" and grade.report]:
        stdout.print(f"{len(open_)} ran without a sandbox: what they say holds for submissions that you trust")
    ungraded = [grade for grade in grades if not grade.final]
    if ungraded:
        number = f"{len(ungraded)} of {len(grades)}"
        return _failed(f"{number} could not be graded, through no fault of theirs: {ungraded[0].message}\n{_KEPT}")
    if late := [grade for grade in grades if grade.ran_out_of_time]:
        stdout.print(f"{len(late)} ran out of time: with --resume and a longer --timeout they are graded again")
    page = "open {}/report.html" if "page" in formats else "see {}"
    stdout.print(f"next: {page.format(out)}", markup=False, soft_wrap=True)
    return 0


def _table(grades):
    """Return how many submissions came to which outcome, and their points, as a table of rich."""
    from rich.table import Table

    from radixlab.classroom.grade import OUTCOMES
    from radixlab.classroom.outputs.words import counted

    table = Table(title=counted(len(grades), "submission"), title_justify="left", title_style="")
    table.add_column("outcome")
    for column in ("submissions", "mean points"):
        table.add_column(column, justify="right")
    count = Counter(grade.outcome for grade in grades)
    for outcome in OUTCOMES:
        points = [grade.points for grade in grades if grade.outcome == outcome]
        if points:
            mean = "" if outcome == "infra_error" else f"{sum(points) / len(points):.1f}"
            table.add_row(outcome, str(count[outcome]), mean)
    final = [grade.points for grade in grades if grade.final]
    if final:
        table.add_section()
        table.add_row("all", str(len(final)), f"{sum(final) / len(final):.1f} of {grades[0].max_points:g}")
    return table


def _failed(sentence: str) -> int:
    stderr.print(sentence, markup=False, soft_wrap=True)
    return INFRASTRUCTURE
