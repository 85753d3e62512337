"""Answers with an outcome that is all message, and took for ever."""

from radixlab.classroom import host


def attack():
    fields = ["split_by_hand", "failed", "x" * 1_900_000, "assertion", 10**3000, None, 1e308, 1, "y" * 1000, {"z": 1.0}]
    host.write(host._answers, {"n": host._run["n"], "outcome": fields})
