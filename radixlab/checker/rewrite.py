"""Write a subject again in other words: the same behaviour, at random other code, in every grading run.

Names that are private to the file get other names, functions another form and another order, lines other numbers. A
planted bug and a correct tree look equally foreign afterwards, so a test that fails for a subject's looks fails on
correct ones too. The work is done once a run: each function is kept in a few forms, as text with ticks and with marks
in place of names, and a subject is put together from them.
"""

import ast
import builtins
import keyword
import random
import re
import textwrap
from collections.abc import Iterable, Sequence

from radixlab.checker.budget import TICK, with_ticks
from radixlab.checker.equivalent import Equivalent
from radixlab.syntax import syntax_tree

_FORMS = 2  # of each function, to choose from
_MARK = re.compile(r"Zq(\d+)qZ")

Edits = Sequence[tuple[str, str]]


class Template:
    """The source of a subject, prepared for being written in other words; names in *public* stay.

    >>> source = "def f(n):\\n    total = n + 1\\n    return total"
    >>> text = Template(source, {"f"}, random.Random(1)).write(random.Random(2), [("n + 1", "n + 2")])
    >>> exec(text, space := {TICK: lambda line: None})
    >>> space["f"](2), "total" in text
    (4, False)
    """

    def __init__(self, source: str, public: Iterable[str], rng: random.Random) -> None:
        """Prepare *source*. Complexity: linear in it, once."""
        tree = syntax_tree(source)
        self._lines = source.splitlines(keepends=True)
        self._marks: dict[tuple[str, str], str] = {}
        members = _names(tree)
        self._kept = {*public, *dir(builtins), *keyword.kwlist, "self", TICK, *members["keyword"]}
        self._fields = members["stored"] - {*public, *_BUILTIN_MEMBERS}  # of objects that no test sees
        self._module = {name for name in _defined(tree) if name not in self._kept}
        self._spans: dict[str, tuple[int, int]] = {}  # where each function stands in the source
        self._forms: dict[str, list[str]] = {}
        self._parts: list[str | tuple[str, list[str]]] = []  # a text, or a class: its head, its functions
        used = {*public, *members["attribute"], *members["name"]}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                functions = [m for m in node.body if isinstance(m, ast.FunctionDef)]
                functions = [m for m in functions if m.name in used or _dunder(m.name)]
                for function in functions:
                    self._keep(f"{node.name}.{function.name}", function, rng)
                rest = [m for m in node.body if not isinstance(m, ast.FunctionDef)]
                head = ast.ClassDef(node.name, node.bases, node.keywords, rest or [ast.Pass()], node.decorator_list)
                self._parts.append((self._marked(head, ""), [f"{node.name}.{m.name}" for m in functions]))
            elif isinstance(node, ast.FunctionDef):
                self._keep(node.name, node, rng)
                self._parts.append(("", [node.name]))
            else:
                self._parts.append(self._marked(node, ""))

    def write(self, rng: random.Random, edits: Edits = ()) -> str:
        """Return source text, ticks in it, that does what the source with *edits* does.

        ValueError when an edit does not apply to exactly one function. Complexity: linear in the source.
        """
        changed = self._edited(edits, rng)
        texts = []
        for part in self._parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            head, names = part
            bodies = [changed.get(name) or rng.choice(self._forms[name]) for name in rng.sample(names, len(names))]
            bodies = [body + "\n" * rng.randint(1, 3) for body in bodies]
            texts.append(head + "\n" + textwrap.indent("".join(bodies), "    ") if head else "".join(bodies))
        return self._named("\n".join(texts), rng)

    def _keep(self, name: str, function: ast.FunctionDef, rng: random.Random) -> None:
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        self._spans[name] = (first - 1, function.end_lineno)
        self._forms[name] = [self._form(name, self._source(name), rng) for _ in range(_FORMS)]

    def _source(self, name: str) -> str:
        first, end = self._spans[name]
        return "".join(self._lines[first:end])

    def _form(self, name: str, source: str, rng: random.Random) -> str:
        """Return one form of the function (or functions) of *source*."""
        tree = syntax_tree(textwrap.dedent(source))
        return self._marked(with_ticks(ast.fix_missing_locations(Equivalent(rng).visit(_bare(tree)))), name)

    def _marked(self, node: ast.AST, function: str) -> str:
        """Return the text of *node* with marks in place of the names that may change."""
        bare = _bare(node)
        local = set(_locals(bare)) - self._kept if function else set()

        def mark(name: str, *, member: bool = False) -> str:
            if member:
                hidden = name in self._fields or (name.startswith("_") and not _dunder(name))
                return self._mark("", name) if hidden else name
            if _dunder(name) or name in self._kept:
                return name
            if name in local:
                return self._mark(function, name)
            return self._mark("", name) if name in self._module else name

        return ast.unparse(ast.fix_missing_locations(_Marked(mark).visit(bare)))

    def _mark(self, scope: str, name: str) -> str:
        return self._marks.setdefault((scope, name), f"Zq{len(self._marks)}qZ")

    def _named(self, text: str, rng: random.Random) -> str:
        """Return *text* with a fresh name for each mark."""
        fresh: dict[str, str] = {}
        taken = set(self._kept)

        def name(match: re.Match) -> str:
            if match[1] not in fresh:
                while (new := f"{rng.getrandbits(rng.randint(20, 60)):x}".translate(_LETTERS)) in taken:
                    pass
                taken.add(new)
                fresh[match[1]] = new
            return fresh[match[1]]

        return _MARK.sub(name, text)

    def _edited(self, edits: Edits, rng: random.Random) -> dict[str, str]:
        """Return the functions that *edits* change, in a form of their own."""
        sources: dict[str, str] = {}
        for find, replace in edits:
            homes = [name for name in self._forms if find in sources.get(name, self._source(name))]
            if len(homes) != 1:
                raise ValueError(f"an edit belongs into one function, not {len(homes)}: {find!r}")
            sources[homes[0]] = sources.get(homes[0], self._source(homes[0])).replace(find, replace)
        for source in sources.values():
            self._kept |= _names(syntax_tree(textwrap.dedent(source)))["keyword"]
        return {name: self._form(name, source, rng) for name, source in sources.items()}


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


def _locals(tree: ast.AST) -> list[str]:
    """Return the names bound anywhere in *tree*, in inner functions, lambdas and comprehensions too."""
    names = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    declared = {n for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for n in node.names}
    return sorted(names - declared)


def _bare(tree: ast.AST) -> ast.AST:
    """Drop the docstrings and annotations of *tree*, in place, and return it."""
    return _Bare().visit(tree)


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
