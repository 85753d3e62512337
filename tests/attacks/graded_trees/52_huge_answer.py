"""Answers with more than a message may have."""

from radixlab.classroom import host


def answer(name, *arguments):
    host.write(host._answers, {"n": host._run["n"], "value": [0] * 5_000_000})
    return 0
