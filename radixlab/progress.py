"""How far a learner's file has come, computed from the file alone."""

import ast
import textwrap

from radixlab import splice
from radixlab.course import Chapter, Stage


def unwritten(chapter: Chapter, source: str) -> list[Stage]:
    """Return the stages of which a function in *source* is still the stub's, in order.

    A function that is missing counts as written: a tree may be built in another way. A *source* that is no Python has
    everything written, and nothing right.
    """
    stub = chapter.text("stub.py")
    try:
        there = splice.pieces(source)
    except SyntaxError:
        return []
    reference = chapter.text("reference.py")
    return [
        stage
        for stage in chapter.stages
        if any(
            name in there and _same(source, stub, name) and not _same(stub, reference, name) for name in stage.writes
        )
    ]


def is_untouched(source: str, start: str) -> bool:
    """Return whether *source* is still the code of *start*, comments and layout aside."""
    try:
        return ast.dump(ast.parse(source)) == ast.dump(ast.parse(start))
    except SyntaxError:
        return False


def next_stage(chapter: Chapter, source: str) -> Stage | None:
    """Return the first stage that is not written yet, None when all are."""
    return next(iter(unwritten(chapter, source)), None)


def waits_for(chapter: Chapter, stage: str, missing: list[Stage]) -> Stage | None:
    """Return the first of the *missing* stages that something of *stage* needs, None when all is there."""
    needed = chapter.stages_up_to(stage)
    return next((other for other in missing if other in needed), None)


def _same(one: str, other: str, name: str) -> bool:
    """Return whether the function *name* is the same code in both, comments, layout and docstring aside."""
    return _plain(splice.piece(one, name)) == _plain(splice.piece(other, name))


def _plain(text: str) -> str:
    tree = ast.parse(textwrap.dedent(text))
    function = tree.body[0]
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:]
    return ast.dump(tree)
