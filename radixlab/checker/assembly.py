"""Put functions that were compiled apart into one piece of code, with other names and other lines."""

import ast
import copy
import random
import re
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

MARK = re.compile(r"Zq\d+qZ")  # stands in place of a name until there is one
_STUB = "a function of this place"


class Assembly:
    """Puts functions and fresh names into the code of a skeleton."""

    def __init__(self, codes: Sequence[CodeType], fresh: Mapping[str, str], rng: random.Random) -> None:
        self.codes, self.fresh, self.rng = codes, fresh, rng
        self.line = 0

    def whole(self, code: CodeType) -> CodeType:
        """Return *code* with each stub in it replaced by the function whose place it returns."""
        for const in code.co_consts:
            if isinstance(const, tuple) and const[:1] == (_STUB,):
                self.line += self.rng.randint(2, 40)
                return self.whole(self.codes[const[1]])
        return code.replace(
            co_name=self.name(code.co_name),
            co_qualname=MARK.sub(lambda mark: self.fresh[mark[0]], code.co_qualname),
            co_names=self.names(code.co_names),
            co_varnames=self.names(code.co_varnames),
            co_freevars=self.names(code.co_freevars),
            co_cellvars=self.names(code.co_cellvars),
            co_consts=tuple(map(self.const, code.co_consts)),
            co_firstlineno=code.co_firstlineno + self.line,
        )

    def name(self, name: str) -> str:
        """Return what stands in place of *name*."""
        return self.fresh.get(name, name)

    def names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return what stands in place of *names*."""
        return tuple(map(self.name, names))

    def const(self, value: Any) -> Any:
        """Return what stands in place of a constant: code, a name as text, or a tuple of such."""
        if isinstance(value, CodeType):
            return self.whole(value)
        if isinstance(value, tuple):
            return tuple(map(self.const, value))
        return self.fresh.get(value, value) if isinstance(value, str) else value


def stub(function: ast.FunctionDef, place: int) -> ast.FunctionDef:
    """Return *function* with nothing in it but its *place* among the codes."""
    body = [ast.Return(ast.Constant((_STUB, place)))]
    return with_body(function, [at_line_one(statement) for statement in body])


def with_body(node: ast.ClassDef | ast.FunctionDef, body: list[ast.stmt]):
    """Return a copy of *node* that has *body*."""
    node = copy.copy(node)
    node.body = body
    return node


def at_line_one(tree: ast.AST) -> ast.AST:
    """Put everything in *tree* at the start of line 1, in place, and return it: a position tells nothing then."""
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
    return tree
