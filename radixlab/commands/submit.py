"""`ol submit`: what is handed in, as one file."""

from pathlib import Path

import click

from radixlab.checker.process import CheckerFailed
from radixlab.checker.worker import Shells
from radixlab.commands.common import chapter_argument, new_file, stderr, stdout
from radixlab.course import Chapter
from radixlab.workspace import Workspace, home


@click.command("submit")
@chapter_argument
@click.option("-o", "--output", metavar="FILE.zip", help="Where to; handin-CHAPTER.zip in this folder by default.")
@click.option("--force", is_flag=True, help="Overwrite a file that is none of ours.")
def command(chapter: Chapter, output: str | None, force: bool) -> int:
    """Put your work on CHAPTER into one zip, to be handed in.

    In it are your two files, such as radix.py and test_radix.py, a report on exactly these, and the version of what
    made it. It can be handed in at any stage: what does not even parse is handed in as well, and said to be so. The
    same files make the same zip.
    """
    from radixlab.classroom import handin

    path = _place(chapter, output, force)
    workspace = Workspace(home())
    work = handin.gather(workspace, chapter)
    report = handin.kept_report(workspace, chapter, work)
    if report is None and (report := _checked(work, chapter)):
        handin.keep_report(workspace, chapter, work, report)
    try:
        handin.write(path, handin.pack(work, chapter, report))
    except OSError as error:
        why = error.strerror or error
        raise click.UsageError(f"nothing can be written to {path}: {why}; -o names another place") from None
    _tell(path, work, chapter, report)
    return 0


def _place(chapter: Chapter, output: str | None, force: bool) -> Path:
    """Return where to write; UsageError when that cannot be, or is not ours to overwrite."""
    from radixlab.classroom.handin import is_ours

    name = f"handin-{chapter.folder.name}.zip" if output is None else output
    if not name.lower().endswith(".zip"):
        raise click.UsageError(f"-o {name}: name a file that ends in .zip")
    path = Path(new_file(name))
    if path.exists() and not force and not is_ours(path, chapter):
        what = f"{path} is there, and was not made by `ol submit {chapter.id}`"
        raise click.UsageError(f"{what}: --force overwrites it, -o names another")
    return path


def _checked(work, chapter: Chapter) -> dict | None:
    """Return a report on *work*, None with a sentence when the checker cannot make one: it is handed in without."""
    from radixlab.classroom.handin import fresh_report
    from radixlab.reports import pages

    shells = Shells()
    try:
        shells.start()
        with pages.progress(stdout, chapter) as seen:
            return fresh_report(work, chapter, shells, seen)
    except (CheckerFailed, OSError) as error:
        stderr.print(f"no report: the checker could not do its job: {error}", markup=False, soft_wrap=True)
        return None
    finally:
        shells.close()


def _tell(path: Path, work, chapter: Chapter, report: dict | None) -> None:
    """Say what was written where, what is wrong with it, and what to do with it."""
    from radixlab.classroom.handin import REPORT, problems

    names = ", ".join((*work.files, *([REPORT] if report else [])))
    stdout.print(f"wrote {path}: {names}", markup=False, soft_wrap=True)
    for problem in problems(work, chapter):
        stdout.print(f"- {problem}; handed in as it is", markup=False, soft_wrap=True)
    if report:
        stdout.print(f"the report says: {_said(report)}", markup=False, soft_wrap=True)
        if report["verdict"] != "pass":
            stdout.print(f"to go on before you hand in: {report['next'].splitlines()[0]}", markup=False, soft_wrap=True)
    stdout.print("next: hand in this one file, the way your course says", soft_wrap=True)


def _said(report: dict) -> str:
    """Return the verdict of *report*, and what it is made of, on one line."""
    passed = sum(test["outcome"] == "passed" for test in report["tests"])
    verdict = "pass" if report["verdict"] == "pass" else "not there yet"
    said = f"{verdict}; {passed} of {len(report['tests'])} official tests pass"
    if found := report["mutation"]:
        return f"{said}, {found['killed']} of {found['total']} planted bugs are caught, {found['needed']} needed"
    return f"{said}; no score for your own tests yet"
