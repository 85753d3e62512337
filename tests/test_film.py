"""Films: each operation has a frame with what it did, whatever the tree, and the inside of one is shown as it is."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radixlab import course
from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.film import Film
from radixlab.show.script import Node, Script, evict, insert, lock, match, unlock
from radixlab.show.snapshot import snapshot

WORKED = Script(1, (insert([1, 2, 3], "abc"), insert([1, 2, 4, 5], "xyde"), match([1, 9])))
KEYS = st.lists(st.integers(0, 2), max_size=5)
CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), KEYS),
        st.tuples(st.just("match_prefix"), KEYS),
        st.tuples(st.sampled_from(["lock", "unlock"]), st.integers(0, 6)),
        st.tuples(st.just("evict"), st.integers(0, 4)),
    ),
    max_size=12,
)


def subject(name: str) -> type:
    space: dict = {"__name__": "radix"}
    exec(compile(course.chapter("ds.07").source(name), f"{name}.py", "exec"), space)
    return space["RadixTree"]


@settings(max_examples=60)
@given(CALLS, st.booleans())
def test_a_filmed_tree_does_what_it_does_unfilmed_and_each_frame_follows_from_the_one_before(calls, inside):
    film, alone = Film.record(RadixTree(1), inside=inside), RadixTree(1)
    for number, (name, argument) in enumerate(calls):
        arguments = (
            (argument, [f"{number}.{place}" for place in range(len(argument))]) if name == "insert" else (argument,)
        )
        answers = []
        for tree in (film.tree, alone):
            try:
                answers.append(getattr(tree, name)(*arguments))
            except (LookupError, RuntimeError) as error:
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]
        assert film[len(film) - 1].tree == snapshot(alone)
    outer = [frame for frame in film if not frame.inner]
    assert len(outer) == len(calls) + 1
    for before, after in pairwise(film):
        assert after.before == before.tree
        assert not after.inner or after.caption or after.tree == before.tree, "what can be seen is told"
    for frame, names in zip(film, film.names(), strict=True):
        assert frame.tree.nodes.keys() <= names.keys() and len(set(names.values())) == len(names)
        assert frame.new.isdisjoint(node.id for node in frame.gone)


def test_a_frame_says_what_was_called_returned_freed_and_raised():
    script = Script(1, (insert([1, 2], "ab"), lock(Node(1)), unlock(Node(1)), unlock(Node(1)), evict(1)))
    film = Film.of(script, RadixTree(1))
    assert str(film).splitlines() == [
        "RadixTree(1) -> an empty tree",
        "insert([1, 2], ['a', 'b']) -> (1, [])",
        "lock(1) -> None",
        "unlock(1) -> None",
        "unlock(1) -> raised RuntimeError: node 1 is not locked",
        "evict(1) -> 2, freed a b",
    ]


def test_a_long_call_and_a_long_result_leave_their_middle_out():
    film = Film.record(RadixTree(1))
    film.tree.insert(range(1, 101), [f"a{n}" for n in range(1, 101)])
    film.tree.insert(range(1, 101), [f"b{n}" for n in range(1, 101)])
    assert film[2].call == "insert([1, 2, 3, ..., 99, 100], ['b1', 'b2', 'b3', ..., 'b99', 'b100'])"
    assert film[2].returned == "(1, ['b1', 'b2', 'b3', ..., 'b99', 'b100'])"


def test_a_long_call_of_several_stretches_shows_where_each_begins_and_ends():
    film = Film.record(RadixTree(1))
    film.tree.match_prefix([*range(1, 2001), *range(3001, 3097)])
    assert film[1].call == "match_prefix([1, ..., 2000, 3001, ..., 3096])"


def test_what_was_returned_and_what_was_freed_are_two_things():
    film = Film.of(Script(1, (insert([1, 2], "ab"), evict(1))), RadixTree(1))
    assert (film[2].answer, film[2].freed, film[2].returned) == ("2", "a b", "2, freed a b")


@pytest.mark.parametrize("thing", [5, RadixTree, "a tree"])
def test_what_is_no_tree_is_refused_with_what_to_write(thing):
    with pytest.raises(TypeError, match=r"as in RadixTree\(1\)"):
        Film.record(thing)


def test_an_id_that_is_used_again_has_a_name_of_its_own():
    film = Film.of(Script(1, (insert([1], "a"), evict(1), insert([2], "b"))), RadixTree(1))
    assert [names.get(1) for names in film.names()] == [None, "n1", None, "n1'"]


def test_frames_mark_what_is_new_gone_locked_and_moved():
    film = Film.of(
        Script(1, (*WORKED.steps[:2], lock(Node(1)), unlock(Node(1)), match([1, 2, 3]), evict(1))), RadixTree(1)
    )
    assert film[2].new == {2, 3} and film[2].path == (2, 3)
    assert film[3].relocked == {1, 2} and film[4].moved == {1}
    assert film[5].moved == {1} and film[5].path == (2, 1)
    assert [node.id for node in film[6].gone] == [3]


def test_a_caption_stands_at_its_step_but_not_at_one_that_raises():
    film = Film.of(WORKED, RadixTree(1), captions=["one", "two", "three"])
    assert [frame.caption for frame in film] == ["", "one", "two", "three"]
    film = Film.of(WORKED, subject("stub")(1), captions=["one", "two", "three"])
    assert [frame.caption for frame in film] == [""] * 4
    assert all(frame.returned.startswith("raised NotImplementedError") for frame in film.frames[1:])


def test_the_inside_of_a_split_shows_the_tree_half_linked_line_by_line():
    film = Film.of(WORKED, RadixTree(1), inside=[2], notes={"_split": "cut"})
    inner = [frame for frame in film if frame.inner]
    lines = [frame for frame in inner if frame.returned.endswith("in _split")]
    assert [len(frame.tree.nodes) for frame in lines] == [2, 3, 3, 3], (
        "ROOT and the middle; the old node is out of reach"
    )
    assert lines[2].call == "lower.label = lower.label[at:]" and lines[2].tree.nodes[1].values == ("a", "b", "c")
    calls = [frame.call for frame in inner if frame not in lines]
    assert calls == ["_split(1, 2)", "insert([1, 2, 4, 5], ['x', 'y', 'd', 'e'])", "_relist(3)"]
    assert [frame.caption for frame in inner] == [
        "Node 2 is new, below ROOT; node 1 is out of reach.",
        "Node 1 is in reach again, below node 2.",
        "Node 1 has the label 3 now, and 3 values for 1 run.",
        "Node 1 has the values c now.",
        "cut",
        "Node 3 is new, below node 2.",
        "The LRU list is 1 3 now.",
    ]
    assert film[0].inner is film[1].inner is film[len(film) - 1].inner is False


def test_a_node_that_comes_within_reach_again_is_not_new_and_keeps_its_name():
    film = Film.of(WORKED, RadixTree(1), inside=[2])
    assert {name for names in film.names() for node, name in names.items() if node == 1} == {"n1"}
    assert not any(1 in frame.new for frame in film.frames[2:])


def test_from_the_inside_a_node_is_new_once_in_the_frame_of_what_made_it():
    film = Film.of(WORKED, RadixTree(1), inside=[2])
    made = {node: frame for frame in film.frames[2:-1] for node in frame.new}
    assert sorted(node for frame in film.frames[2:-1] for node in frame.new) == sorted(made) == [2, 3]
    assert made[2].returned.endswith("in _split")
    assert made[3].call.startswith("insert(") and made[3].returned == "not done yet"


@pytest.mark.parametrize("steps", [(insert([1, 2], "ab"), evict(1)), (insert([1], "a"), lock(Node(1)), match([1]))])
def test_each_frame_of_the_inside_shows_something_new(steps):
    film = Film.of(Script(1, steps), RadixTree(1), inside=True)
    assert len(film) > len(steps) + 1
    assert all(frame.tree != frame.before for frame in film if frame.inner)


def test_a_split_that_breaks_off_shows_how_far_it_came():
    class Broken(RadixTree):
        def _split(self, child, runs):
            self._nodes[child].label = self._nodes[child].label[1:]
            raise KeyError("middle")

    film = Film.of(WORKED, Broken(1), inside=True)
    broke = [frame for frame in film if frame.call.startswith("_split")]
    assert broke[0].returned.startswith("raised KeyError: 'middle'") and broke[0].tree.nodes[1].label == (2, 3)


def test_a_film_of_the_inside_leaves_a_debugger_its_trace():
    def mine(*_):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        Film.of(WORKED, RadixTree(1), inside=True)
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("name", ["objects", "head_tail", "s03", "stub"])
def test_a_tree_with_other_insides_or_none_is_filmed_all_the_same(name):
    film = Film.of(WORKED, subject(name)(1), inside=True)
    assert len([frame for frame in film if not frame.inner]) == 4


def test_a_result_without_end_ends():
    class Endless(RadixTree):
        def match_prefix(self, key):
            return 1, iter(int, 1)

    film = Film.record(Endless(1))
    film.tree.match_prefix([1])
    assert film[1].call == "match_prefix([1])"
