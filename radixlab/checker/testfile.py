"""What a test file holds, read without running it."""

import ast

from radixlab.checker.subject import parse


def test_names(source: str, filename: str = "test_radix.py") -> list[str]:
    """Return the names of the tests in *source*, `test_` left out, in their order.

    >>> test_names("def test_a(): ...\\ndef helper(): ...\\nclass TestB:\\n    def test_c(self): ...")
    ['a', 'c']
    """
    found = []
    for node in parse(source, filename).body:
        body = node.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test") else [node]
        for piece in body:
            if isinstance(piece, ast.FunctionDef | ast.AsyncFunctionDef) and piece.name.startswith("test_"):
                found.append(piece.name.removeprefix("test_"))
    return found


test_names.__test__ = False  # no test for pytest, whatever its name
