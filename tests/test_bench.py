"""The bench keeps what was done as a script, goes back and forth in it, and shows what a wrong tree does."""

from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from radixlab.chapters.ds07 import reference as right
from radixlab.checker.live import loaded
from radixlab.show.panel.bench import Bench, Refused
from radixlab.show.script import Node, Script, evict, insert, lock, match
from radixlab.show.snapshot import ROOT, snapshot

PUBLIC = {"RadixTree"}
WORKED = (insert([1, 2, 3], "abc"), insert([1, 2, 4, 5], "xyde"))  # node 1 is 3, node 2 is 1 2, node 3 is 4 5


@pytest.fixture
def bench() -> Bench:
    return Bench(right)


@pytest.fixture
def broken(reference):
    """Return a bench on the reference with a text of it replaced."""

    def broken(old: str, new: str) -> Bench:
        assert old in reference
        return Bench(loaded(reference.replace(old, new, 1), "radix.py", PUBLIC))

    return broken


def do(bench, *steps):
    for step in steps:
        bench.do(step)
    return bench


def test_undo_and_redo_go_through_the_steps(bench):
    do(bench, *WORKED, evict(1))
    scripts = [bench.script]
    while bench.can_undo:
        bench.undo()
        scripts.append(bench.script)
    assert [len(script.steps) for script in scripts] == [3, 2, 1, 0]
    bench.undo()
    assert bench.tree == snapshot(right.RadixTree(1))
    while bench.can_redo:
        bench.redo()
        scripts.append(bench.script)
    bench.redo()
    assert scripts == [*scripts[:4], *scripts[2::-1]]
    assert bench.outcome == "1, freed c"


def test_a_new_step_forgets_what_was_undone(bench):
    do(bench, *WORKED)
    bench.undo()
    do(bench, evict(2))
    assert not bench.can_redo
    assert bench.script == Script(1, (WORKED[0], evict(2)))


def test_a_reset_can_be_undone(bench):
    do(bench, *WORKED)
    bench.reset()
    assert (bench.script, len(bench.tree.nodes)) == (Script(1, ()), 1)
    bench.reset(4)
    assert bench.script == Script(4, ())
    bench.undo()
    bench.undo()
    assert bench.script == Script(1, WORKED)


def test_a_node_is_named_by_the_latest_step_that_returned_it(bench):
    do(bench, *WORKED)
    assert bench.named(ROOT) == Node(0)
    assert bench.named(1) == Node(1)  # a split leaves the old node its id
    assert bench.named(2) is None  # the split made it, and no step returned it
    do(bench, match([1, 2, 3]))
    assert (bench.named(1), bench.named(2), bench.named(3)) == (Node(3), Node(3, 1), Node(2))


def test_a_reused_id_is_not_called_by_what_it_was(bench):
    do(bench, insert([1], "a"), insert([2, 3], "bc"))
    assert bench.named(1) == Node(1)
    do(bench, evict(1), insert([2, 4], "de"))
    assert bench.nodes()[1] == "2 (node 1)"  # the split took the id that was free
    assert bench.named(1) is None
    bench.lock(1)
    assert bench.script.steps[4:] == (match([2]), lock(Node(5)))


def test_locking_a_node_without_a_name_matches_its_key_first(bench):
    do(bench, *WORKED)
    bench.lock(2)
    assert bench.script.steps[2:] == (match([1, 2]), lock(Node(3)))
    assert [bench.tree.nodes[node].locks for node in (1, 2, 3)] == [0, 1, 0]
    bench.unlock(2)
    assert bench.script.steps[4:] and bench.tree.nodes[2].locks == 0


def test_a_node_that_cannot_be_named_is_refused_and_nothing_changes(broken):
    bench = do(broken("        return tokens, path", "        return tokens, []"), *WORKED)
    bench.do(evict(0))
    bench.undo()
    before = bench.script, bench.tree, bench.can_redo
    with pytest.raises(Refused, match="does not return node 2"):
        bench.lock(2)
    assert (bench.script, bench.tree, bench.can_redo) == before


def test_an_exception_is_shown_with_its_place_and_the_bench_goes_on(stub):
    bench = Bench(loaded(stub, "radix.py", PUBLIC))
    if bench.film is None:
        pytest.fail(bench.broken)
    bench.do(insert([1], "a"))
    assert bench.raised
    assert bench.outcome.startswith("raised NotImplementedError")
    assert ", line " in bench.outcome
    bench.do(match([1]))
    assert len(bench.script.steps) == len(bench.film) - 1 == 2
    bench.undo()
    bench.undo()
    assert not bench.raised


def test_an_endless_loop_is_shown_with_its_line(reference):
    source = (
        f"{reference}\n\ndef forever(self, n, f=None):\n    while True:\n        pass\n\nRadixTree.evict = forever\n"
    )
    bench = do(Bench(loaded(source, "radix.py", PUBLIC)), *WORKED, evict(1))
    line = reference.count("\n") + 4
    assert f"loop at line {line} ran" in bench.outcome
    bench.do(match([1]))
    assert not bench.raised


def test_a_subject_that_makes_no_tree_says_so():
    class RadixTree:
        def __init__(self, granule):
            raise ZeroDivisionError("no tree today")

    bench = Bench(RadixTree)
    assert bench.broken.startswith("RadixTree(1) raised ZeroDivisionError: no tree today (__init__, line ")
    with pytest.raises(Refused, match="no tree today"):
        bench.do(evict(1))
    assert bench.script.steps == () and bench.nodes() == {} and bench.raised


@pytest.mark.parametrize("thing", [7, SimpleNamespace(), ModuleType("empty")])
def test_what_has_no_tree_is_no_subject(thing):
    with pytest.raises(TypeError, match="a subject is a module with a RadixTree, or a class"):
        Bench(thing)


def test_a_subject_that_changes_is_taken_as_it_is_at_each_use():
    subject = SimpleNamespace(RadixTree=right.RadixTree)
    bench = do(Bench(subject), *WORKED)
    assert bench.name == "RadixTree" and Bench(right).name == "reference"

    class RadixTree(right.RadixTree):
        def evict(self, n, f=None):
            return 99

    subject.RadixTree = RadixTree
    assert do(bench, evict(1)).outcome == "99"


def test_a_long_path_is_short_in_words(bench):
    do(bench, insert(range(1, 2001), map(str, range(2000))), insert([1, 2, 5], "xyz"))
    assert bench.nodes()[1] == "1 2 > 3 4 5 ... 1999 2000 (1,998 tokens) (node 1)"


class BenchAndItsStates(RuleBasedStateMachine):
    """Whatever is done, undone and redone, the tree is what its script makes, and nodes are named rightly."""

    @initialize(granule=st.sampled_from([1, 2]))
    def begin(self, granule):
        self.bench, self.states, self.at = Bench(right, Script(granule, ())), [Script(granule, ())], 0

    def became(self):
        if self.bench.script != self.states[self.at]:
            self.at += 1
            self.states[self.at :] = [self.bench.script]

    @rule(runs=st.lists(st.integers(1, 2), max_size=3))
    def insert(self, runs):
        granule = self.bench.script.granule
        self.bench.do(insert([token for run in runs for token in [run] * granule], map(str, runs)))
        self.became()

    @rule(key=st.lists(st.integers(1, 2), max_size=4))
    def match(self, key):
        self.bench.do(match(key))
        self.became()

    @rule(n=st.integers(0, 3))
    def evict(self, n):
        self.bench.do(evict(n))
        self.became()

    @rule(data=st.data(), down=st.booleans())
    def lock(self, data, down):
        node = data.draw(st.sampled_from(sorted(self.bench.tree.nodes)))
        path, before = self.bench.tree.path(node), self.bench.tree
        steps = len(self.bench.script.steps)
        (self.bench.lock if down else self.bench.unlock)(node)
        if len(self.bench.script.steps) == steps + 2:  # the match before it is a state of its own
            self.at += 1
            self.states[self.at :] = [Script(self.bench.script.granule, self.bench.script.steps[:-1])]
        self.became()
        if self.bench.raised:
            assert not down
            return
        change = dict.fromkeys(path, 1 if down else -1)
        for each, was in before.nodes.items():
            assert self.bench.tree.nodes[each].locks == was.locks + change.get(each, 0)

    @rule()
    def undo(self):
        self.bench.undo()
        self.at = max(self.at - 1, 0)

    @rule()
    def redo(self):
        self.bench.redo()
        self.at = min(self.at + 1, len(self.states) - 1)

    @rule(granule=st.sampled_from([None, 1, 2]))
    def reset(self, granule):
        self.bench.reset(granule)
        self.became()

    @invariant()
    def agrees(self):
        bench = self.bench
        assert bench.script == self.states[self.at]
        assert (bench.can_undo, bench.can_redo) == (self.at > 0, self.at < len(self.states) - 1)
        assert len(bench.film) == len(bench.script.steps) + 1
        again = Bench(right, bench.script)
        assert again.tree == bench.tree
        for node in bench.nodes():
            if (name := bench.named(node)) is not None:
                script = Script(bench.script.granule, (*bench.script.steps, lock(name)))
                assert Bench(right, script).played[-1].arguments == (node,)


TestBenchAndItsStates = BenchAndItsStates.TestCase
TestBenchAndItsStates.settings = settings(max_examples=25, stateful_step_count=20)
