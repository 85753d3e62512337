"""Turn code into other code that does the same: comparisons, branches, loops, returns, at random."""

import ast
import random

_FLIPPED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}


class Equivalent(ast.NodeTransformer):
    """Turn some expressions and statements into others that do the same."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def _often(self) -> bool:
        return self.rng.random() < 0.5

    def visit_Compare(self, node):
        self.generic_visit(node)
        flip = _FLIPPED.get(type(node.ops[0])) if len(node.ops) == 1 else None
        if flip and _plain(node.left) and _plain(node.comparators[0]) and self._often():
            return ast.Compare(node.comparators[0], [flip()], [node.left])
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and isinstance(node.target, ast.Name) and self._often():
            value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            return ast.Assign([node.target], value)
        return node

    def visit_If(self, node):
        self.generic_visit(node)
        if node.orelse and self._often():
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)
        return node

    def visit_While(self, node):
        self.generic_visit(node)
        if not node.orelse and self._often():
            leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            return ast.While(ast.Constant(True), [leave, *node.body], [])
        return node

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is not None and self._often():
            return [
                ast.Assign([ast.Name("result__", ast.Store())], node.value),
                ast.Return(ast.Name("result__", ast.Load())),
            ]
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if self._often():
            node.body.insert(0, ast.Assign([ast.Name("unused__", ast.Store())], ast.Constant(self.rng.randint(0, 999))))
        return node


def _plain(node: ast.expr) -> bool:
    """Say whether evaluating *node* has no effect that an order could show."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len" and all(_plain(arg) for arg in node.args)
    parts = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.BinOp, ast.expr_context, ast.operator)
    return isinstance(node, parts) and all(_plain(child) for child in ast.iter_child_nodes(node))
