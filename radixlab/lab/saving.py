"""From a cell to the learner's files: the decorators save what they decorate, check it, and give back what is there.

They read the text of their own cell, which Python keeps for its tracebacks. A cell that does not parse never gets as
far as a decorator, so it changes nothing.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from types import FrameType, FunctionType
from typing import Any

from radixlab.cells import Cell, merge
from radixlab.checker.subject import Unreadable, parse
from radixlab.course import Chapter
from radixlab.lab.checking import check
from radixlab.lab.finding import of_test, stages, with_id, with_stage
from radixlab.lab.judging import judge_test
from radixlab.lab.mine import CHAPTERS, File, now
from radixlab.lab.saying import say
from radixlab.progress import is_begun
from radixlab.workspace import MARK, Workspace, home

SHARPEN = "tests"  # the place after all stages, where own tests are sharpened
_HERE = frozenset({"radixlab", *(chapter.module for chapter in CHAPTERS)})


def exercise(stage: str, *, again: bool = False) -> Callable[[Any], Any]:
    """Save the methods of the decorated class, or the decorated function; check *stage*; return what the file holds.

    What is not written yet replaces nothing; nor does an earlier stage's cell replace a later one's work, but *again*.
    """
    names = stages()
    if stage not in names:
        asked = f"{stage!r} is no stage" if isinstance(stage, str) else "the stage is missing"
        say(f'nothing was saved, {asked}: write @exercise("{names[0]}"), or one of {", ".join(names[1:])}')
        return (lambda target: target) if isinstance(stage, str) else stage

    chapter = with_stage(stage)
    writes = chapter.stage(stage).writes

    def decorate(target: Any) -> Any:
        saved = _save(sys._getframe(1), File(chapter), stage, again)
        strangers = [name for name in saved if isinstance(target, FunctionType) and name not in writes]
        if strangers:
            say(f"{strangers[0]} is not asked for here: stage {stage} writes {', '.join(writes)}")
        check(stage)
        try:
            return now(target.__name__)
        except AttributeError:
            return target

    return decorate


def own_test(given: FunctionType | str | None = None, *, again: bool = False) -> Any:
    """Save the decorated test; say whether it holds on every correct tree, and which bugs of its stage it catches.

    As `@own_test("tests")`, or with the name of a chapter, it counts as written after all stages, and is judged by all
    bugs.
    """

    def decorate(test: FunctionType) -> FunctionType:
        if not isinstance(test, FunctionType) or not test.__name__.startswith("test_"):
            say(
                f"nothing was saved: @own_test stands over a function whose name begins with test_, not {test.__name__}"
            )
            return test
        name = test.__name__.removeprefix("test_")
        named = with_id(given) if isinstance(given, str) else None
        chapter = named or of_test(test)
        own = next((stage.name for stage in chapter.stages if name in stage.own_tests), SHARPEN)
        place = SHARPEN if named else given if isinstance(given, str) else own
        if place not in [SHARPEN, *(stage.name for stage in chapter.stages)]:
            say(f'nothing was saved, {place!r} is no stage: write @own_test, or @own_test("{SHARPEN}")')
            return test
        bugs = [bug for bug in chapter.bugs if place in (SHARPEN, bug.stage)]
        file = File(chapter, tests=True)
        _save(sys._getframe(depth), file, place, again)
        if given is test and own == SHARPEN and (like := get_close_matches(name, chapter.own_tests, 1, 0.5)):
            asked = len(chapter.own_tests)
            say(f"test_{name} is none of the {asked} that are asked for; did you mean test_{like[0]}?")
        judge_test(file, name, "the whole bank" if place == SHARPEN else f"stage {place}", bugs)
        return test

    depth = 2 if callable(given) else 1
    return decorate(given) if callable(given) else decorate


def _save(frame: FrameType, file: File, stage: str, again: bool) -> list[str]:
    """Put the cell that *frame* runs into the learner's *file*; say what was saved, and what was kept and why.

    Return the names that were saved.
    """
    cell, workspace, chapter = Cell.around(frame, _HERE), Workspace(home()), file.chapter
    if cell is None:
        say("nothing was saved: the text of this cell is not known")
        return []
    try:
        source = file.source()
        parse(source, file.called)
    except Unreadable as error:
        say(f"nothing was saved, mend the file first: {error}")
        return []
    wrote = {} if file.tests else _by_stages(chapter, source)
    if (workspace.folder / MARK).exists():  # asking for the state would make one
        with workspace.state() as state:
            wrote |= state.get("wrote", {}).get(chapter.id, {})
    order = [*(other.name for other in chapter.stages), SHARPEN]
    merged = merge(source, file.start, cell, stage, order, wrote, again)
    if merged.source != source:
        other = replace(file, tests=not file.tests)
        if not other.path.exists():
            workspace.save(other.path, other.start)
        workspace.save(file.path, merged.source)
        say(f"saved {', '.join(merged.saved)} to {file.called}")
    elif not file.path.exists() and stage not in (chapter.stages[0].name, SHARPEN):
        say(
            f"no work on {chapter.id} yet: your first code begins it here; "
            f"`ol start {chapter.id} --from {stage}` begins with the stages before {stage} solved"
        )
    for sentence in merged.kept:
        say(sentence)
    if merged.wrote != wrote:
        with workspace.state() as state:
            state.setdefault("wrote", {})[chapter.id] = merged.wrote
    return merged.saved


def _by_stages(chapter: Chapter, source: str) -> dict[str, str]:
    """Return the last stage that is begun of those that write a function: who wrote it, where no record says more."""
    begun = [stage for stage in chapter.stages if is_begun(chapter, source, stage)]
    return {name: stage.name for stage in begun for name in stage.writes}
