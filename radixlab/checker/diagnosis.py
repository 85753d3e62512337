"""Name the pitfall that a learner's tree fell into, when exactly one planted bug behaves as the tree does."""

import random
from collections.abc import Iterator
from types import CodeType

from radixlab.checker.job import Job, TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.mutation import template_of
from radixlab.checker.worker import Inline, Worker
from radixlab.course import Bug, Chapter


def matching_bug(
    chapter: Chapter,
    file: str,
    test: str,
    tree: CodeType,
    shell: Inline | Worker,
    end: float,
    needs: tuple[tuple[str, str], ...] = (),
) -> Bug | None:
    """Return the only planted bug on which *test* sees what it sees on *tree*, None when there is no such one.

    The failing *test* of the chapter's *file* is replayed on *tree* and on every planted bug, and all that was seen at
    the face is compared: never a guess. *end*: the deadline, on the monotonic clock; *needs*: see `job_of`. Complexity:
    one test on each bug.
    """
    rng, template = random.Random(0), template_of(chapter)
    bugs = [bug for bug in (*chapter.bugs, *chapter.seen) if file != "official.py" or test in bug.caught_by]
    tests = TestFile(chapter.text(file), file)

    def jobs() -> Iterator[Job]:
        yield job_of(chapter, tree, tests, (test,), needs=needs, ours=True, traced=True, theirs=True)
        for bug in bugs:
            yield job_of(chapter, template.write(rng, bug.edits), tests, (test,), ours=True, traced=True)

    mine, *others = [answer[test] for answer in shell.run(jobs(), end=end)]
    same = [bug for bug, other in zip(bugs, others, strict=True) if other.trace == mine.trace]
    return same[0] if mine.trace and len(same) == 1 else None
