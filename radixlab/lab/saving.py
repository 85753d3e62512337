"""What a notebook imports: a cell goes into the learner's file, is checked, and the tree in the file comes back.

The decorators read the text of their own cell, which Python keeps for its tracebacks. A cell that does not parse never
gets as far as a decorator, so it changes nothing.
"""

import atexit
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

from rich.console import Console

from radixlab import course, progress
from radixlab.cells import Cell, merge
from radixlab.checker import mutation, verdict
from radixlab.checker.live import loaded
from radixlab.checker.subject import Subject, Unreadable, parse, read
from radixlab.checker.worker import Shells
from radixlab.course import Stage
from radixlab.reports import terminal
from radixlab.show import notebook
from radixlab.show.draw import arena, draw
from radixlab.show.film import Film
from radixlab.show.text import tree_text
from radixlab.workspace import MARK, NotStarted, Workspace, home, shown

CHAPTER = course.chapter("ds.07")
PREDICTIONS = {  # calls to play on an empty tree of granule 1, and the call whose result is asked for
    "split.1": (
        [("insert", [1, 2, 3], "abc"), ("insert", [1, 2, 4, 5], "xyde"), ("match_prefix", [1, 9])],
        "node_count",
    ),
}

__all__ = ["Film", "arena", "check", "draw", "exercise", "hint", "own_test", "playground", "predict", "subject"]

_PUBLIC = mutation.public_names(CHAPTER.text("face.pyi"))
_STARTS = {"radix.py": "stub.py", "test_radix.py": "starter.py"}  # a file of the learner's -> what it begins as
_shells = Shells()  # kept warm from cell to cell
atexit.register(_shells.close)
notebook.register()

# From a cell to the file ----------------------------------------------------------------------------------------------


def exercise(stage: str, *, again: bool = False) -> Callable[[Any], Any]:
    """Save the methods of the decorated class, or the decorated function; check *stage*; return what the file holds.

    What is not written yet replaces nothing; nor does an earlier stage's cell replace a later one's work, but *again*.
    """
    here = CHAPTER.stage(stage)

    def decorate(target: Any) -> Any:
        _save(sys._getframe(1), "radix.py", here, again)
        check(stage)
        return _mine(target.__name__)

    return decorate


def own_test(stage: str, *, again: bool = False) -> Callable[[FunctionType], FunctionType]:
    """Save the decorated test; say whether it holds on every correct tree, and which bugs of *stage* it catches."""
    here = CHAPTER.stage(stage)

    def decorate(test: FunctionType) -> FunctionType:
        _save(sys._getframe(1), "test_radix.py", here, again)
        _grade(test.__name__.removeprefix("test_"), here)
        return test

    return decorate


def _save(frame: FrameType, file: str, stage: Stage, again: bool) -> None:
    """Put the cell that *frame* runs into the learner's *file*; say what was saved, and what was kept and why."""
    cell, workspace, path = Cell.around(frame), Workspace(home()), _path(file)
    if cell is None:
        print("nothing was saved: the text of this cell is not known")
        return
    try:
        source = _source(file)
        parse(source, shown(path))
    except Unreadable as error:
        print(f"nothing was saved, mend the file first: {error}")
        return
    wrote = {}
    if (workspace.folder / MARK).exists():  # asking for the state would make one
        with workspace.state() as state:
            wrote = state.get("wrote", {}).get(CHAPTER.id, {})
    order = [other.name for other in CHAPTER.stages]
    merged = merge(source, CHAPTER.text(_STARTS[file]), cell, stage.name, order, wrote, again)
    if merged.source != source:
        for other in _STARTS:
            if other != file and not _path(other).exists():
                workspace.save(_path(other), _source(other))
        workspace.save(path, merged.source)
        print(f"saved {', '.join(merged.saved)} to {shown(path)}")
    elif not path.exists():
        print(f"no work on {CHAPTER.id} yet: your first code begins it here; {_with_solved(stage)}")
    for sentence in merged.kept:
        print(sentence)
    if merged.wrote != wrote:
        with workspace.state() as state:
            state.setdefault("wrote", {})[CHAPTER.id] = merged.wrote


# From the file to the notebook ----------------------------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    """Give `RadixTree`, and whatever else the stub defines, from the learner's file as it is now."""
    if name.startswith("_") or name not in loaded(CHAPTER.text("stub.py"), "stub.py", _PUBLIC).__dict__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _mine(name)


def subject(name: str) -> ModuleType:
    """Return another tree as a module: `reference`, `stub`, a variant, or a planted bug such as `s07`."""
    return loaded(CHAPTER.source(name), f"{name}.py", _PUBLIC)


def _path(file: str) -> Path:
    return home() / CHAPTER.folder.name / file


def _source(file: str) -> str:
    """Return the learner's *file*, what it begins as when there is none; Unreadable when it cannot be read."""
    return read(_path(file)) if _path(file).exists() else CHAPTER.text(_STARTS[file])


def _mine(name: str) -> Any:
    """Return what the learner's file calls *name*; when it does not load, a thing that says so once it is called."""
    path = _path("radix.py")
    try:
        module = loaded(_source("radix.py"), str(path), _PUBLIC)
        if hasattr(module, name):
            return getattr(module, name)
        problem = f"{shown(path)} has no {name}"
    except Unreadable as error:
        problem = str(error)

    def refuse(self: Any, *_: Any, **__: Any) -> None:
        raise RuntimeError(problem)

    return type(name, (), {"__init__": refuse})


# Checks, hints, pictures ----------------------------------------------------------------------------------------------


def check(stage: str | None = None) -> None:
    """Check *stage* on the learner's file and say how it stands; without one, do what `ol check` does."""
    path = _path("radix.py")
    tree = Subject.read(path, shown(path))
    if stage is None:
        try:
            Workspace(home()).started(CHAPTER)
            tests: str | Unreadable = _source("test_radix.py")
        except NotStarted as error:
            print(error)
            return
        except Unreadable as error:
            tests = error
        report = verdict.check(CHAPTER, tree, tests, _shells, seed=verdict.fresh_seed())
        terminal.show(report, Console(file=sys.stdout, width=100, color_system=None, force_jupyter=False))
        return
    here = CHAPTER.stage(stage)
    if not path.exists():
        tree = Subject(_source("radix.py"), shown(path))
    report = verdict.check_stage(CHAPTER, tree, here, _shells, seed=0)
    failed = next((test for test in report.tests if test.outcome not in ("passed", "not_run")), None)
    if report.verdict == "pass":
        print(f"{stage}: passed, {len(report.tests)} of {len(report.tests)} checks")
    elif report.verdict == "not_attempted" or failed is None:
        print(f"{stage}: not attempted")
    else:
        mistake = failed.outcome in ("error", "budget") or "in radix.py, line" in failed.message
        print(f"{stage}: {'error in your code' if mistake else 'failed'}, {failed.name}\n{failed.message}")
    print(f"next: {report.next}")
    missing = progress.waits_for(CHAPTER, stage, progress.unwritten(CHAPTER, tree.source))
    if path.exists() and missing not in (None, here):
        print(f"or start over: {_with_solved(here, ' --force')}")


def hint(stage: str) -> None:
    """Print the next hint for *stage*: a question, then the line or the invariant, then pseudocode."""
    here = CHAPTER.stage(stage)
    level = Workspace(home()).next_hint(CHAPTER, here)
    print(f"hint {level} of {len(here.hints)} for {stage}: {here.hints[level - 1]}")


def playground(tree: Any = None, granule: int = 1) -> Any:
    """Return a panel to play with *tree*, a module such as `subject("s07")`; without one, with the learner's file."""
    from radixlab.show.panel.playground import playground  # widgets take their time to load

    return playground(_Mine() if tree is None else tree, granule)


class _Mine:
    """The learner's file as it is now, at each use."""

    def __getattr__(self, name: str) -> Any:
        """Return what the file calls *name*."""
        return _mine(name)


def predict(name: str, answer: Any) -> None:
    """Compare *answer* with what the reference does, played now; `...` is no answer yet."""
    calls, asked = PREDICTIONS[name]
    if answer is ...:
        print(f"{name}: not attempted; put your answer in place of the dots")
        return
    tree = subject("reference").RadixTree(1)
    for call, *arguments in calls:
        getattr(tree, call)(*arguments)
    right = getattr(tree, asked)()
    print(f"{name}: {'right' if answer == right else 'not so'}, {asked}() is {right}\n{tree_text(tree)}")


def _grade(name: str, stage: Stage) -> None:
    """Print whether the own test *name*, as the file has it, is valid, and which bugs of *stage* it catches."""
    try:
        whole = mutation.suite(CHAPTER, _source("test_radix.py"))
    except Unreadable as error:
        print(f"test_{name}: {error}")
        return
    tests = replace(whole, names=(name,), missing=(), twice=())
    grades = mutation.grade(CHAPTER, tests, _shells.tests, verdict.fresh_seed())
    test = grades.own_tests[0]
    if not test.valid:
        todo = test.message.removeprefix("not written yet: ")
        print(f"test_{name}: {'invalid: ' if todo == test.message else 'not attempted; '}{todo}")
        return
    bugs = [bug for bug in CHAPTER.bugs if bug.stage == stage.name]
    alive = ", ".join(f"{bug.id} ({bug.area})" for bug in bugs if bug.id not in test.kills)
    killed = ", ".join(bug.id for bug in bugs if bug.id in test.kills)
    print(f"test_{name}: valid, it passes on every correct tree")
    print(f"bugs of stage {stage.name}: caught {killed or 'none'}; still alive {alive or 'none'}")


def _with_solved(stage: Stage, force: str = "") -> str:
    return f"`ol start {CHAPTER.id} --from {stage.name}{force}` begins with the stages before {stage.name} solved"
