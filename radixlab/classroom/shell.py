"""The third shell: the worker behind a kernel sandbox, with the tree and the tests on two sides of a wire.

Our tests run in a trusted process and ask the learner's tree, which is in the sandbox. The learner's tests run in the
sandbox and ask our trees, which are here: they see behaviour, never source, name, order or identity.
"""

import contextlib
import json
import math
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.process import Process
from radixlab.checker.worker import Shells, Worker
from radixlab.classroom import dial
from radixlab.classroom.pipes import Channel, begun, nonce, said
from radixlab.classroom.sandbox import NoSandbox, Sandbox, command
from radixlab.classroom.serving import Served
from radixlab.classroom.wire import Tampered, parsed
from radixlab.classroom.wire import begin_message as as_begin

ISOLATIONS = ("required", "auto", "none")
HEARD = 10_000_000  # bytes that a run of the learner's tests may say: what it has our trees keep is kept in memory
MESSAGE = 10_000  # characters of a message
_NEVER = 1e6  # seconds until a trusted process writes down where it is: to do so while it runs can crash it


def shells(isolation: str, silence: float = 20.0, deadline: float = 60.0) -> tuple[Shells, str]:
    """Return where a submission is run, and how isolated that is: `bubblewrap` or `none`.

    *isolation*: `required` raises NoSandbox where there is none, `auto` goes without, `none` never has one. *silence*
    and *deadline*: see `Worker`.
    """
    times = silence, deadline
    if isolation != "none":
        try:
            command({})
        except NoSandbox:
            if isolation == "required":
                raise
        else:
            return Shells(Worker(*times, ServedProcess), Worker(*times, TestsProcess)), "bubblewrap"
    return Shells(Worker(*times), Worker(*times)), "none"


class Place:
    """Where submissions run, one after the other, each as if it were the first; *isolation*: see `shells`."""

    def __init__(self, isolation: str) -> None:
        self.isolation = isolation
        self._there: tuple[Shells, str] | None = None

    @contextlib.contextmanager
    def entered(self) -> Iterator[tuple[Shells, str]]:
        """Give the shells for one submission, and how isolated they are; NoSandbox as `shells` raises it."""
        self._there = self._there or shells(self.isolation)
        try:
            yield self._there
        finally:
            self._there[0].renew()


class ServedProcess(Process):
    """A trusted process that runs our tests; a tree of the learner's is served to it from the sandbox."""

    def __init__(self, silence: float) -> None:
        self._sandbox, self._silence = Sandbox(), silence
        self._host: socket.socket | None = None
        self._hosts, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._theirs = theirs.fileno()
        with theirs:
            super().__init__(_NEVER, (self._theirs,))

    def send(self, job: Job) -> int:
        """Hand *job* over; return its number."""
        if job.theirs:
            fresh = self._host is None
            if fresh:
                self._sandbox.wait()
                self._host = self._sandbox.host()
                socket.send_fds(self._hosts, [b"host"], [self._host.fileno()])
            begin = json.dumps(as_begin(replace(job, tests=TestFile("", ""), names=()), "tree", nonce()))
            filename = job.subject.co_filename
            given = ", ".join(map(repr, (self._theirs, fresh, begin, filename, self._silence)))
            job = replace(job, subject=compile(dial.SUBJECT.format(given), filename, "exec"), needs=())
        return super().send(job)

    def answer(self, until: float, end: float) -> tuple[int, Outcome] | str:
        """Return the next answer, as `Process` does; Tampered when the tree's side sent what no honest one sends.

        A test may take its time as long as each call is answered: it is one of ours, and every call goes over the wire.
        """
        came = super().answer(end, end)
        if came == f"exit code {dial.HUNG}":
            return "silence"
        if came == f"exit code {dial.TAMPERED}":
            raise Tampered("the tree's side of the wire sent what no honest one sends")
        return came

    def renew(self) -> bool:
        """End what runs in the sandbox, and take a fresh host next time: the process here has run nothing of theirs."""
        _shut(self._host)
        self._host = None
        return True

    def kill(self) -> None:
        """Kill the process, and the sandbox with all that runs in it."""
        super().kill()
        self._sandbox.close()
        _shut(self._host)
        self._hosts.close()


class TestsProcess:
    """The sandbox as a process that runs the learner's tests; our trees are served to it from here."""

    __test__ = False  # no test for pytest, whatever its name

    def __init__(self, silence: float) -> None:
        self._sandbox, self._silence = Sandbox(), silence
        self._host: socket.socket | None = None
        self._ready = False
        self._coming: list[tuple[int, Job]] = []
        self._sent = 0
        self._run: _Run | None = None

    def send(self, job: Job) -> int:
        """Take *job*; return its number."""
        self._coming.append((self._sent, job))
        self._sent += 1
        return self._sent - 1

    def answer(self, until: float, end: float) -> tuple[int, Outcome] | str:
        """Return the next answer, as `Process` does, and carry out meanwhile what the tests ask of our trees.

        Silence is a time without any message, be it a question.
        """
        if not self._ready:
            self._sandbox.wait()
            self._ready = True
            return "ready"
        while True:
            if self._run is None:
                try:
                    self._host = self._host or self._sandbox.host()
                    self._run = _Run(*self._coming.pop(0), self._host)
                except OSError:
                    return "the sandbox is gone"
                if not self._run.channel.send(self._run.begin, min(until, end)):
                    return "it took no job"
            until = time.monotonic() + self._silence
            line = self._run.channel.line(min(until, end))
            if line is None:
                return "silence" if until < end else "deadline"
            if not line:  # nobody holds the other end: the run is over
                if words := self._over(min(until, end)):
                    return words
                continue
            if self._run.channel.heard > HEARD:
                raise Tampered("more than any test has to say")
            message = parsed(line)
            if message.get("n") != self._run.nonce:
                raise Tampered("a message of another run")
            if "ask" in message:
                if not self._run.channel.send(self._run.asked(message["ask"]), min(until, end)):
                    return "it took no answer"
            elif "outcome" in message:
                return self._run.number, self._run.outcome(message["outcome"])
            else:
                raise Tampered("a message of no kind")

    def _over(self, until: float) -> str | None:
        """Take leave of the run; return how it ended when it owes an answer."""
        ended = said(self._host, until).get("ended")
        run, self._run = self._run, None
        run.channel.close()
        if ended is None:
            return "it closed its channel"
        return (f"signal {-ended}" if ended < 0 else f"exit code {ended}") if run.missing else None

    def line_in(self, filename: str) -> None:
        """Nothing is known of where it is: the sandbox is not asked."""

    def renew(self) -> bool:
        """End what runs in the sandbox, and take a fresh host next time."""
        if self._run is not None:
            self._run.channel.close()
        _shut(self._host)
        self._run = self._host = None
        self._coming.clear()
        return True

    def kill(self) -> None:
        """End the sandbox, and all that runs in it."""
        self._sandbox.close()
        self.renew()


def _shut(host: socket.socket | None) -> None:
    """End *host*, whoever else has its socket."""
    if host is not None:
        with contextlib.suppress(OSError):  # it is gone
            host.shutdown(socket.SHUT_RDWR)
        host.close()


class _Run:
    """One job of a *host*'s, the pipes to it, and our tree for it."""

    def __init__(self, number: int, job: Job, host: socket.socket) -> None:
        self.number, self.nonce, self.missing = number, nonce(), set(job.names)
        self.served = None if job.theirs else Served(job)
        self.begin = as_begin(job if job.theirs else replace(job, subject=None, needs=()), "tests", self.nonce)
        self.channel = Channel(*begun(host))

    def asked(self, message: object) -> dict:
        """Carry out what a test asks of the tree; Tampered when there is no such thing to ask."""
        if self.served is None or type(message) is not dict:
            raise Tampered("a question that is none")
        if "promises" in message:
            return self.served.promises()
        try:
            return self.served.answer(message)
        except (TypeError, ValueError, AttributeError) as error:
            raise Tampered(f"a question that is none: {error}") from None

    def outcome(self, fields: object) -> Outcome:
        """Return the outcome in *fields*; Tampered when it is none, or of no test that was to come."""
        try:
            outcome = Outcome.from_plain(fields)
        except (TypeError, ValueError):
            raise Tampered("an outcome that is none") from None
        if outcome.name not in self.missing:
            raise Tampered("an outcome that nobody waits for")
        if not math.isfinite(outcome.duration_s) or len(outcome.message) > MESSAGE:
            raise Tampered("an outcome that no test has")
        self.missing.remove(outcome.name)
        return replace(outcome, trace=None, figures={})  # of no use here, and of any size
