"""Name the pitfall that a learner's tree fell into, when exactly one planted bug behaves as the tree does."""

import random

from radixlab.checker.engine import Job, Outcome
from radixlab.checker.mutation import public_names
from radixlab.checker.rewrite import Template
from radixlab.checker.subject import compile_tests
from radixlab.checker.worker import Inline, Worker
from radixlab.course import Bug, Chapter


def diagnose(chapter: Chapter, file: str, outcome: Outcome, shell: Inline | Worker, end: float) -> str:
    """Return a sentence that names the pitfall and its first hint; "" when none, or more than one, fits.

    The failing test of the chapter's *file* is replayed on every planted bug, and all that was seen at the face
    is compared: never a guess. *end*: the deadline, on the monotonic clock. Complexity: one test on each bug.
    """
    bug = matching_bug(chapter, file, outcome, shell, end)
    if bug is None:
        return ""
    return f"\nyour tree behaves like this pitfall: {bug.symptom}. {bug.hint}"


def matching_bug(chapter: Chapter, file: str, outcome: Outcome, shell: Inline | Worker, end: float) -> Bug | None:
    """Return the only planted bug on which the test of *outcome* sees what it saw, None when there is no such one."""
    if outcome.trace is None:
        return None
    face = chapter.text("face.pyi")
    rng = random.Random(0)
    template = Template(chapter.text("reference.py"), public_names(face), rng)
    tests = compile_tests(chapter.text(file), file)
    bugs = [bug for bug in (*chapter.bugs, *chapter.seen) if _may_fail(bug, file, outcome.name)]
    jobs = []
    for bug in bugs:
        code = compile(template.write(rng, bug.edits), "radix.py", "exec", dont_inherit=True)
        jobs.append(Job(code, tests, (outcome.name,), face, chapter.module, ours=True))
    answers = shell.run(jobs, end=end)
    same = [bug for bug, answer in zip(bugs, answers, strict=True) if answer[outcome.name].trace == outcome.trace]
    return same[0] if len(same) == 1 else None


def _may_fail(bug: Bug, file: str, test: str) -> bool:
    return file != "official.py" or test in bug.caught_by
