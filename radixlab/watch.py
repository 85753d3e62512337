"""`ol watch`: check again whenever a file is saved; never move on by itself."""

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator

import readchar
import watchfiles
from rich.console import Console

from radixlab.checker.report import Report
from radixlab.checker.standing import stand
from radixlab.checker.subject import Subject, Unreadable, read
from radixlab.checker.verdict import check, check_stage, fresh_seed
from radixlab.checker.worker import Shells
from radixlab.course import Chapter, Stage
from radixlab.progress import next_stage, unwritten
from radixlab.reports import pages, terminal
from radixlab.workspace import Workspace, shown

DEBOUNCE = 200  # milliseconds
KEYS = "h hint · l list · c check all · x reset · q quit"


def watch(chapter: Chapter, workspace: Workspace, console: Console) -> int:
    """Check the learner's files now and at each save until they quit; return 0.

    What is checked is a stage, the first that is not written yet; `n` goes on to the next one once it passes, `c`
    checks everything.
    """
    session = _Watch(chapter, workspace, console)
    with _terminal_kept():
        try:
            session.run()
        finally:
            session.close()
    return 0


@contextlib.contextmanager
def _terminal_kept() -> Iterator[None]:
    """Leave the terminal as it was: the thread that waits for a key may end while it waits."""
    if not sys.stdin.isatty() or os.name != "posix":
        yield
        return
    import termios

    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


class _Watch:
    def __init__(self, chapter: Chapter, workspace: Workspace, console: Console) -> None:
        self.chapter, self.workspace, self.console = chapter, workspace, console
        self.tree, self.tests = (place(chapter) for place in (workspace.tree, workspace.tests))
        self.events: queue.Queue[str] = queue.Queue()
        self.quit = threading.Event()
        self.shells = Shells()
        self.stage: Stage | None = next_stage(chapter, self._subject().source)
        self.passed = False

    def run(self) -> None:
        """Take saves and keys, one at a time, until `q`."""
        for listen in (self._saves, self._keys):
            threading.Thread(target=listen, daemon=True).start()
        self._check()
        self._prompt()
        while (event := self.events.get()) != "q":
            self._act(event)

    def close(self) -> None:
        """End the threads' loops and the processes."""
        self.quit.set()
        self.shells.close()

    def _saves(self) -> None:
        files = {str(self.tree), str(self.tests)}
        folder = self.tree.parent
        for changes in watchfiles.watch(folder, debounce=DEBOUNCE, stop_event=self.quit, raise_interrupt=False):
            if any(path in files for _, path in changes):
                self.events.put("save")

    def _keys(self) -> None:
        if not sys.stdin.isatty():
            return  # saves are all that comes
        while not self.quit.is_set():
            try:
                self.events.put(readchar.readkey().lower())
            except KeyboardInterrupt:
                self.events.put("q")

    def _act(self, event: str) -> None:
        if event == "save":
            self._check()
        elif event == "n":
            self._next()
        elif event == "h":
            stage = self.stage or self.chapter.stages[-1]
            self.console.print(pages.hint(stage, self.workspace.next_hint(self.chapter, stage)))
        elif event == "l":
            self.console.print(pages.contents(self.chapter, stand(self.chapter, self._subject(), self.shells.tree)))
        elif event == "c":
            self._show(self._everything())
        elif event == "x":
            self._reset()
        else:
            return
        self._prompt()

    def _next(self) -> None:
        if not self.passed or self.stage is None:
            self.console.print("not yet: `n` goes on once this stage passes")
            return
        following = self.chapter.stages[self.chapter.stages.index(self.stage) + 1 :]
        self.stage = following[0] if following else None
        self._check()

    def _subject(self) -> Subject:
        return Subject.read(self.tree, shown(self.tree), self.chapter.file)

    def _check(self) -> None:
        self.console.clear()
        if self.stage is None:  # it may have been put back to the stub meanwhile
            self.stage = next_stage(self.chapter, self._subject().source)
        self._show(self._everything() if self.stage is None else self._stage(self.stage))

    def _stage(self, stage: Stage) -> Report:
        return check_stage(self.chapter, self._subject(), stage, self.shells, seed=0)

    def _everything(self) -> Report:
        try:
            tests: str | Unreadable = read(self.tests)
        except Unreadable as error:
            tests = error
        with pages.progress(self.console, self.chapter) as seen:
            return check(self.chapter, self._subject(), tests, self.shells, seed=fresh_seed(), watch=seen)

    def _show(self, report: Report) -> None:
        terminal.show(report, self.console)
        self.passed = report.verdict == "pass"

    def _prompt(self) -> None:
        written = len(self.chapter.stages) - len(unwritten(self.chapter, self._subject().source))
        following = "n next · " if self.passed and self.stage is not None else ""
        self.console.print(f"\n[{written}/{len(self.chapter.stages)} stages written] {following}{KEYS}", markup=False)

    def _reset(self) -> None:
        """Put the functions of this stage back to the stub's, after a question; the old file goes to the history."""
        if self.stage is None:
            self.console.print("nothing to reset: every stage is written, and this checks them all")
            return
        names = ", ".join(self.chapter.own_names(self.stage))
        self.console.print(f"put {names} back to the stub? the old file is kept in the history (y/n)", markup=False)
        if self.events.get() != "y":
            self.console.print("nothing was changed")
            return
        kept = self.workspace.reset(self.chapter, self.stage)
        self.console.print(f"done; the old file is {shown(kept)}", markup=False)
