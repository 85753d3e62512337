"""`ol diff`: after passing, your file beside the reference."""

import click

from radixlab.checker.verdict import check
from radixlab.checker.worker import Shells
from radixlab.commands.common import chapter_argument, learners_tests, learners_tree, stdout
from radixlab.course import Chapter
from radixlab.reports.diff import side_by_side


@click.command("diff")
@chapter_argument
@click.option("--spoil", is_flag=True, help="Show it before you have passed.")
def command(chapter: Chapter, spoil: bool) -> int:
    """After passing: your file beside the reference, side by side in a wide terminal."""
    subject = learners_tree(chapter)
    if not spoil:
        shells = Shells()
        try:
            report = check(chapter, subject, learners_tests(chapter), shells, seed=0)
        finally:
            shells.close()
        if report.verdict != "pass":
            stdout.print("the reference is shown after passing; `--spoil` shows it now")
            stdout.print(f"next: {report.next}", markup=False)
            return 1
    width = stdout.width if stdout.is_terminal else 0  # a pipe gets a plain diff, line by line
    stdout.print(side_by_side(subject.source, chapter.text("reference.py"), subject.name, width), soft_wrap=not width)
    stdout.print(f"next: `ol bugs {chapter.id} --seen`; other correct ones: {', '.join(chapter.variants)}, in")
    stdout.print(f"{chapter.folder / 'variants'}", soft_wrap=True)
    return 0
