"""The step budget: the same count everywhere, and no loop that it does not end and name."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.budget import TICK, Meter, OutOfSteps, with_ticks

LIMIT = 1_000


def run(source: str, limit: int = LIMIT) -> tuple[Meter, dict]:
    meter = Meter(limit)
    space = {TICK: meter.tick}
    exec(compile(with_ticks(ast.parse(dedent(source))), "radix.py", "exec"), space)
    return meter, space


COUNTED = {
    "a for loop": ("for i in range(10): pass", 10),
    "a while loop": ("n = 7\nwhile n: n -= 1", 7),
    "a loop left early": ("for i in range(10):\n    if i == 3: break", 4),
    "the else of a loop": ("for i in range(3): pass\nelse: i = 0", 3),
    "a function": ("def f(): return 1\nf()\nf()", 2),
    "a function with a docstring": ("def f():\n    'Return 1.'\n    return 1\nf()", 1),
    "a lambda": ("f = lambda: None\nf()\nf()\nf()", 3),
    "a list comprehension": ("[i for i in range(5) if i % 2]", 5),
    "a set comprehension with two loops": ("{(i, j) for i in range(3) for j in range(2)}", 3 + 6),
    "a dict comprehension": ("{i: i for i in range(4)}", 4),
    "a generator, as far as it is asked": ("g = (i for i in range(9))\nnext(g), next(g)", 2),
    "a generator function": ("def g():\n    for i in range(3): yield i\nlist(g())", 1 + 3),
    "a method and its loop": ("class C:\n    def m(self):\n        for i in range(3): pass\nC().m()\nC().m()", 2 * 4),
    "a coroutine": ("async def f(): return 1\ntry: f().send(None)\nexcept StopIteration: pass", 1),
    "recursion": ("def f(n):\n    return n and f(n - 1)\nf(6)", 7),
    "nothing else": ("import math\nx = sorted(range(1000))\nclass C: y = sum(x)", 0),
}


@pytest.mark.parametrize(("source", "steps"), COUNTED.values(), ids=COUNTED)
def test_each_round_and_each_call_is_one_step_on_any_python(source, steps):
    assert run(source)[0].total() == steps


ENDLESS = {
    "on one line": ("while True: pass", "the loop at line 1"),
    "over a counter": ("import itertools\nfor i in itertools.count():\n    pass", "the loop at line 2"),
    "hidden by except": (
        """
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
        """,
        "the loop at line 4",
    ),
    "hidden by finally": (
        """
        def f():
            while True:
                try:
                    for i in iter(int, 1):
                        pass
                finally:
                    continue
        f()
        """,
        "the loop at line 5",
    ),
    "round a helper that ends": (
        """
        def helper():
            for i in range(3):
                [j for j in range(4)]
        def f():
            while True:
                helper()
        f()
        """,
        "the loop at line 6",
    ),
    "with an endless one inside": (
        """
        for i in range(10):
            n = 0
            while n < 10:
                i += 1
        """,
        "the loop at line 4",
    ),
    "round loops that end": (
        """
        while True:
            for i in range(5):
                for j in range(5):
                    pass
        """,
        "the loop at line 2",
    ),
    "in a comprehension": ("import itertools\n[i for i in itertools.count()]", "the loop at line 2"),
    "in a filtered comprehension": ("import itertools\n{i for i in itertools.count() if i < 0}", "the loop at line 2"),
    "in a generator expression": ("import itertools\nsum(1 for i in itertools.count())", "the loop at line 2"),
    "over a generator": (
        """
        def forever():
            while True:
                yield 1
        for i in forever():
            pass
        """,
        "the loop at line 5",
    ),
    "in a generator that yields nothing": (
        """
        def never():
            while True:
                if False:
                    yield
        for i in never():
            pass
        """,
        "the loop at line 3",
    ),
    "as long as a lambda says so": ("go_on = lambda: True\nwhile go_on():\n    pass", "the loop at line 2"),
    "in a method": ("class C:\n    def m(self):\n        while self:\n            pass\nC().m()", "the loop at line 3"),
    "of a map over a lambda": (
        "import itertools\nall(map(lambda i: True, itertools.count()))",
        "the function at line 2",
    ),
    "by calls that branch": ("def f(n):\n    return f(n - 1) + f(n - 1) if n else 1\nf(40)", "the function at line 1"),
}


@pytest.mark.parametrize(("source", "culprit"), ENDLESS.values(), ids=ENDLESS)
def test_an_endless_loop_ends_soon_and_is_named_by_its_line(source, culprit):
    meter = Meter(LIMIT)
    with pytest.raises(OutOfSteps) as caught:
        exec(compile(with_ticks(ast.parse(dedent(source))), "radix.py", "exec"), {TICK: meter.tick})
    assert str(caught.value) == f"{culprit} ran 1,000 steps"
    assert meter.total() <= 4 * LIMIT, "a loop costs the budget, the window of the search for it, and little else"


def test_an_exhausted_budget_cannot_be_caught_by_except_exception():
    with pytest.raises(OutOfSteps):
        run("try:\n    while True: pass\nexcept Exception: pass")


def test_a_spent_budget_stays_spent_until_it_is_fresh():
    meter = Meter(10)
    with pytest.raises(OutOfSteps, match="ran 10 steps"):
        while True:
            meter.tick(3)
    total = meter.total()
    meter.restart()
    with pytest.raises(OutOfSteps, match="line 3 ran 10 steps"):
        meter.tick(99)
    assert (meter.total(), meter.spent) == (total + 1, "the loop at line 3 ran 10 steps")
    meter.fresh()
    meter.tick(1)
    assert (meter.total(), meter.spent) == (1, None)


@given(st.lists(st.integers(0, 50)))
def test_every_call_has_the_whole_budget(calls):
    meter = Meter(50)
    for steps in calls:
        meter.restart()
        for _ in range(steps):
            meter.tick(1)
    assert (meter.total(), meter.spent) == (sum(calls), None)


def test_fresh_can_change_the_limit():
    meter = Meter(1)
    meter.fresh(100)
    for _ in range(100):
        meter.tick(1)
    assert meter.spent is None


def test_docstrings_and_lines_stay():
    _, space = run("def f():\n    'Say so.'\n    for i in range(2):\n        if i: raise KeyError\n")
    assert space["f"].__doc__ == "Say so."
    with pytest.raises(KeyError) as caught:
        space["f"]()
    assert caught.traceback[-1].lineno + 1 == 4


def test_values_stay():
    source = "a = [x for x in range(9) if x % 2]\nb = (lambda n: n or 5)(0)\nc = {k: v for k, v in zip('ab', a)}"
    _, space = run(source)
    assert (space["a"], space["b"], space["c"]) == ([1, 3, 5, 7], 5, {"a": 1, "b": 3})
