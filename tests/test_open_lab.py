"""`ol lab`: the notebooks of a clone in place, those of a wheel as the learner's own copies, at the right stage."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from radixlab.commands import lab
from radixlab.workspace import Workspace


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A package that was installed with its notebooks in it."""
    inside = tmp_path / "site" / "radixlab"
    (inside / "notebooks").mkdir(parents=True)
    for name in ("00-why", "03-split-matching", "07-your-tests", "08-prefix-cache"):
        (inside / "notebooks" / f"{name}.ipynb").write_text(f"new {name}", encoding="utf-8")
    monkeypatch.setattr(lab, "_PACKAGE", inside)
    return inside / "notebooks"


def test_a_clone_opens_its_notebooks_where_they_are(tmp_path):
    folder = lab.opened(tmp_path)
    assert (folder / "00-why.ipynb").exists() and not list(tmp_path.glob("notebooks"))


def test_a_wheel_copies_its_notebooks_and_overwrites_none(wheel, tmp_path):
    here = tmp_path / "mine"
    (here / "notebooks").mkdir(parents=True)
    (here / "notebooks" / "00-why.ipynb").write_text("mine", encoding="utf-8")
    folder = lab.opened(here)
    assert folder == here / "notebooks"
    assert (folder / "00-why.ipynb").read_text(encoding="utf-8") == "mine"
    assert (folder / "07-your-tests.ipynb").read_text(encoding="utf-8") == "new 07-your-tests"
    assert lab.opened(folder) == folder, "from inside of it as well"


def test_it_opens_where_the_learner_is(wheel, tmp_path, chapter):
    work = Workspace(tmp_path / "w")
    assert lab.where(wheel, work.folder).stem == "00-why"
    solved = [name for stage in chapter.stages_up_to("insert") for name in stage.writes]
    work.start(chapter, solved=tuple(solved))
    assert lab.where(wheel, work.folder).stem == "03-split-matching"
    every = [name for stage in chapter.stages for name in stage.writes]
    work.start(chapter, solved=tuple(every), force=True)
    assert lab.where(wheel, work.folder).stem == "07-your-tests"
    report = {"chapter": chapter.id, "mutation": {}, "verdict": "fail"}
    work.remember(report)
    assert lab.where(wheel, work.folder).stem == "07-your-tests"
    work.remember(report | {"verdict": "pass"})
    assert lab.where(wheel, work.folder).stem == "08-prefix-cache"


def test_jupyterlab_gets_the_root_the_notebook_the_workspace_and_what_follows(wheel, tmp_path, monkeypatch, work):
    called = {}

    class Jupyter:
        def __init__(self, arguments, env):
            called.update(arguments=arguments, env=env)

        def wait(self):
            return 0

    monkeypatch.setattr(subprocess, "Popen", Jupyter)
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(lab.command, ["--no-browser", "--", "--port", "9000"], standalone_mode=False)
    assert ran.return_value == 0, ran.output
    assert called["arguments"][:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={tmp_path}" in called["arguments"]
    assert "--LabApp.default_url=/lab/tree/notebooks/00-why.ipynb" in called["arguments"]
    assert called["arguments"][-2:] == ["--port", "9000"] and "--no-browser" in called["arguments"]
    assert called["env"]["RADIXLAB_WORK"] == str(work)
    assert called["env"]["PATH"].startswith(str(Path(sys.executable).parent)), "a terminal in it finds `ol`"


def test_without_jupyterlab_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    ran = CliRunner().invoke(lab.command, [])
    assert ran.exit_code == 2 and "pip install 'radixlab[lab]'" in ran.output
