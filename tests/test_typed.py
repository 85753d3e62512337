"""What somebody types at the playground is understood, or answered in one sentence that says what to type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.show.panel.typed import Unclear, fresh_values, read_number, read_tokens, read_values, said


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("1 2 3", (1, 2, 3)),
        (" 1,2 , 3\t", (1, 2, 3)),
        ("[1, 2, 3]", (1, 2, 3)),
        ("(7)", (7,)),
        ("1..4 9", (1, 2, 3, 4, 9)),
        ("abz", (1, 2, 26)),
        ("a b z", (1, 2, 26)),
        ("[]", ()),
        ("4294967295", (2**32 - 1,)),
    ],
)
def test_tokens_are_numbers_ranges_or_letters(text, tokens):
    assert read_tokens(text) == tokens


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "type tokens"),
        ("  ", "type tokens"),
        ("1 x", "x is no token"),
        ("abC", "abC is no token"),
        ("-1", "-1 is no token"),
        ("1.5", "1.5 is no token"),
        ("٣", "is no token"),
        ("4294967296", "4294967296 is too large: a token is less than 4,294,967,296"),
        ("9..1", "9..1 holds no or too many"),
        ("1..9999999", "a range counts up"),
    ],
)
def test_what_is_no_key_is_answered_in_a_sentence(text, why):
    with pytest.raises(Unclear, match=why):
        read_tokens(text)


@given(st.text(max_size=20) | st.text("0123456789 .,[]abc", max_size=20))
def test_any_text_is_read_or_answered_in_one_line(text):
    for read in (read_tokens, read_number, lambda text: read_values(text, [1, 2], 1)):
        try:
            read(text)
        except Unclear as error:
            assert len(str(error).splitlines()) == 1
            assert str(error).isprintable()


@given(st.lists(st.integers(0, 2**32 - 1)), st.sampled_from([" ", ",", ", "]))
def test_numbers_are_read_as_they_are(numbers, between):
    assert read_tokens("[" + between.join(map(str, numbers)) + "]") == tuple(numbers)


def test_values_are_one_a_run():
    assert read_values("a b", [1, 2, 3, 4], 2) == ("a", "b")
    with pytest.raises(Unclear, match="1 value for 2 runs: type one a run, as in a b"):
        read_values("a", [1, 2, 3, 4], 2)
    with pytest.raises(Unclear, match="3 tokens, and a run has 2: type 1 more, or 1 less"):
        read_values("a", [1, 2, 3], 2)
    with pytest.raises(Unclear, match="1 value for 0 runs"):
        read_values("a", [], 2)


def test_a_number_is_a_number():
    assert read_number(" 12 ") == 12
    for text, why in (("", "nothing is no number"), ("-1", "-1 is no number"), ("two", "two is no number")):
        with pytest.raises(Unclear, match=why):
            read_number(text)


@given(st.sets(st.sampled_from(["a", "b", "z", "aa", "c7", "word"])), st.integers(0, 60), st.sampled_from([1, 2]))
def test_fresh_values_are_new_and_as_many_as_runs(used, runs, granule):
    values = read_values(fresh_values(used, runs), [1] * runs * granule, granule)
    assert len(set(values)) == runs
    assert not used & set(values)


def test_what_was_understood_is_said():
    assert said("abd", read_tokens("abd"), 1) == "abd is 1 2 4: 3 tokens, 3 runs"
    assert said("1..2000", read_tokens("1..2000"), 16) == "2,000 tokens: 125 runs of 16"
    assert said("1 2 3", (1, 2, 3), 2) == "3 tokens: 1 run of 2, and 1 token that fills none"
