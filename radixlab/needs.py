"""What a chapter builds on: the learner's own work on the chapters below it, once that passes their official tests."""

from dataclasses import replace

from radixlab.checker.standing import on_tree
from radixlab.checker.subject import Subject
from radixlab.checker.worker import Inline, Worker
from radixlab.course import Chapter
from radixlab.workspace import Workspace, shown


class NotBuilt(LookupError):
    """A chapter that another one needs does not pass yet; the text says which, and what to do."""


def own_work_below(chapter: Chapter, workspace: Workspace, shell: Inline | Worker) -> tuple[tuple[str, str], ...]:
    """Return the learner's own modules that *chapter* needs, name and source, the deepest first.

    NotBuilt when one of them does not pass the official tests of its chapter. Complexity: those tests, once.
    """
    found: tuple[tuple[str, str], ...] = ()
    for below in chapter.below:
        path = workspace.tree(below)
        mine = replace(Subject.read(path, shown(path), below.file), needs=found)
        if not path.exists() or not _passes(below, mine, shell):
            raise NotBuilt(f"{chapter.id} needs {below.id}: build it, or pass --ref-deps")
        found = (*found, (below.module, mine.source))
    return found


def _passes(chapter: Chapter, subject: Subject, shell: Inline | Worker) -> bool:
    names = [card.name for card in chapter.tests]
    outcomes = on_tree(chapter, subject, "official.py", names, shell)
    return all(outcome.outcome == "passed" for outcome in outcomes.values())
