"""The face: all that a test sees of a subject, and nothing besides."""

import inspect
from textwrap import dedent
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.budget import CALL_COUNTS, CALL_STEPS, TEST_STEPS, Meter, OutOfSteps
from radixlab.checker.face import Face
from radixlab.checker.kinds import Foreign
from radixlab.checker.subject import compile_subject, load

ODD = """
    from array import array

    ROOT = 0

    class Id(int):
        def __eq__(self, other): return True
        __hash__ = int.__hash__

    class Greedy(ValueError): pass
    class Picky(UnicodeDecodeError): pass
    class Gone(KeyError): pass

    class RadixTree:
        def __init__(self, granule):
            if granule == 13:
                raise Greedy("thirteen")
            self.granule, self._secret, self._kept = Id(granule), "hidden", []
        def __len__(self): return Id(3)
        def is_empty(self): return False
        def node_count(self): return True
        def key(self, node): return array("I", [1, 2])
        def values(self, node): return tuple(self._kept)
        def parent(self, node): return None if node == 0 else Id(7)
        def children(self, node): return (Id(n) for n in range(2))
        def child_count(self, node): raise Gone(node)
        def lock_count(self, node): raise Picky("utf-8", b"x", 0, 1, "no")
        def lru_order(self): return ["one"]
        def match_prefix(self, key): return [Id(2), (Id(5),)]
        def insert(self, key, values):
            self._kept += values
            return Id(1), [values[0], "made up", type(values[0])]
        def lock(self, node): return "something"
        def unlock(self, node): raise SystemExit(f"left at {self!r}")
        def evict(self, n, f=None):
            for value in self._kept:
                f(value)
            self._kept = []
            return 0
"""


@pytest.fixture(scope="session")
def face(chapter) -> Face:
    return Face(chapter.text("face.pyi"))


@pytest.fixture(scope="session")
def promised(reference) -> type:
    """The tree that the face was written after."""
    return load(compile_subject(reference), Meter(CALL_STEPS), "radix").RadixTree


@pytest.fixture
def around(face):
    """Return the face of the subject in a source text."""

    def around(source: str, limit: int = CALL_STEPS, **options) -> ModuleType:
        meter = Meter(limit)
        return face.around(load(compile_subject(dedent(source)), meter, "radix"), meter, **options)

    return around


@pytest.fixture
def odd(around):
    return around(ODD).RadixTree(2)


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("__")}


METHODS = {
    *("is_empty", "node_count", "key", "values", "parent", "children", "child_count", "lock_count", "lru_order"),
    *("match_prefix", "insert", "lock", "unlock", "evict"),
}


def test_only_the_public_names_are_there(around, reference):
    module = around(reference)
    assert public(vars(module)) == {"ROOT", "RadixTree", "common_runs"}
    tree = module.RadixTree(1)
    assert public(dir(tree)) == {*METHODS, "granule"}
    assert public(vars(module.RadixTree)) == {*METHODS, "granule"}
    for name in ("_nodes", "_tree", "_", "__dict__", "list_steps", "check"):
        assert not hasattr(tree, name)
    with pytest.raises(TypeError):
        vars(tree)
    with pytest.raises(AttributeError):
        tree.mine = 1
    with pytest.raises(AttributeError):
        tree.granule = 3


def test_a_subject_that_lacks_a_part_cannot_give_it(around):
    module = around("ROOT = 0")
    assert module.ROOT == 0
    assert not hasattr(module, "unheard_of")
    with pytest.raises((ImportError, AttributeError), match="RadixTree"):
        _ = module.RadixTree


def test_its_repr_says_nothing(odd, around, reference):
    assert repr(odd) == repr(around(reference).RadixTree(1)) == "<RadixTree>"


def test_numbers_arrive_as_plain_ints_and_sequences_as_lists(odd):
    for got in (len(odd), odd.granule, odd.node_count(), odd.parent(1), odd.match_prefix([])[0]):
        assert type(got) is int
    assert (odd.key(0), odd.children(0)) == ([1, 2], [0, 1])
    assert all(type(item) is int for item in (*odd.key(0), *odd.children(0)))
    assert odd.match_prefix([]) == (2, [5])
    assert odd.is_empty() is False
    assert odd.parent(0) is None
    assert odd.lock(0) is None


def test_values_come_back_as_themselves_and_anything_else_as_foreign(odd):
    mine = object()
    node, (first, second, third) = odd.insert([1, 2], [mine])
    assert node == 1
    assert first is mine
    assert odd.values(0) == [mine]
    assert isinstance(second, Foreign) and isinstance(third, Foreign)
    assert second != "made up" and second != third
    assert repr(second) == "<a str that was never inserted>"


def test_a_subject_cannot_read_the_values_it_keeps(around):
    module = around("""
        class RadixTree:
            def __init__(self, granule): pass
            def insert(self, key, values):
                a, b = values
                return int(a == b or a == 1), [repr(a), str(a), dir(a)]
    """)
    assert module.RadixTree(1).insert([1, 2], [1, 1])[0] == 0, "equal values are two handles"


def test_what_is_no_iterable_crosses_as_it_is(around):
    module = around(
        "class RadixTree:\n    def __init__(self, g): ...\n    def insert(self, key, values): return 0, values"
    )
    with pytest.raises(TypeError):
        module.RadixTree(1).insert([], 5)


def test_an_exception_arrives_as_its_first_builtin_class(around, odd):
    with pytest.raises(ValueError, match=r"^Greedy: thirteen$") as caught:
        around(ODD).RadixTree(13)
    assert type(caught.value) is ValueError
    with pytest.raises(KeyError) as caught:
        odd.child_count(4)
    assert (type(caught.value), caught.value.args) == (KeyError, ("Gone: 4",))
    with pytest.raises(ValueError, match="Picky: ") as caught:
        odd.lock_count(0)
    assert type(caught.value) is ValueError, "a class that cannot be made from a text gives way to a plainer one"


def test_what_would_end_the_session_arrives_as_an_exception(odd):
    with pytest.raises(Exception, match="SystemExit") as caught:
        odd.unlock(0)
    assert type(caught.value) is Exception
    assert "0x7" not in str(caught.value)


@pytest.mark.parametrize("call", ["child_count", "lock_count", "unlock"])
def test_the_texts_of_our_subjects_stay_behind(around, call):
    tree = around(ODD, quiet=True).RadixTree(2)
    with pytest.raises(Exception) as caught:
        getattr(tree, call)(4)
    assert "left" not in str(caught.value) and "Gone" not in str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert not any("_secret" in entry.frame.f_locals for entry in caught.traceback)


def test_a_broken_promise_is_named(odd, around):
    with pytest.raises(TypeError, match=r"^lru_order returned \['one'\], where a sequence of node ids is promised$"):
        odd.lru_order()
    module = around("""
        class RadixTree:
            def __init__(self, granule): self.granule = "two"
            def __len__(self): return "3"
            def is_empty(self): return 0
            def key(self, node): return None
            def match_prefix(self, key): return 1, [2], 3
            def insert(self, key, values): return 1
    """)
    tree = module.RadixTree(1)
    for call, promise in (
        (lambda: len(tree), "__len__ returned '3', where an int is promised"),
        (tree.is_empty, "is_empty returned 0, where a bool is promised"),
        (lambda: tree.key(0), "key returned None, where a sequence of ints is promised"),
        (
            lambda: tree.match_prefix([]),
            "match_prefix returned (1, [2], 3), where (an int, a sequence of node ids) is promised",
        ),
        (lambda: tree.insert([], []), "insert returned 1, where (a node id, a sequence of values) is promised"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == promise
    with pytest.raises(TypeError):
        _ = tree.granule


def test_a_long_value_that_breaks_a_promise_is_shortened(around):
    module = around("""
        class RadixTree:
            def __init__(self, granule): pass
            def children(self, node): return [(1,)]
            def lru_order(self): return "x" * 10_000
    """)
    tree = module.RadixTree(1)
    with pytest.raises(TypeError, match=r"^children returned \[\(1,\)\], where a sequence of node ids is promised$"):
        tree.children(0)
    with pytest.raises(TypeError, match=r"^lru_order returned 'x.*\.\.\.x+', where a sequence of") as caught:
        tree.lru_order()
    assert len(str(caught.value)) < 120


def test_an_unwritten_or_missing_method_says_so(around):
    tree = around(
        "class RadixTree:\n    def __init__(self, g): ...\n    def lock(self, n): raise NotImplementedError('x')"
    )
    with pytest.raises(NotImplementedError, match="x"):
        tree.RadixTree(1).lock(0)
    with pytest.raises(AttributeError, match="unlock"):
        tree.RadixTree(1).unlock(0)


def test_a_callback_is_called_once_the_call_is_over(around):
    tree = around(ODD).RadixTree(1)
    tree.insert([1, 2], ["a", "b"])
    seen = []
    tree.evict(1, lambda value: seen.append((value, len(tree.values(0)))))
    assert seen == [("a", 0), ("b", 0)]


def test_what_a_callback_raises_reaches_the_caller(around, reference):
    tree = around(reference).RadixTree(1)
    tree.insert([1], ["a"])
    with pytest.raises(ZeroDivisionError):
        tree.evict(1, lambda value: 1 / 0)
    assert tree.node_count() == 0


LOOP = """
    class RadixTree:
        def __init__(self, granule): pass
        def key(self, node):
            for _ in range(node): pass
            return []
"""


def test_every_call_has_its_own_steps_and_a_loop_in_one_is_named(around):
    tree = around(LOOP, limit=1_000).RadixTree(1)
    for _ in range(5):
        assert tree.key(900) == []
    with pytest.raises(OutOfSteps, match="the loop at line 5 ran 1,000 steps"):
        tree.key(10**9)
    with pytest.raises(OutOfSteps):
        tree.key(1)


CALLS = """from radix import RadixTree


def test_calls():
    tree = RadixTree(1)
    for _ in range({}):
        tree.node_count()
"""


def test_a_loop_that_calls_the_tree_each_round_ends_by_budget(play):
    """A call counts as more steps than one, and only against the learner's own tests."""
    rounds = TEST_STEPS // CALL_COUNTS
    assert play(CALLS.format(rounds - 1_000))["calls"].outcome == "passed"
    spent = play(CALLS.format(rounds))["calls"]
    assert (spent.outcome, spent.how) == ("budget", "budget")
    assert spent.message == "the loop at line 6 ran 500,000 steps"
    assert play(CALLS.format(rounds), ours=True)["calls"].outcome == "passed"


NAMES = st.sampled_from(["node", "key", "values", "n", "f", "granule", "self"])


@given(st.sampled_from(sorted(METHODS)), st.integers(0, 4), st.sets(NAMES, max_size=2))
def test_a_call_is_wrong_exactly_when_python_says_so(face, promised, method, positional, keywords):
    """Whatever is asked of this tree, it says how many arguments it got: only a wrong call is a TypeError."""
    source = (
        f"class RadixTree:\n def __init__(self, g): ...\n def {method}(self, *given): raise LookupError(len(given))"
    )
    meter = Meter(CALL_STEPS)
    tree = face.around(load(compile_subject(source), meter, "radix"), meter).RadixTree(1)
    arguments, options = [()] * positional, dict.fromkeys(keywords, ())
    parameters = inspect.signature(getattr(promised, method))
    try:
        parameters.bind(tree, *arguments, **options)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(tree, method)(*arguments, **options)
    else:
        with pytest.raises(LookupError, match=str(len(parameters.parameters) - 1)):
            getattr(tree, method)(*arguments, **options)


def test_a_missing_key_is_named_as_it_is(play):
    tests = "from radix import RadixTree\n\ndef test_a():\n    RadixTree(1).lock(3)\n"
    source = "class RadixTree:\n    def __init__(self, granule): ...\n    def lock(self, node): return {}[node]\n"
    assert play(tests, source)["a"].message == "KeyError: 3"
