"""Tells steps that it never took: less than none, more than all, and what is no number."""

import itertools

from radixlab.classroom import host

STEPS = itertools.cycle([-(10**9), 10**30, True, "1", [1], None, {"ref": 0}])


def answer(name, *arguments):
    host._read(host._asked.readline()) if host._run.setdefault("told", 0) else None
    host._run["told"] = 1
    host.write(host._answers, {"n": host._run["n"], "value": 0, "steps": next(STEPS)})
    return answer(name)
