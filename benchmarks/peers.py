"""How others grade the same tests: a pytest process for each bug, cosmic-ray, mutmut."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tables import middle, milliseconds

TIMEOUT = 10  # seconds that cosmic-ray gives a mutant


def run(python: str, arguments: Sequence[str], folder: Path, *, check: bool = True, **variables: str) -> int:
    """Run *python* in *folder* without what the environment says to Python and pytest; return the exit code."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST_"))}
    command = [python, *arguments]
    done = subprocess.run(command, cwd=folder, env={**kept, **variables}, capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
    return done.returncode


class Peer:
    """A folder of its own with the tree, its tests and, one file each, the *planted* bugs; *python*: who runs it."""

    def __init__(self, folder: Path, python: str, reference: str, tests: str, planted: dict[str, str]) -> None:
        self.folder, self.python, self.planted = folder, python, planted
        self.killed = 0
        (folder / "bugs").mkdir(parents=True)
        self.write("radix.py", reference)
        self.write("tests/test_radix.py", tests)
        for name, source in planted.items():
            self.write(f"bugs/{name}.py", source)

    def write(self, name: str, text: str) -> None:
        """Write *text* into the file *name* of the folder."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *arguments: str, check: bool = True) -> int:
        """Run Python in the folder; byte code is not kept, since a bug as long as the last one would not be seen."""
        mine = {"PYTHONPATH": str(self.folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return run(self.python, arguments, self.folder, check=check, **mine)


PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "tests")


class Processes(Peer):
    """One pytest process for each bug."""

    def grade(self) -> None:
        """Run the tests on each bug; only exit code 1 says that a test failed."""
        codes = []
        for source in self.planted.values():
            self.write("radix.py", source)
            codes.append(self.run(*PYTEST, check=False))
        self.killed = codes.count(1)


class CosmicRay(Peer):
    """cosmic-ray with the operator of `planted.py`, which plants the very bugs."""

    def prepare(self) -> None:
        """Make the session: all its mutants, and all but the planted ones marked as skipped."""
        shutil.copy(Path(__file__).parent / "planted.py", self.folder)
        self.write("planted-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: planted\nVersion: 0\n")
        self.write(
            "planted-0.dist-info/entry_points.txt", "[cosmic_ray.operator_providers]\nplanted = planted:Provider\n"
        )
        command = " ".join([self.python, *PYTEST])
        self.write(
            "config.toml",
            f'[cosmic-ray]\nmodule-path = "radix.py"\ntimeout = {TIMEOUT}.0\nexcluded-modules = []\n'
            f'test-command = {json.dumps(command)}\n[cosmic-ray.distributor]\nname = "local"\n'
            '[cosmic-ray.filters.operators-filter]\nexclude-operators = ["core/"]\n',
        )
        self.run("-m", "cosmic_ray.cli", "init", "config.toml", "all.sqlite")
        self.run("-m", "cosmic_ray.tools.filters.operators_filter", "all.sqlite", "config.toml")

    def grade(self) -> None:
        """Run the tests on each bug."""
        shutil.copy(self.folder / "all.sqlite", self.folder / "session.sqlite")
        self.run("-m", "cosmic_ray.cli", "exec", "config.toml", "session.sqlite")
        with sqlite3.connect(self.folder / "session.sqlite") as session:
            rows = session.execute("select test_outcome from work_results where worker_outcome = 'NORMAL'")
            self.killed = Counter(outcome for (outcome,) in rows)["KILLED"]


class Mutmut(Peer):
    """mutmut, which takes no list and makes mutants of its own."""

    def grade(self) -> None:
        """Run its mutants one at a time; note what it wrote down of each."""
        self.write(
            "pyproject.toml",
            '[tool.mutmut]\nsource_paths = ["radix.py"]\ntests_dir = ["tests"]\n'
            '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        )
        self.whole = milliseconds(lambda: self.run("-m", "mutmut", "run", "--max-children", "1"))
        noted = json.loads((self.folder / "mutants" / "radix.py.meta").read_text(encoding="utf-8"))
        codes, seconds = noted["exit_code_by_key"], noted["durations_by_key"]
        self.looping = [seconds[name] for name in seconds if codes[name] == -24]  # SIGXCPU, its own alarm
        ended = [seconds[name] * 1000 for name in seconds if codes[name] != -24]
        self.killed, self.ran, self.each = list(codes.values()).count(1), len(seconds), middle(ended)


def has(python: str, module: str) -> bool:
    """Say whether *python* can import *module*."""
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0
