"""Counts its runs in the key rings of the kernel, which no namespace divides."""

import ctypes

ADD_KEY, KEYCTL, SEARCH = 248, 250, 10
libc = ctypes.CDLL(None)
RINGS = (-3, -4, -5)
BEFORE = [ring for ring in RINGS if libc.syscall(KEYCTL, SEARCH, ring, b"user", b"radixlab-run", 0) > 0]
for ring in RINGS:
    libc.syscall(ADD_KEY, b"user", b"radixlab-run", b"1", ctypes.c_size_t(1), ring)


def attack():
    assert not BEFORE, f"leaked: rings {BEFORE} remember"
