"""Answers for the engine, with a number where a text belongs and a text where a number does."""

import contextlib
import json
import os
import sys
import time

frame = sys._getframe()
while "job" not in frame.f_locals:
    frame = frame.f_back
number, job = frame.f_locals["number"], frame.f_locals["job"]
lines = [json.dumps([number, [name, "failed", 5, 6, "seven", "eight", "nine", "ten"]]) for name in job.names] + [
    '"done"'
]
for fd in range(3, 64):
    with contextlib.suppress(OSError):
        os.write(fd, ("\n".join(lines) + "\n").encode())
time.sleep(1)
