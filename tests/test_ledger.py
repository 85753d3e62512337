"""The ledger: what was written stays, whatever happens to whoever writes."""

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from radixlab.classroom import ledger as module
from radixlab.classroom.grade import EXAMPLE, SLOW, Grade
from radixlab.classroom.ledger import Entry, Ledger, LedgerFailed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


def grade(sha256="a", **fields):
    return Grade.from_dict(EXAMPLE | {"sha256": sha256, "chapter_version": "v1"} | fields)


def test_a_grade_is_there_after_the_ledger_was_closed(path):
    with Ledger(path) as ledger:
        assert ledger.add(grade())
    with Ledger(path) as ledger:
        assert ledger.find("a", "v1") == grade()
        assert ledger.find("a", "v2") is None and ledger.find("b", "v1") is None


def test_each_submission_has_the_grade_of_its_content_under_its_own_name(path):
    with Ledger(path) as ledger:
        ledger.enrol([Entry("zed.zip", "zed", "a"), Entry("jane", "Jane", "a", ("a note",)), Entry("max", "Max", "b")])
        ledger.add(grade(notes=["graded without isolation"]))
        ledger.add(grade("c"))
        jane, zed = ledger.grades("v1")
    assert (jane.submission, jane.learner, jane.notes) == ("jane", "Jane", ("a note", "graded without isolation"))
    assert (zed.submission, zed.learner, zed.sha256) == ("zed.zip", "zed", jane.sha256)


def test_the_submissions_of_earlier_runs_stay_and_a_changed_one_takes_its_own_place(path):
    with Ledger(path) as ledger:
        ledger.add(grade())
        ledger.add(grade("b"))
        ledger.enrol([Entry("jane", "Jane", "a"), Entry("late/max", "Max", "a")])
        ledger.enrol([Entry("late/max", "Max", "b"), Entry("zed", "Zed", "c")])
        assert [(each.submission, each.sha256) for each in ledger.grades("v1")] == [("jane", "a"), ("late/max", "b")]
        assert ledger.ungraded("v1") == ["zed"] and len(ledger.ungraded("v2")) == 3


def test_learners_of_one_name_are_told_apart_by_their_numbers(path):
    with Ledger(path) as ledger:
        ledger.add(grade())
        known = [
            ("1", "doejane", "41"),
            ("2", "doejane", "42"),
            ("3", "max", "43"),
            ("4", "max", "43"),
            ("5", "zed", ""),
        ]
        ledger.enrol([Entry(name, learner, "a", (), number) for name, learner, number in known])
        assert [each.learner for each in ledger.grades("v1")] == ["doejane 41", "doejane 42", "max", "max", "zed"]


def test_a_ledger_knows_its_chapter(path):
    with Ledger(path) as ledger:
        assert ledger.chapter() is None
        ledger.add(grade())
        assert ledger.chapter() == "ds.07"


def test_what_ran_out_of_time_gives_way_to_what_had_more(path):
    with Ledger(path) as ledger:
        assert ledger.add(grade(outcome="timeout"), 60.0)
        assert not ledger.add(grade(outcome="timeout"), 60.0)
        assert ledger.add(grade(outcome="fail", notes=[SLOW]), 90.0) and ledger.time_given("a", "v1") == 90.0
        assert not ledger.add(grade(outcome="timeout"), 30.0)
        assert ledger.add(grade(outcome="pass"), 10.0) and not ledger.add(grade(outcome="timeout"), 900.0)


WORTH = [
    {"outcome": "infra_error", "isolation": "none"},
    {"outcome": "infra_error", "isolation": "bubblewrap"},
    {"outcome": "fail", "isolation": "none"},
    {"outcome": "pass", "isolation": "bubblewrap"},
]


@pytest.mark.parametrize(("old", "new"), list(itertools.product(range(4), range(4))))
def test_a_grade_gives_way_to_a_better_one_only(path, old, new):
    with Ledger(path) as ledger:
        ledger.add(grade(**WORTH[old], message="old"))
        kept = ledger.add(grade(**WORTH[new], message="new"))
        assert kept == (ledger.find("a", "v1").message == "new") == (new > old or old < 2)


def test_the_ledger_agrees_with_a_dictionary(path):
    rng, model = random.Random(3), {}
    ledger = Ledger(path)
    for step in range(300):
        key = rng.choice("abcdef"), rng.choice(("v1", "v2"))
        if rng.random() < 0.1:
            ledger.close()
            ledger = Ledger(path)
        elif rng.random() < 0.5:
            new = grade(key[0], chapter_version=key[1], message=str(step), **rng.choice(WORTH))
            old = model.get(key)
            worse = old and old.final and (not new.final or (old.isolation, new.isolation) != ("none", "bubblewrap"))
            assert ledger.add(new) == (not worse)
            if not worse:
                model[key] = new
        else:
            assert ledger.find(*key) == model.get(key)
    ledger.close()


WRITER = """
import sys
from pathlib import Path
from radixlab.classroom.grade import EXAMPLE, Grade
from radixlab.classroom.ledger import Ledger

with Ledger(Path(sys.argv[1])) as ledger:
    for number in range(int(sys.argv[3])):
        ledger.add(Grade.from_dict(EXAMPLE | {"sha256": f"{sys.argv[2]}{number}", "chapter_version": "v1"}))
        print(number, flush=True)
"""


def writer(path, name, count):
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_was_added_is_there_after_a_kill_at_any_moment(path):
    rng = random.Random(11)
    for attempt in range(4):
        process = writer(path, f"{attempt}-", 100_000)
        process.stdout.readline()
        time.sleep(rng.random() * 0.2)
        os.kill(process.pid, signal.SIGKILL)
        said = process.stdout.read().split()
        process.wait()
        with Ledger(path) as ledger:
            assert ledger._rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            for number in said:
                assert ledger.find(f"{attempt}-{number}", "v1")


def test_several_processes_write_at_the_same_time(path):
    writers = [writer(path, name, 25) for name in "abc"]
    for process in writers:
        process.communicate()
        assert process.returncode == 0
    with Ledger(path) as ledger:
        assert all(ledger.find(f"{name}{number}", "v1") for name in "abc" for number in range(25))


def test_a_full_disk_is_said_and_costs_no_row(path):
    with Ledger(path) as ledger:
        pages = ledger._rows.execute("PRAGMA page_count").fetchone()[0]
        ledger._rows.execute(f"PRAGMA max_page_count = {pages + 5}")
        kept = 0
        with pytest.raises(LedgerFailed, match=r"ledger\.sqlite.*full"):
            for kept in range(100):
                ledger.add(grade(str(kept), message="x" * 300))
        assert 0 < kept < 100
        assert all(ledger.find(str(number), "v1") for number in range(kept))
    with Ledger(path) as ledger:
        assert ledger.add(grade(str(kept))), "and it goes on when there is room"
        assert all(ledger.find(str(number), "v1") for number in range(kept + 1))


def test_a_ledger_that_is_read_only_is_said(path, monkeypatch):
    Ledger(path).close()
    connect = sqlite3.connect
    monkeypatch.setattr(
        module.sqlite3, "connect", lambda path, **options: connect(f"file:{path}?mode=ro", uri=True, **options)
    )
    with pytest.raises(LedgerFailed, match="readonly"), Ledger(path) as ledger:
        ledger.add(grade())


def test_what_is_no_ledger_is_said(path, tmp_path):
    path.write_bytes(b"no ledger at all " * 100)
    with pytest.raises(LedgerFailed, match="not a database"):
        Ledger(path)
    with pytest.raises(LedgerFailed, match="unable to open"):
        Ledger(tmp_path)


def test_a_row_that_is_no_grade_is_said(path):
    with Ledger(path) as ledger:
        ledger._rows.execute("INSERT INTO grades VALUES ('a', 'v1', '{}', 60)")
        with pytest.raises(LedgerFailed, match="no grade"):
            ledger.find("a", "v1")
