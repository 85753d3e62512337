"""The inside of the sandbox: warmed processes that fork fresh ones, cut off from all that was before.

The first one has a socket as its standard input, on which it says `{"ready": true}`. It forks a host for each
submission, and never hears of what is in one. The host has a socket of its own, on which it gets two pipes for each
run, and says `{"ended": how}` once nothing of that run is alive; when that socket closes, both end.

On the pipes goes a JSON object a line, the first of which begins the run: `{"run": "tests", ...}` runs a test file of
the learner's, on a tree that the other side serves or on the learner's own; `{"run": "tree", ...}` serves the learner's
tree. Everything that a run says carries the number (nonce) that it was begun with. A run has its pipes and never the
socket: it can neither end itself in the words of this process nor hear of the next run.
"""

import contextlib
import ctypes
import gc
import os
import resource
import select
import signal
import socket
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, BinaryIO

from radixlab.checker import engine
from radixlab.checker.asserts import compile_tests
from radixlab.checker.budget import Meter
from radixlab.checker.face import face_of
from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.subject import Unreadable
from radixlab.classroom import calls
from radixlab.classroom.asking import Asker
from radixlab.classroom.serving import Served
from radixlab.classroom.wire import job_in, line, read, write

_NEWNS, _NEWIPC, _NEWPID = 0x00020000, 0x08000000, 0x20000000
_NO_NEW_PRIVS = 38
_CAPSET, _CAPABILITY_VERSION_3 = {"x86_64": 126, "aarch64": 91}, 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)
_control: socket.socket
_pids: int  # this process's own namespace of processes
_asked: BinaryIO  # the pipes of a run
_answers: BinaryIO
_warmed: tuple[str, list[str]] | None = None
_run: dict[str, Any] | None = None  # in the process of a run: the message that began it
SUBJECT = "globals().update(__import__('radixlab.classroom.host', fromlist=['names']).names(__tick__.__self__))"
_WARMING = Job(
    compile("def f(n):\n    return n", "warm.py", "exec"),
    TestFile("from warm import f\n\ndef test_warm():\n    assert f([1]) == [1]\n", "test_warm.py"),
    ("warm",),
    "def f(n) -> Ints: ...",
    "warm",
)


def main(limits: dict[str, int]) -> None:
    """Serve submissions until the other side is gone. *limits*: see `_settle`.

    The engine is started once and waits for jobs; whoever gets one is a fresh process, which leaves after it.
    """
    global _control, _pids
    _control = socket.socket(fileno=os.dup(0))
    _pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
    _rehearse(limits)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    first = os.getpid()
    try:
        engine.run(_jobs(limits), _report, interruptible=False)
    finally:
        if os.getpid() != first:
            os._exit(1)


def _jobs(limits: dict[str, int]) -> Iterator[Job]:
    """Wait for runs; yield the job of a run of tests, in a process that has nothing else to do."""
    global _run
    yield _WARMING
    gc.freeze()  # what is loaded by now is shared with every run, and not looked through in any
    gc.set_threshold(20_000)
    _control.send(line({"ready": True}))
    _become_host()
    while begin := _begun():
        _warm(begin["job"])
        ended = _forked(limits)
        if ended is not None:
            _asked.close()
            _answers.close()
            _control.send(line({"ended": ended}))
            continue
        _run = begin
        if begin["run"] == "tests":
            yield job_in(begin, SUBJECT)
        else:
            _serve(job_in(begin, SUBJECT))
        os._exit(0)


def _become_host() -> None:
    """Fork a process whenever a host is asked for; it returns, and is the host, on the socket that came along."""
    global _control
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a host
    while True:
        word, sockets, _, _ = socket.recv_fds(_control, 100, 1)
        if not word:
            os._exit(0)
        if os.fork() == 0:
            break
        os.close(sockets[0])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _control.close()
    _control = socket.socket(fileno=sockets[0])


def _begun() -> dict[str, Any] | None:
    """Take the pipes of the next run; return the message that begins it, None when nobody is there to begin one."""
    global _asked, _answers
    word, pipes, _, _ = socket.recv_fds(_control, 100, 2)
    if not word:
        return None
    _asked, _answers = os.fdopen(pipes[0], "rb"), os.fdopen(pipes[1], "wb")
    return read(_asked.readline())


# Runs -----------------------------------------------------------------------------------------------------------------


def _warm(job: dict[str, Any]) -> None:
    """Do before the fork what is dear and runs nothing of the learner's: read the face, compile the tests.

    Once for the same texts: a cache that counts its hits would count the runs.
    """
    global _warmed
    if _warmed == (job["face"], job["tests"]):
        return
    _warmed = job["face"], job["tests"]
    face_of(job["face"])
    with contextlib.suppress(Unreadable):  # said again where it belongs
        compile_tests(*job["tests"], keep=False)


def _report(number: int, outcome: Outcome) -> None:
    if _run is None:  # nobody waits for the outcome of a rehearsal
        return
    write(_answers, {"n": _run["n"], "outcome": astuple(outcome)})


def names(meter: Meter) -> dict[str, Any]:
    """Return what the served subject defines: what the module that stands for it holds. Its *meter* learns nothing."""
    return Asker(_run["job"]["face"], _ask, meter, "").names(_ask({"promises": True}))


def _ask(message: dict[str, Any]) -> dict[str, Any]:
    write(_answers, {"n": _run["n"], "ask": message})
    return read(_asked.readline())


def _serve(job: Job) -> None:
    """Serve the learner's tree until it is not needed any more."""
    served = Served(job)
    answer = served.promises()
    with served.output:
        while True:
            write(_answers, {"n": _run["n"], **answer})
            message = read(_asked.readline())
            if "end" in message:
                return
            answer = served.answer(message)


# Apart ----------------------------------------------------------------------------------------------------------------


def _rehearse(limits: dict[str, int]) -> None:
    """Cut off one process for nothing: what this machine refuses must be known before a learner is blamed for it."""
    ended = _forked(limits)
    if ended is None:
        os._exit(0)
    if ended:
        raise SystemExit(ended)  # the other process said why


def _forked(limits: dict[str, int]) -> int | None:
    """Go on in a process with nothing around it, where None is returned; here, its exit code, or minus its signal.

    The process is the first of its own process namespace, so that whatever it started dies with it.
    """
    _call("unshare", _NEWPID)
    pid = os.fork()
    if pid == 0:
        os.close(_pids)
        _call("unshare", _NEWNS | _NEWIPC)
        _settle(limits)
        return None
    _call("setns", _pids, _NEWPID)  # back, so that there can be a next one
    _await(pid)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _await(pid: int) -> None:
    """Wait until the process *pid* ends; end it when nobody wants to know any more."""
    process = os.pidfd_open(pid)
    news = select.poll()
    news.register(process, select.POLLIN)
    news.register(_control, 0)  # whether it is closed, and nothing else
    if (process, select.POLLIN) not in news.poll():
        os.kill(pid, signal.SIGKILL)
    os.close(process)


def _settle(limits: dict[str, int]) -> None:
    """Give up every power, and take on the *limits*: bytes of memory and of a file, seconds, processes, files, uid."""
    _control.close()
    _mount(b"tmpfs", b"/tmp", f"size={limits['disk']},nr_inodes=1000,mode=1777".encode())
    try:
        _mount(b"proc", b"/proc", None)
    except OSError:  # not in every namespace of a user's
        _mount(b"tmpfs", b"/proc", b"size=4k")
    os.chdir("/tmp")
    for name in ("AS", "CPU", "FSIZE", "NPROC", "NOFILE", "CORE"):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limits[name], limits[name]))
    if os.geteuid() == 0:  # to a user that nobody else is: limits hold for it, and files of others do not open
        os.setgroups([])
        os.setresgid(limits["uid"], limits["uid"], limits["uid"])
        os.setresuid(limits["uid"], limits["uid"], limits["uid"])
    _drop_capabilities()
    _call("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
    calls.refuse()


def _drop_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _call("syscall", _CAPSET[os.uname().machine], header, (ctypes.c_uint32 * 6)())


def _mount(kind: bytes, where: bytes, options: bytes | None) -> None:
    _call("mount", kind, where, kind, 0, options)


def _call(name: str, *arguments: Any) -> None:
    if getattr(_libc, name)(*arguments):
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
