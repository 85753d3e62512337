"""`ol check`: the verdict."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from radixlab.checker.process import CheckerFailed
from radixlab.checker.report import Report
from radixlab.checker.subject import Unreadable
from radixlab.checker.worker import Shells
from radixlab.commands.common import (
    chapter_argument,
    learners_tests,
    new_file,
    source_or_reason,
    stderr,
    stdout,
    subject_named,
)
from radixlab.course import Chapter
from radixlab.needs import NotBuilt, own_work_below
from radixlab.workspace import Workspace, home


@click.command("check")
@chapter_argument
@click.option("--stage", metavar="STAGE", help="Run only the checks of this stage.")
@click.option("--impl", metavar="PATH|NAME", help="Check this file, or: reference, stub, fast, or a bug such as s07.")
@click.option("--tests", "tests_path", metavar="PATH", help="Grade the tests in this file.")
@click.option("--ref-deps", is_flag=True, help="Stand on the references of the chapters that CHAPTER needs.")
@click.option("--no-mutation", is_flag=True, help="Run the official tests alone.")
@click.option("--seed", type=click.IntRange(0), help="Repeat a run: everything random follows from it.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write the report as JSON; - is standard output.")
@click.option("--junit", "junit_path", metavar="FILE", help="Write the report as JUnit XML.")
def command(chapter, stage, impl, tests_path, ref_deps, no_mutation, seed, json_path, junit_path) -> int:
    """Say honestly how far CHAPTER is: the official tests on your tree, your own tests by the bugs they catch.

    The verdict is the exit code: 0 pass, 1 not there yet, 2 wrong usage, 3 the checker could not do its job.
    """
    console = stderr if json_path == "-" else stdout
    new_file(json_path), new_file(junit_path)
    here = chapter.stage(stage) if stage else None
    shells = Shells()
    try:
        shells.start()  # they load while this process does
        ours = impl is not None and not Path(impl).exists()
        needs = () if ref_deps or ours else own_work_below(chapter, Workspace(home()), shells.tree)
        subject = replace(subject_named(chapter, impl), needs=needs)
        own = None if no_mutation or stage else _own_tests(chapter, impl, tests_path)
        report = _checked(chapter, subject, own, here, seed, shells, console)
    except NotBuilt as missing:
        report = Report(chapter.id, impl or chapter.file, "not_attempted", seed or 0, 0.0, [], None, None, str(missing))
    finally:
        shells.close()
    if impl is None and report.mutation:
        Workspace(home()).remember(report.as_dict())
    _write(report, json_path, junit_path)

    from radixlab.reports import terminal

    terminal.show(report, console)
    return report.exit_code


def _checked(chapter, subject, own, stage, seed, shells, console):
    from radixlab.checker.verdict import check, check_stage, fresh_seed
    from radixlab.reports import pages

    seed = fresh_seed() if seed is None else seed
    try:
        if stage is not None:
            return check_stage(chapter, subject, stage, shells, seed=seed)
        with pages.progress(console, chapter) as seen:
            return check(chapter, subject, own, shells, seed=seed, watch=seen)
    except (CheckerFailed, OSError) as error:
        why = f"the checker could not do its job: {error}; install radixlab anew, or report this"
        return Report(chapter.id, subject.name, "error", seed, 0.0, [], None, None, why, stage=stage and stage.name)


def _own_tests(chapter: Chapter, impl: str | None, path: str | None) -> str | Unreadable:
    """Return the source of the own tests that count here, or why there is none."""
    if path is None:
        if impl is not None and not Workspace(home()).tests(chapter).exists():
            raise click.UsageError("no tests to grade: name them with --tests PATH, or leave them out (--no-mutation)")
        return learners_tests(chapter)
    if not Path(path).is_file():
        raise click.UsageError(
            f"{path} {'is a folder; name the file in it' if Path(path).is_dir() else 'does not exist'}"
        )
    return source_or_reason(Path(path))


def _write(report, json_path: str | None, junit_path: str | None) -> None:
    from radixlab.reports import json, junit

    if json_path == "-":
        sys.stdout.write(json.render(report))
    elif json_path:
        Path(json_path).write_text(json.render(report), encoding="utf-8")
    if junit_path:
        Path(junit_path).write_text(junit.render(report), encoding="utf-8")
