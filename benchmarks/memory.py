"""The memory of one learner: JupyterLab's server, the kernel of a notebook, what checks beside it, and `ol check`."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
from jupyter_client import BlockingKernelClient
from tables import Table, middle, options, show

from radixlab import course, splice
from radixlab.progress import missing_names
from radixlab.workspace import Workspace

ROOT = Path(__file__).parents[1]
CHAPTER = course.chapter("ds.07")
STAGES = ("split", "evict")  # notebook 03, and 06, which plots
OWN_TESTS = ROOT / "tests/samples/ds07/good_tests.py"
NOTES = (
    "1 MB is a million bytes. *Resident* counts what processes share, such as the interpreter, once in each; *of its "
    "own* is what a process has alone, and what is free again when it ends. The browser runs elsewhere."
)
SEES_OWN = psutil.LINUX or psutil.MACOS or psutil.WINDOWS  # what a process has for itself


class Memory(NamedTuple):
    """Bytes of some processes: *resident*, shared pages counted in each; *own*, what would be free if they ended."""

    resident: int
    own: int


def of(*processes: psutil.Process) -> Memory:
    """Return the memory of *processes* together; one that has just ended counts nothing."""
    resident = own = 0
    for process in processes:
        try:
            found = process.memory_full_info() if SEES_OWN else process.memory_info()
        except psutil.Error:
            continue
        resident, own = resident + found.rss, own + getattr(found, "uss", found.rss)
    return Memory(resident, own)


def family(process: psutil.Process) -> list[psutil.Process]:
    """Return *process* and all that it started."""
    return [process, *process.children(recursive=True)]


class Peak:
    """The most that *processes* have together, asked twenty times a second; `with` it."""

    def __init__(self, processes: Callable[[], list[psutil.Process]]) -> None:
        self.most, self._processes, self._over = Memory(0, 0), processes, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            try:
                self.most = max(self.most, of(*self._processes()))
            except psutil.Error:  # it has ended
                return

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@contextmanager
def server(folder: Path) -> Iterator[tuple[psutil.Process, Callable, Path]]:
    """Give JupyterLab's server over *folder*, a way to call its API, and the folder of its connection files."""
    runtime = folder / "runtime"
    environment = os.environ | {"JUPYTER_RUNTIME_DIR": str(runtime), "RADIXLAB_WORK": str(folder / "work")}
    options = [
        "--no-browser",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={folder}",
        "--IdentityProvider.token=memory",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    started = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options], env=environment, stderr=subprocess.DEVNULL, cwd=folder
    )
    try:
        said = waited_for(lambda: next(runtime.glob("jpserver-*.json"), None))
        address = json.loads(said.read_text(encoding="utf-8"))["url"]

        def call(path: str, data: dict | None = None) -> dict:
            body = None if data is None else json.dumps(data).encode()
            asked = urllib.request.Request(address + path, body, {"Authorization": "token memory"})
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return json.load(answer)

        waited_for(lambda: call("api/status"))
        yield psutil.Process(started.pid), call, runtime
    finally:
        for process in family(psutil.Process(started.pid)):
            process.terminate()
        started.wait()


def waited_for(what: Callable):
    """Return what *what* answers, as soon as it does; TimeoutError after a minute."""
    end, last = time.monotonic() + 60, None
    while time.monotonic() < end:
        try:
            if answer := what():
                return answer
        except (OSError, ValueError) as error:  # the server is on its way up
            last = error
        time.sleep(0.1)
    raise TimeoutError("JupyterLab did not come up") from last


def ready(client: BlockingKernelClient) -> bool:
    """Return whether the kernel answers; on a busy machine one on its way up misses a heartbeat, and counts as dead."""
    try:
        client.wait_for_ready(timeout=30)
    except RuntimeError:
        return False
    return True


def cells(stage: course.Stage) -> list[str]:
    """Return the code of the notebook of *stage*, every exercise solved."""
    notebook = json.loads((ROOT / "notebooks" / f"{stage.notebook}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [solved(source) if "@exercise" in source or "@own_test" in source else source for source in sources]


def solved(source: str) -> str:
    """Return the *source* of an exercise cell with the reference's methods in it, or our own tests."""
    reference, tests = CHAPTER.text("reference.py"), OWN_TESTS.read_text(encoding="utf-8")
    for name in splice.pieces(source):
        begin = "@own_test\n" if name.startswith("test_") else ""
        source = splice.put(source, name, begin + splice.piece(tests if begin else reference, name))
    return source


def begin(work: Workspace, stage: course.Stage) -> None:
    """Write the files of a learner who has come to *stage*, the helpers of our own tests among them."""
    before = CHAPTER.stages_up_to(stage.name)[:-1]
    _, tests = work.start(CHAPTER, solved=tuple(name for stage in before for name in stage.writes))
    ours = OWN_TESTS.read_text(encoding="utf-8")
    helpers = [splice.piece(ours, name) for name in splice.pieces(ours) if not name.startswith("test_")]
    tests.write_text("\n\n".join([tests.read_text(encoding="utf-8"), *helpers]), encoding="utf-8")


def once(stage: course.Stage) -> dict[str, Memory]:
    """Measure one learner from the start of the server to the end of the notebook of *stage*."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="radixlab-memory-") as name:
        folder = Path(name)
        begin(Workspace(folder / "work"), stage)
        with server(folder) as (lab, call, runtime):
            found["JupyterLab's server, nothing open"] = of(lab)
            asked = {"path": "it.ipynb", "name": "it.ipynb", "type": "notebook", "kernel": {"name": "python3"}}
            session = call("api/sessions", asked)
            client = BlockingKernelClient(connection_file=str(runtime / f"kernel-{session['kernel']['id']}.json"))
            client.load_connection_file()
            client.start_channels()
            try:
                waited_for(lambda: ready(client))
                kernel = next(process for process in lab.children() if "ipykernel" in " ".join(process.cmdline()))
                found["a kernel, nothing run"] = of(kernel)
                with Peak(lambda: family(lab)) as peak:
                    for source in cells(stage):
                        run(client, source)
                found["the kernel, the notebook run to its end"] = of(kernel)
                found["what checks beside it, kept warm"] = of(*kernel.children(recursive=True))
                found["server, kernel and checks together, at the end"] = of(*family(lab))
                found["**the same at its highest, from cell to cell**"] = peak.most
            finally:
                client.stop_channels()
        left = missing_names(CHAPTER, Workspace(folder / "work").tree(CHAPTER).read_text(encoding="utf-8"), stage)
        if left:
            raise RuntimeError(f"the notebook ran, and {', '.join(left)} was not written: nothing was measured")
    return found


def run(client: BlockingKernelClient, source: str) -> None:
    """Run a cell; RuntimeError with what it raised."""
    answer = client.execute_interactive(source, timeout=120, output_hook=lambda message: None)["content"]
    if answer["status"] != "ok":
        raise RuntimeError("\n".join(answer["traceback"]))


def check() -> Memory:
    """Return the most that a whole check takes, of files in which everything is there."""
    with tempfile.TemporaryDirectory(prefix="radixlab-memory-") as work:
        for path, text in (
            (Workspace(Path(work)).tree(CHAPTER), CHAPTER.text("reference.py")),
            (Workspace(Path(work)).tests(CHAPTER), OWN_TESTS.read_text(encoding="utf-8")),
        ):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "radixlab", "check", CHAPTER.id]
        with subprocess.Popen(command, env=os.environ | {"RADIXLAB_WORK": work}, stdout=subprocess.DEVNULL) as started:
            with Peak(lambda: family(psutil.Process(started.pid))) as peak:
                started.wait()
            if started.returncode:
                raise RuntimeError("the reference did not pass")
    return peak.most


def row(what: str, taken: list[Memory]) -> tuple[str, ...]:
    """Return a row of a table: what was measured, and the median of each figure in MB."""
    return (what, *(f"{middle([getattr(each, name) for each in taken]) / 1e6:,.0f} MB" for name in Memory._fields))


def tables(times: int) -> Iterator[Table]:
    head, notes = ("what", "resident", "of its own"), f"Medians of {times} rounds."
    for stage in map(CHAPTER.stage, STAGES):
        rounds = [once(stage) for _ in range(times)]
        rows = [row(what, [found[what] for found in rounds]) for what in rounds[0]]
        yield Table(f"Notebook {stage.notebook}", head, rows, notes)
    rows = [row("`ol check ds.07`, all its processes, at their highest", [check() for _ in range(times)])]
    yield Table("In a terminal", head, rows, f"{notes} {NOTES}")


def main() -> None:
    asked = options(__doc__.splitlines()[0]).parse_args()
    show("memory", "Memory of a learner", tables(1 if asked.quick else 5), write=asked.write)


if __name__ == "__main__":
    main()
