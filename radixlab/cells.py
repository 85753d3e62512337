"""From a notebook cell to a file: the functions of the cell, as text, in place of those that the file has."""

import ast
import linecache
import symtable
from dataclasses import dataclass
from types import FrameType

from radixlab import splice
from radixlab.syntax import syntax_tree


@dataclass(frozen=True)
class Cell:
    """The lines of a cell, and in it the class or function *node* that has *ours*, the decorator, on it.

    *here*: the modules from which a cell imports names that the learner's file has anyway.
    """

    lines: list[str]
    node: ast.ClassDef | ast.FunctionDef
    ours: ast.expr
    here: frozenset[str] = frozenset({"radixlab", "radix"})

    @classmethod
    def around(cls, frame: FrameType, here: frozenset[str]) -> "Cell | None":
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
                    return cls(lines, node, decorator, here)
        return None

    @property
    def owner(self) -> str | None:
        """The class whose methods the cell holds, None for a function."""
        return self.node.name if isinstance(self.node, ast.ClassDef) else None

    def functions(self) -> list[ast.FunctionDef]:
        """Return what is to be saved."""
        return [n for n in self.node.body if isinstance(n, ast.FunctionDef)] if self.owner else [self.node]

    def leftovers(self) -> list[str]:
        """Return the first lines of what stands in the class and is neither a method nor a text nor `pass`."""
        body = self.node.body if self.owner else []
        known = ast.FunctionDef | ast.Expr | ast.Pass
        return [self.lines[node.lineno - 1].strip() for node in body if not isinstance(node, known)]

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
    merged, written = Merged(source, [], [], dict(wrote)), []
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
            how = "again=True in its decorator replaces it"
            merged.kept.append(f"kept {name} as the cell of stage {last} wrote it; {how}")
        elif fresh != merged.source:
            merged.source, merged.wrote[name] = fresh, stage
            merged.saved.append(name)
        elif not later:
            merged.wrote[name] = stage
        if merged.wrote.get(name) == stage:
            written.append(function)
    merged.kept += [f"not saved, as it is no method: {line}" for line in cell.leftovers()]
    later = {name for name, other in wrote.items() if other in order[order.index(stage) + 1 :]}
    for statement in _needed(cell, written):
        if (again or not later & set(bound(statement))) and _carry(merged, cell, statement):
            merged.wrote |= dict.fromkeys(bound(statement), stage)
    return merged


# What a function needs of its cell ------------------------------------------------------------------------------------


def _needed(cell: Cell, functions: list[ast.FunctionDef]) -> list[ast.stmt]:
    """Return the imports, helpers and constants of *cell* that *functions* name, or that those name in turn.

    What comes from the lab, or from the learner's file itself, is there already.
    """
    found: list[ast.stmt] = []
    names = {name for function in functions for name in _named(function)}
    while True:
        more = [
            statement
            for statement in syntax_tree("\n".join(cell.lines)).body
            if names & set(bound(statement))
            and statement.lineno not in [other.lineno for other in found]
            and not any(d.lineno == cell.ours.lineno for d in getattr(statement, "decorator_list", ()))
            and (getattr(statement, "module", None) or "").partition(".")[0] not in cell.here
        ]
        if not more:
            return sorted(found, key=lambda statement: statement.lineno)
        found += more
        names = {name for statement in more for name in _named(statement)}


def bound(statement: ast.stmt) -> list[str]:
    """Return the names that *statement*, at the top of a file or cell, defines for those below."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _carry(merged: Merged, cell: Cell, statement: ast.stmt) -> bool:
    """Put *statement* of *cell* into the file; return whether that changed it.

    An import goes behind the others, a helper to its old place, or before all else. What is imported already stays.
    """
    body = syntax_tree(merged.source).body
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    text, lines = cell.lines[first - 1 : statement.end_lineno], merged.source.split("\n")
    names = bound(statement)
    there = [other for other in body if set(names) & set(bound(other))]
    imports = [other.end_lineno for other in body if isinstance(other, ast.Import | ast.ImportFrom)]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        if there:
            return False
        at = max(imports, default=_after_docstring(body))
        lines[at:at] = text
    elif there:
        start = min([there[-1].lineno, *(d.lineno for d in getattr(there[-1], "decorator_list", ()))])
        lines[start - 1 : there[-1].end_lineno] = text
    else:
        at = max(imports, default=_after_docstring(body))
        lines[at:at] = ["", "", *text]
    if "\n".join(lines) == merged.source:
        return False
    merged.source = "\n".join(lines)
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        merged.saved += [name for name in names if name not in merged.saved]
    return True


def _after_docstring(body: list[ast.stmt]) -> int:
    first = body[0] if body else None
    return first.end_lineno if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else 0


def _named(node: ast.AST) -> set[str]:
    """Return the names that *node* takes from outside of itself."""
    top = symtable.symtable(ast.unparse(node), "cell", "exec")
    tables, names = [top], set()
    for table in tables:  # grows while it is walked
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if s.is_global() or (table is top and s.is_referenced())}
    return names


# Where a function goes ------------------------------------------------------------------------------------------------


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
