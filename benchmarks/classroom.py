"""What a class costs: submissions a minute, beside nbgrader and otter-grader; the wire and the sandbox apart."""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import graders
import peers
from grading import CHAPTER, REFERENCE, SEED, good_tests
from tables import Table, middle, options, ratio, rounds, show

from radixlab.checker import mutation
from radixlab.checker.engine import run as run_engine
from radixlab.checker.job import Job, TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.subject import compile_subject
from radixlab.checker.worker import Shells
from radixlab.classroom import asking, pipes, sandbox, serving, shell, wire

BUGS = {"OFFICIAL": CHAPTER.text("official.py"), "REFERENCE": REFERENCE}
BUGS |= {"BUGS": [bug.plant(REFERENCE) for bug in CHAPTER.bugs]}


def submissions(count: int) -> list[tuple[str, str]]:
    """Return complete submissions, a tree and its tests, no two of which are the same text."""
    return [(f"{REFERENCE}\n# {number}\n", f"{good_tests()}\n# {number}\n") for number in range(count)]


# A class -----------------------------------------------------------------------------------------------------------


class Class:
    """A folder of complete submissions, graded by `ol grade` anew each time."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size, self.passed = folder, size, 0
        for number, (tree, tests) in enumerate(submissions(size)):
            place = folder / "class" / f"learner {number}"
            place.mkdir(parents=True)
            (place / "radix.py").write_text(tree, encoding="utf-8")
            (place / "test_radix.py").write_text(tests, encoding="utf-8")

    def grade(self, isolation: str) -> None:
        """Grade all, two at a time."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            command = [sys.executable, "-m", "radixlab", "grade", "class", "--out", f"{out}/graded", "--jobs", "2"]
            done = subprocess.run([*command, "--isolation", isolation], cwd=self.folder, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr[-800:])
            with open(f"{out}/graded/grades.csv", encoding="utf-8", newline="") as file:
                self.passed = sum(row["outcome"] == "pass" for row in csv.DictReader(file))


def class_table(folder: Path, python: str | None, *, quick: bool) -> Table:
    """Time a class of complete submissions by every means there is."""
    size, few = (2, 1) if quick else (24, 4)
    whole = Class(folder / "ours", size)
    runs: dict[str, Callable[[], object]] = {
        "with": lambda: whole.grade("required"),
        "without": lambda: whole.grade("none"),
    }
    sizes, passed = {"with": size, "without": size}, {}
    titles = {"with": "`ol grade`, in the sandbox", "without": "`ol grade --isolation none`"}
    rest = []
    for name, kind, title in (
        ("nbgrader", graders.Nbgrader, "nbgrader autograde, one at a time"),
        ("otter", graders.Otter, "otter run, one at a time"),
    ):
        if quick or not peers.has(python or sys.executable, name):
            rest.append((title, "left out by --quick" if quick else "not installed", "", ""))
            continue
        peer = kind(folder / name, python or sys.executable, BUGS, submissions(few))
        peer.prepare()
        runs[name], sizes[name], titles[name], passed[name] = peer.grade, few, title, peer
    taken = rounds(1 if quick else 3, runs)
    each = {name: [spent / sizes[name] for spent in taken[name]] for name in runs}
    rows = [
        (
            titles[name],
            f"{60_000 / middle(each[name]):.1f}",
            f"{ratio(each[name], each['with']):.2f}",
            f"{passed[name].passed if name in passed else whole.passed} of {sizes[name]}",
        )
        for name in runs
    ]
    return Table(
        "Complete submissions a minute",
        ("how", "a minute", "time of one, to the first", "passed"),
        [*rows, *rest],
        "Aim: at least 30 in the sandbox, on two cores. Start and end of the command included. The others run in no "
        "sandbox, have no budget of steps, ask the own tests of the reference and the planted bugs only, and do so in "
        "the process in which the submission runs.",
    )


# Its parts ---------------------------------------------------------------------------------------------------------


class Pair:
    """Two ordinary processes with pipes between them: our tests here, the reference served there."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def run(self) -> None:
        """Run the job's tests over the wire, with no sandbox around the other side."""
        out, into = self._served()
        channel = pipes.Channel(out, into)

        def ask(message: dict) -> dict:
            until = time.monotonic() + 60
            channel.send(message, until)
            return wire.parsed(channel.line(until))

        first = wire.parsed(channel.line(time.monotonic() + 60))
        Pair.names = staticmethod(lambda meter: asking.Asker(self.job.face, ask, meter, "radix.py").names(first))
        names = f"__import__({__name__!r}).Pair.names(__tick__.__self__)"
        subject = compile(f"globals().update({names})", "radix.py", "exec")
        outcomes = []
        run_engine([replace(self.job, subject=subject)], lambda number, outcome: outcomes.append(outcome.outcome))
        channel.close()
        if set(outcomes) != {"passed"}:
            raise RuntimeError(f"the reference does not pass over the wire: {outcomes}")
        os.wait()

    def _served(self) -> tuple[int, int]:
        """Fork the side that serves; return the ends to write to and to read from."""
        (asked, out), (into, answers) = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(out)
            os.close(into)
            served = serving.Served(self.job)
            with os.fdopen(asked, "rb") as questions, os.fdopen(answers, "wb") as pipe:
                wire.write(pipe, served.promises())
                for line in questions:
                    wire.write(pipe, served.answer(wire.read(line)))
            os._exit(0)
        os.close(asked)
        os.close(answers)
        return out, into


def parts_table(*, quick: bool) -> Table:
    """Time the two halves of a grade on the desktop and in the sandbox, and what makes the difference."""
    code = compile_subject(REFERENCE, CHAPTER.file)
    official = TestFile(CHAPTER.text("official.py"), "official.py")
    job = job_of(CHAPTER, code, official, [test.name for test in CHAPTER.tests], ours=True, theirs=True)
    desktop, apart = (shell.shells(isolation)[0] for isolation in ("none", "required"))
    pair, suite = Pair(job), mutation.suite(CHAPTER, good_tests())

    def own(where: Shells) -> None:
        mutation.grade(CHAPTER, suite, where.tests, SEED, end=time.monotonic() + 60)

    def started() -> None:
        box = sandbox.Sandbox()
        box.wait()
        box.close()

    runs = {
        "official": lambda: desktop.tree.run([job]),
        "official over the wire": pair.run,
        "official in the sandbox": lambda: apart.tree.run([job]),
        "own": lambda: own(desktop),
        "own in the sandbox": lambda: own(apart),
        "start": started,
    }
    for run in runs.values():
        run()  # everything is loaded
    taken = rounds(1 if quick else 9, runs)
    desktop.close()
    apart.close()

    def row(title: str, name: str, base: str = "") -> tuple[str, ...]:
        beside = f"{ratio(taken[name], taken[base]):.1f}" if base else ""
        return title, f"{middle(taken[name]):.0f} ms", beside

    return Table(
        "The wire and the sandbox apart",
        ("one complete submission", "time", "to the desktop"),
        [
            row("official tests, tree in the same process", "official"),
            row("official tests, tree behind the wire", "official over the wire", "official"),
            row("official tests, tree behind the wire and in the sandbox", "official in the sandbox", "official"),
            row("own tests, one process for all trees", "own"),
            row("own tests, each tree behind the wire, each run fresh in the sandbox", "own in the sandbox", "own"),
            row("start of a sandbox, once for many submissions", "start"),
        ],
        f"The official tests are {calls(job):,} calls, the own tests some 55 runs.",
    )


def calls(job: Job) -> int:
    """Return how many calls the tests of *job* make of a right tree."""
    served, count = serving.Served(job), 0

    def ask(message: dict) -> dict:
        nonlocal count
        count += 1
        return served.answer(wire.read(wire.line(message)))

    Pair.names = staticmethod(lambda meter: asking.Asker(job.face, ask, meter, "radix.py").names(served.promises()))
    subject = compile(f"globals().update(__import__({__name__!r}).Pair.names(__tick__.__self__))", "radix.py", "exec")
    run_engine([replace(job, subject=subject)], lambda number, outcome: None)
    return count


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--peers", help="the Python of an environment with nbgrader and otter-grader")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = given.peers or os.environ.get("RADIXLAB_PEERS")
        tables = [class_table(Path(folder), python, quick=given.quick), parts_table(quick=given.quick)]
    show("classroom", "What a class costs", tables, write=given.write)


if __name__ == "__main__":
    sys.modules["classroom"] = sys.modules["__main__"]
    main()
