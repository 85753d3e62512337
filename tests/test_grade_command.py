"""`ol grade` as a lecturer meets it: a class from start to end, interrupted, killed, and gone on with."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from classes import make_class, write_zip
from graded import kept, rows
from processes import none_left

from radixlab import cli
from radixlab.classroom import ledger as ledger_module
from radixlab.classroom.grading import version_of
from radixlab.classroom.ledger import Ledger, LedgerFailed
from radixlab.commands import grade as command


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """Type a command in the folder of this test; return its exit code, and what it printed, one space for many."""
    monkeypatch.chdir(tmp_path)

    def typed(line):
        capsys.readouterr()
        code = cli.main(line.split()[1:])
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, " ".join((out.out + out.err).split())

    return typed


def started(line, cwd):
    return subprocess.Popen(
        [sys.executable, "-m", "radixlab", *line.split()[1:]],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_rows(folder, count):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if (folder / ledger_module.NAME).exists() and len(kept(folder)) >= count:
            return
        time.sleep(0.1)
    raise AssertionError("no grade came")


def test_a_class_is_graded_from_start_to_end(typed, tmp_path, marker):
    made = make_class(tmp_path / "class", 6, seed=4, kinds=("complete", "stub", "broken", "zip", "thin"))
    (tmp_path / "class/grades.csv").write_text("not a submission")
    code, text = typed("ol grade class --out out --isolation none --jobs 2")
    assert code == 0
    assert "passed over: class/grades.csv" in text and "next: open out/report.html" in text
    assert "6 submissions" in text and "without a sandbox" in text
    found = {row["submission"]: row["outcome"] for row in rows(tmp_path / "out")}
    expected = {"complete": "pass", "stub": "not_attempted", "broken": "fail", "zip": "invalid", "thin": "fail"}
    assert found == {Path(path).relative_to(tmp_path).as_posix(): expected[kind] for path, kind in made.items()}
    assert (tmp_path / "out/report.html").is_file()
    assert none_left(marker)

    before = kept(tmp_path / "out")
    code, text = typed("ol grade class --out out --isolation none --resume --formats csv")
    assert code == 0 and "0 to grade" in text and "next: see out" in text
    assert kept(tmp_path / "out") == before


def test_a_run_that_is_killed_goes_on_where_it_was(typed, tmp_path, marker):
    make_class(tmp_path / "class", 5, seed=5, kinds=("stub", "zip", "broken", "thin", "half"))
    process = started("ol grade class --out out --isolation none --jobs 1", tmp_path)
    wait_for_rows(tmp_path / "out", 2)
    process.kill()
    process.communicate()
    assert none_left(marker)
    before = kept(tmp_path / "out")
    assert 2 <= len(before) < 5
    code, _ = typed("ol grade class --out out --isolation none --resume")
    after = kept(tmp_path / "out")
    assert code == 0 and len(after) == len(rows(tmp_path / "out")) == 5
    assert {sha256: after[sha256] for sha256 in before} == before, "nothing is graded twice"


def test_what_came_late_joins_what_was_graded(typed, tmp_path):
    make_class(tmp_path / "class", 2, seed=5, kinds=("stub",))
    make_class(tmp_path / "late", 1, seed=6, kinds=("zip",))
    assert typed("ol grade class --out out --isolation none")[0] == 0
    code, text = typed(f"ol grade {tmp_path / 'late'} --out out --isolation none --resume")
    assert code == 0 and "3 submissions" in text
    assert sorted(Path(row["submission"]).parts[0] for row in rows(tmp_path / "out")) == ["class", "class", "late"]
    code, text = typed("ol grade class --out out --isolation none --resume --chapter L8.4")
    assert code == 2 and "out has grades of ds.07: name another folder for L8.4" in text
    assert len(rows(tmp_path / "out")) == 3


def test_ctrl_c_leaves_nothing_running_and_says_how_to_go_on(tmp_path, marker):
    make_class(tmp_path / "class", 8, seed=6, kinds=("stub",))
    process = started("ol grade class --out out --isolation none --jobs 2", tmp_path)
    wait_for_rows(tmp_path / "out", 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and "--resume" in err and "Traceback" not in out + err
    assert f"{len(kept(tmp_path / 'out'))} of 8 submissions are graded" in err
    assert none_left(marker, within=1.0)
    assert not (tmp_path / "out/grades.csv").exists()


def test_names_that_a_spreadsheet_or_terminal_would_obey_do_no_harm(typed, tmp_path):
    write_zip(tmp_path / 'Doe, Jr "=cmd".zip', {"../x": ""})
    write_zip(tmp_path / "=cmd|' \x1b[31m.zip", {"../x": ""})
    folder = tmp_path / "class"
    folder.mkdir()
    for path in tmp_path.glob("*.zip"):
        path.rename(folder / path.name)
    code, text = typed("ol grade class --out out --isolation none")
    assert code == 0 and "\x1b" not in text
    learners = sorted(row["learner"] for row in rows(tmp_path / "out"))
    assert 'Doe, Jr "=cmd"' in learners and not any(name.startswith("=") for name in learners)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ol grade", "Missing argument"),
        ("ol grade class", "--out"),
        ("ol grade nowhere --out out", "does not exist"),
        ("ol grade empty --out out", "holds no submission on ds.07"),
        ("ol grade class --out full", "--resume"),
        ("ol grade class --out full --resume", "no folder that `ol grade` began"),
        ("ol grade class --out class/a.zip", "is a file"),
        ("ol grade class --out out --chapter ds.99", "there is no chapter"),
        ("ol grade class --out out --formats csv,word", "choose from json, html, csv"),
        ("ol grade class --out out --jobs 0", "--jobs"),
        ("ol grade class --out out --timeout 0", "--timeout"),
        ("ol grade class --out out --isolation some", "--isolation"),
        ("ol grade class --out out --dask nonsense", "no address of a Dask scheduler"),
    ],
)
def test_wrong_usage_is_said_and_writes_nothing(typed, tmp_path, line, says):
    for folder in ("class", "empty", "full"):
        (tmp_path / folder).mkdir()
    (tmp_path / "full/notes.txt").write_text("mine")
    (tmp_path / "class/a.zip").write_bytes(b"")
    code, text = typed(line)
    assert code == 2 and says in text
    assert not (tmp_path / "out").exists() and [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


@pytest.fixture
def one(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class/a.zip").write_bytes(b"no zip")


def test_without_a_sandbox_nothing_is_graded(typed, tmp_path, one, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, text = typed("ol grade class --out out")
    assert code == 3 and "apt install bubblewrap" in text
    assert not (tmp_path / "out").exists()
    (tmp_path / "class/b.py").write_text("ROOT = 0\n")
    code, text = typed("ol grade class --out out --isolation auto")
    assert code == 0 and [row["isolation"] for row in rows(tmp_path / "out")] == ["not run", "none"]


def test_a_ledger_that_fails_is_a_sentence_and_exit_3(typed, tmp_path, one, monkeypatch):
    def full(self, grade, timeout_s):
        raise LedgerFailed(f"the ledger {self.path} cannot be used: database or disk is full")

    monkeypatch.setattr(Ledger, "add", full)
    code, text = typed("ol grade class --out out --isolation none")
    assert code == 3 and "disk is full" in text and "--resume" in text
    monkeypatch.undo()
    os.chdir(tmp_path)
    assert kept(tmp_path / "out") == {}


def test_no_dask_scheduler_is_a_sentence_and_exit_3(typed, one, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("radixlab.classroom.executor._HELLO", 0.5)
    code, text = typed("ol grade class --out out --isolation none --dask tcp://127.0.0.1:1")
    assert code == 3 and "no Dask scheduler answers at tcp://127.0.0.1:1" in text


def test_what_could_not_be_graded_is_exit_3_and_graded_again(typed, tmp_path, one, monkeypatch):
    monkeypatch.setattr("radixlab.classroom.alone._START", "raise SystemExit('out of order')")
    code, text = typed("ol grade class --out out --isolation none")
    assert code == 3 and "1 of 1 could not be graded" in text and "out of order" in text and "--resume" in text
    assert rows(tmp_path / "out")[0]["outcome"] == "infra_error"
    monkeypatch.undo()
    os.chdir(tmp_path)
    assert cli.main(["grade", "class", "--out", "out", "--isolation", "none", "--resume"]) == 0
    assert rows(tmp_path / "out")[0]["outcome"] == "invalid"


def test_the_help_shows_what_to_type(typed):
    code, text = typed("ol grade --help")
    assert code == 0
    for word in ("a zip", "--resume", "report.html", "grades.csv", "ol grade submissions/ --out graded/", "exit code"):
        assert word in text


def test_jobs_are_as_many_as_cores():
    assert command.cores() >= 1


def test_the_ledger_knows_the_version_of_the_chapter(typed, tmp_path, one, chapter):
    typed("ol grade class --out out --isolation none --formats csv")
    with Ledger(tmp_path / "out" / ledger_module.NAME) as ledger:
        assert [grade.chapter_version for grade in ledger.grades(version_of(chapter))] == [version_of(chapter)]
