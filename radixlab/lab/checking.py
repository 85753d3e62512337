"""Checks and hints in a notebook: the verdict in words, the first difference as two trees, the one thing to do next."""

import contextlib
import os
import re
import time

from radixlab.checker import verdict
from radixlab.checker.live import loaded
from radixlab.checker.report import Report, TestResult
from radixlab.checker.subject import Subject, Unreadable
from radixlab.lab.mine import CHAPTER, called, path_of, shells, source_of, subject
from radixlab.lab.saying import plainly, say
from radixlab.progress import missing_names, unwritten, waits_for
from radixlab.reports import notebook, terminal
from radixlab.show.divergence.diverge import Divergence, diverge
from radixlab.workspace import HISTORY, NotStarted, Workspace, home

PATIENCE = 5.0  # seconds that a diagnosis may take
SEARCH = 1.5  # seconds in which a script is looked for on which the tree and the reference part


@plainly
def check(stage: str | None = None) -> None:
    """Check *stage* on the learner's file and say how it stands; without one, do what `ol check` does."""
    if stage is None:
        _check_all()
        return
    here, path = CHAPTER.stage(stage), path_of("radix.py")
    tree = Subject.read(path, called(path)) if path.exists() else Subject(source_of("radix.py"), called(path))
    report = verdict.check_stage(CHAPTER, tree, here, shells, seed=0, explained=False)
    state, name, message = stage_state(report)
    said = [f"{stage}: {state}{f', {name}' if name else ''}", message] if message else [f"{stage}: {state}"]
    steps = [_here(report.next)]
    missing = waits_for(CHAPTER, stage, unwritten(CHAPTER, tree.source))
    if path.exists() and missing not in (None, here):
        again = f"`ol start {CHAPTER.id} --from {stage} --force`"
        steps.append(f"or start over: {again} begins with the stages before {stage} solved, and keeps your file")
    if not path.exists() and (kept := sorted((home() / HISTORY / CHAPTER.folder.name).glob("radix-*"))):
        steps.append(f"or bring your file back: {called(path)} is gone, and {called(kept[-1])} is its last copy")
    if report.verdict == "pass":
        said.append(f"why it matters: {here.why}")
    said.append(f"next: {steps[0]}")
    html = notebook.stage(stage, state, name, message, steps, here.why if report.verdict == "pass" else "")
    say("\n".join([*said, *steps[1:]]), html)
    if state in ("failed", "error in your code") and not _gave_no_answer(report):
        _explain(tree, next(test for test in report.tests if test.name == name))


def stage_state(report: Report) -> tuple[str, str, str]:
    """Return how a stage stands by its *report*: one of the four outcomes, the check that fails, and its message."""
    failed = next((test for test in report.tests if test.outcome not in ("passed", "not_run")), None)
    if report.verdict == "pass":
        return f"passed, {len(report.tests)} of {len(report.tests)} checks", "", ""
    if report.verdict == "not_attempted" or failed is None:
        return "not attempted", "", ""
    mistake = failed.outcome in ("error", "budget") or "in radix.py, line" in failed.message
    return "error in your code" if mistake else "failed", failed.name, failed.message


@plainly
def hint(stage: str) -> None:
    """Show the next hint for *stage*: a question, then the line or the invariant, then pseudocode."""
    here = CHAPTER.stage(stage)
    level = Workspace(home()).next_hint(CHAPTER, here)
    text = here.hints[level - 1]
    say(f"hint {level} of {len(here.hints)} for {stage}: {text}", notebook.hint(level, len(here.hints), stage, text))


def _check_all() -> None:
    """Show what `ol check` shows, and remember it as that does."""
    path, workspace = path_of("radix.py"), Workspace(home())
    try:
        workspace.started(CHAPTER)
        tests: str | Unreadable = source_of("test_radix.py")
    except NotStarted as error:
        say(f"{CHAPTER.id}: not attempted; {error}, or by running the first exercise cell")
        return
    except Unreadable as error:
        tests = error
    report = verdict.check(CHAPTER, Subject.read(path, called(path)), tests, shells, seed=verdict.fresh_seed())
    workspace.remember(report.as_dict())
    report.next = _here(report.next)
    say(terminal.text(report), notebook.whole(report))


def _here(text: str) -> str:
    """Return *text*, in which commands stand between backquotes, with what a notebook has instead of them."""
    text = re.sub(rf"`ol hint {re.escape(CHAPTER.id)} (\w+)`", r'`hint("\1")`', text)
    text = re.sub(rf"`ol check {re.escape(CHAPTER.id)} --stage (\w+)`", r'`check("\1")`', text)
    return text.replace(f"`ol check {CHAPTER.id}`", "`check()`")


def _gave_no_answer(report: Report) -> bool:
    """Return whether the tree hung or crashed the worker: then it is not played in the kernel."""
    return any(test.outcome in ("timeout", "no_answer") for test in report.tests)


def _explain(tree: Subject, failed: TestResult) -> None:
    """Show which pitfall the *failed* check points at, and the first difference from the reference as two trees.

    Nothing is shown of what is not found in time, or of a tree that can hold nothing yet.
    """
    try:
        tree.code()
    except Unreadable:
        return
    pitfall = verdict.diagnosis(CHAPTER, tree, "stages.py", failed, shells.tree, time.monotonic() + PATIENCE).strip()
    if pitfall:
        say(pitfall, notebook.pitfall(pitfall))
    found = None if "insert" in missing_names(CHAPTER, tree.source, CHAPTER.stage("insert")) else _difference(tree)
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
