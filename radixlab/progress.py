"""How far a learner's file has come, computed from the file alone."""

import ast
import functools

from radixlab.course import Chapter, Stage
from radixlab.syntax import syntax_tree


def unwritten(chapter: Chapter, source: str) -> list[Stage]:
    """Return the stages of which a function in *source* is still the stub's, in order.

    A function that is missing counts as written: a tree may be built in another way. A *source* that is no Python has
    everything written, and nothing right.
    """
    return [stage for stage in chapter.stages if missing_names(chapter, source, stage)]


def missing_names(chapter: Chapter, source: str, stage: Stage) -> tuple[str, ...]:
    """Return the functions of *stage* that are still the stub's in *source*."""
    unwritten = missing_functions(source, chapter.text("stub.py"))
    return tuple(name for name in stage.writes if name in unwritten)


def missing_functions(source: str, start: str) -> set[str]:
    """Return the functions of *source* that are still those of *start*; none when *source* is no Python."""
    try:
        there, first = _functions(source), _functions(start)
    except SyntaxError:
        return set()
    return {name for name in there if _same(there[name], first.get(name))}


def is_begun(chapter: Chapter, source: str, stage: Stage) -> bool:
    """Return whether *source* has written a function of *stage* that no earlier stage writes."""
    return not set(chapter.own_names(stage)) <= set(missing_names(chapter, source, stage))


def to_write(chapter: Chapter, source: str, stage: Stage) -> str:
    """Return in words what is left to write of *stage*: what is still the stub's, and what it extends."""
    own = chapter.own_names(stage)
    extends = [name for name in stage.writes if name not in own]
    written = f"write {', '.join(missing_names(chapter, source, stage))}"
    return f"{written}; extend {', '.join(extends)}" if extends else written


def is_untouched(source: str, start: str) -> bool:
    """Return whether *source* is still the code of *start*, comments and layout aside."""
    try:
        return ast.dump(syntax_tree(source)) == ast.dump(syntax_tree(start))
    except SyntaxError:
        return False


def next_stage(chapter: Chapter, source: str) -> Stage | None:
    """Return the first stage that is not written yet, None when all are."""
    return next(iter(unwritten(chapter, source)), None)


def waits_for(chapter: Chapter, stage: str, missing: list[Stage]) -> Stage | None:
    """Return the first of the *missing* stages that something of *stage* needs, None when all is there."""
    needed = chapter.stages_up_to(stage)
    return next((other for other in missing if other in needed), None)


@functools.lru_cache(maxsize=8)
def _functions(source: str) -> dict[str, ast.FunctionDef]:
    """Return each function and method of *source*, without its docstring; a method by its own name."""
    found = {}
    for node in syntax_tree(source).body:
        for piece in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(piece, ast.FunctionDef):
                if ast.get_docstring(piece, clean=False) is not None:
                    piece.body = piece.body[1:]
                found[piece.name] = piece
    return found


def _same(one: object, other: object) -> bool:
    """Return whether two pieces of syntax are alike; the first difference ends the search."""
    if isinstance(one, ast.AST):
        return type(one) is type(other) and all(
            _same(getattr(one, name, None), getattr(other, name, None)) for name in one._fields
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(_same, one, other))
    return one == other
