"""The worker: whatever a test does to its process, each test gets an answer, and nothing stays behind."""

import contextlib
import os
import tempfile
import time
from pathlib import Path

import pytest

from radixlab.checker.job import Outcome
from radixlab.checker.worker import Inline, Worker

HEAD = "import os, signal, subprocess, sys, time\nimport pytest\nfrom radix import RadixTree\n"
FINE = "def test_fine(): assert RadixTree(1).is_empty()\n"
SILENCE = 1.25


@pytest.fixture
def quick():
    """A worker that soon loses patience."""
    with Worker(silence=SILENCE, deadline=60.0) as worker:
        yield worker


@pytest.fixture
def asked(quick, job):
    """Return the outcomes of a test file on the reference, or on another subject."""

    def asked(body: str, source: str | None = None, **options) -> dict[str, Outcome]:
        return quick.run([job(HEAD + body, source, **options)])[0]

    return asked


def alive(pid: int) -> bool:
    """Say whether there is such a process; one that is dead and only waits to be reaped does not count."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # a system without /proc, or the process has just gone
        return not Path("/proc").exists()


def until(happens, patience: float = 20.0) -> bool:
    end = time.monotonic() + patience
    while not (happened := happens()) and time.monotonic() < end:
        time.sleep(0.05)
    return happened


GONE = {
    "os._exit(0)": "it ended the process in the middle of the test (exit code 0)",
    "os.kill(os.getpid(), signal.SIGSEGV)": "signal 11",
    "os.closerange(0, 100); time.sleep(60)": "it closed its channel",
    "os.execv(sys.executable, [sys.executable, '-c', '0'])": "exit code 0",
}


@pytest.mark.parametrize(("statement", "said"), GONE.items(), ids=GONE)
def test_a_test_that_ends_the_process_gave_no_answer(asked, statement, said):
    outcomes = asked(f"def test_before(): pass\ndef test_it(): {statement}\n{FINE}")
    assert [outcome.outcome for outcome in outcomes.values()] == ["passed", "no_answer", "passed"]
    assert said in outcomes["it"].message
    assert outcomes["it"].how is None


SILENT = {
    "sleep": "time.sleep(3600)",
    "a loop in C": "all(iter(object, None))",
    "a stop": "os.kill(os.getpid(), signal.SIGSTOP)",
}


@pytest.mark.parametrize("statement", SILENT.values(), ids=SILENT)
def test_a_test_that_says_nothing_is_a_timeout(asked, statement):
    outcomes = asked(f"def test_it(): {statement}\n{FINE}")
    assert (outcomes["it"].outcome, outcomes["it"].how) == ("timeout", None)
    assert outcomes["it"].message == "no answer for 1.25 s: it sleeps, or loops outside Python"
    assert outcomes["fine"].outcome == "passed"


def test_after_two_that_hang_the_rest_is_not_run(asked):
    outcomes = asked("".join(f"def test_{name}(): time.sleep(60)\n" for name in "abcd"))
    assert [outcome.outcome for outcome in outcomes.values()] == ["timeout", "timeout", "not_run", "not_run"]
    assert outcomes["c"].message == "not run after 2 that hung"


def test_a_hang_in_the_tree_is_named_by_its_line(job, reference):
    hang = "        __import__('time').sleep(60)\n"
    source = reference.replace("        if granule < 1:", f"{hang}        if granule < 1:")
    with Worker(silence=4.0) as worker:
        outcome = worker.run([job(HEAD + "def test_a(): RadixTree(1)\n", source)])[0]["a"]
    assert outcome.outcome == "timeout"
    assert source.splitlines(keepends=True)[outcome.subject_line - 1] == hang
    assert outcome.test_line == 4


def test_a_file_that_hangs_is_no_pass(asked):
    outcomes = asked(f"time.sleep(60)\n{FINE}def test_b(): pass\n")
    assert {outcome.outcome for outcome in outcomes.values()} == {"timeout"}


def test_a_memory_bomb_hurts_its_test_only(asked):
    outcomes = asked(f"def test_it():\n    held = [bytes(2**28) for _ in range(99)]\n{FINE}")
    assert (outcomes["it"].outcome, outcomes["it"].message) == ("failed", "MemoryError")
    assert outcomes["fine"].outcome == "passed"


FORGED = r'[0, ["it", "passed", "", null, null, null, 0.0, 0, null, {}]]\n"done"\n'


@pytest.mark.parametrize(
    "write", ["print(forged)", "os.write(1, forged)", "os.write(2, forged)", "sys.__stdout__.write(forged)"]
)
def test_what_a_test_writes_is_no_answer(asked, write):
    forged = f"forged = {FORGED!r}" + (".encode()" if "os." in write else "")
    outcomes = asked(f"def test_it():\n    {forged}\n    {write}\n    sys.__stdout__.flush()\n    assert 0\n{FINE}")
    assert [outcome.outcome for outcome in outcomes.values()] == ["failed", "passed"]


def writing(line: bytes) -> str:
    """Return a test that writes *line* wherever it can."""
    return f"""
def test_it():
    for channel in range(3, 20):
        try:
            os.write(channel, {line!r} + bytes([10]))
        except OSError:
            pass
    time.sleep(60)
"""


@pytest.mark.parametrize("line", [b"5", b"[99, []]", b'[0, ["it"]]', b'"done"', b"[" * 9_999], ids=range(5))
def test_nonsense_on_the_channel_is_no_answer_and_no_crash(asked, line):
    outcomes = asked(writing(line) + FINE)
    assert [outcome.outcome for outcome in outcomes.values()] == ["no_answer", "passed"]


def test_the_deadline_ends_all_and_leaves_no_name_out(job):
    body = "".join(f"def test_{name}(): time.sleep(0.7)\n" for name in "abcdefghij")
    with Worker(silence=30.0, deadline=4.0) as worker:
        worker.run([job(HEAD + FINE)])
        jobs, began = [job(HEAD + body), job(HEAD + FINE)], time.monotonic()
        first, second = worker.run(jobs)
    assert time.monotonic() - began < 8
    outcomes = [outcome.outcome for outcome in first.values()]
    passed = outcomes.count("passed")
    assert 1 <= passed <= 6
    assert outcomes == ["passed"] * passed + ["not_run"] * (10 - passed)
    assert second["fine"].message == "the time was used up before its turn came"


def test_jobs_are_answered_each_with_its_own_and_seen_as_they_come(worker, job, reference, stub):
    jobs = [
        job(HEAD + FINE + "def test_b(): pass\n", source, order=order)
        for source in (reference, stub)
        for order in (1, 2, 3)
    ]
    seen = []
    answers = worker.run(jobs, lambda number, outcome: seen.append((number, outcome.name)))
    assert [answer["fine"].outcome for answer in answers] == ["passed"] * 3 + ["failed"] * 3
    assert [number for number, _ in seen] == [number for number in range(6) for _ in range(2)]
    assert answers == [{name: answer[name] for name in answer} for answer in answers]


def test_it_says_what_the_inline_shell_says(worker, job, reference, stub, good_tests):
    jobs = [job(good_tests, source, order=order) for source in (reference, stub) for order in (None, 4)]
    jobs.append(job(good_tests, reference, traced=True, ours=True))
    for here, there in zip(Inline().run(jobs), worker.run(jobs), strict=True):
        assert list(here) == list(there)
        for name, outcome in here.items():
            outcome.duration_s = there[name].duration_s
            assert outcome == there[name]


def test_the_process_is_kept_for_the_next_run(job):
    with Worker() as worker:
        pids = {worker.run([job(HEAD + "def test_a(): assert 0, os.getpid()\n")])[0]["a"].message for _ in range(3)}
    assert len(pids) == 1
    assert f"{os.getpid()}" not in str(pids)


def test_nothing_is_left_behind(tmp_path, monkeypatch, job):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    child = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid"
    body = f"def test_a(tmp_path):\n    open('litter', 'w').close()\n    assert 0, (os.getpid(), {child})\n"
    with Worker(silence=20.0) as worker:
        message = worker.run([job(HEAD + body)])[0]["a"].message
        assert len(list(tmp_path.iterdir())) == 1
    pids = [int(pid) for pid in message.splitlines()[0].strip("()").split(", ")]
    assert until(lambda: not any(alive(pid) for pid in pids))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_an_interruption_in_the_middle_closes_the_process(tmp_path, monkeypatch, job, error):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    worker, pids = Worker(silence=20.0), []

    def interrupt(number: int, outcome: Outcome) -> None:
        pids.append(int(outcome.message.splitlines()[0]))
        raise error

    with pytest.raises(error):
        worker.run([job(HEAD + "def test_a(): assert 0, os.getpid()\ndef test_b(): time.sleep(600)\n")], interrupt)
    assert until(lambda: not alive(*pids))
    assert list(tmp_path.iterdir()) == []
    worker.close()


def test_closing_twice_or_unused_is_no_error():
    worker = Worker()
    worker.close()
    worker.start()
    worker.close()
    worker.close()


def test_it_sees_little_of_the_environment(monkeypatch, job):
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--nope")
    body = "def test_a(): assert 0, sorted(k for k in os.environ if k.startswith(('PYTHON', 'PYTEST')))\n"
    with Worker(silence=20.0) as worker, contextlib.suppress(KeyError):
        message = worker.run([job(HEAD + body)])[0]["a"].message
    assert "PYTHONPATH" not in message and "PYTHONINSPECT" not in message and "ADDOPTS" not in message
    assert "PYTHONHASHSEED" in message
