"""Starts processes that hold the channel open, and leaves."""

import os
import subprocess
import sys
import time

CHILDREN = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], close_fds=False) for _ in range(3)]
os._exit(0)

ROOT = 0


def common_runs(label, key, at, granule):
    return trick("common_runs", label, key, at, granule)


class RadixTree:
    def __init__(self, granule):
        self.granule = granule

    def __getattr__(self, name):
        return lambda *arguments: trick(name, *arguments)


def trick(name, *arguments):
    time.sleep(3600)
