"""From the file into a cell: what the learner's file holds now, as a cell that can be run."""

import ast
from collections.abc import Iterable

from radixlab import splice
from radixlab.cells import bound
from radixlab.checker.subject import Unreadable, parse
from radixlab.course import Chapter, NoSuchChapter
from radixlab.lab.finding import stages
from radixlab.lab.mine import CHAPTER, CHAPTERS, File
from radixlab.lab.saving import SHARPEN
from radixlab.lab.saying import next_cell, plainly, say
from radixlab.syntax import syntax_tree


@plainly
def load(what: str) -> None:
    """Put the file's version of *what* into the next cell: a stage, a method or function, or one of the own tests."""
    file = _file_with(what)
    try:
        source = file.source()
        parse(source, file.called)
    except Unreadable as error:
        say(f"nothing was loaded: {error}")
        return
    text = _test_cell(source, what) if file.tests else _code_cell(file.chapter, source, what)
    where = file.called if file.path.exists() else "the stub: nothing is written yet"
    said = f"the next cell holds {what} from {where}"
    say(said if next_cell(text) else text)


def _file_with(what: str) -> File:
    """Return the file of the learner's that holds *what*, or the one in which its stage is written."""
    for chapter in CHAPTERS:
        if what.removeprefix("test_") in _names_in(tests := File(chapter, tests=True)):
            return tests
        if what in _names_in(File(chapter)) or what in [stage.name for stage in chapter.stages]:
            return File(chapter)
    return File(CHAPTER)


def _names_in(file: File) -> set[str]:
    """Return the functions in the learner's *file*, tests without `test_`; none when it cannot be read."""
    try:
        return {name.removeprefix("test_") for name in splice.pieces(file.source())}
    except (Unreadable, SyntaxError):
        return set()


def _code_cell(chapter: Chapter, source: str, what: str) -> str:
    """Return a cell with the functions of the stage *what*, or with the one that is called so."""
    there = splice.pieces(source)
    if what in there:
        stage = [stage.name for stage in chapter.stages if what in stage.writes][-1:] or [chapter.stages[-1].name]
        stage, names = stage[0], [what]
    elif what not in [stage.name for stage in chapter.stages]:
        names = ", ".join(stages())
        raise NoSuchChapter(f"there is no {what!r} in your files, and no stage of that name; the stages are {names}")
    else:
        here = chapter.stage(what)
        stage, names = here.name, [name for name in here.writes if name in there]
    names.sort(key=there.__getitem__)
    methods = [name for name in names if splice.piece(source, name).startswith((" ", "\t"))]
    texts = [splice.piece(source, name).rstrip() for name in names]
    head = f'@exercise("{stage}")\n'
    if methods:
        owner = _owner(source, methods[0])
        body = f"{head}class {owner}:\n" + "\n\n".join(texts)
    else:
        body = "\n\n\n".join(f"{head}{text}" for text in texts)
    return f"{_imports(source, texts, 'exercise')}\n\n\n{body}\n"


def _test_cell(source: str, what: str) -> str:
    """Return a cell with the own test *what*, to be sharpened."""
    name = f"test_{what.removeprefix('test_')}"
    text = splice.piece(source, name).rstrip()
    return f'{_imports(source, [text], "own_test")}\n\n\n@own_test("{SHARPEN}")\n{text}\n'


def _owner(source: str, method: str) -> str:
    classes = [node for node in syntax_tree(source).body if isinstance(node, ast.ClassDef)]
    return next(c.name for c in classes if any(getattr(n, "name", "") == method for n in c.body))


def _imports(source: str, texts: Iterable[str], decorator: str) -> str:
    """Return the lines that import what *texts*, pieces of *source*, name: as the file does, or from the lab."""
    used = {
        node.id
        for text in texts
        for node in ast.walk(syntax_tree("if True:\n" + _indented(text)))
        if isinstance(node, ast.Name)
    }
    lines, ours = [], {decorator}
    for statement in syntax_tree(source).body:
        if isinstance(statement, ast.ImportFrom) and statement.module not in [chapter.module for chapter in CHAPTERS]:
            names = [a.name for a in statement.names if (a.asname or a.name) in used and a.asname is None]
            lines += [f"from {statement.module} import {', '.join(sorted(names))}"] if names else []
        elif isinstance(statement, ast.Import):
            lines += [f"import {a.name}" for a in statement.names if a.name in used and a.asname is None]
        else:
            ours |= used & set(bound(statement))
    return "\n".join(
        [*lines, "" if lines else None, f"from radixlab.lab import {', '.join(sorted(ours))}"][not lines :]
    )


def _indented(text: str) -> str:
    return text if text.startswith((" ", "\t")) else "\n".join(f"    {line}" for line in text.splitlines())
