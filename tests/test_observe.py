"""What is seen of a tree: nodes by their paths, and nothing that the interface leaves open."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.live import loaded
from radixlab.show.divergence.observe import observe
from radixlab.show.divergence.search import scripts
from radixlab.show.divergence.seen import Raised, Seen, ask, plainly
from radixlab.show.script import Node, Script, evict, insert, lock, match, unlock


@pytest.fixture(scope="session")
def trees(chapter):
    """Every correct tree as a module, the reference first."""
    sources = {"reference": chapter.text("reference.py"), **chapter.variants}
    return {name: loaded(source, f"{name}.py", {"RadixTree"}) for name, source in sources.items()}


def facts_of(script, subject):
    """Return the facts of each moment, as long as the script makes sense."""
    seen = []
    for moment in observe(script, subject):
        if not moment.sense:
            break
        seen.append(moment.facts)
    return seen


@given(st.data(), st.integers(0, 2**32))
def test_all_correct_trees_look_the_same(trees, data, seed):
    drawn = [data.draw(scripts(12))]
    drawn += [wild(random.Random(seed + n)) for n in range(25)]
    for script in drawn:
        one, *others = (facts_of(script, subject) for subject in trees.values())
        for name, other in zip([*trees][1:], others, strict=True):
            assert other == one, f"{name} on {script}"


def wild(rng) -> Script:
    """Return a script of up to 20 steps over longer keys and more tokens than the search tries."""
    granule, steps = rng.choice((1, 2, 3)), []
    for number in range(1, rng.randint(2, 20)):
        runs = rng.randint(0, 5)
        key = [rng.randint(0, 2) for _ in range(runs * granule)]
        naming = [n for n, step in enumerate(steps, 1) if step.operation in ("insert", "match_prefix")] or [0]
        node = Node(rng.choice(naming), rng.choice((0, 0, 1)) if number > 3 else 0)
        steps.append(
            rng.choice(
                (
                    insert(key, "v" * runs),
                    insert(key, "v" * (runs + rng.choice((0, 1)))),
                    match([*key, *key[: rng.randint(0, 2)]]),
                    lock(node),
                    unlock(node),
                    evict(rng.randint(0, 4)),
                )
            )
        )
    return Script(granule, tuple(steps))


def test_a_node_is_named_by_its_path(trees):
    script = Script(1, (insert([1, 2, 3], "abc"), insert([1, 2, 9], "dex"), lock(Node(1))))
    facts = facts_of(script, trees["reference"])[-1]
    assert facts["values", (1, 2)] == ("a", "b") and facts["values", (1, 2, 3)] == ("c",)
    assert facts["children", (1, 2)] == ((1, 2, 3), (1, 2, 9)) and facts["parent", (1, 2, 3)] == (1, 2)
    assert facts["lock_count", (1, 2)] == 1 and facts["lru_order", ()] == ((1, 2, 9),)
    assert (facts["len", ()], facts["node_count", ()], facts["is_empty", ()]) == (4, 3, 0)


def test_what_a_step_gave_is_a_fact(trees):
    script = Script(1, (insert([1, 2], "ab"), insert([1, 9], "cd"), match([1, 2]), evict(1), insert([1], "")))
    _, first, second, third, fourth, fifth = facts_of(script, trees["reference"])
    assert first["returned", ()] == ((1, 2), ())
    assert second["returned", ()] == ((1, 9), ("c",))
    assert third["returned", ()] == (2, ((1,), (1, 2)))
    assert (fourth["returned", ()], fourth["freed", ()]) == (1, ("d",))
    assert fourth["gone", (1, 9)] == Raised("LookupError", "")
    assert fifth["returned", ()] == Raised("ValueError", "")


@pytest.mark.parametrize(
    "steps",
    [
        (insert([1, 2], "ab"), match([1]), lock(Node(1)), unlock(Node(2))),  # gives back what another holds
        (insert([1], "a"), evict(1), insert([2], "b"), lock(Node(1))),  # the id may be another's by now
    ],
)
def test_what_is_not_specified_makes_no_sense(trees, steps):
    moments = list(observe(Script(1, steps), trees["reference"]))
    assert [moment.sense for moment in moments] == [True] * len(steps) + [False]


@pytest.mark.parametrize(
    "steps",
    [
        (insert([1], "a"), unlock(Node(1))),  # must raise RuntimeError
        (insert([1], "a"), evict(1), lock(Node(1))),  # must raise LookupError
        (insert([1, 2], "ab"), lock(Node(1)), match([1]), unlock(Node(1))),
    ],
)
def test_what_is_specified_makes_sense(trees, steps):
    assert all(moment.sense for moment in observe(Script(1, steps), trees["reference"]))


def test_exceptions_are_compared_by_the_families_of_the_interface():
    class Freed(KeyError):
        pass

    assert Raised.by(IndexError()) == Raised.by(KeyError(3)) == Raised.by(Freed())
    assert len({Raised.by(error) for error in (RuntimeError(), NotImplementedError(), RecursionError())}) == 3
    assert Raised.by(RuntimeError("the loop at line 3 ran 100,000 steps (radix.py)")) != Raised.by(RuntimeError())


def test_an_exception_is_named_with_the_line_of_the_learners_file(tmp_path):
    path = tmp_path / "radix.py"
    path.write_text("def fails():\n    return int('x')\n\n\ndef loops():\n    while True:\n        pass\n")
    module = loaded(path.read_text(), str(path), {"fails", "loops"})
    raised = [ask(module, plainly, name) for name in ("fails", "loops")]
    assert (raised[0].family, raised[0].where) == ("ValueError", "radix.py, line 2")
    assert (raised[1].family, raised[1].where) == ("endless", "")
    assert raised[1].text == "the loop at line 6 ran 100,000 steps (radix.py)"


class Odd:
    """A tree whose accessors give what nobody would expect."""

    granule = property(lambda self: 1 / 0)

    def __init__(self, given):
        self.given = given

    def __getattr__(self, name):
        if isinstance(self.given, BaseException):
            raise self.given
        return lambda *arguments: self.given


class Sly:
    def __str__(self):
        raise ZeroDivisionError

    def __eq__(self, other):
        raise ZeroDivisionError

    __hash__ = None


@pytest.mark.parametrize(
    "given", [None, 7, [0], [1, 1, 0], [[], {}], [Sly()], Sly(), SystemExit(3), OSError()], ids=range(9)
)
def test_any_tree_may_be_looked_at(given):
    tree = Odd(given)
    assert Seen(tree).facts == Seen(tree).facts


def test_a_tree_that_never_ends_its_children_is_looked_at_in_part():
    class Endless(Odd):
        def children(self, node):
            return [node + 1]

    assert len(Seen(Endless(())).paths) < 1000
