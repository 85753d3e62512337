"""`ol` as a learner meets it: the whole walk, broken files, usage, and what is left behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from radixlab import course, splice
from radixlab.cli import main
from radixlab.reports import json as as_json

CHAPTER = course.chapter("ds.07")
SAMPLES = Path(__file__).parent / "samples" / "ds07"
GOOD = (SAMPLES / "good_tests.py").read_text(encoding="utf-8")
SCHEMA = json.loads((Path(as_json.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
GREEN = {"runs": 0, "new": 0, "insert": 2, "split": 4, "locks": 6, "lru": 6, "evict": 11}


class Learner:
    """Someone at a terminal, in a folder of their own."""

    def __init__(self, folder: Path, capsys) -> None:
        self.capsys = capsys
        self.tree, self.tests = folder / "work/ds07/radix.py", folder / "work/ds07/test_radix.py"

    def types(self, command: str) -> tuple[int, str]:
        """Type a command; return its exit code and all that it printed."""
        self.capsys.readouterr()
        code = main(command.split()[1:])
        out = self.capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, " ".join((out.out + out.err).split())

    def checks(self, options: str = "") -> dict:
        """Check with a JSON report, validated; the exit code is the report's."""
        self.capsys.readouterr()
        code = main(f"check ds.07 --json - {options}".split())
        report = json.loads(self.capsys.readouterr().out)
        jsonschema.validate(report, SCHEMA)
        assert report["exit_code"] == code
        return report

    def writes(self, stage: course.Stage) -> None:
        """Fill one stage in, as the reference has it."""
        self.tree.write_text(splice.cut(self.tree.read_text(), CHAPTER.text("reference.py"), stage.writes))


@pytest.fixture
def learner(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RADIXLAB_WORK", raising=False)
    return Learner(tmp_path, capsys)


def test_the_whole_walk_of_a_learner(learner):
    code, said = learner.types("ol check ds.07")
    assert code == 2 and "ol start ds.07" in said
    code, said = learner.types("ol start ds.07")
    assert code == 0 and "work/ds07/radix.py" in said and "next:" in said
    report = learner.checks()
    assert report["verdict"] == "not_attempted" and "common_runs" in report["next"]
    assert {test["outcome"] for test in report["tests"]} == {"not_run"}

    code, said = learner.types("ol tdd red ds.07")
    assert code == 1 and "test_split_by_hand" in said
    shutil.copy(SAMPLES / "good_tests.py", learner.tests)
    code, said = learner.types("ol tdd red ds.07")
    assert (code, "red" in said) == (0, True), said
    code, said = learner.types("ol tdd green ds.07")
    assert code == 1 and "fails on your tree" in said
    report = learner.checks()
    assert report["mutation"]["killed"] == 18 and report["verdict"] == "fail", "own tests are graded in any case"

    for position, stage in enumerate(CHAPTER.stages):
        report = learner.checks(f"--stage {stage.name}")
        assert report["verdict"] == "not_attempted" and CHAPTER.own_names(stage)[0] in report["next"]
        learner.writes(stage)
        report = learner.checks(f"--stage {stage.name}")
        assert report["verdict"] == "pass" and report["stage"] == stage.name, report["tests"]
        report = learner.checks()
        green = [test["name"] for test in report["tests"] if test["outcome"] == "passed"]
        assert len(green) == GREEN[stage.name]
        assert {test["outcome"] for test in report["tests"]} <= {"passed", "not_run"}, "it waits, it is not red"
        if position + 1 < len(CHAPTER.stages):
            assert report["exit_code"] == 1 and CHAPTER.stages[position + 1].notebook in report["next"]
            code, said = learner.types("ol diff ds.07")
            assert code == 1 and "--spoil" in said and "_link_after(node, older)" not in said
    assert report["verdict"] == "pass" and report["exit_code"] == 0
    assert set(report["figures"]) == {"steps per eviction, 100 leaves", "steps per eviction, 1,600 leaves"}

    assert learner.types("ol tdd green ds.07")[0] == 0
    shutil.copy(SAMPLES / "thin_tests.py", learner.tests)
    report = learner.checks()
    assert report["verdict"] == "fail" and not report["mutation"]["passed"]
    assert "s11" not in {bug["id"] for bug in report["mutation"]["bugs"] if bug["killed"]}
    code, said = learner.types("ol bugs ds.07 --hints")
    assert code == 0 and "alive: " in said and CHAPTER.bug("s11").hint in said
    assert CHAPTER.bug("s11").title not in said, "a survivor is not given away"
    shutil.copy(SAMPLES / "good_tests.py", learner.tests)
    code, said = learner.types("ol check ds.07")
    assert code == 0 and "18 of 18 caught" in said and "ol diff" in said
    code, said = learner.types("ol diff ds.07")
    assert code == 0 and "the reference" in said


def test_start_never_overwrites(learner):
    learner.types("ol start ds.07")
    learner.tree.write_text("mine = 1\n")
    code, said = learner.types("ol start ds.07")
    assert code == 2 and "--force" in said and learner.tree.read_text() == "mine = 1\n"
    code, _ = learner.types("ol start ds.07 --force --from locks")
    kept = [path.read_text() for path in Path("work/.history/ds07").iterdir()]
    assert code == 0 and "mine = 1\n" in kept
    assert learner.checks("--stage split")["verdict"] == "pass"
    assert learner.checks("--stage locks")["verdict"] == "not_attempted"


def test_start_in_a_folder_of_choice(learner, monkeypatch):
    code, said = learner.types("ol start ds.07 --dir elsewhere")
    assert code == 0 and "RADIXLAB_WORK=elsewhere" in said and Path("elsewhere/ds07/radix.py").is_file()
    monkeypatch.setenv("RADIXLAB_WORK", "elsewhere")
    assert learner.checks()["verdict"] == "not_attempted"


def test_hints_go_on_where_they_stopped(learner):
    learner.types("ol start ds.07")
    stage = CHAPTER.stage("split")
    seen = [learner.types("ol hint ds.07 split")[1] for _ in range(4)]
    for level, said in enumerate(seen, 1):
        shown = [" ".join(hint.split()) in said for hint in stage.hints]
        assert shown == [n < level for n in range(3)]
    assert CHAPTER.stages[0].goal in learner.types("ol hint ds.07")[1], "without a stage: where you are"
    learner.types("ol start ds.07 --force --from lru")
    text = learner.tree.read_text()
    learner.tree.write_text(text.replace("        upper.locks = lower.locks", "        upper.locks = 0"))
    assert CHAPTER.stage("locks").goal in learner.types("ol hint ds.07")[1], "written is not right"
    said = learner.types("ol list")[1]
    assert "x locks" in said and "+ split" in said and ". lru" in said and "at stage locks" in said


def test_a_stage_half_written_shows_what_fails_and_names_what_is_left(learner):
    learner.types("ol start ds.07 --from evict")
    body = splice.piece(REFERENCE, "evict").replace("freed < n", "freed <= n")
    for name, text in (("evict", body), ("_remove_leaf", splice.piece(REFERENCE, "_remove_leaf"))):
        learner.tree.write_text(splice.put(learner.tree.read_text(), name, text))
    report = learner.checks("--stage evict")
    assert report["verdict"] == "fail" and "_alloc: not written yet" in report["next"]
    assert any(CHAPTER.bug("m03").symptom[1:] in test["message"] for test in report["tests"])
    learner.tree.write_text(splice.put(learner.tree.read_text(), "evict", "    def evict(self n):\n        pass\n"))
    assert "does not load" in learner.checks("--stage evict")["next"]


def test_what_a_check_finds_without_a_workspace(learner):
    good = SAMPLES / "good_tests.py"
    assert learner.checks(f"--impl reference --tests {good}")["verdict"] == "pass"
    report = learner.checks("--impl sorted_scan --no-mutation")
    assert report["verdict"] == "pass" and report["own_tests"] is None and report["mutation"] is None
    report = learner.checks("--impl s03 --no-mutation")
    assert report["verdict"] == "fail" and CHAPTER.bug("s03").symptom in json.dumps(report)
    assert learner.checks("--impl stub --no-mutation")["verdict"] == "not_attempted"
    assert not Path("work").exists(), "nothing is written where nothing was begun"


def test_the_same_seed_gives_the_same_report(learner):
    options = f"--impl s06 --tests {SAMPLES / 'thin_tests.py'} --seed 7"
    one, other = (learner.checks(options) for _ in range(2))
    for report in (one, other):
        del report["duration_s"]
        for test in report["tests"]:
            del test["duration_s"]
    assert one == other and one["seed"] == 7


@pytest.mark.parametrize(
    "command",
    [
        "ol check ds.99",
        "ol check ds.07 --impl nowhere.py",
        "ol check ds.07 --impl reference --tests nowhere.py",
        "ol check ds.07 --impl reference",
        "ol check ds.07 --impl reference --no-mutation --stage nowhere",
        "ol check ds.07 --seed -1",
        "ol hint ds.07 nowhere",
        "ol start ds.07 --from nowhere",
        "ol watch ds.07",
        "ol nonsense",
        "ol check ds.07 --impl .",
        "ol check ds.07 --impl reference --tests .",
        "ol check ds.07 --impl reference --no-mutation --json .",
        "ol check ds.07 --impl reference --no-mutation --junit nowhere/report.xml",
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(learner, command):
    code, said = learner.types(command)
    assert code == 2 and said


REFERENCE = CHAPTER.text("reference.py")
EVICT = "        freed = 0\n"
BROKEN = {  # what stands in radix.py -> what is said, {line} being the line of the mark
    "syntax": (REFERENCE.replace("def evict(self, n", "def evict(self n  # HERE"), "line {line}: invalid syntax"),
    "no class": ("ROOT = 0\n", "radix.py defines no RadixTree"),
    "empty": ("", "radix.py defines no ROOT"),
    "absent import": ("import nowhere_at_all  # HERE\n" + REFERENCE, "No module named 'nowhere_at_all'"),
    "not UTF-8": (b"# caf\xe9\n" + REFERENCE.encode(), "line 1: not UTF-8 text"),
    "loop on import": (REFERENCE + "\nwhile True:  # HERE\n    pass\n", "the loop at line {line} ran 100,000 steps"),
    "loop": (REFERENCE.replace(EVICT, "        while True:  # HERE\n            pass\n"), "the loop at line {line}"),
    "sys.exit on import": (REFERENCE + "\nimport sys\nsys.exit(0)  # HERE\n", "in radix.py, line {line}: sys.exit(0)"),
    "sys.exit": (REFERENCE.replace(EVICT, "        raise SystemExit(0)  # HERE\n"), "in radix.py, line {line}"),
    "os._exit": (
        REFERENCE.replace(EVICT, "        import os\n        os._exit(0)  # HERE\n"),
        "in radix.py, line {line}",
    ),
    "recursion": (REFERENCE.replace(EVICT, "        return self.evict(n, f)  # HERE\n"), "RecursionError"),
    "sleep": (
        REFERENCE.replace(EVICT, "        import time\n        time.sleep(3600)  # HERE\n"),
        "no answer for 5 s: it sleeps, or loops outside Python in radix.py, line {line}",
    ),
    "1 GB of output": (
        REFERENCE.replace(EVICT, "        for _ in range(1000):\n            print('x' * 10**6)  # HERE\n"),
        "more than 1,000,000 characters were printed in radix.py, line {line}",
    ),
    "memory": (REFERENCE.replace(EVICT, "        x = [0] * 10**10  # HERE\n"), "MemoryError in radix.py, line {line}"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_gets_a_plain_sentence_with_its_line(learner, what):
    text, sentence = BROKEN[what]
    learner.types("ol start ds.07")
    data = text if isinstance(text, bytes) else text.encode()
    learner.tree.write_bytes(data)
    shutil.copy(SAMPLES / "good_tests.py", learner.tests)
    lines = data.split(b"\n")
    line = next((n for n, here in enumerate(lines, 1) if b"# HERE" in here), 0)
    began = time.monotonic()
    code, said = learner.types("ol check ds.07")
    assert time.monotonic() - began < 20
    assert code == 1 and sentence.format(line=line) in said, said
    assert "18 of 18 caught" in said, "own tests are graded in any case"
    assert learner.tree.read_bytes() == data


def test_a_folder_in_place_of_a_file(learner):
    learner.types("ol start ds.07")
    learner.tree.unlink()
    learner.tree.mkdir()
    code, said = learner.types("ol check ds.07 --no-mutation")
    assert code == 1 and "work/ds07/radix.py is a folder" in said


@pytest.mark.parametrize(
    ("text", "sentence", "verdict"),
    [
        ("def test_split_by_hand(:\n", "test_radix.py, line 1: invalid syntax", "fail"),
        ("", "test_radix.py has no test_split_by_hand", "fail"),
        ("import nowhere_at_all\n" + GOOD, "No module named 'nowhere_at_all'", "invalid"),
        (GOOD + "\ndef test_split_by_hand(): pass\n", "defined twice", "invalid"),
    ],
)
def test_broken_own_tests_get_a_plain_sentence(learner, text, sentence, verdict):
    learner.types("ol start ds.07")
    learner.tree.write_text(REFERENCE)
    learner.tests.write_text(text)
    report = learner.checks()
    assert report["verdict"] == verdict and report["mutation"] is None
    assert sentence in json.dumps(report), report["own_tests"]
    assert sentence in report["next"] or "test_split_by_hand" in report["next"]


def test_json_to_stdout_is_only_json_and_junit_is_xml(learner, tmp_path):
    from xml.etree import ElementTree as ET

    good = SAMPLES / "good_tests.py"
    learner.checks(f"--impl s01 --tests {good} --junit report.xml --seed 1")
    root = ET.parse("report.xml").getroot()
    assert [suite.get("name") for suite in root] == ["ds.07 official", "ds.07 own tests", "ds.07 planted bugs"]
    assert int(root.get("tests")) == 11 + 6 + 18 and int(root.get("failures")) > 0
    learner.types(f"ol check ds.07 --impl reference --tests {good} --json report.json")
    jsonschema.validate(json.loads(Path("report.json").read_text()), SCHEMA)


def test_the_schema_itself_is_sound():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    report = {"schema": "radixlab.report/1", "verdict": "pass"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, SCHEMA)


def test_a_damaged_install_is_exit_3_and_never_a_pass(learner, monkeypatch):
    monkeypatch.setattr(course, "CHAPTERS", Path("nowhere").absolute())
    shutil.copytree(CHAPTER.folder, "nowhere/ds07")
    Path("nowhere/ds07/official.py").unlink()
    code, said = learner.types("ol check ds.07 --impl reference --no-mutation")
    assert code == 3 and "could not do its job" in said


def test_every_command_has_a_help_that_teaches(learner):
    for command in ("", "list", "start", "tests", "check", "tdd", "tdd red", "tdd green", "diff", "bugs", "hint"):
        code, said = learner.types(f"ol {command} --help")
        assert code == 0 and "Usage:" in said
    assert "exit code" in learner.types("ol check --help")[1]


def test_the_pages_show_what_the_card_says(learner):
    said = learner.types("ol tests ds.07")[1]
    assert all(card.kind in said for card in CHAPTER.tests)
    said = learner.types("ol list")[1]
    assert all(stage.notebook in said for stage in CHAPTER.stages)
    said = learner.types("ol bugs ds.07 --seen")[1]
    assert all(bug.id in said for bug in CHAPTER.seen) and "none of the eleven" in said
    assert "s11" in learner.types("ol bugs ds.07")[1]


def started_with(marker: str) -> list[int]:
    """Return the processes that have *marker* in their environment, ours left out."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if marker.encode() in environment.read_bytes() and int(environment.parent.name) != os.getpid():
                found.append(int(environment.parent.name))
    return found


def test_ctrl_c_leaves_no_process_behind(learner, monkeypatch):
    learner.types("ol start ds.07")
    learner.tree.write_text(REFERENCE.replace(EVICT, "        import time\n        time.sleep(3600)\n"))
    marker = f"interrupted-{os.getpid()}"
    command = [sys.executable, "-m", "radixlab", "check", "ds.07"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "MARKER": marker},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored, if the tests run in the background
        start_new_session=True,
    )
    deadline = time.monotonic() + 20
    while len(started_with(marker)) < 3 and time.monotonic() < deadline:  # itself, and a process for each side
        time.sleep(0.05)
    time.sleep(3)  # by now it waits for a test that sleeps
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130 and b"interrupted" in err and b"Traceback" not in err + out, err
    assert not started_with(marker)


def test_python_dash_m_is_ol_and_no_colour_where_there_is_no_terminal():
    done = subprocess.run([sys.executable, "-m", "radixlab", "list"], capture_output=True, text=True, check=True)
    assert "ds.07" in done.stdout and "\x1b[" not in done.stdout
