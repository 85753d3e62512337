"""Has the other side make trees, and store long keys in them, until its memory is full."""

from radixlab.classroom import host


def asked(message):
    host.write(host._answers, {"n": host._run["n"], "ask": message})
    return host._read(host._asked.readline())


def attack():
    while True:
        tree = asked({"new": "RadixTree", "given": [1]})["value"]
        for first in range(8):
            asked({"on": tree, "name": "insert", "given": [[first] + [0] * 40_000, {"text": "x" * 40_001}]})
