"""A submission graded in a process apart, which is killed, with all that it started, when it is late.

With the sandbox the process is kept for the next one, since nothing of a submission runs in it; without, each has a
process of its own. It ends by itself, and ends what it started, as soon as whoever asked is gone: it sees its standard
input close.
"""

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from radixlab.checker.process import kill_all_with
from radixlab.classroom.grade import Grade, one_line

TIMEOUT = 60.0  # seconds for a whole submission
_DYING = 5.0  # seconds that what a submission started may take to be gone
_MOST = 50_000_000  # bytes of a grade
_TOKEN = "RADIXLAB_GRADING"  # in the environment of all that the process starts, but not in its own
_START = (
    "import json, sys; sys.path[:], *its = json.loads(sys.argv[1]); "
    "from radixlab.classroom import alone; alone.main(*its)"
)


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
            grader = _waiting() or Grader()
        except OSError as error:
            return without(task, "infra_error", f"the process that grades did not start: {error}")
        with _known(run, grader):
            answer = grader.answer(task)
        if answer is not None and task["isolation"] == "required" and not grader.stopped:
            _idle.append(grader)
        else:
            grader.end()
        if run in _cancelled:
            _dismiss()
        if grader.stopped == "cancelled":
            raise Cancelled(run)
        if grader.stopped == "late":
            return without(task, "timeout", f"no verdict within {task['timeout']:g} s: the rest was not run")
        if answer is not None:
            return answer
        if not grader.ready:
            return without(task, "infra_error", f"the process that grades did not start: {grader.last_words}")
    return without(task, "crash", f"the process that graded it ended twice without a verdict ({grader.last_words})")


class Grader:
    """A process that grades one task after the other, in a session and a folder of its own. It is started here.

    Submissions do not meet in it: it never runs anything of theirs, and the places where that runs are fresh for each.
    *ready*: whether it came up; *stopped*: why it was killed, if it was; *last_words*: how it ended.
    """

    def __init__(self) -> None:
        self.ready, self.stopped, self.last_words = False, "", ""
        self._folder = tempfile.mkdtemp(prefix="radixlab-")
        self._token = os.urandom(8).hex()
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - read when it has ended, then closed
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-S", "-X", "utf8", "-c", _START, json.dumps([path, self._token, self._folder])],
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

    def answer(self, task: dict[str, Any]) -> dict[str, Any] | None:
        """Return the grade that it gives to *task*, None when it ends without one."""
        clock = threading.Timer(task["timeout"], self.stop, ["late"])
        clock.daemon = True
        clock.start()
        try:
            with contextlib.suppress(OSError):
                self._process.stdin.write(json.dumps(task).encode() + b"\n")
                self._process.stdin.flush()
            self.ready = self.ready or self._process.stdout.readline(100) == b"ready\n"
            line = self._process.stdout.readline(_MOST) if self.ready else b""
            with contextlib.suppress(ValueError):
                return Grade.from_dict(json.loads(line)).as_dict()
            return None
        finally:
            clock.cancel()
            clock.join()  # from here on it stops nothing

    def stop(self, why: str) -> None:
        """Kill the process from another thread: `answer` then returns."""
        self.stopped = self.stopped or why
        self._process.kill()

    def end(self) -> None:
        """Kill the process and what is left of it, wherever it went."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
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


_idle: list[Grader] = []  # those that wait for a task
_running: dict[Grader, str] = {}  # and the run that it is part of
_cancelled: set[str] = set()  # runs


def _waiting() -> Grader | None:
    """Take one that waits for a task, None when none does."""
    with contextlib.suppress(IndexError):
        return _idle.pop()
    return None


@contextlib.contextmanager
def _known(run: str, grader: Grader) -> Iterator[None]:
    """Keep *grader* where `cancel` finds it."""
    _running[grader] = run
    if run in _cancelled:
        grader.stop("cancelled")
    try:
        yield
    finally:
        del _running[grader]


def cancel(run: str) -> None:
    """End all gradings of *run* in this process, each of which raises Cancelled, and whoever waits for a task."""
    _cancelled.add(run)
    for grader, name in list(_running.items()):
        if name == run:
            grader.stop("cancelled")
    _dismiss()


def _dismiss() -> None:
    """End those that wait for a task."""
    with contextlib.suppress(IndexError):  # until there is none
        while True:
            _idle.pop().end()


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


def main(token: str, folder: str) -> None:
    """Be the process: say that it has begun, then answer each task with its grade; *token* marks what it starts."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    os.environ.update({_TOKEN: token, "TMPDIR": folder})
    tempfile.tempdir = None
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, tasks, token, folder), daemon=True).start()

    from radixlab import course
    from radixlab.classroom.grading import grade_one
    from radixlab.classroom.reading import Submission
    from radixlab.classroom.shell import Place

    places: dict[str, Place] = {}
    answers.write(b"ready\n")
    answers.flush()
    while True:
        given = json.loads(tasks.get())
        place = places.setdefault(given["isolation"], Place(given["isolation"]))
        submission, chapter = Submission.from_dict(given["submission"]), course.chapter(given["chapter"])
        grade = grade_one(submission, chapter, place, given["timeout"], given["version"], given["seed"])
        answers.write(json.dumps(grade.as_dict()).encode() + b"\n")
        answers.flush()


def _listen(asked: BinaryIO, tasks: queue.SimpleQueue, token: str, folder: str) -> None:
    """Take in tasks until whoever asks is gone; then leave nothing."""
    for line in asked:
        tasks.put(line)
    sweep(token)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
