"""A file of the learner's is played apart: in a process of its own, which it may end or hang without harm."""

import contextlib
import faulthandler
import multiprocessing
import os
import re
import signal
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from radixlab.checker.process import MEMORY
from radixlab.checker.subject import Unreadable

SILENCE = 60  # seconds without a sign of life
_GRACE = 5  # seconds more before a process is ended that does not end itself
_DYING = 2  # seconds that the end of a process may take

Tell = Callable[[Any], None]


def apart(work: Callable[..., Any], *arguments: Any, file: str, watch: Tell = lambda told: None) -> Any:
    """Return what ``work(tell, *arguments)`` returns, called in a process of its own that plays the learner's *file*.

    *work* is a function of a module, and all that goes to and fro can be pickled. What it tells is a sign of life, and
    *watch* gets it. What it raises is raised here. Unreadable when *file* ends the process, or keeps it silent too
    long. However this ends, nothing of the process is left.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="radixlab-", ignore_cleanup_errors=True) as folder, here:
        stack = Path(folder) / "stack"
        given = (there, Path.cwd(), stack, SILENCE, work, arguments)
        child = context.Process(target=_be_apart, args=given, daemon=True)
        try:
            _start(child)
            there.close()
            kind, answer = _answer(here, child, watch)
        finally:
            _kill(child)
        if kind == "raised":
            raise answer
        if kind == "done":
            return answer
        raise Unreadable(_last_words(Path(file).name, kind, child.exitcode, stack))


def _start(child: BaseProcess) -> None:
    """Start *child* deaf to Ctrl-C: that is for its parent, which ends it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.start()
    finally:
        signal.signal(signal.SIGINT, before)


def _answer(here: Connection, child: BaseProcess, watch: Tell) -> tuple[str, Any]:
    """Return how the work in *child* ended, and with what."""
    with contextlib.suppress(EOFError, OSError):
        while here.poll(SILENCE + _GRACE):
            kind, thing = here.recv()
            if kind != "told":
                return kind, thing
            watch(thing)
        return "silent", None
    wait([child.sentinel], _DYING)  # for its own exit code
    return "ended", None


def _kill(child: BaseProcess) -> None:
    """Kill *child* and all that it started."""
    if child.pid is None:
        return
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has no group of its own yet, or all is over
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.join()


def _last_words(name: str, kind: str, code: int, stack: Path) -> str:
    """Return in a sentence how the file called *name* ended its process, by the exit *code* and the *stack* it left."""
    text = stack.read_text(encoding="utf-8", errors="replace") if stack.exists() else ""
    found = re.search(rf'File "(?:[^"]*[/\\])?{re.escape(name)}", line (\d+) in (\S+)', text)
    at = f" (line {found[1]}, in {found[2]})" if found else ""
    if kind == "silent" or text.startswith("Timeout"):
        return f"{name} gave no answer for {SILENCE} s{at}"
    return f"{name} ended the program with {f'signal {-code}' if code < 0 else f'exit code {code}'}{at}"


# In the process -------------------------------------------------------------------------------------------------------


def _be_apart(
    there: Connection, folder: Path, stack: Path, silence: float, work: Callable[..., Any], arguments: tuple
) -> None:
    """Be the process: work in *folder*, and answer. Where it hangs, or is ended, goes into the file *stack*."""
    os.chdir(folder)  # multiprocessing goes to where its parent began
    if hasattr(os, "setsid"):
        os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    with contextlib.suppress(ImportError, ValueError, OSError):  # no such limit on this system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with stack.open("w", encoding="utf-8") as file:
        _note_the_end(file)

        def tell(thing: Any) -> None:
            faulthandler.dump_traceback_later(silence, file=file, exit=True)
            there.send(("told", thing))

        faulthandler.dump_traceback_later(silence, file=file, exit=True)
        try:
            answer = "done", work(tell, *arguments)
        except Exception as error:
            error.add_note("".join(traceback.format_exception(error)))  # an exception travels without its traceback
            answer = "raised", error
        there.send(answer)
        faulthandler.cancel_dump_traceback_later()


def _note_the_end(file: Any) -> None:
    """Let the process write into *file* where it is when it crashes, or is left by `os._exit`."""
    leave = os._exit

    def noted(code: int) -> None:
        faulthandler.dump_traceback(file)
        leave(code)

    os._exit = noted
    faulthandler.enable(file)
