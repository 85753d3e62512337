"""Grade a learner's own tests: valid on every correct tree, and then by the planted bugs they catch."""

import ast
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType

from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.report import UNWRITTEN, BugResult, Mutation, OwnTest
from radixlab.checker.rewrite import Template
from radixlab.checker.store import kept
from radixlab.checker.subject import check_syntax, compile_subject
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import AFTER_KILLS, DEADLINE, LATE, Inline, Watch, Worker, nobody_watches
from radixlab.course import Bug, Chapter
from radixlab.syntax import syntax_tree

DECOYS = 4
_KILLS = {"failed", "budget"}  # a test that errs outside its own call, or gives no answer, has judged nothing
_LOST = {"timeout", "no_answer"}
_KINDS = {
    "reference": "the reference",
    "variant": "a variant: it differs in what nobody promised",
    "decoy": "the reference in other words",
}


@dataclass
class Grades:
    """The own tests with their grades; *mutation* is None while one of them is missing or invalid."""

    own_tests: list[OwnTest]
    mutation: Mutation | None


@dataclass(frozen=True)
class Suite:
    """A test file of the learner's: the *names* of its tests, and what is *missing* or there *twice*."""

    file: TestFile
    names: tuple[str, ...]
    missing: tuple[str, ...]
    twice: tuple[str, ...]


def suite(chapter: Chapter, source: str) -> Suite:
    """Read the test file *source* without running it; Unreadable when it is no Python."""
    check_syntax(source, chapter.tests_file)
    names = test_names(source, chapter.tests_file)
    missing = tuple(name for name in chapter.own_tests if name not in names)
    twice = tuple(name for name, times in Counter(names).items() if times > 1)
    return Suite(TestFile(source, chapter.tests_file), tuple(dict.fromkeys(names)), missing, twice)


class Bank:
    """The correct and the planted trees of a chapter, written in other words for one grading run."""

    def __init__(self, chapter: Chapter, seed: int) -> None:
        self.chapter, self.rng = chapter, random.Random(seed)
        self._template = template_of(chapter)

    def rewritten(self, bug: Bug | None = None) -> CodeType:
        """Return the code of the reference, or of *bug*, in other words than ever before."""
        return self._template.write(self.rng, bug.edits if bug else ())

    def job(self, subject: CodeType, tests: Suite, *, shuffled: bool = True) -> Job:
        """Return the job of *tests* on *subject*, one of ours."""
        order = self.rng.getrandbits(32) if shuffled else None
        return job_of(self.chapter, subject, tests.file, tests.names, order=order, quiet=True)


def template_of(chapter: Chapter) -> Template:
    """Return the reference of *chapter*, prepared for being written in other words."""
    return Template(chapter.text("reference.py"), public_names(chapter.text("face.pyi")), chapter.file)


def public_names(face: str) -> set[str]:
    """Return every name that the face *face* mentions."""
    nodes = list(ast.walk(syntax_tree(face)))
    return {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)} | {
        n.target.id for n in nodes if isinstance(n, ast.AnnAssign)
    }


def grade(
    chapter: Chapter,
    tests: Suite,
    shell: Inline | Worker,
    seed: int,
    watch: Watch = nobody_watches,
    end: float | None = None,
) -> Grades:
    """Return the grades of *tests*, run in *shell*; everything random follows from *seed*.

    *end*: the deadline, on the monotonic clock. Complexity: one run of all tests for each of about 30 subjects.
    """
    if tests.missing or tests.twice:
        return Grades([_refused(tests, name) for name in dict.fromkeys((*chapter.own_tests, *tests.names))], None)
    end = end or time.monotonic() + DEADLINE
    bank = Bank(chapter, seed)
    results = {name: OwnTest(name, "not_run", valid=True) for name in tests.names}
    _try_correct(bank, tests, shell, results, watch, end)
    if not all(result.valid for result in results.values()):
        return Grades(list(results.values()), None)
    outcomes = _try_planted(bank, tests, shell, results, watch, end)
    if not all(result.valid for result in results.values()):
        return Grades(list(results.values()), None)
    bugs = [_bug_result(bug, outcomes[bug.id], tests.names) for bug in chapter.bugs]
    for result in results.values():
        result.kills = [bug.id for bug in bugs if result.name in bug.by]
    return Grades(list(results.values()), _mutation(chapter, bugs))


def _try_correct(bank: Bank, tests: Suite, shell, results: dict[str, OwnTest], watch: Watch, end: float) -> None:
    """Run *tests* on the reference, twice, and on each variant; mark those that reject one."""
    kinds = ["reference", "reference", *("variant" for _ in bank.chapter.variants)]

    def jobs() -> Iterator[Job]:
        yield bank.job(bank.rewritten(), tests, shuffled=False)
        yield bank.job(bank.rewritten(), tests)
        for source in bank.chapter.variants.values():
            code = kept(("variant", source), lambda source=source: compile_subject(source, bank.chapter.file))
            yield bank.job(code, tests)

    for kind, outcomes in zip(kinds, shell.run(jobs(), watch, end), strict=True):
        _judge(bank, results, kind, outcomes)


def _try_planted(
    bank: Bank, tests: Suite, shell, results: dict[str, OwnTest], watch: Watch, end: float
) -> dict[str, dict[str, Outcome]]:
    """Run *tests* on the planted bugs and on decoys among them; mark those that reject one; return what bugs gave.

    The first test that failed on a bug is asked once more, on the same bug in other words and another order: if it then
    passes, it is not deterministic, or it gambles. What gave no answer is asked once more, last: it may have been the
    machine. Two that hang end a run, so the tests that did not hang are asked again without them.
    """
    chapter = bank.chapter

    def ask(asked: dict[Bug, list[str]], decoys: int = 1) -> dict[str, dict[str, Outcome]]:
        asked = {bug: tuple(names) for bug, names in asked.items() if names}
        return _answers(bank, tests, shell, asked, results, watch, end, decoys) if asked else {}

    def those(wanted: Callable[[Outcome], bool]) -> dict[Bug, list[str]]:
        return {bug: [name for name in tests.names if wanted(first[bug.id][name])] for bug in chapter.bugs}

    first = ask({bug: list(tests.names) for bug in chapter.bugs}, DECOYS)
    hung = {o.name for outcomes in first.values() for o in outcomes.values() if o.outcome in _LOST}
    for name in hung:
        results[name].message = f"gives no answer on some planted bug: let it end on a wrong {chapter.makes} too"
    skipped = those(lambda o: o.message.startswith(AFTER_KILLS) and o.name not in hung)
    for bug, outcomes in ask(skipped).items():
        first[bug].update(outcomes)
    now_and_then = f"now this, now that of the same {chapter.makes}: seed what is random in it"
    killers = those(lambda o: o.outcome in _KILLS)
    for bug, outcomes in ask({bug: sorted(names, key=hung.__contains__)[:1] for bug, names in killers.items()}).items():
        for name, outcome in outcomes.items():
            if outcome.outcome == "passed" and results[name].valid:
                results[name].valid = False
                results[name].message = f"this test says {now_and_then}"
            elif outcome.outcome not in _KILLS:
                first[bug][name] = outcome
    for bug, outcomes in ask(those(lambda o: o.outcome in _LOST)).items():
        first[bug].update({name: o for name, o in outcomes.items() if o.outcome != "not_run"})
    return first


def _answers(
    bank: Bank,
    tests: Suite,
    shell,
    asked: dict[Bug, tuple[str, ...]],
    results: dict[str, OwnTest],
    watch: Watch,
    end: float,
    decoys: int,
) -> dict[str, dict[str, Outcome]]:
    """Run on each bug the tests *asked* of it, decoys among them and a correct tree last; return what bugs gave.

    Of each choice of tests there are *decoys*: a run that asks one test only must not tell that its tree is wrong.
    """
    choices = dict.fromkeys(asked.values())
    planted: list[tuple[Bug | None, tuple[str, ...]]] = [*asked.items(), *[(None, names) for names in choices] * decoys]
    bank.rng.shuffle(planted)
    planted.append((None, tests.names))  # the canary
    kinds = [*["decoy"] * (len(planted) - 1), "reference"]
    jobs = (replace(bank.job(bank.rewritten(bug), tests), names=names) for bug, names in planted)
    gave: dict[str, dict[str, Outcome]] = {}
    for (bug, _), kind, outcomes in zip(planted, kinds, shell.run(jobs, watch, end), strict=True):
        if bug is None:
            _judge(bank, results, kind, outcomes)
        else:
            gave[bug.id] = outcomes
    return gave


def believes_a_bug(chapter: Chapter, shell: Inline | Worker, seed: int, end: float) -> bool:
    """Return whether a planted bug passes a test of the chapter's that must catch it, where a learner's tree passed.

    Then that tree has changed the process that the tests run in.
    """
    bug = random.Random(seed).choice(chapter.bugs)
    code = compile_subject(bug.plant(chapter.text("reference.py")), chapter.file)
    tests = TestFile(chapter.text("official.py"), "official.py")
    job = job_of(chapter, code, tests, bug.caught_by[:1], ours=True)
    return shell.run([job], end=end)[0][bug.caught_by[0]].outcome == "passed"


def _refused(tests: Suite, name: str) -> OwnTest:
    if name in tests.missing:
        return OwnTest(name, "not_run", False, None, f"{UNWRITTEN}: {tests.file.filename} has no test_{name}")
    if name in tests.twice:
        return OwnTest(name, "not_run", False, None, f"test_{name} is defined twice: the first one would never run")
    return OwnTest(name, "not_run", True)


def _judge(bank: Bank, results: dict[str, OwnTest], kind: str, outcomes: dict[str, Outcome]) -> None:
    """Mark each test that did not pass on a correct tree as invalid; the first rejection counts."""
    for name, outcome in outcomes.items():
        result = results[name]
        if outcome.outcome == "passed" or not result.valid or outcome.message.startswith(AFTER_KILLS):
            continue
        result.valid = False
        unwritten = outcome.message.startswith("NotImplementedError: write:")
        if unwritten:
            result.message = f"{UNWRITTEN}: {outcome.message.removeprefix('NotImplementedError: write:').strip()}"
            continue
        if outcome.message == LATE:
            result.message = f"not run, {LATE}: your tests must run some 60 times, so let each take milliseconds"
            continue
        result.rejects = kind
        at = f"line {outcome.test_line}: " if outcome.test_line else ""
        why = f"this test rejects a correct {bank.chapter.makes} ({_KINDS[kind]})"
        if outcome.how == "budget":
            why = f"this test does not end, on a correct {bank.chapter.makes}"
        elif outcome.message.startswith("NameError"):
            why = "this test has a mistake of its own"
        result.message = f"{why}. {at}{outcome.message}"


def _bug_result(bug: Bug, outcomes: dict[str, Outcome], names: tuple[str, ...]) -> BugResult:
    by = [name for name in names if outcomes[name].outcome in _KILLS]
    return BugResult(bug.id, bool(by), by, outcomes[by[0]].how if by else None, bug.area, bug.title)


def _mutation(chapter: Chapter, bugs: list[BugResult]) -> Mutation:
    killed = {bug.id for bug in bugs if bug.killed}
    return Mutation(
        total=len(bugs),
        killed=len(killed),
        needed=chapter.needed,
        required=list(chapter.required),
        score=round(len(killed) / len(bugs), 2),
        passed=len(killed) >= chapter.needed and killed.issuperset(chapter.required),
        bugs=bugs,
    )
