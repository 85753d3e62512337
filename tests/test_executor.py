"""Executors: every task comes back as a grade, whatever its submission does, and nothing is left of any."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from processes import left_behind, none_left

from radixlab.classroom import alone
from radixlab.classroom.executor import Local, NoExecutor, OnDask
from radixlab.classroom.grade import Grade
from radixlab.classroom.grading import version_of
from radixlab.classroom.reading import File, Submission

TREES = Path(__file__).parent / "attacks" / "trees"
SLEEPS = "import time\ntime.sleep(600)\n"
ENDS_ITS_GRADER = "import os\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(600)\n"


def attack(name):
    return (TREES / f"{name}.py").read_text(encoding="utf-8")


@pytest.fixture
def task(chapter):
    """Return the task of a submission, by its source; None is one that cannot be read, and is graded at once."""

    def task(name, source=None, timeout=30.0):
        submission = Submission(name, name, File(source or ""), problem=None if source else f"{name} is no zip")
        return alone.task(submission.as_dict(), chapter.id, version_of(chapter), "none", timeout, 7)

    return task


def by_name(grades):
    return {grade["submission"]: Grade.from_dict(grade) for grade in grades}


def test_every_task_comes_back_once(task):
    executor = Local(2)
    grades = list(executor.grades(task(f"s{number}") for number in range(5)))
    executor.cancel()
    assert sorted(grade["submission"] for grade in grades) == [f"s{number}" for number in range(5)]
    assert {grade["outcome"] for grade in grades} == {"invalid"}


def test_a_task_is_asked_for_when_there_is_a_place_for_it(task):
    asked = []

    def tasks():
        for number in range(6):
            asked.append(number)
            yield task(f"s{number}")

    executor = Local(2)
    for count, _ in enumerate(executor.grades(tasks()), 1):
        assert len(asked) <= count + 2
    executor.cancel()


def test_what_goes_wrong_with_one_is_its_own_outcome(task, marker):
    executor = Local(3)
    tasks = [
        task("late", SLEEPS, 2.0),
        task("daemon", attack("a33_daemon")),
        task("killer", ENDS_ITS_GRADER),
        task("fine"),
    ]
    grades = by_name(executor.grades(tasks))
    executor.cancel()
    assert {name: grade.outcome for name, grade in grades.items()} == {
        "late": "timeout",
        "daemon": "fail",
        "killer": "crash",
        "fine": "invalid",
    }
    assert "within 2 s" in grades["late"].message and "twice" in grades["killer"].message
    assert all(grade.points == 0 for grade in grades.values())
    assert none_left(marker)


def test_a_process_that_does_not_start_is_no_fault_of_the_submission(task, monkeypatch):
    monkeypatch.setattr(alone, "_START", "raise SystemExit('no radixlab here')")
    grade = Grade.from_dict(alone.graded(task("s")))
    assert (grade.outcome, grade.final) == ("infra_error", False) and "no radixlab here" in grade.message
    monkeypatch.setattr(alone.tempfile, "mkdtemp", lambda **_: (_ for _ in ()).throw(OSError(28, "No space left")))
    assert "No space left" in alone.graded(task("s"))["message"]


def test_cancel_ends_what_runs_and_leaves_nothing(task, marker):
    executor = Local(2)
    began = time.monotonic()
    threading.Timer(1.5, executor.cancel).start()
    with pytest.raises(alone.Cancelled):
        list(executor.grades(task(f"s{number}", SLEEPS) for number in range(4)))
    executor.cancel()
    assert time.monotonic() - began < 10
    assert none_left(marker)


@pytest.mark.parametrize(("isolation", "started"), [("required", 1), ("none", 3)])
def test_only_a_process_in_which_nothing_of_a_submission_ran_is_kept(task, marker, monkeypatch, isolation, started):
    graders = []

    class Noted(alone.Grader):
        def __init__(self):
            super().__init__()
            graders.append(self)

    monkeypatch.setattr(alone, "Grader", Noted)
    executor = Local(1)
    sources = ("class RadixTree:\n    pass\n", "ROOT = 0\n", "import nothing\n")
    tasks = [{**task(f"s{number}", source), "isolation": isolation} for number, source in enumerate(sources)]
    assert [grade.outcome for grade in by_name(executor.grades(tasks)).values()] == ["fail"] * 3
    assert len(graders) == started
    executor.cancel()
    assert none_left(marker)


ASKER = """
import json, sys
from radixlab.classroom import alone
print("up", flush=True)
alone.graded(json.loads(sys.stdin.readline()))
"""


def test_when_the_asker_is_killed_nothing_is_left(task, marker):
    asker = subprocess.Popen([sys.executable, "-c", ASKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asker.stdin.write(json.dumps(task("s", SLEEPS)).encode() + b"\n")
    asker.stdin.flush()
    asker.stdout.readline()
    end = time.monotonic() + 20
    while len(left_behind(marker)) < 4 and time.monotonic() < end:  # asker, grader, and a process each for two shells
        time.sleep(0.05)
    assert len(left_behind(marker)) >= 4
    asker.kill()
    asker.wait()
    assert none_left(marker)


# Dask -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster(marker):
    """A scheduler and two workers on this machine, each a process of its own: (address, scheduler, workers)."""
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "distributed.cli.dask_"]
    scheduler = subprocess.Popen(
        [*dask[:2], f"{dask[2]}scheduler", "--host", "127.0.0.1", "--port", address.split(":")[-1], "--no-dashboard"],
        **quiet,
    )
    options = ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
    workers = [subprocess.Popen([*dask[:2], f"{dask[2]}worker", address, *options], **quiet) for _ in range(2)]
    import distributed

    with distributed.Client(address, timeout=30, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=30)
    yield address, scheduler, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


@pytest.mark.timeout(120)
def test_dask_gives_the_same_grades_though_a_worker_is_killed(task, cluster, marker):
    address, _, workers = cluster
    tasks = [task(f"s{number}") for number in range(8)] + [task("late", SLEEPS, 2.0)]
    local, remote = Local(2), OnDask(address)
    expected = by_name(local.grades(tasks))
    local.cancel()
    grades = []
    for grade in remote.grades(tasks):
        grades.append(grade)
        if len(grades) == 2:
            workers[0].kill()
    remote.cancel()
    assert len(grades) == len(tasks)

    def content(graded):
        late = {"late": graded["late"].outcome}  # killed from within or from without: whichever comes first
        return {name: {**grade.as_dict(), "duration_s": 0} for name, grade in graded.items()} | late

    assert content(by_name(grades)) == content(expected)


@pytest.mark.timeout(120)
def test_a_dask_scheduler_that_goes_is_said(task, cluster, marker):
    address, scheduler, workers = cluster
    executor = OnDask(address)
    came = 0
    with pytest.raises(NoExecutor, match=f"{address} is gone"):
        for _ in executor.grades(task(f"s{number}", SLEEPS if number > 1 else None) for number in range(6)):
            came += 1
            if came == 2:
                scheduler.kill()
    executor.cancel()
    assert came == 2
    for worker in workers:
        worker.kill()
    assert none_left(marker)


@pytest.mark.timeout(120)
def test_a_dask_run_that_is_cancelled_leaves_nothing_on_the_workers(task, cluster, marker):
    address, scheduler, workers = cluster
    executor = OnDask(address)
    for _ in executor.grades([task("s"), task("t", SLEEPS), task("u", SLEEPS), task("v", SLEEPS)]):
        break
    time.sleep(1)
    executor.cancel()
    known = {scheduler.pid, *(worker.pid for worker in workers)}
    end = time.monotonic() + 5
    while set(left_behind(marker)) - known and time.monotonic() < end:
        time.sleep(0.05)
    assert set(left_behind(marker)) <= known
    assert all(worker.poll() is None for worker in workers)


ASKS = """
import sys
from radixlab.classroom import executor
executor._HELLO = 0.5
try:
    executor.OnDask(sys.argv[1])
except executor.NoExecutor as error:
    print(error)
"""


def said_of(address):
    """Return what a process of its own says that asks for a scheduler at *address*, and says nothing else."""
    pytest.importorskip("distributed")
    asked = subprocess.run([sys.executable, "-c", ASKS, address], capture_output=True, text=True, timeout=60)
    assert (asked.returncode, asked.stderr) == (0, ""), "no traceback, and no complaint of a client that goes"
    return asked.stdout


@pytest.mark.parametrize(
    "address", ["nonsense", "tcp://", "tcp://host", "tcp://host:x", ":8786", "host:0", "host:65536", "http://host:8786"]
)
def test_what_is_no_address_is_said_before_anybody_is_asked(address):
    pytest.importorskip("distributed")
    with pytest.raises(NoExecutor, match=f"^{address} is no address of a Dask scheduler: .* tcp://host:8786 "):
        OnDask(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "tls://127.0.0.1:9", "ws://[::1]:9"])
def test_no_scheduler_is_said(address):
    said = said_of(address)
    assert said.startswith(f"no Dask scheduler answers at {address} (") and "`dask scheduler`" in said


def test_a_word_that_is_no_address_is_one_sentence():
    assert said_of("nonsense").startswith("nonsense is no address of a Dask scheduler: ")


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2", bytes(64)], ids=["none", "a line", "zeros"])
def test_what_answers_and_is_no_scheduler_is_said(greeting):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet():
            with contextlib.suppress(OSError):  # the test is over
                calls.append(server.accept()[0])
                calls[0].sendall(greeting)

        calls = []
        threading.Thread(target=greet, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert said_of(address).startswith(f"no Dask scheduler answers at {address} (")
        for call in calls:
            call.close()


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NoExecutor, match="pip install"):
        OnDask("tcp://127.0.0.1:1")
