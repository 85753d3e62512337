"""`ol watch`: check again at each save."""

import click

from radixlab.commands.common import chapter_argument, started, stdout
from radixlab.course import Chapter
from radixlab.watch import watch


@click.command("watch")
@chapter_argument
def command(chapter: Chapter) -> int:
    """Check again whenever you save; keys: n next, h hint, l list, c check all, x reset, q quit."""
    return watch(chapter, started(chapter), stdout)
