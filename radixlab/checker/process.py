"""One spawned process with the engine in it: jobs go in, an answer comes out for each test, on pipes of its own."""

import contextlib
import faulthandler
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
from typing import IO, Any

from radixlab.checker.job import Job, Outcome, TestFile

MEMORY = 2 * 1024**3  # bytes of address space, where the system can limit it
_STARTUP = 15.0  # seconds that a process may take to be ready
_STACK = ".stack"
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from radixlab.checker import process
process.main(float(sys.argv[2]))
"""


class CheckerFailed(RuntimeError):
    """The checker could not do its job: never a pass, and never the learner's fault."""


class Process:
    """One spawned process: jobs go in, answers come out, on pipes of its own."""

    def __init__(self, silence: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="radixlab-", ignore_cleanup_errors=True)
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        apart = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-X", "utf8", "-c", _START, json.dumps(path), str(silence)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder.name,
            env=_environment(),
            **apart,
        )
        self._ready = False
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(b"")

    def ask(self, jobs: list[Job], silence: float, end: float) -> Iterator[tuple[int, Outcome] | str]:
        """Hand *jobs* over; yield (job, outcome) as each comes, and at last, if it stopped early, how."""
        with contextlib.suppress(BrokenPipeError):
            _send(self._process.stdin, _packed(jobs))
        while True:
            left = end - time.monotonic()
            patience = silence if self._ready else max(silence, _STARTUP)
            try:
                line = self._lines.get(timeout=max(0.0, min(patience, left)))
            except queue.Empty:
                yield "silence" if left > patience else "deadline"
                return
            message = _understood(line, len(jobs))
            if message is None:
                if not self._ready:
                    raise CheckerFailed(f"the process that runs tests did not start: {self._complaint()}")
                yield self._last_words()
                return
            self._ready = True
            if message == "done":
                return
            if message != "ready":
                yield message

    def _complaint(self) -> str:
        lines = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else self._last_words()

    def _last_words(self) -> str:
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "it closed its channel"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def stack(self) -> str:
        """Return where the process last said it was, innermost call first; "" when it did not say."""
        with contextlib.suppress(OSError):
            return (Path(self._folder.name) / _STACK).read_text(encoding="utf-8", errors="replace")
        return ""

    def kill(self) -> None:
        """Kill the process, all that it started, and its folder."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._process.pid)], capture_output=True, check=False)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self._folder.cleanup()


def _understood(line: bytes, jobs: int) -> tuple[int, Outcome] | str | None:
    """Return the message in *line*, None when it is none of ours: a test can write on any channel of its process."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        message = json.loads(line)
        if message in ("ready", "done"):
            return message
        number, outcome = message
        if number in range(jobs):
            return number, Outcome(*outcome)
    return None


def _environment() -> dict[str, str]:
    """Return the environment without what Python, pytest or a CI machine would read from it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST_")) and k != "CI"}
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


def _packed(jobs: list[Job]) -> bytes:
    """Return *jobs* as bytes for the same Python on the other side; a code or a face that repeats is sent once."""
    parts: dict[Any, int] = {}
    rows = []
    for job in jobs:
        refs = [parts.setdefault(part, len(parts)) for part in (job.subject, tuple(job.tests), job.face)]
        rows.append((*refs, job.names, job.module, job.order, job.quiet, job.ours, job.traced))
    return marshal.dumps((list(parts), rows))


def _unpacked(data: bytes) -> list[Job]:
    parts, rows = marshal.loads(data)
    return [Job(parts[s], TestFile(*parts[t]), names, parts[f], *rest) for s, t, f, names, *rest in rows]


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(struct.pack(">I", len(data)) + data)
    pipe.flush()


def main(silence: float) -> None:
    """Be the process: read jobs, run them, answer with a line for each outcome.

    Shortly before the *silence* of a test becomes too long, and when it ends the process, it writes down where it is.
    """
    from radixlab.checker import engine

    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
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
        faulthandler.dump_traceback_later(silence * 0.9, file=stack)
        answers.write(json.dumps(message).encode() + b"\n")
        answers.flush()

    say("ready")
    while head := asked.read(4):
        jobs = _unpacked(asked.read(struct.unpack(">I", head)[0]))
        engine.run(jobs, lambda number, outcome: say((number, astuple(outcome))), interruptible=False)
        say("done")
        faulthandler.cancel_dump_traceback_later()


def line_in(stack: str, filename: str) -> int | None:
    """Return the innermost line of *filename* in a stack written down by faulthandler, None when there is none."""
    found = re.search(rf'File "{re.escape(filename)}", line (\d+) in', stack)
    return int(found[1]) if found else None
