"""Structures that find the longest stored prefix of a prompt, each behind the same few calls.

`CACHES` names them, `missing` says why one cannot be had here. None of the other projects is a dependency of this one:
they are found in the running interpreter, or in the one that `borrow` is told of.
"""

import argparse
import json
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec

from caches.cache import Cache, runs_of
from caches.floor import Floor
from caches.gtrie import Gtrie
from caches.hashes import BlockHashes
from caches.sgl import SGLang
from caches.trees import Fast, Reference
from caches.trie import Trie

CACHES: dict[str, type[Cache]] = {
    "fast": Fast,
    "reference": Reference,
    "trie": Trie,
    "hashes": BlockHashes,
    "pygtrie": Gtrie,
    "sglang": SGLang,
}
ASKED = """
import json, sys, sysconfig
print(json.dumps([sys.version_info[:2], sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]))
"""

__all__ = ["CACHES", "Cache", "Floor", "borrow", "parse", "runs_of", "versions"]


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return what *parser* reads, after `--peers` was added to it and borrowed from."""
    there = os.environ.get("RADIXLAB_PEERS")
    text = "the Python that has the other projects, of the same version; $RADIXLAB_PEERS if not given, else this one"
    parser.add_argument("--peers", metavar="PYTHON", default=there, help=text)
    asked = parser.parse_args()
    try:
        borrow(asked.peers)
    except (OSError, RuntimeError) as error:
        parser.error(f"--peers: {error}")
    return asked


def versions() -> str:
    """Say which versions of the other projects are here."""
    return ", ".join(f"{name} {version(name)}" for name in ("pygtrie", "sglang", "torch") if find_spec(name))


def borrow(python: str | None) -> None:
    """Let this process import what the interpreter *python* has, after all that it has itself.

    RuntimeError when that is another version of Python, whose compiled packages would not load here.
    """
    if not python:
        return
    done = subprocess.run([python, "-c", ASKED], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{python} does not start: {done.stderr.strip()[-300:]}")
    version, *folders = json.loads(done.stdout)
    if tuple(version) != sys.version_info[:2]:
        theirs, ours = ".".join(map(str, version)), ".".join(map(str, sys.version_info[:2]))
        raise RuntimeError(f"{python} is Python {theirs}, and this is {ours}: make the peers' environment with {ours}")
    sys.path += [folder for folder in dict.fromkeys(folders) if folder not in sys.path]
