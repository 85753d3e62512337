"""Write a subject again in other words: the same behaviour, at random other code, in every grading run.

Names that are private to the file get other names, functions another form and another order, lines other numbers. A
planted bug and a correct tree look equally foreign afterwards, so a test that fails for a subject's looks fails on
correct ones too. The work is done once a run: each function is kept in the forms that it has had, compiled with ticks
and with marks in place of names, and a subject is put together from them.
"""

import ast
import builtins
import copy
import keyword
import random
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from types import CodeType
from typing import NamedTuple

from radixlab.checker.budget import TICK, with_ticks
from radixlab.checker.equivalent import Equivalent
from radixlab.syntax import syntax_tree

_STUB = "a function of this place"
FILENAME = "radix.py"
_MARK = re.compile(r"Zq\d+qZ")

Edits = Sequence[tuple[str, str]]


class _Form(NamedTuple):
    """Functions, as statements and as code."""

    functions: list[ast.stmt]
    codes: list[CodeType]


class Template:
    """The source of a subject, prepared for being written in other words; names in *public* stay.

    >>> source = "def f(n):\\n    total = n + 1\\n    return total"
    >>> code = Template(source, {"f"}).write(random.Random(2), [("n + 1", "n + 2")])
    >>> exec(code, space := {TICK: lambda line: None})
    >>> space["f"](2), "total" in space["f"].__code__.co_varnames
    (4, False)
    """

    def __init__(self, source: str, public: Iterable[str]) -> None:
        """Prepare *source*. Complexity: linear in it, once."""
        tree = syntax_tree(source)
        self._lines = source.splitlines(keepends=True)
        self._marks: dict[tuple[str, str], str] = {}
        members = _names(tree)
        self._kept = {*public, *dir(builtins), *keyword.kwlist, "self", TICK, *members["keyword"]}
        self._fields = members["stored"] - {*public, *_BUILTIN_MEMBERS}  # of objects that no test sees
        self._module = {name for name in _defined(tree) if name not in self._kept}
        self._spans: dict[str, tuple[int, int]] = {}  # where each function stands in the source
        self._forms: dict[str, list[_Form]] = {}
        self._changed: dict[str, _Form] = {}  # the form of what edits made of a function
        self._parts: list[tuple[ast.stmt | None, list[str]]] = []  # a statement; a class, or nothing, with functions
        used = {*public, *members["attribute"], *members["name"]}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                functions = [m for m in node.body if isinstance(m, ast.FunctionDef)]
                functions = [m for m in functions if m.name in used or _dunder(m.name)]
                for function in functions:
                    self._keep(f"{node.name}.{function.name}", function)
                rest = [m for m in node.body if not isinstance(m, ast.FunctionDef)]
                head = self._marked(_plainly(_with_body(node, rest or [ast.Pass()])), "")
                self._parts.append((head, [f"{node.name}.{m.name}" for m in functions]))
            elif isinstance(node, ast.FunctionDef):
                self._keep(node.name, node)
                self._parts.append((None, [node.name]))
            else:
                self._parts.append((self._marked(_plainly(node), ""), []))

    def write(self, rng: random.Random, edits: Edits = ()) -> CodeType:
        """Return code, ticks in it, that does what the source with *edits* does.

        ValueError when an edit does not apply to exactly one function. Complexity: linear in the source.
        """
        own = self._edited(edits, rng)
        if not own and self._forms:  # a function in a form of its own must be no sign of a bug
            name = rng.choice(list(self._forms))
            own[name] = self._form(name, self._source(name), rng)
            self._forms[name].append(own[name])
        body: list[ast.stmt] = []
        codes: list[CodeType] = []
        for node, names in self._parts:
            stubs: list[ast.stmt] = []
            for name in rng.sample(names, len(names)):
                form = own.get(name) or self._one_of(name, rng)
                stubs += [_stub(node, len(codes) + number) for number, node in enumerate(form.functions)]
                codes += form.codes
            if isinstance(node, ast.ClassDef):
                body.append(_with_body(node, node.body + stubs))
            else:
                body += [node] if node else stubs
        skeleton = compile(ast.Module(body, []), FILENAME, "exec", dont_inherit=True)
        return _Assembly(codes, self._fresh_names(rng), rng).whole(skeleton)

    def _keep(self, name: str, function: ast.FunctionDef) -> None:
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        self._spans[name] = (first - 1, function.end_lineno)
        self._forms[name] = []

    def _one_of(self, name: str, rng: random.Random) -> _Form:
        """Return one of the forms that a function has had so far, the first one made when it is needed."""
        forms = self._forms[name]
        if not forms:
            forms.append(self._form(name, self._source(name), rng))
        return rng.choice(forms)

    def _source(self, name: str) -> str:
        first, end = self._spans[name]
        return "".join(self._lines[first:end])

    def _form(self, name: str, source: str, rng: random.Random) -> _Form:
        """Return one form of the function (or functions) of *source*, all of it in its first line."""
        tree = _at_line_one(Equivalent(rng).visit(_Bare().visit(syntax_tree(textwrap.dedent(source)))))
        tree = self._marked(with_ticks(tree), name)
        home, _, _ = name.rpartition(".")
        around = syntax_tree(f"class {self._name(home)}: ...") if home else None
        if around:
            around.body[0].body = tree.body
        code = compile(around or tree, FILENAME, "exec", dont_inherit=True)
        if home:
            (code,) = _inner(code)
        defined = {node.name for node in tree.body}
        return _Form(tree.body, [inner for inner in _inner(code) if inner.co_name in defined])

    def _marked(self, node: ast.AST, function: str) -> ast.AST:
        """Put marks in place of the names in *node* that may change."""
        local = _locals(node) - self._kept if function else set()

        def mark(name: str, *, member: bool = False) -> str:
            if member:
                hidden = name in self._fields or (name.startswith("_") and not _dunder(name))
                return self._mark("", name) if hidden else name
            if _dunder(name) or name in self._kept:
                return name
            return self._mark(function, name) if name in local else self._name(name)

        return _Marked(mark).visit(node)

    def _name(self, name: str) -> str:
        return self._mark("", name) if name in self._module else name

    def _mark(self, scope: str, name: str) -> str:
        return self._marks.setdefault((scope, name), f"Zq{len(self._marks)}qZ")

    def _fresh_names(self, rng: random.Random) -> dict[str, str]:
        """Return a name for each mark that was never there before."""
        fresh: dict[str, str] = {}
        taken = set(self._kept)
        for mark in self._marks.values():
            while (new := f"{rng.getrandbits(rng.randint(20, 60)):x}".translate(_LETTERS)) in taken:
                pass
            taken.add(new)
            fresh[mark] = new
        return fresh

    def _edited(self, edits: Edits, rng: random.Random) -> dict[str, _Form]:
        """Return the functions that *edits* change, in a form of their own, the same one when asked again."""
        sources: dict[str, str] = {}
        for find, replace in edits:
            homes = [name for name in self._forms if find in sources.get(name, self._source(name))]
            if len(homes) != 1:
                raise ValueError(f"an edit belongs into one function, not {len(homes)}: {find!r}")
            sources[homes[0]] = sources.get(homes[0], self._source(homes[0])).replace(find, replace)
        for name, source in sources.items():
            if source not in self._changed:
                self._kept |= _names(syntax_tree(textwrap.dedent(source)))["keyword"]
                self._changed[source] = self._form(name, source, rng)
        return {name: self._changed[source] for name, source in sources.items()}


class _Assembly:
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
            co_qualname=_MARK.sub(lambda mark: self.fresh[mark[0]], code.co_qualname),
            co_names=self.names(code.co_names),
            co_varnames=self.names(code.co_varnames),
            co_freevars=self.names(code.co_freevars),
            co_cellvars=self.names(code.co_cellvars),
            co_consts=tuple(map(self.const, code.co_consts)),
            co_firstlineno=code.co_firstlineno + self.line,
        )

    def name(self, name: str) -> str:
        return self.fresh.get(name, name)

    def names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.name, names))

    def const(self, value):
        if isinstance(value, CodeType):
            return self.whole(value)
        if isinstance(value, tuple):
            return tuple(map(self.const, value))
        return self.fresh.get(value, value) if isinstance(value, str) else value


def _stub(function: ast.FunctionDef, place: int) -> ast.FunctionDef:
    """Return *function* with nothing in it but its *place* among the codes."""
    body = [ast.Return(ast.Constant((_STUB, place)))]
    return _with_body(function, [_at_line_one(statement) for statement in body])


def _with_body(node: ast.ClassDef | ast.FunctionDef, body: list[ast.stmt]):
    """Return a copy of *node* that has *body*."""
    node = copy.copy(node)
    node.body = body
    return node


def _at_line_one(tree: ast.AST) -> ast.AST:
    """Put everything in *tree* at the start of line 1, in place, and return it: a position tells nothing then."""
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
    return tree


def _plainly(node: ast.AST) -> ast.AST:
    """Return *node*, in place, without docstrings, annotations and positions."""
    return _at_line_one(_Bare().visit(node))


def _inner(code: CodeType) -> list[CodeType]:
    """Return the code objects right inside *code*."""
    return [const for const in code.co_consts if isinstance(const, CodeType)]


_BUILTIN_MEMBERS = {name for kind in (list, dict, set, str, bytes, tuple, int, float) for name in dir(kind)}
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _names(tree: ast.AST) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {"attribute": set(), "stored": set(), "keyword": set(), "name": set()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names["attribute"].add(node.attr)
            if isinstance(node.ctx, ast.Store):
                names["stored"].add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            names["keyword"].add(node.arg)
        elif isinstance(node, ast.Name):
            names["name"].add(node.id)
    return names


def _defined(tree: ast.Module) -> list[str]:
    """Return the names that the module itself defines, imports left out."""
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    names += [t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    return names + [n.target.id for n in tree.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]


def _locals(tree: ast.AST) -> set[str]:
    """Return the names bound anywhere in *tree*, in inner functions, lambdas and comprehensions too."""
    names: set[str] = set()
    declared: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            declared.update(node.names)
    return names - declared


class _Bare(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]
        return self.generic_visit(node)

    def visit_ClassDef(self, node):
        if ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = [] if len(node.body) > 1 else [ast.Pass()]
        return self.generic_visit(node)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value))


class _Marked(ast.NodeTransformer):
    """Put marks in place of names."""

    def __init__(self, mark) -> None:
        self.mark = mark

    def visit_Attribute(self, node):
        node.attr = self.mark(node.attr, member=True)
        return self.generic_visit(node)

    def visit_Name(self, node):
        node.id = self.mark(node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.mark(node.arg)
        return node

    def _declaration(self, node):
        node.names = [self.mark(name) for name in node.names]
        return node

    visit_Global = visit_Nonlocal = _declaration

    def _definition(self, node):
        member = node.name.startswith("_")
        node.name = self.mark(node.name, member=member)
        return self.generic_visit(node)

    visit_FunctionDef = visit_ClassDef = _definition

    def visit_Assign(self, node):
        slots = any(isinstance(target, ast.Name) and target.id == "__slots__" for target in node.targets)
        for constant in ast.walk(node.value) if slots else ():
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                constant.value = self.mark(constant.value, member=True)
        return self.generic_visit(node)
