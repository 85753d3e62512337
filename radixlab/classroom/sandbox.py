"""The sandbox: bubblewrap around a process that knows how to run tests, and nothing of what they are tested against.

Inside there are Python, pytest, and of radixlab the few files that a run needs; no chapters, no network, no other
submission, nothing to write but a small /tmp that each run has for itself.
"""

import glob
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from radixlab.classroom.pipes import said

INSIDE = "/lab"
FILES = (  # of radixlab: the wire, the face, ticks, and what runs a test file
    *("__init__.py", "syntax.py", "checker/__init__.py", "checker/engine.py", "checker/job.py", "checker/judge.py"),
    *("checker/asserts.py", "checker/store.py", "checker/budget.py", "checker/face.py", "checker/kinds.py"),
    *("checker/output.py", "checker/subject.py", "checker/trace.py"),
    *("classroom/__init__.py", "classroom/host.py", "classroom/calls.py"),
    *("classroom/wire.py", "classroom/asking.py", "classroom/serving.py"),
)
PACKAGES = ("msgspec", "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "platformdirs")
EXTRAS = (
    "py",
    "hypothesis",
    "sortedcontainers",
    "attr",
    "attrs",
)  # what a learner's test may import besides, if it is here
LIMITS = {
    "AS": 2 * 1024**3,  # bytes of memory of a process
    "CPU": 60,  # seconds of a process
    "FSIZE": 10 * 1024**2,  # bytes of a file
    "NPROC": 24,  # processes and threads of a run
    "NOFILE": 64,
    "CORE": 0,
    "disk": 16 * 1024**2,  # bytes in /tmp
}
_PARTS = ("bin", "lib", "lib32", "lib64")  # of a place where programs are: what a Python needs, and nobody's work
_STARTUP = 30.0  # seconds
_PACKAGE = Path(__file__).parents[1]
_START = f"import sys; sys.path.insert(0, {INSIDE!r}); from radixlab.classroom import host; host.main({{limits}})"


class NoSandbox(RuntimeError):
    """There is no sandbox on this machine; the text says why, and what to do."""


def command(limits: dict[str, int]) -> list[str]:
    """Return the command that starts the sandbox; NoSandbox when bubblewrap is missing."""
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandbox(
            "submissions run in a sandbox, and bubblewrap is not installed: `apt install bubblewrap` (or your system's "
            "package of that name) installs it; --isolation none goes without, on submissions that you trust"
        )
    python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    base = os.path.realpath(sys.base_prefix)
    as_root = os.geteuid() == 0
    apart = ("pid", "net", "ipc", "uts", "cgroup-try") if as_root else ("all",)
    powers = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID") if as_root else ("CAP_SYS_ADMIN",)
    ours, start = _ours(), _START.format(limits=json.dumps(limits))
    hidden = _others_packages(base)
    return [
        program,
        *(f"--unshare-{what}" for what in apart),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(word for power in powers for word in ("--cap-add", power)),
        *_open_folders([f"{base}/bin", "/usr/local/bin", *(target for _, target in ours)]),
        *_system(base),
        *(word for folder in hidden for word in ("--tmpfs", folder)),
        *(word for source, target in ours for word in ("--ro-bind", source, target)),
        *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/dev/shm", "--chdir", "/tmp"),
        *(word for folder in (*hidden, "/dev/shm", "/dev", "/") for word in ("--remount-ro", folder)),
        *("--clearenv", "--setenv", "PYTHONHASHSEED", "0"),
        *("--", python, "-I", "-S", "-B", "-X", "utf8", "-c", start),
    ]


def _system(base: str) -> list[str]:
    """Return the options that show programs and libraries, of the system and of the Python at *base*, read-only.

    A link to a folder is shown as such a link.
    """
    folders = [f"{place}/{part}" for place in ("/usr", "/usr/local", base, "") for part in _PARTS]
    options = ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for folder in dict.fromkeys(folders):
        if os.path.islink(folder):
            options += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            options += ["--ro-bind", folder, folder]
    return options


def _open_folders(targets: list[str]) -> list[str]:
    """Return the options that make the folders above *targets*: open to every user, where bubblewrap's own are not."""
    above = dict.fromkeys(str(folder) for target in targets for folder in reversed(Path(target).parents))
    return [word for folder in above if folder != "/" for word in ("--perms", "0755", "--dir", folder)]


def _others_packages(base: str) -> list[str]:
    """Return the folders with packages of this Python and of the system: the project may lie in one of them.

    Wherever else it lies, if it is shown at all, goes too.
    """
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = {sysconfig.get_path("purelib", vars={"base": base}), f"{base}/lib/{version}/site-packages"}
    folders |= {*glob.glob("/usr/lib/python3*/dist-packages"), *glob.glob("/usr/local/lib/python3*/*-packages")}
    folders.add(str(_PACKAGE.parent))
    shown = tuple(f"{place}/{part}/" for place in ("/usr", "/usr/local", base, "") for part in _PARTS)
    return sorted(folder for folder in folders if folder.startswith(shown) and os.path.isdir(folder))


def _ours() -> list[tuple[str, str]]:
    """Return what is shown below `INSIDE`: each file or package, and where."""
    shown = [(str(_PACKAGE / name), f"{INSIDE}/radixlab/{name}") for name in FILES]
    for name in (*PACKAGES, *EXTRAS):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            if name in PACKAGES:
                raise NoSandbox(f"{name} is not installed here, and the sandbox needs it: install radixlab anew")
            continue
        folder = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
        shown.append((str(folder), f"{INSIDE}/{folder.name}"))
    hypothesis = importlib.util.find_spec("hypothesis")
    if hypothesis:
        around = Path(hypothesis.origin).parents[1].glob("_hypothesis*.py")
        shown += [(str(path), f"{INSIDE}/{path.name}") for path in around]
    return shown


def user() -> int:
    """Return the user as whom this process's submissions run, where it is root: one that nobody else is."""
    return 1_000_000 + os.getpid()


class Sandbox:
    """A sandbox, and the socket to the first process in it, which no submission gets to see."""

    def __init__(self) -> None:
        """Start it; NoSandbox when it does not come up."""
        limits = LIMITS | {"uid": user()}
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                command(limits), stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        self._ready = False

    def wait(self) -> None:
        """Wait until it is ready for a run; NoSandbox, with what it said, when it is not in time."""
        if self._ready:
            return
        if said(self.control, time.monotonic() + _STARTUP) != {"ready": True}:
            self.close()
            words = self.process.stderr.read().decode(errors="replace").strip().splitlines()
            raise NoSandbox(f"the sandbox did not start: {words[-1] if words else 'it says nothing'}")
        self._ready = True

    def host(self) -> socket.socket:
        """Return the socket to a fresh host, for one submission: closed or shut down, it ends what runs there.

        OSError when the sandbox is gone.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                socket.send_fds(self.control, [b"host"], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def close(self) -> None:
        """End it, and all that runs in it."""
        self.process.kill()
        self.process.wait()
        self.control.close()
