"""`ol start`: write the learner's two files."""

from pathlib import Path

import click

from radixlab.commands.common import chapter_argument, stdout
from radixlab.course import Chapter
from radixlab.workspace import AlreadyThere, Workspace, home, shown


@click.command("start")
@chapter_argument
@click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The workspace folder, instead of work/ here.",
)
@click.option("--from", "stage", metavar="STAGE", help="Begin at this stage, the ones before it solved.")
@click.option("--force", is_flag=True, help="Start anew; the old files go to .history in the workspace.")
def command(chapter: Chapter, folder: Path | None, stage: str | None, force: bool) -> None:
    """Write the two files of CHAPTER that you will fill in, such as radix.py and test_radix.py. It never overwrites."""
    first = chapter.stage(stage) if stage else chapter.stages[0]
    solved = tuple(name for before in chapter.stages_up_to(first.name)[:-1] for name in before.writes)
    workspace = Workspace(folder.absolute() if folder else home())
    try:
        tree, tests = workspace.start(chapter, solved=solved, force=force)
    except AlreadyThere:
        raise
    except OSError as error:
        why = error.strerror or error
        raise click.UsageError(
            f"nothing can be written into {shown(workspace.folder)}: {why}; --dir names another folder"
        ) from None
    stdout.print(f"wrote {shown(tree)} and {shown(tests)}", markup=False)
    if workspace.folder != home():
        stdout.print(f"set RADIXLAB_WORK={shown(workspace.folder)} so that the other commands find it", markup=False)
    stdout.print(f"next: stage {first.name}, notebook {first.notebook}; `ol check {chapter.id}` at any time")
