"""Asks for what no face shows: what is private, what is not there, and what is no question."""

from radixlab.classroom import host

QUESTIONS = (
    {"new": "RadixTree", "given": [1]},
    {"on": 1, "name": "_nodes"},
    {"on": 1, "name": "__class__"},
    {"on": 1, "name": "__init__", "given": [{"call": True}]},
    {"name": "eval", "given": [{"text": "1"}]},
    {"new": "__import__", "given": [{"text": "os"}]},
)


def attack():
    for question in QUESTIONS:
        host.write(host._answers, {"n": host._run["n"], "ask": question})
        host._read(host._asked.readline())
