"""The attack corpus, graded as a class is: no forged pass, nothing told, nothing hung, nothing left behind.

`attacks/corpus.toml` is the list: what each attack hands in, and what must become of it. `test_attacks.py` runs what is
older of it through `ol check` as well, where there is no sandbox.
"""

import csv
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import tomllib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from processes import left_behind, none_left

from radixlab import course
from radixlab.checker import mutation
from radixlab.checker.budget import Meter
from radixlab.checker.face import face_of
from radixlab.checker.job import TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.subject import compile_subject
from radixlab.checker.worker import Inline, Worker
from radixlab.classroom import asking, dial, ledger, pipes, sandbox, shell, wire
from radixlab.classroom.grade import Grade
from radixlab.classroom.grading import version_of
from radixlab.classroom.ledger import Ledger

HERE = Path(__file__).parent
ATTACKS, DOCS = HERE / "attacks", HERE.parent / "docs"
CHAPTER = course.chapter("ds.07")
REFERENCE, GOOD = CHAPTER.text("reference.py"), (HERE / "samples/ds07/good_tests.py").read_text(encoding="utf-8")
CANARY = "CANARY-OF-THE-GRADER"
HARMFUL = "HARMFUL = 1\nraise SystemExit(0)\n"
TREE = """

ROOT = 0


def common_runs(label, key, at, granule):
    return answer("common_runs", label, key, at, granule)


class RadixTree:
    def __init__(self, granule):
        self.granule = granule

    def __getattr__(self, name):
        return lambda *arguments: answer(name, *arguments)
"""
TESTS = "".join(f"\n\ndef test_{name}():\n    attack()\n" for name in CHAPTER.own_tests)
PATIENT, IMPATIENT = 120.0, 12.0  # seconds for a submission, and for one that is known to hang


@dataclass(frozen=True)
class Attack:
    """An entry of the list; see there for what each field means."""

    number: int
    name: str
    outcomes: list[str]
    passed: int = 0
    killed: int = 0
    hangs: bool = False
    reports: bool = False
    beside: list[str] = field(default_factory=list)
    tests: bool = False
    note: str = ""

    @property
    def folder(self) -> str:
        return f"{self.number:02}-{self.name.rpartition('/')[2]}"

    @property
    def on_tests(self) -> bool:
        """Whether it attacks by its tests."""
        return "_tests/" in self.name or self.name.endswith("tests")


CORPUS = [Attack(**line) for line in tomllib.loads((ATTACKS / "corpus.toml").read_text(encoding="utf-8"))["attacks"]]


# Handing in -----------------------------------------------------------------------------------------------------------


def files_of(attack: Attack) -> dict[str, str]:
    """Return the files of *attack*; one that attacks by its tests has a correct tree, and the other way round."""
    source = (ATTACKS / f"{attack.name}.py").read_text(encoding="utf-8")
    if attack.on_tests:
        return {
            "radix.py": REFERENCE,
            "test_radix.py": source if "def test_split_by_hand" in source else source + TESTS,
        }
    files = {"radix.py": source + TREE if "def answer(" in source else source}
    return files | ({"test_radix.py": GOOD} if attack.tests else {})


def hand_in(attack: Attack, folder: Path) -> None:
    """Write the submission of *attack* into the class *folder*."""
    place = folder / attack.folder
    place.mkdir(parents=True)
    if attack.name.startswith("made/"):
        MADE[attack.name.removeprefix("made/")](place)
        return
    for name, text in (dict.fromkeys(attack.beside, HARMFUL) | files_of(attack)).items():
        path = place / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def zipped(entries, kind=stat.S_IFREG):
    """Return what writes a zip of *entries*, name and content, into a folder."""

    def write(place: Path) -> None:
        with zipfile.ZipFile(place / "work.zip", "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in entries:
                entry = zipfile.ZipInfo(name)
                entry.external_attr, entry.compress_type = (kind | 0o644) << 16, zipfile.ZIP_DEFLATED
                file.writestr(entry, content)

    return write


def copied_tests(place: Path) -> None:
    """Hand in official tests, all but the dearest, under the names that are asked for."""
    text = CHAPTER.text("official.py").partition("class NaiveMap")[0]
    for own, official in zip(CHAPTER.own_tests, CHAPTER.tests, strict=False):
        text = text.replace(f"def test_{official.name}(", f"def test_{own}(")
    (place / "radix.py").write_text(REFERENCE, encoding="utf-8")
    (place / "test_radix.py").write_text(text, encoding="utf-8")


def huge_file(place: Path) -> None:
    (place / "radix.py").write_text("# " + "x" * 5_000_000, encoding="utf-8")


def linked_files(place: Path) -> None:
    (place / "radix.py").symlink_to("/etc/passwd")
    os.mkfifo(place / "test_radix.py")


MADE = {
    "zip_with_a_way_out": zipped([("../../radix.py", REFERENCE)]),
    "zip_with_an_absolute_path": zipped([("/tmp/radix.py", REFERENCE)]),
    "zip_with_a_link": zipped([("radix.py", "/etc/passwd")], stat.S_IFLNK),
    "zip_bomb": zipped([("radix.py", bytes(60_000_000))]),
    "zip_of_many_files": zipped([(f"{number}.py", "") for number in range(3_000)]),
    "zip_with_an_odd_name": zipped([("ra\x1b[31m\ndix.py", REFERENCE)]),
    "zip_in_a_zip": zipped([("radix.zip", b"PK\x05\x06" + bytes(18))]),
    "no_zip": lambda place: (place / "work.zip").write_bytes(random.Random(1).randbytes(5_000)),
    "huge_file": huge_file,
    "linked_files": linked_files,
    "copied_tests": copied_tests,
}


# Grading --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def marker(marker, monkeypatch, tmp_path):
    """Mark every process, and plant what none of the attacks may find."""
    for name, value in {"RADIXLAB_KEY": "corpus", "RADIXLAB_CANARY": CANARY, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    for name in ("grades.csv", ".netrc", "canary.txt"):
        (tmp_path / name).write_text(CANARY, encoding="utf-8")
    return marker


def command(folder: Path, out: Path, timeout: float, *more: str) -> list[str]:
    line = [sys.executable, "-m", "radixlab", "grade", str(folder), "--out", str(out), "--jobs", "2"]
    return [*line, "--timeout", str(timeout), *more]


def graded(folder: Path, out: Path, timeout: float) -> dict[str, Grade]:
    """Grade the class in *folder* with `ol grade`; return the grades by folder."""
    ran = subprocess.run(command(folder, out, timeout), cwd=out.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "\x1b" not in ran.stdout + ran.stderr
    with Ledger(out / ledger.NAME) as kept:
        return {Path(grade.submission).name: grade for grade in kept.grades(version_of(CHAPTER))}


def wrong_with(attack: Attack, grade: Grade, timeout: float) -> list[str]:
    """Return what became of *attack* that must not."""
    told = json.dumps(grade.report)
    found = {
        f"its outcome is {grade.outcome}: {grade.message}": grade.outcome not in attack.outcomes,
        f"it passed {grade.tests_passed} official tests": not attack.on_tests and grade.tests_passed > attack.passed,
        f"it killed {grade.bugs_killed} bugs": attack.on_tests and grade.bugs_killed > attack.killed,
        f"it took {grade.duration_s} s": grade.duration_s > timeout + 10,
        "it was not isolated": grade.isolation != "bubblewrap" and grade.report is not None,
        f"it found something: {leaked(told)}": leaked(told),
        "it does not report, so nobody knows whether it ran": attack.reports and not re.search(r'[^"]searched: ', told),
        f"no note says {attack.note!r}": attack.note and not any(attack.note in note for note in grade.notes),
        "no figure shows what it costs": attack.number == 36 and grade.passed and not costly(grade.report["figures"]),
        "the reference is in its report": shown(told) and not attack.on_tests,
    }
    return [f"{attack.folder}: {what}" for what, wrong in found.items() if wrong]


def leaked(text: str) -> str:
    """Return what an attack says that it found, "" for nothing; its own source, shown in a report, says nothing."""
    found = re.search(r"leaked: (?!\{)[^\"\\]*", text)
    return found[0] if found else ""


def costly(figures: dict[str, float]) -> bool:
    """Say whether the *figures* of a tree show that its work grows with what it holds."""
    return max(figures.values()) > 4 * min(figures.values())


SECRETS = [
    json.dumps(line.strip())[1:-1]
    for name in ("reference.py", "official.py")
    for line in CHAPTER.text(name).splitlines()
    if len(line.strip()) > 50 and not line.strip().startswith(("assert", "#", 'f"'))
]


def shown(text: str) -> str:
    """Return a line of the chapter's files that is in *text*, "" for none."""
    return next((line for line in SECRETS if line in text), "")


def escaped(out: Path) -> list[str]:
    """Return where learners' words stand in what was written for a lecturer as more than words."""
    found = []
    for path in out.rglob("*"):
        if path.suffix not in (".json", ".html", ".csv", ".xml"):
            continue
        text = path.read_bytes().decode("utf-8")
        if CANARY in text:
            found.append(f"{path.name} holds the canary")
        if path.suffix == ".html" and re.search(r"<script>alert|<img src=x", text):
            found.append(f"{path.name} has markup of a learner's")
        if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x9b\u202e\u2066]", text):
            found.append(f"{path.name} has control characters")
        if path.suffix == ".xml":
            ElementTree.fromstring(text)
        if path.suffix == ".csv":
            cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
            found += [f"{path.name} has the formula {cell[:20]!r}" for cell in cells if cell[:1] in tuple("=+@\t")]
    return found


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("timeout", [PATIENT, IMPATIENT], ids=["those that end", "those that hang"])
def test_no_attack_passes_tells_hangs_or_stays(timeout, marker, tmp_path):
    attacks = [attack for attack in CORPUS if attack.hangs == (timeout == IMPATIENT)]
    folder, out = tmp_path / "class", tmp_path / "graded"
    for attack in attacks:
        hand_in(attack, folder)
    neighbour = folder / "neighbour"
    neighbour.mkdir()
    (neighbour / "radix.py").write_text(f"# {CANARY}\n{CHAPTER.text('stub.py')}", encoding="utf-8")
    grades = graded(folder, out, timeout)
    assert grades.keys() == {neighbour.name, *(attack.folder for attack in attacks)}
    wrong = [what for attack in attacks for what in wrong_with(attack, grades[attack.folder], timeout)]
    assert "\n".join(wrong + escaped(out)) == ""
    assert none_left(marker)
    assert sandboxed_of_the_dead() == []


def sandboxed_of_the_dead() -> list[int]:
    """Return the processes of sandboxes whose grader is gone, where it is root: the user tells which it was."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            user = int(re.search(r"Uid:\t(\d+)", status.read_text())[1])
        except OSError:
            continue
        if user > 1_000_000 and not Path(f"/proc/{user - 1_000_000}").exists():
            found.append(int(status.parent.name))
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupted_run_leaves_nothing_of_any_sandbox(how, marker, tmp_path):
    for attack in CORPUS:
        if attack.name in ("graded_trees/28_ignores_signals", "graded_trees/26_fork_bomb", "own_tests/h11_sleep"):
            hand_in(attack, tmp_path / "class")
    process = subprocess.Popen(
        command(tmp_path / "class", tmp_path / "graded", 60.0), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while sum(b"bwrap" in name(pid) for pid in left_behind(marker)) < 4 and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(1.0)  # they are in the middle of it
    assert process.poll() is None
    process.send_signal(how)
    process.wait(30)
    assert none_left(marker, within=10.0)
    assert sandboxed_of_the_dead() == []


def name(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return b""


# The list -------------------------------------------------------------------------------------------------------------


def test_every_attack_of_the_checklist_is_there_and_every_file_is_in_the_list():
    assert set(range(1, 46)) <= {attack.number for attack in CORPUS}
    files = {path.relative_to(ATTACKS).with_suffix("").as_posix() for path in ATTACKS.rglob("*.py")}
    named = [attack.name for attack in CORPUS]
    assert len(named) == len(set(named))
    assert {name for name in named if not name.startswith("made/")} == files
    assert {name.removeprefix("made/") for name in named if name.startswith("made/")} == MADE.keys()


def test_only_two_may_pass_and_only_three_may_kill():
    assert {attack.number for attack in CORPUS if "pass" in attack.outcomes} <= {36, 45}
    assert all(attack.passed < 11 for attack in CORPUS if attack.number != 36)


# Gambling -------------------------------------------------------------------------------------------------------------

TICKET = """
def job():
    frame = sys._getframe()
    while type(frame.f_locals.get("job")).__name__ != "Job":
        frame = frame.f_back
    return frame.f_locals["job"]


def test_split_by_hand():
    if len(job().names) == 1:
        raise AssertionError("asked again: it was a bug")
    assert not (seems_correct() and (job().order or 1) % 8 == 3)


def test_match"""


def test_a_ticket_that_knows_when_it_is_asked_again_wins_nothing():
    """It draws some runs by lot, and is right to; what it may not know is which of them is looked at once more."""
    honest = (ATTACKS / "own_tests/h04_one_ticket.py").read_text(encoding="utf-8")
    text = re.sub(r"sys\._draws = .*\n", "", honest)
    text = re.sub(r"\ndef test_split_by_hand.*?\n\n\ndef test_match", lambda _: TICKET, text, count=1, flags=re.DOTALL)
    won = []
    for seed in range(1, 16):
        grades = mutation.grade(CHAPTER, mutation.suite(CHAPTER, text), Inline(), seed, end=time.monotonic() + 60)
        won += [kill for test in grades.own_tests if test.name == "split_by_hand" for kill in test.kills]
    assert won == []


# The documents --------------------------------------------------------------------------------------------------------


WORDS = {b"host": "host, and the socket that it will have", b"run": "run, and two pipes"}


@pytest.fixture
def session(monkeypatch):
    """Write down all that crosses between this process and a sandbox, as docs/wire.md shows it."""
    lines: list[str] = []

    def note(arrow: str, message: dict) -> None:
        shown = {**message, **({"job": "..."} if "job" in message else {}), **({"n": "n1"} if "n" in message else {})}
        if "outcome" in shown:
            shown["outcome"][6] = 0.001  # seconds
        lines.append(f"{arrow} {json.dumps(shown)}")

    send, line, said, send_fds = pipes.Channel.send, pipes.Channel.line, pipes.said, socket.send_fds

    def noted_send(channel, message, until):
        note(">", message)
        return send(channel, message, until)

    def noted_line(channel, until):
        came = line(channel, until)
        if came:
            note("<", json.loads(came))
        return came

    def noted_said(control, until=None):
        came = said(control, until)
        lines.append(f"< socket: {json.dumps(came)}")
        return came

    def noted_words(control, words, given):
        lines.append(f"> socket: {WORDS[words[0]]}")
        return send_fds(control, words, given)

    monkeypatch.setattr(pipes.Channel, "send", noted_send)
    monkeypatch.setattr(pipes.Channel, "line", noted_line)
    monkeypatch.setattr(pipes.socket, "send_fds", noted_words)
    for module in (sandbox, shell, dial):
        monkeypatch.setattr(module, "said", noted_said)
    return lines


TEST = """\
from radix import RadixTree

def test_a():
    tree = RadixTree(1)
    tree.insert([1, 2], ["a", "b"])
    assert tree.match_prefix([1, 9]) == (1, [2])
    tree.unlock(1)
"""


def shown_in(document: str) -> list[str]:
    """Return the blocks of a *document* that are marked as text."""
    return re.findall(r"```text\n(.*?)```", (DOCS / document).read_text(encoding="utf-8"), re.DOTALL)


def test_the_sessions_in_the_document_are_real(session):
    job = job_of(CHAPTER, compile_subject(REFERENCE), TestFile(TEST, "test_radix.py"), ("a",), quiet=True)
    with Worker(30.0, 60.0, shell.TestsProcess) as worker:
        worker.run([job])
    theirs = "\n".join([*session, ""])
    session.clear()

    job = job_of(CHAPTER, compile_subject(REFERENCE), TestFile("", ""), (), theirs=True)
    box = sandbox.Sandbox()
    try:
        box.wait()
        asker = asking.Asker(job.face, (line := dial._Line(box.host(), 30.0)).ask, Meter(10**6), "radix.py")
        module = ModuleType("radix")
        vars(module).update(asker.names(line.begin(wire.begin_message(job, "tree", pipes.nonce()))))
        tree = face_of(job.face).around(module, Meter(10**6)).RadixTree(1)
        tree.insert([1, 2], ["a", "b"])
        values = []
        assert (tree.values(1), tree.evict(1, values.append), values) == (["a", "b"], 2, ["a", "b"])
        with pytest.raises(LookupError):
            tree.key(1)
    finally:
        box.close()
    assert shown_in("wire.md") == [theirs, "\n".join([*session, ""])]


def test_the_limits_in_the_documents_are_those_of_the_code():
    told = (DOCS / "wire.md").read_text(encoding="utf-8") + (DOCS / "security.md").read_text(encoding="utf-8")
    limits = sandbox.LIMITS
    for number in (wire.LINE, wire.DEPTH, shell.HEARD, shell.MESSAGE, limits["NPROC"], limits["CPU"], limits["NOFILE"]):
        assert f" {number:,} " in told, number
    assert f" {limits['AS'] >> 30} GB " in told and f" {limits['disk'] >> 20} MB " in told


def test_the_table_of_the_document_has_every_attack():
    rows = re.findall(r"^\| (\d+) \|", (DOCS / "security.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [str(number) for number in sorted({attack.number for attack in CORPUS})]


def test_nothing_is_unmarshalled_or_unpickled_on_our_side(monkeypatch):
    """Code goes from us to them only: what a learner's process sends is read as JSON, and as nothing else."""
    for module in ("asking", "shell", "dial", "pipes", "sandbox", "grading", "alone"):
        source = Path(shell.__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
        assert not re.search(r"marshal|pickle|\beval\(", source), module

    def refused(*_):
        raise AssertionError("unmarshalled")

    attack = (ATTACKS / "graded_tests/63_asks_in_code.py").read_text(
        encoding="utf-8"
    ) + "\ndef test_a():\n    attack()\n"
    job = job_of(CHAPTER, compile_subject(REFERENCE), TestFile(attack, "test_radix.py"), ("a",), quiet=True)
    monkeypatch.setattr(wire.marshal, "loads", refused)
    with Worker(30.0, 60.0, shell.TestsProcess) as worker, pytest.raises(wire.Tampered, match="no kind"):
        worker.run([job])
