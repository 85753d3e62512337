"""Speaks in the name of another run."""

from radixlab.classroom import host


def attack():
    fields = ["split_by_hand", "passed", "", None, None, None, 0.1, 1, None, {}]
    host.write(host._answers, {"n": "0123456789abcdef", "outcome": fields})
