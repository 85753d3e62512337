"""Ignores every signal that can be ignored, and waits."""

import contextlib
import signal
import time

for number in range(1, 65):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
while True:
    time.sleep(3600)
