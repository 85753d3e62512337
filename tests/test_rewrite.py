"""Writing a subject in other words: other code every time, the same behaviour always."""

import ast
import random
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.budget import TICK, Meter, OutOfSteps, with_ticks
from radixlab.checker.mutation import public_names
from radixlab.checker.rewrite import Template

KEYS = st.lists(st.integers(0, 2), max_size=5)
STEPS = st.one_of(
    st.tuples(st.just("insert"), KEYS),
    st.tuples(st.just("match_prefix"), KEYS),
    st.tuples(st.sampled_from(["lock", "unlock", "key", "values", "parent", "children"]), st.integers(-1, 6)),
    st.tuples(st.just("evict"), st.integers(0, 3)),
)


def executed(code: CodeType) -> dict:
    space = {TICK: (meter := Meter(20_000)).tick, "meter": meter}
    exec(code, space)
    return space


def ticked(source: str) -> CodeType:
    return compile(with_ticks(ast.parse(source)), "radix.py", "exec")


def functions(code: CodeType) -> list[CodeType]:
    """Return *code* and every code object inside it."""
    return [code, *(f for const in code.co_consts if isinstance(const, CodeType) for f in functions(const))]


def words(code: CodeType) -> set[str]:
    """Return every name and text in *code*."""
    found: set[str] = set()

    def take(value):
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, tuple):
            for part in value:
                take(part)

    for f in functions(code):
        take((f.co_name, f.co_qualname, f.co_names, f.co_varnames, f.co_freevars, f.co_cellvars, f.co_consts))
    return found


def looks(code: CodeType) -> list[bytes]:
    """Return what a function is made of, for each function."""
    return sorted(f.co_code + f.co_linetable for f in functions(code))


@pytest.fixture(scope="session")
def template(chapter, reference) -> Template:
    return Template(reference, public_names(chapter.text("face.pyi")))


def seen(space: dict, granule: int, steps: list) -> list:
    """Return what the tree answers to each step, its exceptions by their class."""
    tree, answers = space["RadixTree"](granule), []
    for number, (method, argument) in enumerate(steps):
        arguments = [argument]
        if method == "insert":
            arguments = [argument * granule, [(number, run) for run in range(len(argument))]]
        gone = []
        if method == "evict":
            arguments.append(gone.append)
        space["meter"].fresh()
        try:
            answer = getattr(tree, method)(*arguments), len(tree), tree.node_count()
        except OutOfSteps:  # it loops without end, and is left in the middle
            return [*answers, OutOfSteps]
        except Exception as error:
            answer = type(error)
        answers.append((answer, gone))
    return answers


@given(st.integers(0, 10**6), st.integers(1, 2), st.lists(STEPS, max_size=25))
def test_the_reference_in_other_words_behaves_the_same(template, reference, seed, granule, steps):
    assert seen(executed(template.write(random.Random(seed))), granule, steps) == seen(
        executed(ticked(reference)), granule, steps
    )


@pytest.fixture(scope="session")
def planted(chapter, reference) -> list:
    """The edits of each bug, and what the reference with them defines."""
    return [(bug.edits, executed(ticked(bug.plant(reference)))) for bug in (*chapter.bugs, *chapter.seen)]


@given(st.integers(0, 10**6), st.lists(STEPS, min_size=8, max_size=25))
def test_a_bug_in_other_words_behaves_like_the_bug(template, planted, seed, steps):
    edits, plain = planted[seed % len(planted)]
    assert seen(executed(template.write(random.Random(seed), edits)), 1, steps) == seen(plain, 1, steps)


def test_every_bug_in_other_words_behaves_like_the_bug(template, planted):
    rng = random.Random(0)
    script = [("insert", [1, 2, 0]), ("insert", [1, 2, 1, 1]), ("match_prefix", [1, 0]), ("lock", 1), ("unlock", 1)]
    script += [("insert", [1, 2, 0]), ("unlock", 2), ("evict", 2), ("match_prefix", [1, 2, 2]), ("evict", 3)]
    for edits, plain in planted:
        for granule in (1, 2):
            assert seen(executed(template.write(rng, edits)), granule, script) == seen(plain, granule, script)


def test_no_two_are_alike_and_the_private_names_are_gone(template):
    codes = [template.write(random.Random(seed)) for seed in range(10)]
    assert len({frozenset(words(code)) for code in codes}) == 10
    for code in codes:
        found = words(code)
        assert {"RadixTree", "RadixTree.match_prefix", "match_prefix", "ROOT", TICK} <= found
        for private in ("_nodes", "_walk", "_split", "_relist", "lower", "Node", "Node.__init__"):
            assert private not in found
        assert not any("Zq" in word or "Return" in word for word in found)  # no mark, no docstring


def test_the_same_seed_writes_the_same_code(chapter, reference):
    first, second = (Template(reference, public_names(chapter.text("face.pyi"))) for _ in range(2))
    assert first.write(random.Random(3)) == second.write(random.Random(3))


def test_lines_move_and_tell_nothing(template):
    firsts = set()
    for seed in range(8):
        code = template.write(random.Random(seed))
        (lock,) = (f for f in functions(code) if f.co_name == "lock")
        firsts.add(lock.co_firstlineno)
        for f in functions(code)[1:]:
            assert {(line, column) for line, _, column, _ in f.co_positions() if column is not None} <= {
                (f.co_firstlineno, 0)
            }
    assert len(firsts) > 4


def test_a_function_in_a_form_of_its_own_is_no_sign_of_a_bug(chapter, reference):
    """In decoys too there is a function in a form that the first trees did not have."""
    template = Template(reference, public_names(chapter.text("face.pyi")))
    rng = random.Random(0)
    known = {look for _ in range(40) for look in looks(template.write(rng))}
    unknown = [len([look for look in looks(template.write(rng)) if look not in known]) for _ in range(60)]
    assert sum(count > 0 for count in unknown) > 5


def test_the_order_of_methods_changes_and_none_of_the_public_ones_is_lost(chapter, template):
    orders = set()
    for seed in range(5):
        space = executed(template.write(random.Random(seed)))
        public = [name for name in vars(space["RadixTree"]) if name in public_names(chapter.text("face.pyi"))]
        assert len(public) == 16
        orders.add(tuple(public))
    assert len(orders) == 5


WORDS = '''
import itertools as it

LIMIT: int = 3
_table = {"a": 1}

class Pair:
    """Two."""

    second = 2

    def __init__(self, first):
        self.first = first

    def total(self, *, extra=0):
        """Add."""
        return self.first + self.second + extra

def helper(value, *rest, key=None, **more):
    inner = [value for value in rest if value is not key]
    def nested(step):
        nonlocal inner
        inner = inner + [step]
        return len(inner)
    return nested(value), sorted(more), [pair for pair in it.pairwise(inner)]

def count():
    global _table
    _table = dict(_table, b=2)
    return sum(_table.values())

def run(n):
    seen = []
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        elif n > LIMIT:
            seen.append(f"{n!r}:{n + 1}")
        else:
            break
    else:
        seen.append("else")
    try:
        {}[n]
    except KeyError as error:
        seen.append(error.args)
    finally:
        seen.append("finally")
    with open(__import__("os").devnull) as stream:
        seen.append(stream.read())
    total = (lambda x, y=1: x * y + n)(4)
    (a, b), *c = (1, 2), 3
    if (m := a + b) < total:
        seen.append(m)
    return seen, total, c, Pair(1).total(extra=n), helper(1, 2, 3, key=2, z=1, y=2), count(), not n, -n, 1 < n < 9
'''


@pytest.mark.parametrize("seed", range(12))
def test_all_that_python_has_to_say_keeps_its_meaning(seed):
    code = Template(WORDS, {"run"}).write(random.Random(seed))
    plain, written = executed(ticked(WORDS)), executed(code)
    for n in (0, 1, 2, 5, 9):
        assert written["run"](n) == plain["run"](n)
    assert "helper" not in words(code)


@pytest.mark.parametrize(
    ("find", "homes"), [("nothing like that", 0), ("        return ", r"\d\d"), ("class Node(Generic[V])", 0)]
)
def test_an_edit_that_is_at_home_nowhere_or_everywhere_is_refused(template, find, homes):
    with pytest.raises(ValueError, match=f"an edit belongs into one function, not {homes}"):
        template.write(random.Random(0), [(find, "x")])


def test_an_edit_that_is_no_python_is_refused(template):
    with pytest.raises(SyntaxError):
        template.write(random.Random(0), [("self._clock += 1", "self._clock +=")])
