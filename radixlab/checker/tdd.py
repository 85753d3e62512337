"""Red and green: own tests that fail before the tree is written, and pass once it is."""

from radixlab.checker.job import Job, Outcome
from radixlab.checker.jobs import job_of
from radixlab.checker.mutation import Suite
from radixlab.checker.standing import on_tree
from radixlab.checker.subject import Subject, compile_subject
from radixlab.checker.worker import Inline, Worker
from radixlab.course import Chapter


def red(chapter: Chapter, tests: Suite, shell: Inline | Worker) -> list[str]:
    """Return what keeps *tests* from being red, a sentence each; an empty list when they are.

    The named tests exist, each fails on the stub, and each passes on the reference and on every variant. A test that
    takes the stub's NotImplementedError for the RuntimeError it expects passes on the stub, and is not red.
    """
    problems = [f"test_{name} is missing: write it" for name in tests.missing]
    problems += [f"test_{name} is defined twice: the first one would never run" for name in tests.twice]
    subjects = {"the stub": chapter.text("stub.py"), "the reference": chapter.text("reference.py")}
    subjects |= {f"the variant {name}": source for name, source in chapter.variants.items()}
    jobs = [_job(chapter, source, tests) for source in subjects.values()]
    answers = dict(zip(subjects, shell.run(jobs), strict=True))
    for name in tests.names:
        if answers["the stub"][name].outcome == "passed":
            problems.append(f"test_{name} passes on the stub, where nothing is written yet: it proves nothing")
        rejected = next((s for s in subjects if s != "the stub" and answers[s][name].outcome != "passed"), None)
        if rejected:
            why = f"a correct {chapter.makes}: {_said(answers[rejected][name], tests)}"
            problems.append(f"test_{name} fails on {rejected}, {why}")
    return problems


def green(chapter: Chapter, subject: Subject, tests: Suite, shell: Inline | Worker) -> list[str]:
    """Return what keeps *tests* from being green on *subject*, a sentence each; empty when they are."""
    problems = [f"test_{name} is missing: write it" for name in tests.missing]
    answers = on_tree(chapter, subject, tests.file, tests.names, shell)
    failed = [name for name in tests.names if answers[name].outcome != "passed"]
    return problems + [f"test_{name} fails on your {chapter.makes}: {_said(answers[name], tests)}" for name in failed]


def _job(chapter: Chapter, source: str, tests: Suite) -> Job:
    return job_of(chapter, compile_subject(source, chapter.file), tests.file, tests.names, quiet=True)


def _said(outcome: Outcome, tests: Suite) -> str:
    where = f"{tests.file.filename}, line {outcome.test_line}: " if outcome.test_line else ""
    if outcome.message.startswith("NotImplementedError: write:"):
        return "it is not written yet"
    return where + outcome.message.splitlines()[0]
