"""`ol list`: the chapters, their stages, and where you are."""

import click

from radixlab import course
from radixlab.checker.standing import stand
from radixlab.checker.worker import Worker
from radixlab.commands.common import stdout, tree_or_stub
from radixlab.reports import pages


@click.command("list")
def command() -> None:
    """Show the chapters, their stages, and where you are: each stage by its own checks."""
    with Worker() as worker:
        for chapter in course.chapters():
            subject = tree_or_stub(chapter)
            standings = stand(chapter, subject, worker)
            stdout.print(pages.contents(chapter, standings))
            step = f"`ol start {chapter.id}` begins" if subject.name == "stub" else f"`ol check {chapter.id}` goes on"
            stdout.print(f"next: {step}")
