"""One submission graded in a process of its own, which is killed, with all that it started, when it is late.

The process is fresh for each submission, so what one leaves in memory never meets the next. It ends by itself, and
ends what it started, as soon as whoever asked is gone: it sees its standard input close.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from radixlab.checker.process import kill_all_with
from radixlab.classroom.grade import Grade, one_line

TIMEOUT = 60.0  # seconds for a whole submission
_DYING = 5.0  # seconds that what a submission started may take to be gone
_MOST = 50_000_000  # bytes of a grade
_TOKEN = "RADIXLAB_GRADING"  # in the environment of all that the process starts, but not in its own
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from radixlab.classroom import alone; alone.main()"


class Cancelled(RuntimeError):
    """The run is over before the grade came: nothing is known of the submission."""


def task(
    submission: dict[str, Any], chapter: str, version: str, isolation: str, timeout: float, seed: int
) -> dict[str, Any]:
    """Return what has to be known to grade *submission* anywhere, as plain data."""
    return {
        "submission": submission,
        "chapter": chapter,
        "version": version,
        "isolation": isolation,
        "timeout": timeout,
        "seed": seed,
    }


def graded(task: dict[str, Any], run: str = "") -> dict[str, Any]:
    """Return the grade of a *task*, as plain data; *run* is the name under which `cancel` ends it.

    A process that ends without a grade is started once more: it may have been the machine. Then it is a `crash`.
    Cancelled when it was.
    """
    for _ in range(2):
        try:
            grading = Grading(task)
        except OSError as error:
            return without(task, "infra_error", f"the process that grades did not start: {error}")
        with _known(run, grading):
            answer = grading.answer()
        if grading.stopped == "cancelled":
            raise Cancelled(run)
        if grading.stopped == "late":
            return without(task, "timeout", f"no verdict within {task['timeout']:g} s: the rest was not run")
        if answer is not None:
            return answer
        if not grading.ready:
            return without(task, "infra_error", f"the process that grades did not start: {grading.last_words}")
    return without(task, "crash", f"the process that graded it ended twice without a verdict ({grading.last_words})")


class Grading:
    """A process that grades one task, in a session and a folder of its own. It is started here.

    *ready*: whether it came up; *stopped*: why it was killed, if it was; *last_words*: how it ended.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        self.ready, self.stopped, self.last_words = False, "", ""
        self._folder = tempfile.mkdtemp(prefix="radixlab-")
        self._token = os.urandom(8).hex()
        self._until = time.monotonic() + task["timeout"]
        self._task = {**task, "token": self._token, "folder": self._folder}
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - read when it has ended, then closed
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-S", "-X", "utf8", "-c", _START, json.dumps(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self._folder,
                env={key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
                start_new_session=True,
            )
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def answer(self) -> dict[str, Any] | None:
        """Return the grade that it gives, None when it ends without one; then nothing of it is left."""
        clock = threading.Timer(self._until - time.monotonic(), self.stop, ["late"])
        clock.daemon = True
        clock.start()
        try:
            with contextlib.suppress(OSError):
                self._process.stdin.write(json.dumps(self._task).encode() + b"\n")
                self._process.stdin.flush()
            self.ready = self._process.stdout.readline(100) == b"ready\n"
            line = self._process.stdout.readline(_MOST) if self.ready else b""
            with contextlib.suppress(ValueError):
                return Grade.from_dict(json.loads(line)).as_dict()
            return None
        finally:
            clock.cancel()
            self._end()

    def stop(self, why: str) -> None:
        """Kill the process from another thread: `answer` then returns."""
        self.stopped = self.stopped or why
        self._process.kill()

    def _end(self) -> None:
        """Kill what is left of it, wherever it went; twice does no harm."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        sweep(self._token)
        self._errors.seek(0)
        lines = self._errors.read()[-2_000:].decode(errors="replace").strip().splitlines()
        self._errors.close()
        self.last_words = one_line(lines[-1] if lines else f"signal {-code}" if code < 0 else f"exit code {code}")
        shutil.rmtree(self._folder, ignore_errors=True)


def sweep(token: str) -> None:
    """Kill all that bears *token* in its environment, until none is seen; where there is a /proc."""
    end = time.monotonic() + _DYING
    while kill_all_with(f"{_TOKEN}={token}".encode()) and time.monotonic() < end:
        time.sleep(0.005)


_running: dict[Grading, str] = {}  # and the run that it is part of
_cancelled: set[str] = set()  # runs


@contextlib.contextmanager
def _known(run: str, grading: Grading) -> Iterator[None]:
    """Keep *grading* where `cancel` finds it."""
    _running[grading] = run
    if run in _cancelled:
        grading.stop("cancelled")
    try:
        yield
    finally:
        del _running[grading]


def cancel(run: str) -> None:
    """End all gradings of *run* in this process: each raises Cancelled where it was asked for."""
    _cancelled.add(run)
    for grading, name in list(_running.items()):
        if name == run:
            grading.stop("cancelled")


def without(task: dict[str, Any], outcome: str, message: str) -> dict[str, Any]:
    """Return the grade of a submission that gave no report."""
    from radixlab import course
    from radixlab.classroom.grading import OPEN, blank
    from radixlab.classroom.reading import Submission

    grade = blank(
        Submission.from_dict(task["submission"]), course.chapter(task["chapter"]), task["version"], task["seed"]
    )
    isolation = "none" if task["isolation"] == "none" else "bubblewrap"
    notes = (*grade.notes, *([OPEN] if isolation == "none" else []))
    took = float(task["timeout"]) if outcome == "timeout" else 0.0
    fields = {"outcome": outcome, "message": message, "isolation": isolation, "notes": notes, "duration_s": took}
    return replace(grade, **fields).as_dict()


# In the process ------------------------------------------------------------------------------------------------------


def main() -> None:
    """Be the process: read a task, say that it has begun, answer with its grade."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    given = json.loads(asked.readline())
    os.environ.update({_TOKEN: given["token"], "TMPDIR": given["folder"]})
    tempfile.tempdir = None
    threading.Thread(
        target=_end_with_asker, args=(asked.fileno(), given["token"], given["folder"]), daemon=True
    ).start()

    from radixlab import course
    from radixlab.classroom.grading import grade_one
    from radixlab.classroom.reading import Submission

    answers.write(b"ready\n")
    answers.flush()
    submission, chapter = Submission.from_dict(given["submission"]), course.chapter(given["chapter"])
    grade = grade_one(submission, chapter, given["isolation"], given["timeout"], given["version"], given["seed"])
    answers.write(json.dumps(grade.as_dict()).encode() + b"\n")
    answers.flush()


def _end_with_asker(asked: int, token: str, folder: str) -> None:
    """Wait until whoever asked is gone; then leave nothing."""
    os.read(asked, 1)
    sweep(token)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
