"""Put functions and methods into a Python file at their place, as text: comments and layout stay as they are."""

import ast
from collections.abc import Iterable

from radixlab.syntax import syntax_tree


def pieces(source: str) -> dict[str, tuple[int, int]]:
    """Return where each function, and each method of each class, stands: name -> (first line, line after the last).

    A decorator belongs to its function. A method's name stands alone, without its class; the last class that has it
    wins. Lines count from 0.

    >>> pieces("def f(): ...\\nclass C:\\n    def g(self):\\n        ...\\n")
    {'f': (0, 1), 'g': (2, 4)}
    """
    found: dict[str, tuple[int, int]] = {}
    for node in syntax_tree(source).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for piece in inner:
            if isinstance(piece, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([piece.lineno, *(decorator.lineno for decorator in piece.decorator_list)])
                found[piece.name] = (first - 1, piece.end_lineno)
    return found


def piece(source: str, name: str) -> str:
    """Return the text of the function or method called *name*; LookupError when there is none.

    >>> piece("x = 1\\ndef f():\\n    return x\\n", "f")
    'def f():\\n    return x\\n'
    """
    first, end = pieces(source)[name]
    return "".join(line + "\n" for line in _lines(source)[first:end])


def put(source: str, name: str, text: str) -> str:
    """Return *source* with *text* in place of the function or method called *name*.

    *text* is indented like the piece it replaces. LookupError when *source* has no such piece.

    >>> put("class C:\\n    # one\\n    def f(self): ...\\n    # two\\n", "f", "    def f(self):\\n        return 1\\n")
    'class C:\\n    # one\\n    def f(self):\\n        return 1\\n    # two\\n'
    """
    lines = _lines(source)
    first, end = pieces(source)[name]
    lines[first:end] = _lines(text)
    return "".join(line + "\n" for line in lines)


def cut(stub: str, reference: str, names: Iterable[str]) -> str:
    """Return *stub* with the functions and methods called *names* taken from *reference*."""
    for name in names:
        stub = put(stub, name, piece(reference, name))
    return stub


def _lines(text: str) -> list[str]:
    """Return the lines of *text* as Python counts them: `str.splitlines` ends one at a form feed too, and at others."""
    return text.removesuffix("\n").split("\n")
