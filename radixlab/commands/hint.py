"""`ol hint`: the next hint, from a question to pseudocode."""

import click

from radixlab.checker.standing import current, stand
from radixlab.checker.worker import Worker
from radixlab.commands.common import chapter_argument, stdout, tree_or_stub
from radixlab.course import Chapter
from radixlab.reports import pages
from radixlab.workspace import Workspace, home


@click.command("hint")
@chapter_argument
@click.argument("stage", required=False)
def command(chapter: Chapter, stage: str | None) -> None:
    """Give the next hint for STAGE, or for the first stage that does not pass its checks."""
    if stage is None:
        with Worker() as worker:
            at = current(stand(chapter, tree_or_stub(chapter), worker))
        if at is None:
            stdout.print(f"every stage passes its checks\nnext: `ol check {chapter.id}`, or name the STAGE")
            return
        stage = at.stage.name
    here = chapter.stage(stage)
    stdout.print(pages.hint(here, Workspace(home()).next_hint(chapter, here)))
