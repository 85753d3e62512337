"""The sandbox: what a submission can reach, what it can use up, and what it leaves behind."""

import contextlib
import json
import random
import time
from pathlib import Path

import pytest

from radixlab.checker.job import TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.subject import compile_subject
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Worker
from radixlab.classroom import sandbox, shell
from radixlab.classroom.sandbox import NoSandbox

TREE = "class RadixTree: pass\n"
HEAD = "from radix import RadixTree\nimport json, os, sys\n\n"


@pytest.fixture(scope="module")
def worker():
    """The sandbox in which learners' tests run, one for all tests here."""
    with Worker(30.0, 120.0, shell.TestsProcess) as worker:
        yield worker


@pytest.fixture
def inside(worker, chapter):
    """Run the body of a test in the sandbox, each in a run of its own; return what it `tell`s."""

    def inside(*bodies: str) -> list:
        jobs = []
        for body in bodies:
            lines = "".join(f"    {line}\n" for line in body.splitlines())
            text = f"{HEAD}def tell(thing):\n    raise AssertionError(json.dumps(thing))\n\ndef test_a():\n{lines}"
            jobs.append(job_of(chapter, compile_subject(TREE), TestFile(text, "t.py"), test_names(text), theirs=True))
        told = []
        for outcomes in worker.run(jobs):
            message = outcomes["a"].message
            try:
                told.append(json.loads(message))
            except ValueError:
                told.append(f"{outcomes['a'].outcome}: {message}")
        return told

    return inside


def test_there_is_no_network(inside):
    body = """
import socket
seen = []
for address in (("127.0.0.1", 22), ("192.0.2.1", 80)):
    try:
        socket.create_connection(address, timeout=1)
    except OSError as error:
        seen.append(type(error).__name__)
tell([seen, os.listdir("/sys/class/net") if os.path.exists("/sys/class/net") else []])"""
    ((seen, cards),) = inside(body)
    assert len(seen) == 2 and set(cards) <= {"lo"}


def test_of_radixlab_there_is_what_a_run_needs_and_no_chapter(inside):
    body = """
found = []
for folder, _, files in os.walk("/lab/radixlab"):
    found += [os.path.relpath(os.path.join(folder, name), "/lab/radixlab") for name in files]
hidden = []
for folder, _, files in os.walk("/"):
    if not folder.startswith("/proc"):
        hidden += [os.path.join(folder, n) for n in files if n in ("official.py", "bugs.toml", "chapter.toml")]
tell([sorted(found), hidden])"""
    ((found, hidden),) = inside(body)
    assert found == sorted(sandbox.FILES) and hidden == []


def test_the_installed_project_cannot_be_imported(inside):
    body = """
seen = []
for name in ("radixlab.course", "radixlab.chapters.ds07.reference", "radixlab.fast", "radixlab.classroom.shell"):
    try:
        __import__(name)
    except ImportError as error:
        seen.append(str(error).split("'")[1])
tell(seen)"""
    assert len(inside(body)[0]) == 4


def test_nothing_of_the_system_can_be_written_and_nobody_is_root(inside):
    body = """
written = []
for folder in ("/", "/usr", "/lab", "/lab/radixlab", "/etc", "/dev", "/home", "/root", "/proc/sys", "/tmp"):
    try:
        open(os.path.join(folder, "x"), "w").close()
        written.append(folder)
    except OSError:
        continue
caps = [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")]
stuck = [line.split()[1] for line in open("/proc/self/status") if line.startswith("NoNewPrivs")]
tell([written, os.getuid(), sorted({*caps[:3], *caps[4:]}), stuck])
"""
    ((written, uid, powers, stuck),) = inside(body)
    assert written == ["/tmp"]
    assert uid != 0 and powers == ["0000000000000000"] and stuck == ["1"]


def test_no_other_process_is_seen_and_none_can_be_killed(inside):
    body = """
seen = [int(name) for name in os.listdir("/proc") if name.isdigit()]
killed = []
for pid in (2, 3, 4, os.getppid(), -1):
    try:
        os.kill(pid, 0)
        killed.append(pid)
    except OSError:
        continue
tell([seen, os.getpid(), os.getppid(), killed])"""
    ((seen, pid, parent, killed),) = inside(body)
    assert (seen, pid, parent) == ([1], 1, 0)
    assert set(killed) <= {0, -1}, "its own group and all it may signal: itself"


def test_the_environment_tells_nothing(inside):
    ((environment, arguments),) = inside('tell([dict(os.environ), open("/proc/self/cmdline").read()])')
    assert set(environment) <= {"PWD", "PYTHONHASHSEED", "LC_CTYPE"} | {k for k in environment if "PYTEST" in k}
    assert "submission" not in arguments


def test_each_run_is_fresh(inside):
    leave = """
import builtins
open("/tmp/mark", "w").write("I was here")
os.makedirs("/dev/shm", exist_ok=True)
try:
    open("/dev/shm/mark", "w").write("x")
except OSError:
    pass
builtins.mark = sys.mark = 1
if os.fork() == 0:
    os.setsid()
    import time
    time.sleep(60)
tell("left")"""
    look = 'tell([os.listdir("/tmp"), os.listdir("/dev/shm"), hasattr(sys, "mark"), len(os.listdir("/proc"))])'
    left, (files, shared, marked, _) = inside(leave, look)
    assert left == "left"
    assert (files, shared, marked) == ([], [], False)


def test_a_daemon_does_not_outlive_its_run(inside):
    began = time.monotonic()
    body = """
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            import time
            time.sleep(100)
        os._exit(0)
tell(1)"""
    assert inside(body, "tell(2)") == [1, 2]
    assert time.monotonic() - began < 30
    end = time.monotonic() + 5  # the run that was last has said its word, and may be about to end
    while sandbox.user() in users_of_all() and time.monotonic() < end:
        time.sleep(0.05)
    assert sandbox.user() not in users_of_all(), "nobody of the sandbox is left"


def users_of_all():
    """Return the user of each process that there is."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has just ended
            found += [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("Uid")]
    return found


def test_a_fork_bomb_ends_at_the_limit(inside):
    body = """
import time
started = 0
try:
    while started < 500:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        started += 1
except OSError:
    pass
tell(started)"""
    (started,) = inside(body)
    assert 0 < started <= sandbox.LIMITS["NPROC"]


USED_UP = {
    "memory": ("x = bytearray(8 * 1024**3)", "MemoryError"),
    "one file": ("open('/tmp/big', 'wb').write(bytes(100 * 1024**2))\ntell('written')", ""),
    "many files": ("for number in range(100_000): open(f'/tmp/{number}', 'w').close()", "No space left"),
    "open files": ("files = [open('/dev/null') for _ in range(1000)]", "Too many open files"),
}


@pytest.mark.parametrize(("body", "says"), USED_UP.values(), ids=USED_UP)
def test_what_can_be_used_up_has_a_limit(inside, body, says):
    (told,) = inside(body)
    assert told != "written" and says in told


def test_a_submission_that_kills_its_process_is_no_answer(inside):
    told = inside("os._exit(0)")
    assert told == ["no_answer: it ended the process in the middle of the test (exit code 0)"]
    assert inside("import signal\nos.kill(os.getpid(), signal.SIGSEGV)\nimport ctypes\nctypes.string_at(0)") == [
        "no_answer: it ended the process in the middle of the test (signal 11)"
    ]
    assert inside("tell('alive')") == ["alive"]


def test_without_bubblewrap_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NoSandbox, match="apt install bubblewrap"):
        shell.shells("required")
    for isolation in ("auto", "none"):
        assert shell.shells(isolation)[1] == "none"
    monkeypatch.undo()
    assert shell.shells("required")[1] == "bubblewrap"


def test_a_sandbox_that_does_not_start_says_why(monkeypatch):
    monkeypatch.setattr(sandbox, "_START", "import sys; sys.exit('this is why')")
    broken = sandbox.Sandbox()
    with pytest.raises(NoSandbox, match="this is why"):
        broken.wait()
    assert broken.process.poll() is not None


LOOKS = """
import ctypes, re
found, searched = 0, 0
for line in open("/proc/self/maps"):
    (start, end), rights = (int(each, 16) for each in line.split()[0].split("-")), line.split()[1]
    if rights.startswith("rw"):
        memory = ctypes.string_at(start, end - start)
        found, searched = found + len(re.findall(PATTERN, memory)), searched + len(memory)
tell([found, searched])"""


def test_a_submission_does_not_find_the_one_before_in_its_memory(chapter):
    """Its text and code were in the host of its own; the search itself finds it there."""
    word = "".join(random.Random().choices("bcdfghjklmnp", k=16))
    looks = LOOKS.replace("PATTERN", repr(f"[{word[0]}]{word[1:]}".encode()))  # which is not the word itself

    def told(worker, body):
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        text = f"{HEAD}def tell(thing):\n    raise AssertionError(json.dumps(thing))\n\ndef test_a():\n{lines}"
        job = job_of(chapter, compile_subject(TREE), TestFile(text, "t.py"), test_names(text), theirs=True)
        return json.loads(worker.run([job])[0]["a"].message)

    with Worker(30.0, 120.0, shell.TestsProcess) as worker:
        assert told(worker, f"tell('{word}')") == word
        process = worker._process
        found, searched = told(worker, looks)
        assert found > 0 and searched > 1_000_000
        worker.renew()
        found, searched = told(worker, looks)
        assert found == 0 and searched > 1_000_000
        assert worker._process is process  # the sandbox is the same one


STAYS = """
import threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
tell("told")"""


def test_what_goes_on_after_its_last_answer_ends_before_the_next_submission(inside, worker):
    """A thread keeps its process alive; the host ends it when nobody wants its answers any more."""
    assert inside(STAYS) == ["told"]
    bwrap = worker._process._sandbox.process.pid
    assert len(below(bwrap)) >= 4  # bubblewrap's own first process, the first of ours, the host, the run
    worker.renew()
    end = time.monotonic() + 5
    while len(below(bwrap)) > 2 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(below(bwrap)) == 2
    assert inside("tell('next')") == ["next"]


def below(pid):
    """Return the processes that *pid* started, and those that they did."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(each for child in children for each in below(child))]


def test_a_tree_is_served_from_a_fresh_host_after_a_renewal(chapter):
    """What one learner's tree leaves in its modules, the next one does not meet; our process stays."""
    counts = (
        "import json\njson.seen = getattr(json, 'seen', 0) + 1\n\n\n"
        "class RadixTree:\n    granule = json.seen\n\n    def __init__(self, granule):\n        pass\n"
    )
    text = "from radix import RadixTree\n\ndef test_a():\n    assert RadixTree(1).granule == 0\n"
    job = job_of(chapter, compile_subject(counts), TestFile(text, "t.py"), ("a",), ours=True, theirs=True)
    with Worker(30.0, 120.0, shell.ServedProcess) as worker:
        first = worker.run([job])[0]["a"]
        process = worker._process
        worker.renew()
        second = worker.run([job])[0]["a"]
        assert worker._process is process
    assert first.message == second.message and "1 == 0" in first.message
