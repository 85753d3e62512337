"""Write a subject again in other words: the same behaviour, at random other code, in every grading run.

Names that are private to the file get other names, functions another form and another order, lines other numbers. A
planted bug and a correct tree look equally foreign afterwards, so a test that fails for a subject's looks fails on
correct ones too. The work is done once a run: each function is kept in the forms that it has had, compiled with ticks
and with marks in place of names, and a subject is put together from them.
"""

import ast
import builtins
import keyword
import random
import textwrap
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import NamedTuple

from radixlab.checker.assembly import Assembly, at_line_one, stub, with_body
from radixlab.checker.budget import TICK, with_ticks
from radixlab.checker.equivalent import Equivalent
from radixlab.checker.names import Bare, Marked, defined, is_dunder, local_names, names_in
from radixlab.syntax import syntax_tree

_BUILTIN_MEMBERS = {name for kind in (list, dict, set, str, bytes, tuple, int, float) for name in dir(kind)}
_LETTERS = str.maketrans("0123456789", "ghijklmnop")

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

    def __init__(self, source: str, public: Iterable[str], filename: str = "radix.py") -> None:
        """Prepare *source*, of a file called *filename*. Complexity: linear in it, once."""
        self._filename = filename
        tree = syntax_tree(source)
        self._lines = source.splitlines(keepends=True)
        self._marks: dict[tuple[str, str], str] = {}
        members = names_in(tree)
        self._kept = {*public, *dir(builtins), *keyword.kwlist, "self", TICK, *members["keyword"]}
        self._fields = members["stored"] - {*public, *_BUILTIN_MEMBERS}  # of objects that no test sees
        self._module = {name for name in defined(tree) if name not in self._kept}
        self._spans: dict[str, tuple[int, int]] = {}  # where each function stands in the source
        self._forms: dict[str, list[_Form]] = {}
        self._changed: dict[str, _Form] = {}  # the form of what edits made of a function
        self._parts: list[tuple[ast.stmt | None, list[str]]] = []  # a statement; a class, or nothing, with functions
        used = {*public, *members["attribute"], *members["name"]}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                functions = [m for m in node.body if isinstance(m, ast.FunctionDef)]
                functions = [m for m in functions if m.name in used or is_dunder(m.name)]
                for function in functions:
                    self._keep(f"{node.name}.{function.name}", function)
                rest = [m for m in node.body if not isinstance(m, ast.FunctionDef)]
                head = self._marked(_plainly(with_body(node, rest or [ast.Pass()])), "")
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
                stubs += [stub(node, len(codes) + number) for number, node in enumerate(form.functions)]
                codes += form.codes
            if isinstance(node, ast.ClassDef):
                body.append(with_body(node, node.body + stubs))
            else:
                body += [node] if node else stubs
        skeleton = compile(ast.Module(body, []), self._filename, "exec", dont_inherit=True)
        return Assembly(codes, self._fresh_names(rng), rng).whole(skeleton)

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
        tree = at_line_one(Equivalent(rng).visit(Bare().visit(syntax_tree(textwrap.dedent(source)))))
        tree = self._marked(with_ticks(tree), name)
        home, _, _ = name.rpartition(".")
        around = syntax_tree(f"class {self._name(home)}: ...") if home else None
        if around:
            around.body[0].body = tree.body
        code = compile(around or tree, self._filename, "exec", dont_inherit=True)
        if home:
            (code,) = _inner(code)
        defined = {node.name for node in tree.body}
        return _Form(tree.body, [inner for inner in _inner(code) if inner.co_name in defined])

    def _marked(self, node: ast.AST, function: str) -> ast.AST:
        """Put marks in place of the names in *node* that may change."""
        local = local_names(node) - self._kept if function else set()

        def mark(name: str, *, member: bool = False) -> str:
            if member:
                hidden = name in self._fields or (name.startswith("_") and not is_dunder(name))
                return self._mark("", name) if hidden else name
            if is_dunder(name) or name in self._kept:
                return name
            return self._mark(function, name) if name in local else self._name(name)

        return Marked(mark).visit(node)

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
                self._kept |= names_in(syntax_tree(textwrap.dedent(source)))["keyword"]
                self._changed[source] = self._form(name, source, rng)
        return {name: self._changed[source] for name, source in sources.items()}


def _plainly(node: ast.AST) -> ast.AST:
    """Return *node*, in place, without docstrings, annotations and positions."""
    return at_line_one(Bare().visit(node))


def _inner(code: CodeType) -> list[CodeType]:
    """Return the code objects right inside *code*."""
    return [const for const in code.co_consts if isinstance(const, CodeType)]
