"""How far a learner's file has come, computed from the file alone."""

import ast

from radixlab.course import Chapter, Stage


def unwritten(chapter: Chapter, source: str) -> list[Stage]:
    """Return the stages of which a function in *source* is still the stub's, in order.

    A function that is missing counts as written: a tree may be built in another way. A *source* that is no Python has
    everything written, and nothing right.
    """
    try:
        there = _functions(source)
    except SyntaxError:
        return []
    stub, reference = (_functions(chapter.text(file)) for file in ("stub.py", "reference.py"))
    return [
        stage
        for stage in chapter.stages
        if any(name in there and there[name] == stub[name] != reference[name] for name in stage.writes)
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


def _functions(source: str) -> dict[str, str]:
    """Return each function and method of *source*, comments, layout and docstrings aside; a method by its own name."""
    found = {}
    for node in ast.parse(source).body:
        for piece in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(piece, ast.FunctionDef):
                if ast.get_docstring(piece, clean=False) is not None:
                    piece.body = piece.body[1:]
                found[piece.name] = ast.dump(piece)
    return found
