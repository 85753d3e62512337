"""The names in a syntax tree: which there are, and other ones in their place."""

import ast


def is_dunder(name: str) -> bool:
    """Return whether *name* is one of Python's own, such as `__init__`."""
    return name.startswith("__") and name.endswith("__")


def names_in(tree: ast.AST) -> dict[str, set[str]]:
    """Return the names in *tree* by what they are: attribute, stored (an attribute that is assigned), keyword, name."""
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


def defined(tree: ast.Module) -> list[str]:
    """Return the names that the module itself defines, imports left out."""
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    names += [t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    return names + [n.target.id for n in tree.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]


def local_names(tree: ast.AST) -> set[str]:
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


class Bare(ast.NodeTransformer):
    """Drop docstrings and annotations."""

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


class Marked(ast.NodeTransformer):
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
