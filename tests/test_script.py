"""Scripts: they play on any tree, read as Python, and survive being written down."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show import script as scripts
from radixlab.show.script import BadScript, Node, Script, Step, evict, insert, lock, match, play, unlock

KEYS = st.one_of(
    st.lists(st.integers(0, 3), max_size=6),
    st.builds(
        lambda first, long, rest: [*range(first, first + long), *rest],
        st.integers(-20, 2**32 - 30),
        st.integers(0, 30),
        st.lists(st.integers(-5, 2**33), max_size=3),
    ),
)
VALUES = st.lists(st.text(max_size=4), max_size=4)


@st.composite
def some_scripts(draw, keys=KEYS, values=VALUES) -> Script:
    """Draw a script; each lock and unlock names a step before it."""
    steps: list[Step] = []
    for number in range(draw(st.integers(0, 6))):
        nodes = st.builds(Node, st.integers(0, number), st.integers(0, 2))
        kinds = [st.builds(insert, keys, values), st.builds(match, keys), st.builds(evict, st.integers(0, 9))]
        steps.append(draw(st.one_of(*kinds, st.builds(lock, nodes), st.builds(unlock, nodes))))
    return Script(draw(st.integers(1, 3)), tuple(steps))


@given(some_scripts())
def test_json_gives_the_same_script_back(script):
    assert Script.from_json(script.to_json()) == script


@given(some_scripts(st.lists(st.integers(0, 3), max_size=5), st.lists(st.text("ab", max_size=2), max_size=5)))
def test_a_script_played_and_its_python_run_do_the_same(script):
    """Up to the first step that raises; a node that a match did not give is ROOT in one, an IndexError in the other."""
    played, ran = RadixTree(script.granule), {"RadixTree": RadixTree, "ROOT": 0}
    lines = str(script).splitlines()
    exec(lines[0], ran)
    for step, line in zip(play(script, played), lines[1:], strict=True):
        if step.error is not None:
            with pytest.raises(type(step.error)):
                exec(line, ran)
            return
        try:
            exec(line, ran)
        except IndexError:
            assert step.arguments == (0,)
            return
        tree = ran["tree"]
        assert (tree.node_count(), len(tree), tree.lru_order()) == (
            played.node_count(),
            len(played),
            played.lru_order(),
        )


@given(some_scripts(), st.data())
def test_without_a_step_the_others_name_the_same_steps(script, data):
    if not script.steps:
        return
    number = data.draw(st.integers(1, len(script.steps)))
    named = [step.node.step for step in script.steps if step.operation in ("lock", "unlock")]
    shorter = script.without(number)
    if number in named:
        assert shorter is None
        return
    kept = [step for at, step in enumerate(script.steps, 1) if at != number]
    assert len(shorter.steps) == len(kept)
    for old, new in zip(kept, shorter.steps, strict=True):
        assert (old.operation, old.key, old.values, old.n, old.node.up) == (
            (new.operation, new.key, new.values, new.n, new.node.up)
        )
        if old.node.step:
            assert script.steps[old.node.step - 1] == kept[new.node.step - 1]


def test_a_long_key_is_written_short_in_json_and_in_python():
    script = Script(1, (match([*range(1, 2001), 7, 8]),))
    assert '"1..2000 7 8"' in script.to_json()
    assert "tree.match_prefix([*range(1, 2001), 7, 8])" in str(script)


def test_the_short_notation_stands_for_tokens_and_values():
    script = Script.from_data({"granule": 2, "steps": [{"insert": "1..4 9 9", "values": "a b1..b2"}]})
    assert script.steps == (insert([1, 2, 3, 4, 9, 9], ["a", "b1", "b2"]),)
    assert Script.from_data({"granule": 1, "steps": [{"insert": "", "values": ""}]}).steps == (insert([], []),)


def test_a_value_that_looks_like_a_range_stays_itself_in_a_list():
    script = Script(1, (insert([1], ["a1..a3"]),))
    assert Script.from_json(script.to_json()).steps[0].values == ("a1..a3",)


STEP = {"insert": [1], "values": ["a"]}


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"match_prefix": "1..b"}, "no range"),
        ({"match_prefix": "a1..b3"}, "no range"),
        ({"match_prefix": "5..1"}, "counts up"),
        ({"match_prefix": "1..9999999999"}, f"{scripts.LONGEST:,}"),
        ({"match_prefix": "1 two"}, '"1..2000"'),
        ({"match_prefix": "a1..a3"}, "no tokens"),
        ({"match_prefix": [1, True]}, "no tokens"),
        ({"match_prefix": {}}, "no tokens"),
        ({"insert": [1], "values": [1]}, '"b1..b125"'),
        ({"insert": [1], "values": 5}, "no values"),
        ({"evict": "1"}, '{"evict": 2}'),
        ({"lock": 1}, '{"lock": {"step": 1}}'),
        ({"unlock": {"step": 2}}, "not before it"),
        ({"unlock": {"step": 1, "up": -1}}, "not before it"),
        ({"look": 1}, "none of insert"),
        (7, "none of insert"),
    ],
)
def test_what_is_no_step_is_named_with_its_place_and_an_example(step, says):
    with pytest.raises(BadScript, match=r"^step 2") as caught:
        Script.from_data({"granule": 1, "steps": [STEP, step]})
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"granule": 0, "steps": []}', '{"granule": 1}', "[" * 100_000])
def test_what_is_no_script_is_one_sentence(text):
    with pytest.raises(BadScript) as caught:
        Script.from_json(text)
    assert "\n" not in str(caught.value)


json_things = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*scripts.OPERATIONS, "step"]), inner),
    max_leaves=6,
)


@given(st.lists(json_things, max_size=3))
def test_anything_is_a_script_or_a_bad_script(steps):
    try:
        script = Script.from_data({"granule": 1, "steps": steps})
    except BadScript:
        return
    assert Script.from_json(script.to_json()) == script
    json.loads(script.to_json())


def test_a_step_on_a_node_that_nothing_gave_plays_on_root():
    script = Script(1, (match([9]), lock(Node(1)), evict(1), lock(Node(3))))
    assert [step.error for step in play(script, RadixTree(1))] == [None] * 4
    assert str(script).splitlines()[-1] == "tree.lock(ROOT)"


def test_what_a_step_raises_and_frees_is_part_of_its_record():
    script = Script(1, (insert([1, 2], "ab"), evict(1), unlock(Node(0)), insert([1], "ab")))
    played = list(play(script, RadixTree(1)))
    assert played[1].returned == 2 and played[1].freed == ("a", "b")
    assert type(played[3].error) is ValueError
