"""Cells as a notebook runs them: their lines are in linecache under the name of the code."""

import linecache

from radixlab import splice
from radixlab.lab.mine import CHAPTER

STUB, REFERENCE = CHAPTER.text("stub.py"), CHAPTER.text("reference.py")
NAMES = (
    "from collections.abc import Callable, Sequence\n"
    "from radixlab.lab import Node, NodeId, RadixTree, V, exercise, own_test\n"
)


def start(workspace, stage):
    solved = [name for earlier in CHAPTER.stages_up_to(stage)[:-1] for name in earlier.writes]
    return workspace.start(CHAPTER, solved=tuple(solved))[0]


def run(text):
    """Run *text* and return its names."""
    run.number = getattr(run, "number", 0) + 1
    name = f"<cell {run.number}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = {}
    exec(compile(NAMES, "names", "exec"), space)
    exec(compile(text, name, "exec"), space)
    return space


def cell(*methods, stage="split", more="", source=REFERENCE, before=""):
    """A cell with *methods*, each a name of a method of *source* or the text of one; *before*: lines above it."""
    texts = [method if "\n" in method else splice.piece(source, method) for method in methods]
    return f'{before}@exercise("{stage}"{more})\nclass RadixTree:\n' + "\n".join(texts)


def text(path):
    return path.read_text(encoding="utf-8")
