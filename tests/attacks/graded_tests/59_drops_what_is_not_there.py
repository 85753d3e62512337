"""Has trees dropped that were never made, in great numbers, and then what is no number."""

from radixlab.classroom import host


def attack():
    for drop in (list(range(100_000)), [-1, True, None, "1"], {"1": 1}, [[1]], 7):
        host.write(host._answers, {"n": host._run["n"], "ask": {"promises": True, "drop": drop}})
        host._read(host._asked.readline())
        host.write(host._answers, {"n": host._run["n"], "ask": {"new": "RadixTree", "given": [1], "drop": drop}})
        host._read(host._asked.readline())
