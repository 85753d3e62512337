"""Compile a test file: ticks in it, and its asserts as pytest rewrites them, so that a failure says what it saw."""

import ast
import functools
import sys
from types import CodeType

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from radixlab.checker.budget import with_ticks
from radixlab.checker.store import kept
from radixlab.checker.subject import compiled, parse


@functools.lru_cache(maxsize=16)
def compile_tests(source: str, filename: str, *, keep: bool = False) -> CodeType:
    """Return the code of the test file *source*, kept on disk if *keep*; Unreadable when it is no Python."""

    def make() -> CodeType:
        tree = with_ticks(parse(source, filename))
        rewrite_asserts(tree, source.encode(), filename)
        return compiled(_sane(tree) if sys.version_info >= (3, 12) else tree, filename)

    return kept((filename, source, pytest.__version__), make) if keep else make()


def _sane(tree: ast.Module) -> ast.Module:
    """Mend the positions of rewritten asserts, whose ends may stand before their beginnings; 3.12 refuses those."""
    for node in ast.walk(ast.fix_missing_locations(tree)):
        if hasattr(node, "lineno") and (node.end_lineno, node.end_col_offset) < (node.lineno, node.col_offset):
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    return tree
