"""`ol dev`: for authors of chapters."""

import click

from radixlab import course
from radixlab.author import lint
from radixlab.commands.common import say, stdout


@click.group("dev")
def command() -> None:
    """For authors of chapters."""


@command.command("check")
@click.option("--decoys", default=200, show_default=True, help="Random rewrites of the reference to try.")
def check(decoys: int) -> int:
    """Check the chapters themselves: cuts, counts, bugs, variants, hints, catchers, decoys."""
    problems = []
    for chapter in course.chapters():
        for title, found in lint.lint(chapter, decoys):
            stdout.print(f"{chapter.id}: {title}: {'ok' if not found else f'{len(found)} problems'}")
            problems += [f"{chapter.id}: {title}: {problem}" for problem in found]
    return say(problems, "sound", "commit it")
