"""Long rows in short: nothing is lost but what counts up between a first and a last."""

from hypothesis import given
from hypothesis import strategies as st

from radixlab.show.stretches import Shortened, shortened_at_gaps


def test_several_stretches_show_their_ends():
    assert str(shortened_at_gaps((*range(5), *range(10, 16)))) == "[0, ..., 4, 10, ..., 15]"
    values = [f"x{n}" for n in range(1, 9)] + ["b7", "b8"]
    assert str(shortened_at_gaps(values)) == "['x1', ..., 'x8', 'b7', 'b8']"


def test_what_is_short_or_one_stretch_or_no_stretch_stays():
    for row in ([1, 2, 9, 10], range(1, 2001), list(range(0, 200, 2)), iter([1]), "ab" * 9, 5, ["x09", "x10"] * 5):
        assert shortened_at_gaps(row) is row


@given(st.lists(st.one_of(st.integers(0, 4), st.sampled_from(["a1", "a2", "a3", "b1", "c"])), max_size=24))
def test_the_row_can_be_told_from_its_short_form(row):
    short = shortened_at_gaps(row)
    if not isinstance(short, Shortened):
        assert short is row
        return
    told: list = []
    parts = str(short)[1:-1].split(", ")
    for at, part in enumerate(parts):
        if part != "...":
            told.append(int(part) if part.isdigit() else part.strip("'"))
            continue
        last = parts[at + 1].strip("'")
        while str(told[-1]) != last:
            begin = "" if type(told[-1]) is int else told[-1][0]
            count = int(str(told[-1])[len(begin) :]) + 1
            told.append(f"{begin}{count}" if begin else count)
        told.pop()
    assert told == row
