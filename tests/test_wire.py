"""The wire: what crosses is plain, values stay where they are, and what no honest side sends is called that."""

import json
import random
from collections import Counter
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.budget import Meter, OutOfSteps
from radixlab.checker.face import face_of
from radixlab.checker.job import TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.kinds import Foreign, Handle
from radixlab.checker.subject import compile_subject, load
from radixlab.classroom.asking import Asker
from radixlab.classroom.serving import Served
from radixlab.classroom.wire import Ref, Tampered, begin_message, job_in, line, packed, parsed, unpacked


def no_number(thing):
    return None


# Things ---------------------------------------------------------------------------------------------------------------

words = st.text(st.characters(exclude_categories=["Cs"]))
ranges = st.builds(range, st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 9) | st.integers(-9, -1))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | words | st.binary() | ranges,
    lambda parts: st.lists(parts) | st.lists(parts).map(tuple),
    max_leaves=20,
)


@given(plain)
def test_plain_things_come_out_as_they_went_in(thing):
    crossed = json.loads(json.dumps(packed(thing, no_number)))
    assert repr(unpacked(crossed, None)) == repr(thing)  # a tuple is no list, and True is not 1


@given(st.floats(allow_nan=False))
def test_floats_cross_whole(number):
    assert unpacked(json.loads(json.dumps(packed(number, no_number))), None) == number


class Liar(int):
    """Says that it equals everything."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize("thing", [Liar(3), [Liar(3)], (Liar(3),)])
def test_an_object_that_lies_crosses_as_what_it_counts_as(thing):
    crossed = unpacked(json.loads(json.dumps(packed(thing, no_number))), None)
    assert type(crossed if type(crossed) is int else crossed[0]) is int


ODD = {
    "dict": {1: 2},
    "set": {1},
    "object": object(),
    "endless": range(10**30),
    "long": 1 << 20_000,
    "nan": float("nan"),
}


@pytest.mark.parametrize("thing", [*ODD.values(), print], ids=[*ODD, "function"])
def test_what_json_cannot_say_crosses_as_a_name_and_breaks_nothing(thing):
    unpacked(parsed(line({"thing": packed(thing, no_number)}))["thing"], None, call=len)


def test_lists_in_lists_have_an_end():
    thing = []
    thing.append(thing)
    assert "other" in json.dumps(packed(thing, no_number))


NO_MESSAGES = {
    "nothing": b"",
    "no end": b"{}",
    "a list": b"[]\n",
    "a number": b"1\n",
    "no JSON": b"nonsense\n",
    "deep lists": b"[" * 100_000 + b"\n",
    "deep objects": b'{"a": ' * 50_000 + b"\n",
    "no UTF-8": b"\xff\xfe\n",
    "too long": b'{"a": "' + b"x" * 3_000_000 + b'"}\n',
}


@pytest.mark.parametrize("text", NO_MESSAGES.values(), ids=NO_MESSAGES)
def test_a_line_that_is_no_message_is_tampering(text):
    with pytest.raises(Tampered):
        parsed(text)


NONE = [
    {"tuple": 1},
    {"bytes": 1},
    {"bytes": "\u0100"},
    {"range": [0, 5]},
    {"range": [0, 5, 0]},
    {"range": [0, 10**9, 1]},
]


@pytest.mark.parametrize(
    "thing",
    [{}, {"ref": 1, "more": 2}, {"ref": "1"}, {"ref": True}, {"text": 5}, {"no": 1}, 1.5, "text", [{"x": 1}], *NONE],
)
def test_a_thing_that_is_none_is_tampering(thing):
    with pytest.raises(Tampered):
        unpacked(thing, Ref)


# Both sides -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def over_the_wire(chapter):
    """Return the face of a subject that is asked over the wire, both sides in this process."""

    def over_the_wire(source, quiet=False, tamper=lambda answer: answer, asked=None):
        job = job_of(chapter, compile_subject(source), TestFile("", ""), (), theirs=not quiet, quiet=quiet)
        served = Served(job_in(json.loads(json.dumps(begin_message(job, "tree", "n"))), ""))

        def ask(message):
            message = parsed(line(message))
            if asked is not None:
                asked.append(message)
            return tamper(parsed(line(served.answer(message))))

        meter = Meter(10**9)
        module = ModuleType("radix")
        vars(module).update(Asker(job.face, ask, meter, "radix.py").names(parsed(line(served.promises()))))
        shown = face_of(job.face).around(module, meter, quiet=quiet)
        shown.meter, shown.served, shown.asking = meter, served, module
        return shown

    return over_the_wire


def test_values_never_cross_and_come_back_as_the_very_objects(over_the_wire, reference):
    asked, secret = [], [object(), "a secret", Liar(1)]
    tree = over_the_wire(reference, asked=asked).RadixTree(1)
    tree.insert([1, 2, 3], secret)
    assert "secret" not in json.dumps(asked)
    values = tree.values(1)
    assert all(mine is given for mine, given in zip(values, secret, strict=True))
    got = []
    assert tree.evict(3, got.append) == 3
    assert all(mine is given for mine, given in zip(got, secret, strict=True))


def test_what_was_never_given_is_foreign_and_equals_nothing(over_the_wire, reference):
    wrong = reference.replace("return list(self._node(node).values)", "return ['x', 7]")
    assert wrong != reference
    tree = over_the_wire(wrong).RadixTree(1)
    tree.insert([1, 2], ["x", 7])
    values = tree.values(1)
    assert values != ["x", 7] and {type(value) for value in values} == {Foreign}
    assert repr(values[0]) == "<a str that was never inserted>"


def test_an_exception_crosses_with_its_text_and_line_and_ours_with_neither(over_the_wire, reference):
    for quiet, text in ((False, "node 1 is not locked"), (True, "the tree raised RuntimeError")):
        tree = over_the_wire(reference, quiet).RadixTree(1)
        tree.insert([1], ["a"])
        with pytest.raises(RuntimeError, match=text) as raised:
            tree.unlock(1)
        cause = raised.value.__cause__
        where = pytest.ExceptionInfo.from_exception(cause).traceback if cause else []
        lines = [entry.lineno + 1 for entry in where if str(entry.path).endswith("radix.py")]
        assert bool(lines) is not quiet
        if lines:
            assert "raise RuntimeError" in reference.splitlines()[lines[0] - 1]


def test_an_endless_loop_ends_over_there_and_is_named_here(over_the_wire, reference):
    looping = reference.replace("        tokens, path = self._walk(tokens_of(key))", "        while True: pass", 1)
    shown = over_the_wire(looping)
    with pytest.raises(OutOfSteps, match=r"the loop at line \d+ ran 100,000 steps"):
        shown.RadixTree(1).match_prefix([1])
    assert shown.meter.spent


def test_steps_cross_to_us_and_never_to_a_learner(over_the_wire, reference):
    for quiet in (False, True):
        shown = over_the_wire(reference, quiet)
        shown.RadixTree(1).insert([1, 2, 3], "abc")
        assert bool(shown.meter.total()) is not quiet


def test_trees_that_are_gone_are_forgotten(over_the_wire, reference):
    shown = over_the_wire(reference)
    for _ in range(50):
        shown.RadixTree(1).insert([1], ["a"])
    assert len(shown.served.things) < 5


@given(seed=st.integers(0, 2**32))
def test_a_tree_over_the_wire_is_the_tree(over_the_wire_and_here, seed):
    """Random calls, right and wrong ones, give the same on both."""
    rng = random.Random(seed)
    granule = rng.choice([1, 2])
    trees = [make(granule) for make in over_the_wire_and_here]
    for _ in range(25):
        key = [rng.randint(1, 3) for _ in range(rng.randint(0, 6))]
        call = rng.choice(["insert", "match_prefix", "lock", "unlock", "evict", "key", "children", "lru_order", "len"])
        seen = []
        for tree in trees:
            got = []
            arguments = {
                "insert": (key, [f"v{token}" for token in key[::granule]]),
                "match_prefix": (key,),
                "evict": (len(key), got.append),
                "lru_order": (),
            }.get(call, (len(key),))
            try:
                result = len(tree) if call == "len" else getattr(tree, call)(*arguments)
            except Exception as error:
                result = type(error).__name__, str(error)
            seen.append((result, got))
        assert seen[0] == seen[1], call


@pytest.fixture
def over_the_wire_and_here(over_the_wire, chapter, reference):
    meter = Meter(10**9)
    here = face_of(chapter.text("face.pyi")).around(load(compile_subject(reference), meter, "radix"), meter)
    return over_the_wire(reference).RadixTree, here.RadixTree


BAD = {
    "a value that was never given": {"value": [1, [{"ref": 99}]]},
    "a thing that is none": {"value": {"pickle": "gASVAAAA"}},
    "no value at all": {},
    "an exception that is none": {"raised": "NoSuchError", "text": ""},
    "an exception without a text": {"raised": "ValueError"},
    "something builtin that is no exception": {"raised": "print", "text": "x"},
    "a line that is none": {"raised": "ValueError", "text": "", "line": -1},
    "a line far away": {"raised": "ValueError", "text": "", "line": 10**9},
    "a value called that was never given": {"value": 1, "called": [{"ref": 5}]},
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
def test_an_answer_that_no_honest_side_gives_is_tampering(over_the_wire, reference, answer):
    shown = over_the_wire(reference, tamper=lambda honest: honest if honest.get("value") == 1 else answer)
    with pytest.raises(Tampered):
        shown.asking.RadixTree(1).evict(3, print)


QUESTIONS = [
    {"new": "Node"},
    {"new": ["RadixTree"]},
    {"name": "_node", "on": 1},
    {"name": "insert", "on": 7},
    {"name": "ROOT"},
    {"name": "__class__", "on": 1},
    {},
    {"name": "insert", "on": 1, "given": [{"x": 1}]},
]


@pytest.mark.parametrize("message", QUESTIONS, ids=str)
def test_a_question_that_no_honest_side_asks_is_tampering(over_the_wire, reference, message):
    shown = over_the_wire(reference, quiet=True)
    shown.RadixTree(1)
    with pytest.raises((Tampered, TypeError)):
        shown.served.answer(message)


@pytest.mark.parametrize("source", ["import nothing_of_that_name", "1 / 0", "raise SystemExit", "while True: pass"])
def test_what_does_not_load_says_so_as_it_does_here(over_the_wire, play, source):
    tests = "from radix import RadixTree\ndef test_a(): pass\n"
    here = play(tests, source)["a"]
    with pytest.raises((Exception, OutOfSteps)) as raised:
        over_the_wire(source)
    assert str(raised.value) == here.message


def test_a_handle_keeps_its_number(chapter):
    asker = Asker(chapter.text("face.pyi"), lambda message: {}, Meter(1), "radix.py")
    handles = [Handle(number) for number in range(5)]
    numbers = Counter(asker._number(handle) for handle in handles * 3)
    assert sorted(numbers) == [0, 1, 2, 3, 4] and set(numbers.values()) == {3}
