"""The worker: the engine in a spawned process, watched by the clock.

A process that gives no answer for a while is killed and another one goes on with the rest. What hides from the step
budget (a loop in C, `sleep`, a crash, `os._exit`) ends here, and is never a pass.
"""

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
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from typing import IO, Any

from radixlab.checker.job import Job, Outcome, TestFile, order_of

SILENCE = 5.0  # seconds that a test may take
DEADLINE = 15.0  # seconds that all jobs of one `run` may take
KILLS = 2  # then the rest is not run
MEMORY = 2 * 1024**3  # bytes of address space, where the system can limit it

Answers = list[dict[str, Outcome]]
Watch = Callable[[int, Outcome], None]


def nobody_watches(number: int, outcome: Outcome) -> None:
    """Do nothing with an outcome that has come."""


class Inline:
    """The engine in this very process: no fork, subprocess, thread or signal, and no watchdog."""

    def run(self, jobs: list[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come; *end* is ignored."""
        from radixlab.checker import engine  # pytest takes its time to load, and `ol` can do without

        answers: Answers = [{} for _ in jobs]

        def report(number: int, outcome: Outcome) -> None:
            answers[number][outcome.name] = outcome
            watch(number, outcome)

        engine.run(jobs, report)
        return answers

    def close(self) -> None:
        """Nothing to end."""


class Worker:
    """A process with the engine in it, started when first needed, and kept for the next `run`.

    *silence* and *deadline*: seconds, for one test and for one `run`.
    """

    def __init__(self, silence: float = SILENCE, deadline: float = DEADLINE) -> None:
        self.silence, self.deadline = silence, deadline
        self._process: _Process | None = None

    def run(self, jobs: list[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come.

        *end*: the deadline, on the monotonic clock, when several runs share one.
        A test that gave no answer has the outcome timeout, or no_answer when its process ended. What was not reached
        before the deadline, or after the last kill, is not_run.
        """
        answers: Answers = [{} for _ in jobs]
        end, kills = end or time.monotonic() + self.deadline, 0
        try:
            while kills < KILLS and any(_missing(jobs, answers)):
                stopped = self._pass(jobs, answers, end, watch)
                if stopped == "deadline":
                    break
                if stopped:
                    kills += 1
        except BaseException:
            self.close()
            raise
        why = "the time was used up before its turn came" if kills < KILLS else f"not run after {KILLS} that hung"
        for number, name in _missing(jobs, answers):
            answers[number][name] = Outcome(name, "not_run", why)
            watch(number, answers[number][name])
        return answers

    def start(self) -> "Worker":
        """Start the process now, so that it is ready when it is needed; return the worker itself."""
        self._process = self._process or _Process(self.silence)
        return self

    def _pass(self, jobs: list[Job], answers: Answers, end: float, watch: Watch) -> str | None:
        """Run what is missing in one process until all is there or it stops; say how it stopped."""
        todo: dict[int, Job] = {}
        for number, name in _missing(jobs, answers):
            names = todo[number].names if number in todo else ()
            todo[number] = replace(jobs[number], names=(*names, name))
        self.start()
        waiting = [(number, name) for number, job in todo.items() for name in order_of(job)]
        for message in self._process.ask(list(todo.values()), self.silence, end):
            if isinstance(message, str):  # it stopped
                if waiting and message != "deadline":
                    number, name = waiting[0]
                    stack = self._process.stack()
                    answers[number][name] = _unanswered(name, jobs[number], message, self.silence, stack)
                    watch(number, answers[number][name])
                self.close()
                return message
            number, outcome = list(todo)[message[0]], Outcome(*message[1])
            if (number, outcome.name) in waiting:
                waiting.remove((number, outcome.name))
                answers[number][outcome.name] = outcome
                watch(number, outcome)
        return None

    def close(self) -> None:
        """End the process, and whatever it started."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def __enter__(self) -> "Worker":
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _missing(jobs: list[Job], answers: Answers) -> Iterator[tuple[int, str]]:
    return ((n, name) for n, job in enumerate(jobs) for name in job.names if name not in answers[n])


def _unanswered(name: str, job: Job, stopped: str, silence: float, stack: str) -> Outcome:
    """Return the outcome of a test that was killed or left; *stack*: what its process wrote down last."""
    lines = [_line_in(stack, filename) for filename in (job.tests.filename, job.subject.co_filename)]
    lines[1] = None if job.quiet else lines[1]
    if stopped == "silence":
        text = f"no answer for {silence:g} s: it sleeps, or loops outside Python"
        return Outcome(name, "timeout", text, None, *lines, duration_s=silence)
    return Outcome(name, "no_answer", f"it ended the process in the middle of the test ({stopped})", None, *lines)


def _line_in(stack: str, filename: str) -> int | None:
    """Return the innermost line of *filename* in a stack written down by faulthandler, None when there is none."""
    found = re.search(rf'File "{re.escape(filename)}", line (\d+) in', stack)
    return int(found[1]) if found else None


_STACK = ".stack"
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from radixlab.checker import worker
worker.main(float(sys.argv[2]))
"""


class _Process:
    """One spawned process: jobs go in, answers come out, on pipes of its own."""

    def __init__(self, silence: float) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="radixlab-", ignore_cleanup_errors=True)
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        apart = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-X", "utf8", "-c", _START, json.dumps(path), str(silence)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=_environment(),
            **apart,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def ask(self, jobs: list[Job], silence: float, end: float) -> Iterator[tuple[int, list] | str]:
        """Hand *jobs* over; yield (job, outcome) as each comes, and at last, if it stopped early, how."""
        with contextlib.suppress(BrokenPipeError):
            _send(self._process.stdin, _packed(jobs))
        started = False
        while True:
            left = end - time.monotonic()
            patience = silence if started else silence + 5.0  # the first answer waits for the imports
            try:
                line = self._lines.get(timeout=max(0.0, min(patience, left)))
            except queue.Empty:
                yield "silence" if left > patience else "deadline"
                return
            started = True
            try:
                message = json.loads(line)
            except ValueError:
                yield self._last_words()
                return
            if message == "done":
                return
            if message != "ready":
                yield message

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
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._folder.cleanup()


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
