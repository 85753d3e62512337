"""What a grade costs: for each bug, beside other tools; in the whole of `ol check`; in an endless loop."""

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType

import peers
from tables import Table, middle, options, ratio, rounds, show

from radixlab import course
from radixlab.checker.asserts import compile_tests
from radixlab.checker.job import Job, TestFile
from radixlab.checker.mutation import DECOYS, Bank, grade, suite
from radixlab.checker.subject import compile_subject
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Worker

CHAPTER = course.chapter("ds.07")
REFERENCE = CHAPTER.text("reference.py")
GOOD_TESTS = Path(__file__).parents[1] / "tests" / "samples" / "ds07" / "good_tests.py"
SEED = 1


def good_tests() -> str:
    return GOOD_TESTS.read_text(encoding="utf-8")


def job(subject: CodeType, tests: TestFile, names: Iterable[str], *, ours: bool = False) -> Job:
    """Return a job on *subject*: the chapter's tests on a learner's tree, or own tests on a tree of ours."""
    return Job(subject, tests, tuple(names), CHAPTER.text("face.pyi"), CHAPTER.module, quiet=not ours, ours=ours)


def page(name: str) -> TestFile:
    """Return the test file *name* of the chapter."""
    return TestFile(CHAPTER.text(name), name)


class Planted:
    """The planted bugs, graded by the good tests in a worker that runs already."""

    def __init__(self, worker: Worker) -> None:
        self.worker, self.tests = worker, suite(CHAPTER, good_tests())
        self.killed = 0

    def grade(self) -> None:
        """Write each bug in other words, and run the tests on it."""
        bank = Bank(CHAPTER, SEED)
        answers = self.worker.run(bank.job(bank.rewritten(bug), self.tests) for bug in CHAPTER.bugs)
        self.killed = sum(any(o.outcome != "passed" for o in outcomes.values()) for outcomes in answers)

    def grade_wholly(self) -> None:
        """Start a worker, and do all that a grade takes: the reference thrice, the variants, the decoys, the bugs."""
        with Worker() as worker:
            grade(CHAPTER, self.tests, worker, SEED)


# For each bug ------------------------------------------------------------------------------------------------------


def bug_table(worker: Worker, folder: Path, python: str | None, *, quick: bool) -> Table:
    """Time the same bugs and tests by every means there is."""
    everything, some = len(CHAPTER.bugs), 1 if quick else len(CHAPTER.bugs)
    sources = {bug.id: bug.plant(REFERENCE) for bug in CHAPTER.bugs[:some]}
    python = python or sys.executable

    def peer(kind: type[peers.Peer], python: str = python) -> peers.Peer:
        return kind(folder / kind.__name__, python, REFERENCE, good_tests(), sources)

    ours, processes = Planted(worker), peer(peers.Processes, sys.executable)
    runs: dict[str, Callable[[], object]] = {"ours": ours.grade, "whole": ours.grade_wholly, "pytest": processes.grade}
    missing = "left out by --quick" if quick else "not installed"
    cosmic_ray = peer(peers.CosmicRay) if not quick and peers.has(python, "cosmic_ray") else None
    if cosmic_ray:
        cosmic_ray.prepare()
        runs["cosmic-ray"] = cosmic_ray.grade
    ours.grade()  # the worker has started then, and loaded pytest
    taken = rounds(1 if quick else 5, runs)
    each = {
        name: [spent / (everything if name in ("ours", "whole") else some) for spent in taken[name]] for name in runs
    }

    def row(title: str, name: str, killed: int, of: int) -> tuple[str, ...]:
        return title, f"{middle(each[name]):.1f} ms", f"{ratio(each[name], each['ours']):.1f}", f"{killed} of {of}"

    rows = [
        row("radixlab, in a worker that runs", "ours", ours.killed, everything),
        row("radixlab, all of a grade", "whole", ours.killed, everything),
        row("a pytest process for each bug", "pytest", processes.killed, some),
        ("cosmic-ray, the same bugs", missing, "", ""),
        ("mutmut, mutants of its own", missing, "", ""),
    ]
    note = ""
    if cosmic_ray:
        rows[3] = row(rows[3][0], "cosmic-ray", cosmic_ray.killed, some)
    if not quick and peers.has(python, "mutmut"):
        mutmut = peer(peers.Mutmut)
        mutmut.grade()
        times = mutmut.each / middle(each["ours"])
        rows[4] = (rows[4][0], f"{mutmut.each:.1f} ms", f"{times:.1f}", f"{mutmut.killed} of {mutmut.ran}")
        note = (
            " mutmut takes no list of bugs: the median of what it noted for each mutant, one at a time; "
            f"{len(mutmut.looping)} more looped, and took {sum(mutmut.looping):.0f} of its {mutmut.whole / 1000:.0f} s."
        )
    return Table(
        "For each bug",
        ("how", "a bug", "to the first", "killed"),
        rows,
        "Rewriting is included. Aim: at most 15 ms. All of a grade also starts the worker, and runs the reference "
        "three times, the variants and the decoys. The others do not ask whether the tests pass on correct trees; "
        f"pytest loads no plugins for them.{note}",
    )


# The whole command -------------------------------------------------------------------------------------------------


def command_table(worker: Worker, folder: Path, *, quick: bool) -> Table:
    """Time `ol check` as a process, and its parts one by one."""
    own, official, figures = suite(CHAPTER, good_tests()), page("official.py"), page("figures.py")
    cards, noted = [card.name for card in CHAPTER.tests], test_names(figures.source)
    subject = compile_subject(REFERENCE)
    variants = {name: compile_subject(source) for name, source in CHAPTER.variants.items()}

    def python(*arguments: str) -> Callable[[], object]:
        path = str(Path(course.__file__).parents[1])  # the radixlab that is measured here, installed or not
        return lambda: peers.run(sys.executable, arguments, folder, PYTHONPATH=path)

    def start() -> None:
        with Worker() as fresh:
            fresh.run([job(subject, own.file, own.names[:1])])

    def rewritten() -> list[CodeType]:
        bank = Bank(CHAPTER, SEED)
        return [bank.rewritten(bug) for bug in (*CHAPTER.bugs, *[None] * (DECOYS + 3))]

    def own_on(subjects: Iterable[CodeType]) -> Callable[[], object]:
        jobs = [job(code, own.file, own.names) for code in subjects]
        return lambda: worker.run(jobs)

    *planted, first, second = rewritten()
    command = ["-m", "radixlab", "check", CHAPTER.id, "--impl", "reference", "--tests", str(GOOD_TESTS)]
    parts = {
        "Python starts": ("both", python("-c", "pass")),
        "Python starts, `ol` is imported": ("both", python("-c", "import radixlab.cli")),
        "the chapter is read": ("both", lambda: course.chapter(CHAPTER.id)),
        "a worker starts, loads pytest, runs a test": ("both", start),
        "the tree is compiled": ("tree", lambda: compile_subject(REFERENCE)),
        "the official tests are compiled": ("tree", lambda: compile_tests.__wrapped__(*official)),
        "the official tests run": ("tree", lambda: worker.run([job(subject, official, cards, ours=True)])),
        "the figures are taken": ("tree", lambda: worker.run([job(subject, figures, noted, ours=True)])),
        "the own tests are compiled": ("tests", lambda: compile_tests.__wrapped__(*own.file)),
        "the variants are compiled": ("tests", lambda: [compile_subject(text) for text in CHAPTER.variants.values()]),
        "bugs, decoys and reference are written in other words": ("tests", rewritten),
        "the own tests run on the reference and the variants": ("tests", own_on([first, second, *variants.values()])),
        "the own tests run on bugs, decoys and the reference": ("tests", own_on(planted)),
    }
    whole = "`ol check ds.07 --impl reference --tests good_tests.py`"
    runs = {whole: python(*command, "--seed", str(SEED))} | {name: run for name, (_, run) in parts.items()}
    taken = rounds(1 if quick else 7, runs)
    rows = [(whole, "", f"{middle(taken[whole]):.0f} ms")]
    rows += [(name, side, f"{middle(taken[name]):.0f} ms") for name, (side, _) in parts.items()]
    return Table(
        "The whole command",
        ("what", "side", "wall time"),
        rows,
        "Aim: under 1500 ms on two cores. The parts are measured one by one; the command does the tree's side and the "
        "tests' side at the same time, with a worker for each.",
    )


# Endless loops -----------------------------------------------------------------------------------------------------


def loop_table(worker: Worker, *, quick: bool) -> Table:
    """Time one test that meets an endless loop: in a bug, in the test itself, in the learner's tree."""
    good, names = good_tests(), ("split_by_hand",)
    head = "def test_split_by_hand():\n"
    endless = TestFile(_edited(good, head, f"{head}    while True:\n        pass\n"), "test_radix.py")
    fine, own = compile_subject(REFERENCE), TestFile(good, "test_radix.py")
    looping = compile_subject(_edited(REFERENCE, "        runs += 1\n", "        runs += 0\n"))
    jobs = {
        "nowhere": job(fine, own, names),
        "in a planted bug": job(looping, own, names),
        "in an own test": job(fine, endless, names),
        "in the learner's tree": job(looping, page("official.py"), ["hand_example_split_and_match"], ours=True),
    }
    outcomes: dict[str, str] = {}

    def run(where: str) -> Callable[[], object]:
        def once() -> None:
            (answer,) = worker.run([jobs[where]])
            (outcome,) = answer.values()
            outcomes[where] = outcome.outcome

        return once

    taken = rounds(1 if quick else 21, {where: run(where) for where in jobs})
    rows = [(where, outcomes[where], f"{middle(taken[where]):.1f} ms") for where in jobs]
    return Table(
        "An endless loop",
        ("where", "outcome", "the test takes"),
        rows,
        "One test on one tree in a worker that runs. Aim: under 100 ms each. The budget is 100,000 steps for a call of "
        "the tree, 500,000 for the own code of a test.",
    )


def _edited(source: str, find: str, put: str) -> str:
    if source.count(find) != 1:
        raise ValueError(f"the file has changed; this is not there once: {find!r}")
    return source.replace(find, put)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument(
        "--peers", metavar="PYTHON", help="the Python that has mutmut and cosmic-ray; this one if not given"
    )
    asked = parser.parse_args()
    with Worker(deadline=600) as worker, tempfile.TemporaryDirectory(prefix="grading-") as folder:
        tables = [
            bug_table(worker, Path(folder), asked.peers, quick=asked.quick),
            command_table(worker, Path(folder), quick=asked.quick),
            loop_table(worker, quick=asked.quick),
        ]
    show("grading", "Grading", tables, write=asked.write)


if __name__ == "__main__":
    main()
