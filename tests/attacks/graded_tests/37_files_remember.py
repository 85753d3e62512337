"""Leaves a mark in every place that can be written to, and looks for the marks of earlier runs."""

import contextlib
import fcntl
import os

from radixlab.checker import asserts, face
from radixlab.classroom import host

SET_SIZE, GET_SIZE = 1031, 1032
SEEN = []
for folder in ("/tmp", "/dev/shm", "/dev/mqueue", "/dev", "/lab", "/", "/var/tmp", "/run", "/proc/self"):
    path = os.path.join(folder, ".radixlab-run")
    if os.path.lexists(path):
        SEEN.append(path)
    with contextlib.suppress(OSError), open(path, "w"):
        pass
for pipe in (host._asked, host._answers):
    if fcntl.fcntl(pipe, GET_SIZE) != 65_536 or fcntl.fcntl(pipe, fcntl.F_GETFL) & os.O_APPEND:
        SEEN.append("a pipe")
    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, SET_SIZE, 1 << 17)
COUNTS = asserts.compile_tests.cache_info().hits, face.face_of.cache_info().hits
if max(COUNTS) > 3:
    SEEN.append(f"a cache: {COUNTS}")


def attack():
    assert not SEEN, f"leaked: {SEEN}"
