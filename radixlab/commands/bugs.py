"""`ol bugs`: the planted bugs, with the last kill matrix."""

import click

from radixlab.commands.common import chapter_argument, stdout
from radixlab.course import Chapter
from radixlab.reports import pages
from radixlab.workspace import Workspace, home


@click.command("bugs")
@chapter_argument
@click.option("--seen", is_flag=True, help="Show the bugs seen in production, which count for nothing.")
@click.option("--hints", is_flag=True, help="Add a hint to each bug that is still alive.")
def command(chapter: Chapter, seen: bool, hints: bool) -> None:
    """Show the planted bugs, and which of your tests caught which in the last check."""
    if seen:
        if not chapter.seen:
            stdout.print(f"no bug of this chapter was found in production\nnext: `ol bugs {chapter.id}`")
            return
        stdout.print(pages.seen_bugs(chapter))
        stdout.print(f"next: `ol check {chapter.id} --impl {chapter.seen[0].id} --no-mutation` shows one at work")
        return
    last = Workspace(home()).last_report(chapter)
    stdout.print(pages.bugs(chapter, last, hints=hints))
    step = "sharpen a test" if last else "write your tests"
    stdout.print(f"next: {step}, then `ol check {chapter.id}`")
