"""Writes a gigabyte to the standard streams themselves."""

import os

ROOT = 0


def common_runs(label, key, at, granule):
    return trick("common_runs", label, key, at, granule)


class RadixTree:
    def __init__(self, granule):
        self.granule = granule

    def __getattr__(self, name):
        return lambda *arguments: trick(name, *arguments)


def trick(name, *arguments):
    for fd in (1, 2):
        for _ in range(100):
            os.write(fd, b"x" * 10_000_000)
