"""From Shift-Enter in an exercise cell to its verdict, in a real kernel, beside the same check from a terminal."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jupyter_client.manager import start_new_kernel
from tables import Table, middle, milliseconds, options, show

from radixlab import course, splice
from radixlab.workspace import Workspace

CHAPTER = course.chapter("ds.07")
REFERENCE = CHAPTER.text("reference.py")
NAMES = "from collections.abc import Callable, Sequence\nfrom radixlab.lab import Node, NodeId, V, exercise\n"
CASES = {"right": ("split", None), "a planted bug, s03": ("split", "s03"), "right, the last stage": ("evict", None)}


def cell(stage: str, bug: str | None, number: int) -> str:
    """Return an exercise cell with all of *stage*, right or with *bug*, in other words each time."""
    source = REFERENCE if bug is None else CHAPTER.bug(bug).plant(REFERENCE)
    names = CHAPTER.stage(stage).writes
    methods = "\n".join(splice.piece(source, name) for name in names)
    return f'{NAMES}\n@exercise("{stage}")\nclass RadixTree:\n{methods}        # try {number}\n'


@contextmanager
def kernel(stage: str) -> Iterator:
    """Give a client of a new kernel, over a workspace in which the stages before *stage* are solved."""
    with tempfile.TemporaryDirectory(prefix="radixlab-lab-") as folder:
        before = CHAPTER.stages_up_to(stage)[:-1]
        solved = tuple(name for earlier in before for name in earlier.writes)
        Workspace(Path(folder) / "work").start(CHAPTER, solved=solved)
        os.environ["RADIXLAB_WORK"] = str(Path(folder) / "work")
        manager, client = start_new_kernel(kernel_name="python3")
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def to_verdict(client, code: str) -> tuple[float, float]:
    """Run *code*; return the milliseconds until the verdict is there, and until the cell is done."""
    began = time.perf_counter()
    asked = client.execute(code)
    verdict = None
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != asked:
            continue
        content = message["content"]
        text = content.get("text") or content.get("data", {}).get("text/plain", "")
        if verdict is None and re.search(r"^\w+: (passed|failed|not attempted|error in your code)", text, re.M):
            verdict = (time.perf_counter() - began) * 1000
        if message["msg_type"] == "error":
            raise RuntimeError("\n".join(content["traceback"]))
        if message["msg_type"] == "status" and content["execution_state"] == "idle":
            return verdict, (time.perf_counter() - began) * 1000


def lab_table(kernels: int, times: int) -> Table:
    rows = []
    for what, (stage, bug) in CASES.items():
        first, verdicts, dones = [], [], []
        for _ in range(kernels):
            with kernel(stage) as client:
                first.append(to_verdict(client, cell(stage, bug, 0))[0])
                for number in range(1, times + 1):
                    verdict, done = to_verdict(client, cell(stage, bug, number))
                    verdicts.append(verdict)
                    dones.append(done)
                terminal = [milliseconds(lambda stage=stage: in_a_terminal(stage)) for _ in range(max(1, times // 4))]
        rows.append((what, *(f"{middle(taken):,.0f} ms" for taken in (first, verdicts, dones, terminal))))
    return Table(
        "From Shift-Enter to the verdict",
        ("the cell", "the first of a kernel", "warm", "warm, with the first difference drawn", "`ol check --stage`"),
        rows,
        f"Medians of {kernels} kernels and {kernels * times} cells. Aim: 1,500 ms the first, 300 ms warm.",
    )


def in_a_terminal(stage: str) -> None:
    command = [sys.executable, "-m", "radixlab", "check", CHAPTER.id, "--stage", stage]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def main() -> None:
    asked = options(__doc__.splitlines()[0]).parse_args()
    tables = [lab_table(1 if asked.quick else 5, 2 if asked.quick else 4)]
    show("lab", "The lab", tables, write=asked.write)


if __name__ == "__main__":
    main()
