"""`ol tests`: the catalogue of the official tests."""

import click

from radixlab.commands.common import chapter_argument, stdout
from radixlab.course import Chapter
from radixlab.reports import pages


@click.command("tests")
@chapter_argument
def command(chapter: Chapter) -> None:
    """Show what the official tests of CHAPTER check, and why it matters."""
    stdout.print(pages.catalogue(chapter))
    stdout.print(f"next: `ol check {chapter.id}` runs them on your {chapter.makes}")
