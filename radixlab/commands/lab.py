"""`ol lab`: JupyterLab on the notebooks, with the workspace beside them."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from radixlab import course
from radixlab.commands.common import stdout
from radixlab.progress import next_stage
from radixlab.workspace import MARK, Workspace, home, shown

FOLDER = "notebooks"
_PACKAGE = Path(__file__).parents[1]


@click.command("lab", context_settings={"ignore_unknown_options": True})
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[-- JUPYTER OPTIONS]")
def command(no_browser: bool, options: tuple[str, ...]) -> int:
    """Open JupyterLab at the notebook where you are; your code is in work/, beside the notebooks.

    In a clone the notebooks are opened where they are. Elsewhere they are copied into ./notebooks first; one that is
    there already is yours, and stays. What follows -- goes to jupyter lab, such as --port 9000.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        raise click.UsageError("JupyterLab is not installed: `pip install 'radixlab[lab]'`, then `ol lab`")
    folder = opened(Path.cwd())
    work = home() if os.environ.get("RADIXLAB_WORK") or (home() / MARK).exists() else folder.parent / "work"
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]  # so that a terminal in it finds `ol`
    environment = os.environ | {"RADIXLAB_WORK": str(work), "PATH": os.pathsep.join(programs)}
    notebook = where(folder, work)
    said = f"opening {shown(notebook)}; your code is in {shown(work)}; Ctrl-C ends JupyterLab"
    stdout.print(said, markup=False, soft_wrap=True)
    arguments = [
        f"--ServerApp.root_dir={folder.parent}",
        f"--LabApp.default_url=/lab/tree/{folder.name}/{notebook.name}",
        *(["--no-browser"] if no_browser else []),
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        *options,
    ]
    jupyter = subprocess.Popen([sys.executable, "-m", "jupyterlab", *arguments], env=environment)
    while True:
        try:
            return jupyter.wait()
        except KeyboardInterrupt:
            continue  # JupyterLab has it too, asks, and ends


def opened(here: Path) -> Path:
    """Return the folder with the notebooks to open; outside of a clone they are copied into one below *here* first.

    A notebook that is there already is never overwritten.
    """
    ours = _PACKAGE / FOLDER  # in an installed wheel
    if not ours.is_dir():
        return _PACKAGE.parent / FOLDER
    theirs = here if here.name == FOLDER else here / FOLDER
    theirs.mkdir(exist_ok=True)
    for notebook in sorted(ours.glob("*.ipynb")):
        if not (theirs / notebook.name).exists():
            shutil.copyfile(notebook, theirs / notebook.name)
    return theirs


def where(folder: Path, work: Path) -> Path:
    """Return the notebook in *folder* where the learner is: of the first stage that is not written in *work*.

    A chapter that is all written, and has not passed yet, is at the notebook of its own tests; past all chapters there
    is the last notebook by number.
    """
    for chapter in (chapter for chapter in course.chapters() if not chapter.appendix):
        path = Workspace(work).tree(chapter)
        source = path.read_text(encoding="utf-8", errors="replace") if path.exists() else chapter.text("stub.py")
        stage, report = next_stage(chapter, source), Workspace(work).last_report(chapter)
        name = chapter.tests_notebook if stage is None else stage.notebook
        if (stage or report is None or report["verdict"] != "pass") and (folder / f"{name}.ipynb").exists():
            return folder / f"{name}.ipynb"
    return sorted(folder.glob("[0-9]*.ipynb"))[-1]
