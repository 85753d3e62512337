"""One spawned process with the engine in it: jobs go in, an answer comes out for each test, on pipes of its own."""

import contextlib
import faulthandler
import gc
import json
import marshal
import os
import queue
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from radixlab.checker.job import Job, Outcome, TestFile

MEMORY = 2 * 1024**3  # bytes of address space, where the system can limit it
_STARTUP = 15.0  # seconds that a process may take to be ready
_DYING = 2.0  # seconds that what it started may take to be gone
_LINE, _WAITING = 100_000, 1_000  # bytes of an answer, answers that may wait: a flood must not fill our memory
_STACK = ".stack"
_TOKEN = "RADIXLAB_WORKER"  # in the environment of the process, and of whatever it starts
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from radixlab.checker import process
process.main(float(sys.argv[2]))
"""


class CheckerFailed(RuntimeError):
    """The checker could not do its job: never a pass, and never the learner's fault."""


class Process:
    """One spawned process: jobs go in, an answer comes out for each test, on pipes of its own.

    It keeps one engine for its whole life, and numbers the jobs as they come.
    """

    def __init__(self, silence: float, pass_fds: tuple[int, ...] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="radixlab-", ignore_cleanup_errors=True)
        self._token = os.urandom(8).hex()
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        apart = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-S", "-X", "utf8", "-c", _START, json.dumps(path), str(silence)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder.name,
            env=_environment(self._token),
            pass_fds=pass_fds,
            **apart,
        )
        self._ready = False
        self._sent = 0
        self._jobs: queue.Queue[bytes | None] = queue.Queue()
        self._lines: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        for mover in (threading.Thread(target=self._speak, daemon=True), self._listener):
            mover.start()  # a process that hangs must not hang its asker

    def _speak(self) -> None:
        with contextlib.suppress(OSError), self._process.stdin as pipe:
            while (data := self._jobs.get()) is not None:
                pipe.write(struct.pack(">I", len(data)) + data)
                pipe.flush()

    def _listen(self) -> None:
        with self._process.stdout as pipe:
            while line := pipe.readline(_LINE):
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, job: Job) -> int:
        """Hand *job* over; return its number."""
        self._jobs.put(_packed(job))
        self._sent += 1
        return self._sent - 1

    def answer(self, until: float, end: float) -> tuple[int, Outcome] | str:
        """Return the next answer, the number of its job and an outcome; or how the process stopped giving any.

        *until* and *end*: when it counts as silence, and when all time is used up, on the monotonic clock.
        """
        if not self._ready:
            until = max(until, time.monotonic() + _STARTUP)
            line = self._line(min(until, end))
            if line is None and end <= until:
                return "deadline"
            if line != b'"ready"\n':
                raise CheckerFailed(f"the process that runs tests did not start: {self._complaint()}")
            self._ready = True
            return "ready"
        line = self._line(min(until, end))
        if line is None:
            return "silence" if until < end else "deadline"
        with contextlib.suppress(ValueError, TypeError, RecursionError):  # a test can write on every channel it has
            number, outcome = json.loads(line)
            if type(number) is int and 0 <= number < self._sent:
                return number, Outcome.from_plain(outcome)
        return self._last_words()

    def _line(self, until: float) -> bytes | None:
        """Return the next line, None when none comes in time; nor is an earlier one taken late."""
        left = until - time.monotonic()
        if left <= 0:
            return None
        with contextlib.suppress(queue.Empty):
            return self._lines.get(timeout=left)
        return None

    def _complaint(self) -> str:
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else self._last_words()

    def _last_words(self) -> str:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "it closed its channel"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def line_in(self, filename: str) -> int | None:
        """Return the innermost line of *filename* in which the process last said that it was, None when in none."""
        with contextlib.suppress(OSError):
            text = (Path(self._folder.name) / _STACK).read_text(encoding="utf-8", errors="replace")
            found = re.search(rf'File "{re.escape(filename)}", line (\d+) in', text.rpartition("Timeout (")[2])
            return int(found[1]) if found else None
        return None

    def renew(self) -> bool:
        """Say no: what it ran, others must not meet."""
        return False

    def kill(self) -> None:
        """Kill the process, all that it started, and its folder."""
        self._jobs.put(None)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._process.pid)], capture_output=True, check=False)
        self._process.kill()
        self._process.wait()
        self._kill_stragglers()
        while self._listener.is_alive():  # it may wait for a place in a full queue
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.01)
        self._lines.put(b"")  # for whoever waits for an answer in another thread
        self._process.stderr.close()
        self._folder.cleanup()

    def _kill_stragglers(self) -> None:
        """Kill what left the process group, where the system shows it: its environment tells whose it is.

        Looked for until none is seen: one that was about to start shows no environment yet, and dying takes a moment.
        """
        mark = f"{_TOKEN}={self._token}".encode()
        end = time.monotonic() + _DYING
        while kill_all_with(mark) and time.monotonic() < end:
            time.sleep(0.002)


def kill_all_with(mark: bytes) -> int:
    """Kill every process that has *mark* in its environment; return how many were seen."""
    seen = 0
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)
                seen += 1
    return seen


def _environment(token: str) -> dict[str, str]:
    """Return the environment without what Python, pytest or a CI machine would read from it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST_")) and k != "CI"}
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", _TOKEN: token}


def _packed(job: Job) -> bytes:
    """Return *job* as bytes for the same Python on the other side."""
    return marshal.dumps(tuple(tuple(part) if isinstance(part, TestFile) else part for part in vars(job).values()))


def _unpacked(data: bytes) -> Job:
    subject, tests, *rest = marshal.loads(data)
    return Job(subject, TestFile(*tests), *rest)


def main(silence: float) -> None:
    """Be the process: read jobs, run them, answer with a line for each outcome.

    It writes down where it is while a job runs, often enough that one entry falls into every *silence* that is too
    long, and when a test ends the process.
    """
    from radixlab.checker import engine

    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    with contextlib.suppress(ImportError, ValueError, OSError):  # no such limit on this system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))

    stack = open(_STACK, "w", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
    faulthandler.enable(stack)
    leave = os._exit

    def noted_exit(code: int) -> None:
        faulthandler.dump_traceback(stack)
        leave(code)

    os._exit = noted_exit

    def say(message: Any) -> None:
        answers.write(json.dumps(message).encode() + b"\n")
        answers.flush()

    def jobs() -> Iterator[Job]:
        while head := asked.read(4):
            job = _unpacked(asked.read(struct.unpack(">I", head)[0]))
            faulthandler.dump_traceback_later(silence * 0.9, repeat=True, file=stack)
            yield job
            faulthandler.cancel_dump_traceback_later()

    def report(number: int, outcome: Outcome) -> None:
        say((number, astuple(outcome)))

    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(20_000)  # pytest makes a great many objects, and few of them in circles
    say("ready")
    engine.run(jobs(), report, interruptible=False)
