"""Checks and hints in a notebook: the verdict in words, the first difference as two trees, the one thing to do next."""

import contextlib
import os
import re
import time
from dataclasses import replace

from radixlab.checker import verdict
from radixlab.checker.jobs import sources_below
from radixlab.checker.live import loaded
from radixlab.checker.report import Report, TestResult
from radixlab.checker.subject import Subject, Unreadable
from radixlab.course import Chapter
from radixlab.lab.finding import with_id, with_stage
from radixlab.lab.mine import CHAPTER, File, below, called, shells, stands_in, subject
from radixlab.lab.saying import plainly, say
from radixlab.progress import missing_names, unwritten, waits_for
from radixlab.reports import notebook, terminal
from radixlab.show.divergence.diverge import Divergence, diverge
from radixlab.workspace import HISTORY, NotStarted, Workspace, home

PATIENCE = 5.0  # seconds that a diagnosis may take
SEARCH = 1.5  # seconds in which a script is looked for on which the tree and the reference part


@plainly
def check(stage: str | None = None) -> None:
    """Check *stage* on the learner's file and say how it stands; without one, do what `ol check` does.

    The name of a chapter, such as `L8.4`, in place of a stage checks the whole of that chapter.
    """
    whole = CHAPTER if stage is None else with_id(stage)
    if whole is not None:
        _check_all(whole)
        return
    chapter = with_stage(stage)
    here, file = chapter.stage(stage), File(chapter)
    path, tree = file.path, _subject(file)
    report = verdict.check_stage(chapter, tree, here, shells, seed=0, explained=False)
    state, name, message = stage_state(report)
    said = [f"{stage}: {state}{f', {name}' if name else ''}", message] if message else [f"{stage}: {state}"]
    steps = [_here(report.next)]
    missing = waits_for(chapter, stage, unwritten(chapter, tree.source))
    if path.exists() and missing not in (None, here):
        again = f"`ol start {chapter.id} --from {stage} --force`"
        steps.append(f"or start over: {again} begins with the stages before {stage} solved, and keeps your file")
    if not path.exists() and (kept := sorted((home() / HISTORY / chapter.folder.name).glob(f"{chapter.module}-*"))):
        steps.append(f"or bring your file back: {file.called} is gone, and {called(kept[-1])} is its last copy")
    if report.verdict == "pass":
        said.append(f"why it matters: {here.why}")
    said.append(f"next: {steps[0]}")
    html = notebook.stage(stage, state, name, message, steps, here.why if report.verdict == "pass" else "")
    say("\n".join([*said, *steps[1:]]), html)
    if state in ("failed", "error in your code") and not _gave_no_answer(report):
        _explain(chapter, tree, next(test for test in report.tests if test.name == name))


def _subject(file: File) -> Subject:
    """Return what the learner wrote in *file*, or the stub, on what its chapter builds on."""
    path, chapter = file.path, file.chapter
    here = Subject.read(path, file.called, chapter.file) if path.exists() else Subject(file.start, file.called)
    return replace(here, filename=chapter.file, needs=below(chapter))


def stage_state(report: Report) -> tuple[str, str, str]:
    """Return how a stage stands by its *report*: one of the four outcomes, the check that fails, and its message."""
    failed = next((test for test in report.tests if test.outcome not in ("passed", "not_run")), None)
    if report.verdict == "pass":
        return f"passed, {len(report.tests)} of {len(report.tests)} checks", "", ""
    if report.verdict == "not_attempted" or failed is None:
        return "not attempted", "", ""
    mistake = failed.outcome in ("error", "budget") or re.search(r"^in \w+\.py, line", failed.message, re.M)
    return "error in your code" if mistake else "failed", failed.name, failed.message


@plainly
def hint(stage: str) -> None:
    """Show the next hint for *stage*: a question, then the line or the invariant, then pseudocode."""
    chapter = with_stage(stage)
    here = chapter.stage(stage)
    level = Workspace(home()).next_hint(chapter, here)
    text = here.hints[level - 1]
    say(f"hint {level} of {len(here.hints)} for {stage}: {text}", notebook.hint(level, len(here.hints), stage, text))


def _check_all(chapter: Chapter) -> None:
    """Show what `ol check` shows, and remember it as that does."""
    workspace = Workspace(home())
    try:
        workspace.started(chapter)
        tests: str | Unreadable = File(chapter, tests=True).source()
    except NotStarted as error:
        say(f"{chapter.id}: not attempted; {error}, or by running the first exercise cell")
        return
    except Unreadable as error:
        tests = error
    report = verdict.check(chapter, _subject(File(chapter)), tests, shells, seed=verdict.fresh_seed())
    workspace.remember(report.as_dict())
    report.next = _here(report.next)
    if chapter.below and below(chapter) == sources_below(chapter):
        say(f"{stands_in(chapter)}; `ol check {chapter.id}` in a terminal wants yours")
    say(terminal.text(report), notebook.whole(report))


def _here(text: str) -> str:
    """Return *text*, in which commands stand between backquotes, with what a notebook has instead of them."""
    text = re.sub(r"`ol hint \S+ (\w+)`", r'`hint("\1")`', text)
    text = re.sub(r"`ol check \S+ --stage (\w+)`", r'`check("\1")`', text)
    text = text.replace(f"`ol check {CHAPTER.id}`", "`check()`")
    return re.sub(r"`ol check ([\w.]+)`", r'`check("\1")`', text)


def _gave_no_answer(report: Report) -> bool:
    """Return whether the tree hung or crashed the worker: then it is not played in the kernel."""
    return any(test.outcome in ("timeout", "no_answer") for test in report.tests)


def _explain(chapter: Chapter, tree: Subject, failed: TestResult) -> None:
    """Show which pitfall the *failed* check points at, and the first difference from the reference as two trees.

    Nothing is shown of what is not found in time, or of a tree that can hold nothing yet.
    """
    try:
        tree.code()
    except Unreadable:
        return
    pitfall = verdict.diagnosis(chapter, tree, "stages.py", failed, shells.tree, time.monotonic() + PATIENCE).strip()
    if pitfall:
        say(pitfall, notebook.pitfall(pitfall))
    if chapter is not CHAPTER or "insert" in missing_names(chapter, tree.source, chapter.stage("insert")):
        return
    found = _difference(tree)
    if found is None:
        return
    from radixlab.show.text import tree_text

    text = [found.words, "", str(found.script)]
    for film in found.films:
        text += ["", f"{film.title}, after step {found.step}:", tree_text(film[-1].tree, deep=12)]
    say("\n".join(text), notebook.two_trees(found))


def _difference(tree: Subject) -> Divergence | None:
    """Return where *tree* and the reference part as far as *tree* is written, None when that is not found in time."""
    try:
        mine = loaded(tree.source, tree.name, {"RadixTree"})  # a module of its own, whatever the search does to it
    except Unreadable:
        return None
    names, titles = ("in your tree", "in the reference"), ("your tree", "the reference")
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        return diverge(mine, subject("reference"), names=names, titles=titles, patient=True, seconds=SEARCH)
