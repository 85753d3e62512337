"""The author's lint: what must be true of a chapter before a learner sees it."""

import random
from collections.abc import Iterator

from radixlab import splice
from radixlab.author.card import card_problems, hint_problems
from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.live import loaded
from radixlab.checker.mutation import Bank, template_of
from radixlab.checker.standing import stage_tests
from radixlab.checker.subject import compile_subject
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Answers, Worker
from radixlab.course import Bug, Chapter, Stage

Found = Iterator[tuple[str, list[str]]]
PATIENCE = 600.0  # seconds that all of it may take
TREE = "RadixTree"
STEPS = 8  # of the script that shows a planted bug


def lint(chapter: Chapter, decoys: int = 200) -> Found:
    """Yield each thing that was looked at and the problems found, a sentence each."""
    with Worker(deadline=PATIENCE) as worker:
        bench = _Bench(chapter, worker)
        yield "card", list(card_problems(chapter))
        yield "hints", list(hint_problems(chapter))
        yield "edits of the planted bugs", list(_edits(chapter))
        yield "correct trees pass everything", list(_correct(bench))
        yield "cuts turn the right tests green", list(_cuts(bench))
        yield "planted bugs turn their stage red", list(_stages(bench))
        yield "planted bugs are caught as the card says", list(_catchers(bench))
        yield "stub and starter attempt nothing", list(_start(bench))
        if chapter.makes == "tree":
            yield f"planted bugs part from the reference within {STEPS} steps", list(_partings(chapter))
        yield f"{decoys} decoys pass", list(_decoys(bench, decoys))


class _Bench:
    """The files of a chapter, compiled, and a worker to run them in."""

    def __init__(self, chapter: Chapter, worker: Worker) -> None:
        self.chapter, self.worker = chapter, worker
        self.official = TestFile(chapter.text("official.py"), "official.py")
        self.stages = TestFile(chapter.text("stages.py"), "stages.py")
        self.official_names = tuple(card.name for card in chapter.tests)
        self.stage_names = test_names(chapter.text("stages.py"))
        self.reference, self.stub = chapter.text("reference.py"), chapter.text("stub.py")

    def job(self, source, tests, names) -> Job:
        code = compile_subject(source, self.chapter.file) if isinstance(source, str) else source
        return job_of(self.chapter, code, tests, names, ours=True)

    def run(self, jobs: list[Job]) -> Answers:
        return self.worker.run(jobs)

    def cut(self, stage: Stage, source: str | None = None) -> str:
        """Return the stub with the stages up to *stage* taken from *source*, the reference by default."""
        names = [name for each in self.chapter.stages_up_to(stage.name) for name in each.writes]
        return splice.cut(self.stub, source or self.reference, names)

    def checks_of(self, stage: Stage) -> tuple[str, ...]:
        return tuple(stage_tests(stage, self.stage_names))


def _edits(chapter: Chapter) -> Iterator[str]:
    reference = chapter.text("reference.py")
    template = template_of(chapter)
    for bug in (*chapter.bugs, *chapter.seen):
        try:
            compile_subject(bug.plant(reference))
            template.write(random.Random(0), bug.edits)
        except (ValueError, SyntaxError) as error:
            yield f"{bug.id}: {str(error).removeprefix(f'{bug.id}: ')}"


def _correct(bench: _Bench) -> Iterator[str]:
    trees = {"reference": bench.reference, **bench.chapter.variants}
    for names, tests in ((bench.official_names, bench.official), (bench.stage_names, bench.stages)):
        answers = bench.run([bench.job(source, tests, names) for source in trees.values()])
        for tree, outcomes in zip(trees, answers, strict=True):
            yield from (f"{tree}: {said}" for said in _failures(outcomes))


def _cuts(bench: _Bench) -> Iterator[str]:
    """An official test is green from its stage on, and not before; a stage's checks from their stage on."""
    stages = bench.chapter.stages
    official = bench.run([bench.job(bench.cut(s), bench.official, bench.official_names) for s in stages])
    checks = bench.run([bench.job(bench.cut(s), bench.stages, bench.stage_names) for s in stages])
    for position, stage in enumerate(stages):
        done = {s.name for s in stages[: position + 1]}
        due = {card.name for card in bench.chapter.tests if card.stage in done}
        green = {name for name, outcome in official[position].items() if outcome.outcome == "passed"}
        if green != due:
            yield f"cut {stage.name}: {len(green)} green, {len(due)} due: {', '.join(sorted(green ^ due))}"
        for name, outcome in checks[position].items():
            if name.split("_")[0] in done and outcome.outcome != "passed":
                yield f"cut {stage.name}: {name}: {outcome.message.splitlines()[0]}"
        if all(checks[position - 1][name].outcome == "passed" for name in bench.checks_of(stage)) and position:
            yield f"stage {stage.name}: its checks pass before it is written"


def _stages(bench: _Bench) -> Iterator[str]:
    """A bug planted in the cut of its stage fails a check of that stage, which begins with its symptom."""
    bugs = bench.chapter.bugs
    stages = [bench.chapter.stage(bug.stage) for bug in bugs]
    jobs = [
        bench.job(bench.cut(stage, bug.plant(bench.reference)), bench.stages, bench.checks_of(stage))
        for bug, stage in zip(bugs, stages, strict=True)
    ]
    for bug, outcomes in zip(bugs, bench.run(jobs), strict=True):
        failed = [outcome for outcome in outcomes.values() if outcome.outcome not in ("passed", "not_run")]
        if not failed:
            yield f"{bug.id}: no check of stage {bug.stage} fails"
        elif not failed[0].message.startswith(said := sentence(bug.symptom)):
            yield f"{bug.id}: the first failure says {failed[0].message.splitlines()[0]!r}, not {said!r}"


def sentence(symptom: str) -> str:
    """Return *symptom* as the sentence with which a failure begins.

    >>> sentence("unused subtrees never go")
    'Unused subtrees never go.'
    """
    return f"{symptom[0].upper()}{symptom[1:]}."


def _catchers(bench: _Bench) -> Iterator[str]:
    bugs = (*bench.chapter.bugs, *bench.chapter.seen)
    jobs = [bench.job(bug.plant(bench.reference), bench.official, bench.official_names) for bug in bugs]
    for bug, outcomes in zip(bugs, bench.run(jobs), strict=True):
        yield from _caught(bug, outcomes, required=bug in bench.chapter.bugs)


def _caught(bug: Bug, outcomes: dict[str, Outcome], *, required: bool) -> Iterator[str]:
    by = {name for name, outcome in outcomes.items() if outcome.outcome != "passed"}
    if by != set(bug.caught_by):
        said = ", ".join(bug.caught_by) or "none"
        yield f"{bug.id}: caught by {', '.join(sorted(by)) or 'none'}; the card says {said}"
    if required and not by:
        yield f"{bug.id}: no official test catches it"


def _partings(chapter: Chapter) -> Iterator[str]:
    """Each bug that is not exempt has a short script on which it and the reference differ."""
    from radixlab.show.divergence.diverge import diverge  # Hypothesis takes its time to load

    reference = loaded(chapter.text("reference.py"), "reference.py", {TREE})
    for bug in (*chapter.bugs, *chapter.seen):
        if bug.exempt:
            continue
        found = diverge(loaded(chapter.source(bug.id), f"{bug.id}.py", {TREE}), reference)
        if found is None:
            yield f"{bug.id}: no script tells it from the reference"
        elif found.step > STEPS:
            yield f"{bug.id}: {found.step} steps tell it from the reference, more than {STEPS}"


def _start(bench: _Bench) -> Iterator[str]:
    outcomes = bench.run([bench.job(bench.stub, bench.official, bench.official_names)])[0]
    yield from (f"{name} passes on the stub" for name, outcome in outcomes.items() if outcome.outcome == "passed")
    starter = bench.chapter.text("starter.py")
    tests = TestFile(starter, "starter.py")
    for name, outcome in bench.run([bench.job(bench.reference, tests, test_names(starter))])[0].items():
        if not outcome.message.startswith("NotImplementedError: write: "):
            yield f"starter.py: test_{name} does not say what to write"


def _decoys(bench: _Bench, count: int) -> Iterator[str]:
    """Rewriting changes no behaviour: each decoy passes every check of every stage and the official tests."""
    bank = Bank(bench.chapter, seed=0)
    codes = [bank.rewritten() for _ in range(count)]
    quick = tuple(name for name in bench.official_names if name not in _slow(bench))
    for names, tests in ((quick, bench.official), (bench.stage_names, bench.stages)):
        for number, outcomes in enumerate(bench.run([bench.job(code, tests, names) for code in codes])):
            yield from (f"decoy {number}: {said}" for said in _failures(outcomes))
    for number, outcomes in enumerate(
        bench.run([bench.job(code, bench.official, bench.official_names) for code in codes[:10]])
    ):
        yield from (f"decoy {number}: {said}" for said in _failures(outcomes))


def _slow(bench: _Bench) -> set[str]:
    """The tests that would take minutes on every decoy: they run on the first ten."""
    return {card.name for card in bench.chapter.tests if card.kind in ("property", "regression")}


def _failures(outcomes: dict[str, Outcome]) -> Iterator[str]:
    for name, outcome in outcomes.items():
        if outcome.outcome != "passed":
            yield f"{name}: {outcome.outcome}: {(outcome.message.splitlines() or [''])[0]}"
