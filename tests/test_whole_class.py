"""A whole class, honest, broken and hostile, graded in the sandbox through two kills: nothing lost, nothing forged.

300 submissions where RADIXLAB_LONG is set, which takes a quarter of an hour; 24 otherwise.
"""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import graded
import pytest
from classes import HOSTILE, make_class
from processes import none_left

SIZE = 300 if os.environ.get("RADIXLAB_LONG") else 24
LINE = [sys.executable, "-m", "radixlab", "grade", "class", "--out", "out", "--jobs", "2"]


class Sizes:
    """The memory of a grader's process, in bytes, looked at while it lasts."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process, self.seen = process, []
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while self.process.poll() is None:
            try:
                pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
            except (OSError, IndexError):  # it has just ended
                return
            self.seen.append(pages * os.sysconf("SC_PAGE_SIZE"))
            time.sleep(0.2)

    def middles(self) -> tuple[float, float]:
        """Return the median of the second sixth of the time, when all is loaded, and of the last but one."""
        sixth = len(self.seen) // 6
        return tuple(statistics.median(self.seen[part * sixth : (part + 1) * sixth]) for part in (1, 4))


@pytest.mark.timeout(3_000)
def test_a_class_killed_twice_has_every_grade_once_and_no_hostile_pass(marker, tmp_path):
    made = make_class(tmp_path / "class", SIZE, seed=300)
    kinds = {Path(path).relative_to(tmp_path).as_posix(): kind for path, kind in made.items()}
    out, before = tmp_path / "out", {}
    for part in (1, 2):
        process = subprocess.Popen(
            [*LINE, *(["--resume"] if before else [])], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while len(graded.kept(out)) < part * SIZE // 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.kill()
        process.communicate()
        assert none_left(marker, within=10.0)
        after = graded.kept(out)
        assert {sha256: after[sha256] for sha256 in before} == before
        before = after
    process = subprocess.Popen([*LINE, "--resume"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sizes = Sizes(process)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert none_left(marker, within=10.0)
    after = graded.kept(out)
    assert {sha256: after[sha256] for sha256 in before} == before, "nothing is graded twice"

    rows = {row["submission"]: row for row in graded.rows(out)}
    assert rows.keys() == kinds.keys() and len(rows) == SIZE
    outcomes = Counter((kind, rows[name]["outcome"]) for name, kind in kinds.items())
    print(outcomes)
    assert [found for found in outcomes if "complete" in found or "pass" in found] == [("complete", "pass")]
    assert not any(row["outcome"] == "infra_error" for row in rows.values())
    assert any(kind in HOSTILE for kind in kinds.values())
    assert {row["isolation"] for name, row in rows.items() if kinds[name] not in ("zip", "broken")} == {"bubblewrap"}
    if SIZE == 300:
        early, late = sizes.middles()
        print(early, late)
        assert late < 1.1 * early, "its memory grows with the class"
