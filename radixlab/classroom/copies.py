"""Remarks for the lecturer on what was copied from the package, or from another learner: all of it may pass."""

import ast
import contextlib
import functools
from collections.abc import Iterable
from dataclasses import replace

from radixlab.checker.subject import Unreadable, parse
from radixlab.classroom.grade import Grade
from radixlab.classroom.reading import Submission
from radixlab.course import Chapter


def copied(chapter: Chapter, submission: Submission) -> tuple[str, ...]:
    """Return notes on what in *submission* is the chapter's own, names of tests and comments aside."""
    return (*_tree(chapter, submission), *_tests(chapter, submission))


def shared(grades: Iterable[Grade]) -> list[Grade]:
    """Return *grades* with a note on each that has the very files of another: stubs and unreadable ones aside."""
    grades = list(grades)
    alike: dict[str, list[str]] = {}
    for grade in grades:
        if grade.outcome not in ("not_attempted", "invalid"):
            alike.setdefault(grade.sha256, []).append(grade.submission)
    found = []
    for grade in grades:
        others = [name for name in alike.get(grade.sha256, ()) if name != grade.submission]
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        note = (f"the same files as {others[0]}{more}",) if others else ()
        found.append(replace(grade, notes=(*grade.notes, *note)))
    return found


def _tree(chapter: Chapter, submission: Submission) -> tuple[str, ...]:
    with contextlib.suppress(Unreadable, RecursionError):
        if _shape(submission.tree.source, chapter.file) == _shape(chapter.text("reference.py"), "reference.py"):
            return (f"{chapter.file} is the reference",)
    return ()


@functools.lru_cache(maxsize=8)
def _shape(source: str, filename: str) -> str:
    return ast.dump(parse(source, filename))


def _tests(chapter: Chapter, submission: Submission) -> tuple[str, ...]:
    if submission.tests is None or submission.tests.problem:
        return ()
    try:
        own = _bodies(submission.tests.source, chapter.tests_file)
    except (Unreadable, RecursionError):
        return ()
    official = _official(chapter.text("official.py"))
    same = [name for name, body in own.items() if body in official]
    return (f"own tests with the body of an official test: {', '.join(same)}",) if same else ()


@functools.lru_cache(maxsize=8)
def _official(source: str) -> set[str]:
    return set(_bodies(source, "official.py").values())


def _bodies(source: str, filename: str) -> dict[str, str]:
    """Return the statements of each test in *source*, its docstring left out, as text that can be compared."""
    found = {}
    for node in ast.walk(parse(source, filename)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            body = node.body[1:] if ast.get_docstring(node, clean=False) else node.body
            found[node.name.removeprefix("test_")] = "\n".join(ast.dump(statement) for statement in body)
    return found
