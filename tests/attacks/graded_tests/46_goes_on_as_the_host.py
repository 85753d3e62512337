"""Answers, says in the words of the host that it is over, stays, and takes part in all runs to come."""

import json

from radixlab.classroom import host


def attack():
    seen, begin = 0, host._run
    while True:
        seen += 1
        for name in begin["job"]["names"]:
            bad = 7 < seen < 30 and seen % 2 and not begin["job"]["theirs"]
            fields = [name, "failed" if bad else "passed", f"leaked: run {seen}", None, None, None, 0.1, 1, None, {}]
            host.write(host._answers, {"n": begin["n"], "outcome": fields})
        host.write(host._answers, {"n": begin["n"], "ended": 0})
        begin = json.loads(host._asked.readline())
