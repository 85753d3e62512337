"""The step budget: ticks inserted into the code of a file, and the meter that counts them.

A tick stands at the start of every loop body, function, comprehension and lambda. Counting ticks instead of seconds
stops an endless loop in milliseconds, at the same step on every machine and Python version.
"""

import ast
import sys
from collections import Counter
from types import FrameType

TICK = "__tick__"
CALL_STEPS = 100_000  # between entering and leaving a public method, and for importing a file
TEST_STEPS = 500_000  # own code of one test
OURS_STEPS = 2_000_000  # own code of one test of the chapter's
CALL_COUNTS = 50  # steps of a test's own code, for each call of the subject: a call is dearer than a step
_WINDOW = 2_000  # steps past the budget in which the culprit is looked for


class OutOfSteps(BaseException):
    """The step budget is used up; not an Exception, so that `except Exception` cannot hide it."""


class _Ticks(ast.NodeTransformer):
    """Insert the ticks: a loop ticks with its line, anything that is called with minus its line."""

    def _statement(self, line: int, node: ast.AST) -> ast.stmt:
        return ast.Expr(self._call(line, node), **_place(node))

    def _call(self, line: int, node: ast.AST) -> ast.expr:
        place = _place(node)
        return ast.Call(ast.Name(TICK, ast.Load(), **place), [ast.Constant(line, **place)], [], **place)

    def _loop(self, node):
        self.generic_visit(node)
        node.body.insert(0, self._statement(node.lineno, node))
        return node

    visit_For = visit_AsyncFor = visit_While = _loop

    def _function(self, node):
        self.generic_visit(node)
        after_docstring = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body.insert(after_docstring, self._statement(-node.lineno, node))
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node):
        self.generic_visit(node)
        tick = self._call(-node.lineno, node.body)
        node.body = ast.BoolOp(ast.Or(), [tick, node.body], **_place(node.body))  # a tick returns None
        return node

    def _comprehension(self, node):
        self.generic_visit(node)
        for generator in node.generators:
            generator.ifs.insert(0, ast.UnaryOp(ast.Not(), self._call(node.lineno, node), **_place(node)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _place(node: ast.AST) -> dict[str, int]:
    """Return where *node* stands, for what is put beside it: cheaper than mending all places afterwards."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def with_ticks(tree: ast.Module) -> ast.Module:
    """Insert ticks into *tree*, in place, and return it. Complexity: linear in the tree.

    >>> print(ast.unparse(with_ticks(ast.parse("while True: f = lambda: 1"))))
    while True:
        __tick__(1)
        f = lambda: __tick__(-1) or 1
    """
    return _Ticks().visit(tree)


class Meter:
    """Counts the ticks of one file against a limit; past it every further tick raises, until `fresh`.

    `tick` goes into the globals of the file's code under the name `TICK`. `restart` begins a new allowance, `total`
    counts on. `spent` says where the budget ended, None while it has not.

    >>> meter = Meter(10)
    >>> for _ in range(4): meter.tick(7)
    >>> meter.restart()
    >>> meter.tick(9), meter.total()
    (None, 5)
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.fresh()

    def fresh(self, limit: int | None = None) -> None:
        """Forget everything counted so far, and set another *limit* if one is given."""
        self.limit = limit = limit or self.limit
        self.spent: str | None = None
        self._stack: list[FrameType] | None = None
        self._ticked: Counter[tuple[FrameType, int]] | None = None  # made when needed: a call begins with `fresh`
        self._count = self._before = self._charged = 0

    def tick(self, line: int) -> None:
        """Count one step at *line*."""
        self._count += 1
        if self._count > self.limit:
            self._overrun(line)

    def charge(self, steps: int) -> None:
        """Count *steps* at once; if they are too many, the next tick raises."""
        self._count += steps
        self._charged += steps

    def add(self, steps: int) -> None:
        """Count *steps* that were taken elsewhere, under a budget of their own."""
        self._before += steps

    def restart(self) -> None:
        """Begin a new allowance; a spent budget stays spent."""
        if self.spent is None:
            self._before += self._count
            self._count = 0

    def total(self) -> int:
        """Return the ticks counted since `fresh`, what was charged left out."""
        return self._before + self._count - self._charged

    def _overrun(self, line: int) -> None:
        """Watch which loop goes on and on for a while, then raise; once spent, raise at once."""
        if self.spent is None:
            frame = sys._getframe(2)
            if self._stack is None:
                self._stack, self._ticked = _frames(frame), Counter()
            self._ticked[frame, line] += 1
            if self._count < self.limit + _WINDOW:
                return
            self.spent = f"{_culprit(self._stack, frame, self._ticked)} ran {self.limit:,} steps"
            self._stack = self._ticked = None
        raise OutOfSteps(self.spent)


def _frames(frame: FrameType | None) -> list[FrameType]:
    """Return the stack of *frame*, itself first."""
    stack = []
    while frame is not None:
        stack.append(frame)
        frame = frame.f_back
    return stack


def _culprit(before: list[FrameType], frame: FrameType, ticked: Counter[tuple[FrameType, int]]) -> str:
    """Name the loop that never ended: the outermost one that went round in the deepest frame alive all along."""
    still_there = set(_frames(frame))
    for survivor in before:
        if survivor in still_there:
            loops = [line for (where, line), times in ticked.items() if where is survivor and line > 0 and times > 1]
            if loops:
                return f"the loop at line {min(loops)}"
            if any(where is survivor for where, _ in ticked):
                return f"the call of {survivor.f_code.co_name} at line {survivor.f_code.co_firstlineno}"
    line = ticked.most_common(1)[0][0][1]
    return f"the {'loop' if line > 0 else 'function'} at line {abs(line)}"
