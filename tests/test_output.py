"""The cap on what a test prints."""

import sys

import pytest

from radixlab.checker.output import CappedOutput, OutOfOutput


def test_it_stands_in_for_both_streams_and_puts_them_back():
    streams = sys.stdout, sys.stderr
    with pytest.raises(KeyError), CappedOutput() as output:
        print("out")
        print("err", file=sys.stderr)
        raise KeyError
    assert (sys.stdout, sys.stderr) == streams
    assert output.tail() == "out\nerr"


def test_it_takes_all_up_to_the_limit():
    output = CappedOutput(10)
    output.write("x" * 10)
    assert (output.count, output.spent) == (10, None)


def test_a_flood_cannot_be_hidden():
    output = CappedOutput(10)
    with pytest.raises(OutOfOutput, match="more than 10 characters were printed"):
        try:
            output.write("x" * 11)
        except Exception:
            output.spent = None
    assert output.spent == "more than 10 characters were printed"
    with pytest.raises(OutOfOutput):
        output.write("y")
    output.fresh()
    output.write("y")
    assert (output.tail(), output.spent) == ("y", None)


def test_the_tail_is_the_last_lines_cut_short():
    output = CappedOutput()
    for number in range(10_000):
        print(number, file=output)
    assert output.tail().splitlines() == [str(number) for number in range(9_990, 10_000)]
    output.fresh()
    print("z" * 5_000, file=output)
    assert output.tail() == "z" * 200
