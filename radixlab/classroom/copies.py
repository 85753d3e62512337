"""A remark for the lecturer: own tests that are the official ones, copied. They judge rightly, so they may pass."""

import ast
import functools

from radixlab.checker.subject import Unreadable, parse
from radixlab.classroom.reading import Submission
from radixlab.course import Chapter


def copied(chapter: Chapter, submission: Submission) -> tuple[str, ...]:
    """Return a note when own tests of *submission* have the body of an official test, names and comments aside."""
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
