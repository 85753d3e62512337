"""The verdict of `ol check`: the official tests on the learner's tree, their own tests graded, and what to do next."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from radixlab.checker import mutation
from radixlab.checker.advice import next_step
from radixlab.checker.diagnosis import diagnose
from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.mutation import Grades, Suite
from radixlab.checker.report import OwnTest, Report, TestResult
from radixlab.checker.subject import Unreadable, compile_subject, read
from radixlab.checker.worker import DEADLINE, Inline, Watch, Worker, nobody_watches
from radixlab.course import Chapter, Stage
from radixlab.progress import is_untouched, unwritten, waits_for


@dataclass
class Shells:
    """Where a check runs: one shell for the learner's tree, another for their tests, at the same time if they can."""

    tree: Inline | Worker = field(default_factory=Worker)
    tests: Inline | Worker = field(default_factory=Worker)

    @classmethod
    def inline(cls) -> "Shells":
        """Return shells that run everything in this process, one after the other."""
        return cls(Inline(), Inline())

    def start(self) -> None:
        """Start their processes now, so that they load while there is other work."""
        self.tree.start()
        self.tests.start()

    def close(self) -> None:
        """End their processes."""
        self.tree.close()
        self.tests.close()

    def both(self, on_tree, on_tests) -> tuple:
        """Run both functions, side by side where there are processes to run them in, and return their results."""
        if isinstance(self.tree, Inline):
            return on_tree(), on_tests()
        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(on_tree), pool.submit(on_tests)]
            try:
                return tuple(future.result() for future in futures)
            except BaseException:
                self.close()
                raise


@dataclass(frozen=True)
class Subject:
    """The learner's tree: its source, the name under which reports speak of it, and why it cannot be read, if so."""

    source: str
    name: str
    problem: str | None = None

    @classmethod
    def read(cls, path: Path, name: str) -> "Subject":
        """Return the subject in the file *path*; one that cannot be read has a *problem*, and fails every test."""
        try:
            return cls(read(path), name)
        except Unreadable as error:
            return cls("", name, str(error))


def check(
    chapter: Chapter,
    subject: Subject,
    tests: str | Unreadable | None,
    shells: Shells,
    *,
    seed: int,
    watch: Watch = nobody_watches,
) -> Report:
    """Return the report on *subject*, and on *tests*, the source of the learner's own; None leaves those out.

    *tests* may be the reason why there is no source. Nothing in the two files, broken as they may be, raises here.
    Complexity: about 40 runs of a test file.
    """
    began = time.monotonic()
    shells.start()
    missing = unwritten(chapter, subject.source)
    own = None if tests is None else _suite(chapter, tests)
    end = began + DEADLINE
    official, (grades, on_mine) = shells.both(
        lambda: _official(chapter, subject, missing, shells.tree, seed, watch, end),
        lambda: _own(chapter, subject, own, shells.tests, seed, watch, end),
    )
    own_tests = None if own is None else _with_outcomes(grades, on_mine, official.broken)
    report = Report(
        chapter=chapter.id,
        subject=subject.name,
        verdict="",
        seed=seed,
        duration_s=0.0,
        tests=official.results,
        own_tests=own_tests,
        mutation=grades.mutation if grades else None,
        next="",
        figures=official.figures,
    )
    untouched = is_untouched(subject.source, chapter.text("stub.py"))
    report.verdict = _verdict(report, untouched)
    report.next = next_step(chapter, report, missing, official.broken)
    report.duration_s = round(time.monotonic() - began, 3)
    return report


def check_stage(chapter: Chapter, subject: Subject, stage: Stage, shells: Shells, *, seed: int) -> Report:
    """Return the report of the checks of one *stage* on *subject*."""
    began = time.monotonic()
    source = chapter.text("stages.py")
    names = chapter.stage_tests(stage.name, mutation.test_names(source))
    missing = waits_for(chapter, stage.name, unwritten(chapter, subject.source))
    outcomes = _on_tree(chapter, subject, TestFile(source, "stages.py"), names, shells.tree)
    results = [_result(chapter, subject, outcomes[name], "stage", missing) for name in names]
    failed = [result for result in results if result.outcome != "passed"]
    verdict = "pass" if not failed else "not_attempted" if missing else "fail"
    following = chapter.stages[chapter.stages.index(stage) + 1 :]
    if missing:
        step = f"write {', '.join(missing.writes)} (notebook {missing.notebook}), then check again"
    elif failed:
        step = f"mend {failed[0].name}, then check again; `ol hint {chapter.id} {stage.name}` helps"
        if not _broken(outcomes):
            end = began + DEADLINE
            failed[0].message += _explained(chapter, subject, "stages.py", failed[0].name, shells.tree, end)
    elif following:
        step = f"go on with stage {following[0].name} (notebook {following[0].notebook})"
    else:
        step = f"`ol check {chapter.id}` runs the official tests and grades your own"
    took = round(time.monotonic() - began, 3)
    return Report(chapter.id, subject.name, verdict, seed, took, results, None, None, step, stage=stage.name)


def _suite(chapter: Chapter, source: str | Unreadable) -> Suite | str:
    if isinstance(source, Unreadable):
        return str(source)
    try:
        return mutation.suite(chapter, source)
    except Unreadable as error:
        return str(error)


def _on_tree(
    chapter: Chapter, subject: Subject, tests: TestFile, names, shell, watch=nobody_watches, end=None, ours=True
):
    """Run tests on the learner's tree; a file that does not parse fails them all."""
    try:
        if subject.problem:
            raise Unreadable(subject.problem)
        code = compile_subject(subject.source)
    except Unreadable as error:
        return {name: Outcome(name, "error", str(error), subject_line=error.line) for name in names}
    job = Job(code, tests, tuple(names), chapter.text("face.pyi"), chapter.module, ours=ours)
    return shell.run([job], watch, end)[0]


@dataclass
class _Official:
    """The official tests on the learner's tree; *broken*: what keeps the file from loading, if anything does."""

    results: list[TestResult]
    broken: str | None
    figures: dict[str, float] = field(default_factory=dict)


def _official(chapter, subject, missing, shell, seed, watch, end) -> _Official:
    """Run the official tests, and take the figures, which decide nothing."""
    names = tuple(card.name for card in chapter.tests)
    tests = TestFile(chapter.text("official.py"), "official.py")
    outcomes = _on_tree(chapter, subject, tests, names, shell, watch, end)
    results = [
        _result(chapter, subject, outcomes[card.name], card.kind, waits_for(chapter, card.stage, missing))
        for card in chapter.tests
    ]
    found = _Official(results, _broken(outcomes))
    failed = [result for result in results if result.outcome not in ("passed", "not_run")]
    if failed and not found.broken:
        failed[0].message += _explained(chapter, subject, "official.py", failed[0].name, shell, end)
    elif not failed and not missing:
        if mutation.believes_a_bug(chapter, tests, shell, seed, end):
            for result in results:
                result.outcome, result.message = "no_answer", "the file meddles with the tests: a bug passes them too"
            return found
        tests = TestFile(chapter.text("figures.py"), "figures.py")
        noted = _on_tree(chapter, subject, tests, mutation.test_names(tests.source), shell, end=end)
        found.figures = {name: n for outcome in noted.values() for name, n in outcome.figures.items()}
    return found


def _broken(outcomes: dict[str, Outcome]) -> str | None:
    """Return what keeps the learner's file from loading, None when it loads."""
    first = next(iter(outcomes.values()))
    alike = all(o.message == first.message and o.how is None for o in outcomes.values())
    return first.message if alike and first.outcome in ("error", "budget") else None


def _explained(chapter: Chapter, subject: Subject, file: str, test: str, shell: Inline | Worker, end: float) -> str:
    """Return the diagnosis of a failed test; "" when there is none, or the tree does not even load."""
    try:
        code = compile_subject(subject.source)
    except Unreadable:
        return ""
    return diagnose(chapter, file, test, code, shell, end)


def _own(chapter, subject, own, shell, seed, watch, end) -> tuple[Grades | None, dict[str, Outcome]]:
    """Grade the own tests, then run them on the learner's tree."""
    if own is None:
        return None, {}
    if isinstance(own, str):  # it does not parse
        return Grades([OwnTest(name, "error", False, None, own) for name in chapter.own_tests], None), {}
    if len(own.names) > chapter.most_own_tests:
        text = f"{len(own.names)} tests are too many: at most {chapter.most_own_tests}"
        return Grades([OwnTest(name, "not_run", False, None, text) for name in own.names], None), {}
    grades = mutation.grade(chapter, own, shell, seed, watch, end)
    return grades, _on_tree(chapter, subject, own.file, own.names, shell, watch, end, ours=False)


def _with_outcomes(grades: Grades, on_mine: dict[str, Outcome], broken: str | None) -> list[OwnTest]:
    """Add to each own test what became of it on the learner's tree."""
    for test in grades.own_tests:
        if outcome := on_mine.get(test.name):
            test.outcome = outcome.outcome
            if test.valid and outcome.outcome != "passed":
                test.message = "your tree does not load" if broken else outcome.message
    return grades.own_tests


def _result(chapter: Chapter, subject: Subject, outcome: Outcome, kind: str, waits: Stage | None) -> TestResult:
    """Turn an outcome into a result: one that waits for a stage not written yet has not been run."""
    message, name = outcome.message, outcome.outcome
    if name != "passed" and waits is not None:
        name, message = "not_run", f"waits for {waits.notebook}"
    elif name != "passed" and outcome.subject_line:
        lines = subject.source.splitlines()
        text = lines[outcome.subject_line - 1].strip() if outcome.subject_line <= len(lines) else ""
        if f"line {outcome.subject_line}" not in message:
            message = f"{message}\nin radix.py, line {outcome.subject_line}: {text}"
    return TestResult(outcome.name, kind, name, message, round(outcome.duration_s, 4), outcome.ticks)


def _verdict(report: Report, untouched: bool) -> str:
    """Decide: own tests are graded in any case, and all must hold."""
    if untouched and report.own_tests is not None and all(test.unwritten for test in report.own_tests):
        return "not_attempted"
    if untouched and report.own_tests is None:
        return "not_attempted"
    if any(test.outcome != "passed" for test in report.tests):
        return "fail"
    if report.own_tests is None:
        return "pass"
    if not all(test.valid for test in report.own_tests):
        return "invalid"
    if any(test.outcome != "passed" for test in report.own_tests):
        return "fail"
    return "pass" if report.mutation and report.mutation.passed else "fail"
