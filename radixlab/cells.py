"""From a notebook cell to a file: the functions of the cell, as text, in place of those that the file has."""

import ast
import linecache
from dataclasses import dataclass
from types import FrameType

from radixlab import splice
from radixlab.syntax import syntax_tree


@dataclass(frozen=True)
class Cell:
    """The lines of a cell, and in it the class or function *node* that has *ours*, the decorator, on it."""

    lines: list[str]
    node: ast.ClassDef | ast.FunctionDef
    ours: ast.expr

    @classmethod
    def around(cls, frame: FrameType) -> "Cell | None":
        """Return the cell that *frame* runs, None when its text is not known."""
        linecache.checkcache(frame.f_code.co_filename)
        lines = [line.rstrip("\n") for line in linecache.getlines(frame.f_code.co_filename)]
        try:
            nodes = list(ast.walk(syntax_tree("\n".join(lines))))
        except SyntaxError:
            return None
        for node in nodes:
            for decorator in getattr(node, "decorator_list", ()):
                if decorator.lineno <= frame.f_lineno <= decorator.end_lineno:
                    return cls(lines, node, decorator)
        return None

    @property
    def owner(self) -> str | None:
        """The class whose methods the cell holds, None for a function."""
        return self.node.name if isinstance(self.node, ast.ClassDef) else None

    def functions(self) -> list[ast.FunctionDef]:
        """Return what is to be saved."""
        return [n for n in self.node.body if isinstance(n, ast.FunctionDef)] if self.owner else [self.node]

    def text(self, function: ast.FunctionDef, margin: str) -> str:
        """Return the text of *function* at *margin*, without our decorator; a string of many lines is not moved."""
        first = min([function.lineno, *(d.lineno for d in function.decorator_list if d is not self.ours)])
        gone = range(self.ours.lineno, self.ours.end_lineno + 1)
        strings = [n for n in ast.walk(function) if isinstance(n, ast.Constant | ast.JoinedStr)]
        fixed = {line for node in strings for line in range(node.lineno + 1, node.end_lineno + 1)}
        old = self.lines[first - 1][: function.col_offset]
        return "\n".join(
            line if number in fixed or not line.strip() else margin + line.removeprefix(old)
            for number, line in enumerate(self.lines[first - 1 : function.end_lineno], first)
            if number not in gone
        )


@dataclass
class Merged:
    """A file with a cell in it: the names that were *saved*, what was *kept* and why, the stage that *wrote* a name."""

    source: str
    saved: list[str]
    kept: list[str]
    wrote: dict[str, str]


def merge(
    source: str, start: str, cell: Cell, stage: str, order: list[str], wrote: dict[str, str], again: bool
) -> Merged:
    """Return *source* with the functions of *cell*, a cell of *stage*, in it.

    *start*: the file before any work; *order*: the names of the stages; *wrote*: which stage's cell last wrote a
    function. The rest of the file keeps every byte. A later stage's work is replaced only *again*.
    """
    merged = Merged(source, [], [], dict(wrote))
    for function in cell.functions():
        name = function.name
        there, first = _find(merged.source, cell.owner, name), _find(start, cell.owner, name)
        work = there is not None and not _unwritten(there, first)
        if _unwritten(function, first):
            if work:
                merged.kept.append(f"kept your {name} from the file")
            continue
        fresh = _placed(merged.source, cell, function, there)
        last = wrote.get(name)
        later = work and last in order and order.index(last) > order.index(stage)
        if fresh is None:
            merged.kept.append(f"{name} was not saved: the file has no class {cell.owner}, or two things called {name}")
        elif fresh != merged.source and later and not again:
            how = f'@exercise("{stage}", again=True)'
            merged.kept.append(f"kept {name} as the cell of stage {last} wrote it; {how} replaces it")
        elif fresh != merged.source:
            merged.source, merged.wrote[name] = fresh, stage
            merged.saved.append(name)
        elif not later:
            merged.wrote[name] = stage
    return merged


def _placed(source: str, cell: Cell, function: ast.FunctionDef, there: ast.FunctionDef | None) -> str | None:
    """Return *source* with *function* in place of the one *there*, or else at the end of its class or of the file."""
    if there is not None:
        if splice.pieces(source)[function.name][1] != there.end_lineno:  # another one of that name would be replaced
            return None
        return splice.put(source, function.name, cell.text(function, " " * there.col_offset))
    if function.name in splice.pieces(source):
        return None
    if cell.owner is None:
        return f"{source.rstrip()}\n\n\n{cell.text(function, '')}\n"
    classes = [n for n in syntax_tree(source).body if isinstance(n, ast.ClassDef) and n.name == cell.owner]
    if not classes:
        return None
    lines, margin = source.split("\n"), " " * classes[-1].body[0].col_offset
    lines[classes[-1].end_lineno : classes[-1].end_lineno] = ["", cell.text(function, margin)]
    return "\n".join(lines)


def _find(source: str, owner: str | None, name: str) -> ast.FunctionDef | None:
    """Return the last function called *name* in the class *owner*, or outside of all classes."""
    scope = syntax_tree(source).body
    if owner is not None:
        scope = [n for c in scope if isinstance(c, ast.ClassDef) and c.name == owner for n in c.body]
    return next((n for n in reversed(scope) if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _unwritten(function: ast.FunctionDef, start: ast.FunctionDef | None) -> bool:
    """Return whether *function* does what that of the *start* does, or only says that it is not written."""
    body = _code(function)
    idle = all(text == "pass" or text.startswith("raise NotImplementedError") for text in body)
    return idle or (start is not None and body == _code(start))


def _code(function: ast.FunctionDef) -> list[str]:
    """Return the statements of *function*, without docstrings and dots."""
    return [
        ast.unparse(node)
        for node in function.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
