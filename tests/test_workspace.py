"""The learner's folder: found from anywhere, and no version of a file is ever lost."""

import json
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab import splice
from radixlab.workspace import AlreadyThere, NotStarted, Workspace, home, shown


def history(workspace: Workspace) -> list[str]:
    files = [path for path in workspace.folder.glob(".history/**/*.py") if path.is_file()]
    return [path.read_text(encoding="utf-8") for path in files]


@pytest.fixture
def begun(work, chapter) -> Workspace:
    workspace = Workspace(work)
    workspace.start(chapter)
    return workspace


@pytest.fixture
def elsewhere(tmp_path, monkeypatch) -> Path:
    """A folder with no workspace, and none named by the environment."""
    monkeypatch.delenv("RADIXLAB_WORK")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mark(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / ".radixlab").write_text("{}", encoding="utf-8")
    return folder


def test_home_is_the_folder_that_the_environment_names(work, tmp_path, monkeypatch):
    mark(tmp_path / "here" / "work")
    monkeypatch.chdir(tmp_path / "here")
    assert home() == work
    monkeypatch.setenv("RADIXLAB_WORK", os.path.join("~", "mine"))
    assert home() == Path.home() / "mine"
    monkeypatch.setenv("RADIXLAB_WORK", "mine")
    assert home() == tmp_path / "here" / "mine"


def test_home_is_the_nearest_marked_work_here_or_above(elsewhere, monkeypatch):
    outer, inner = mark(elsewhere / "work"), mark(elsewhere / "a" / "work")
    below = elsewhere / "a" / "b" / "notebooks"
    below.mkdir(parents=True)
    (elsewhere / "a" / "b" / "work").mkdir()  # no mark in it
    monkeypatch.chdir(below)
    assert home() == inner
    monkeypatch.chdir(elsewhere)
    assert home() == outer


def test_home_is_made_here_or_beside_the_notebooks(elsewhere, monkeypatch):
    assert home() == elsewhere / "work"
    (elsewhere / "notebooks").mkdir()
    monkeypatch.chdir(elsewhere / "notebooks")
    assert home() == elsewhere / "work"


def test_start_writes_the_stub_and_the_starter(begun, chapter, stub):
    assert begun.tree(chapter).read_text(encoding="utf-8") == stub
    assert begun.tests(chapter).read_text(encoding="utf-8") == chapter.text("starter.py")
    assert begun.started(chapter) is begun
    assert history(begun) == []


def test_start_can_begin_further_on(work, chapter, cut):
    solved = [name for stage in chapter.stages_up_to("insert") for name in stage.writes]
    tree, _ = Workspace(work).start(chapter, solved=tuple(solved))
    assert tree.read_text(encoding="utf-8") == cut("insert")


@pytest.mark.parametrize("name", ["radix.py", "test_radix.py"])
def test_start_overwrites_nothing(work, chapter, name):
    (work / "ds07").mkdir(parents=True)
    (work / "ds07" / name).write_text("mine\n", encoding="utf-8")
    with pytest.raises(AlreadyThere, match=f"{name}: already there, nothing was changed"):
        Workspace(work).start(chapter)
    assert [path.name for path in work.rglob("*.*")] == [name]
    assert (work / "ds07" / name).read_text(encoding="utf-8") == "mine\n"


def test_starting_anew_keeps_the_old(begun, chapter, stub):
    begun.tree(chapter).write_text("my tree\n", encoding="utf-8")
    begun.tests(chapter).write_text("my tests\n", encoding="utf-8")
    begun.start(chapter, force=True)
    assert begun.tree(chapter).read_text(encoding="utf-8") == stub
    assert sorted(history(begun)) == ["my tests\n", "my tree\n"]


def test_what_was_not_started_says_how(work, chapter):
    with pytest.raises(NotStarted, match=r"begin with `ol start ds\.07`"):
        Workspace(work).started(chapter)


def test_reset_puts_one_stage_back_and_keeps_the_old(begun, chapter, reference, stub):
    begun.save(begun.tree(chapter), reference)
    kept = begun.reset(chapter, chapter.stage("locks"))
    assert kept.read_text(encoding="utf-8") == reference
    now = begun.tree(chapter).read_text(encoding="utf-8")
    assert now == splice.cut(reference, stub, ("lock", "unlock")) != reference
    assert splice.piece(now, "_split") == splice.piece(reference, "_split"), "an earlier stage wrote it"


@given(st.lists(st.tuples(st.sampled_from(["radix.py", "test_radix.py"]), st.text("ab\né", max_size=3)), max_size=8))
def test_no_version_is_ever_lost(saves):
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        for name, text in saves:
            path = workspace.folder / "ds07" / name
            there = path.exists()
            kept = workspace.save(path, text)
            assert (kept is not None) == there
            assert path.read_bytes() == text.encode()
        current = [path.read_text(encoding="utf-8") for path in (workspace.folder / "ds07").glob("*")]
        assert Counter(history(workspace) + current) == Counter(text for _, text in saves)


def test_keep_takes_folders_too(begun, chapter):
    path = begun.tree(chapter)
    path.unlink()
    path.mkdir()
    (path / "inside.py").write_text("mine\n", encoding="utf-8")
    begun.save(path, "new\n")
    assert path.read_text(encoding="utf-8") == "new\n"
    assert history(begun) == ["mine\n"]


def test_the_mark_remembers(work):
    workspace = Workspace(work)
    with workspace.state() as state:
        assert state == {}
        state["hints"] = {"lru": 2}
    with workspace.state() as state:
        assert state == {"hints": {"lru": 2}}
        state["hints"]["lru"] = 3
    assert json.loads((work / ".radixlab").read_text(encoding="utf-8")) == {"hints": {"lru": 3}}


@pytest.mark.parametrize("text", ["", "{", "[]", "\0", '"hints"'])
def test_a_mark_that_cannot_be_read_counts_as_empty(begun, text):
    (begun.folder / ".radixlab").write_text(text, encoding="utf-8")
    with begun.state() as state:
        assert state == {}
        state["hints"] = {}
    with begun.state() as state:
        assert state == {"hints": {}}


def test_a_mark_that_is_not_text_counts_as_empty(begun):
    (begun.folder / ".radixlab").write_bytes(b"\xff\xfe\x00")
    with begun.state() as state:
        assert state == {}


def test_what_fails_halfway_is_not_remembered(begun):
    with pytest.raises(KeyError), begun.state() as state:
        state["half"] = True
        raise KeyError
    with begun.state() as state:
        assert state == {}


def test_paths_are_shown_as_typed_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "work" / "radix.py") == "work/radix.py"
    assert shown(tmp_path.parent / "radix.py") == str(tmp_path.parent / "radix.py")
