"""The trusted process that runs the official tests: where it asks the learner's tree, which is in the sandbox."""

import json
import os
import socket
import time
from typing import Any, NoReturn

from radixlab.checker.budget import Meter
from radixlab.classroom.asking import Asker
from radixlab.classroom.pipes import Channel, begun, said
from radixlab.classroom.wire import Tampered, parsed

TAMPERED, HUNG = 86, 88  # exit codes of this process: it met tampering; a call was not answered
_NEIGHBOUR = 87  # stands in for these two from elsewhere
_lines: dict[int, "_Line"] = {}
SUBJECT = "globals().update(__import__('radixlab.classroom.dial', fromlist=['names']).names(__tick__.__self__, {}))"


def names(meter: Meter, hosts: int, fresh: bool, begin: str, filename: str, silence: float) -> dict[str, Any]:
    """Begin the run *begin* in the sandbox; return what its subject defines.

    *hosts*: a socket, on which comes that to the host when it is a *fresh* one; *meter* learns what the run spends;
    *silence*: seconds that one call may take, or this process ends with `HUNG`. Where the tree ends its process, this
    one ends in the same way; where the channel carries what no honest host sends, it ends with `TAMPERED`: then no test
    can pass.
    """
    line = _lines.get(hosts)
    if line is None or fresh:
        _, sockets, _, _ = socket.recv_fds(socket.socket(fileno=os.dup(hosts)), 100, 1)
        if line is not None:
            line.close()
        line = _lines[hosts] = _Line(socket.socket(fileno=sockets[0]), silence)
    message = json.loads(begin)
    try:
        asker = _Trusted(message["job"]["face"], line.ask, meter, filename)
        return asker.names(line.begin(message))
    except Tampered:
        os._exit(TAMPERED)


class _Trusted(Asker):
    """An asker whose tests never go on after tampering."""

    def _asked(self, message: dict[str, Any], given: tuple[Any, ...]) -> Any:
        try:
            return super()._asked(message, given)
        except Tampered:
            os._exit(TAMPERED)


class _Line:
    """The line to a *host*, where one run is served after the other, each over pipes of its own."""

    def __init__(self, host: socket.socket, silence: float) -> None:
        self.host, self.silence = host, silence
        self.channel: Channel | None = None
        self.nonce: str | None = None

    def begin(self, message: dict[str, Any]) -> dict[str, Any]:
        """Begin a run, after ending the one before; return the promises of its subject."""
        if self.channel is not None:
            self._send({"end": True})
            self.channel.close()
            said(self.host, self._until())
        try:
            self.channel = Channel(*begun(self.host))
        except OSError:
            _end_likewise(-9)  # the sandbox was killed
        self.nonce = message["n"]
        return self.ask(message)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send *message*; return the answer."""
        self._send(message)
        line = self.channel.line(self._until())
        if line is None:
            os._exit(HUNG)
        if not line:  # nobody holds the other end
            _end_likewise(said(self.host, self._until()).get("ended", -9))
        answer = parsed(line)
        if answer.get("n") != self.nonce:
            raise Tampered("a message of another run")
        return answer

    def close(self) -> None:
        """Take leave: what runs there ends."""
        if self.channel is not None:
            self.channel.close()
        self.host.close()

    def _send(self, message: dict[str, Any]) -> None:
        if not self.channel.send(message, self._until()):
            os._exit(HUNG)

    def _until(self) -> float:
        return time.monotonic() + self.silence


def _end_likewise(code: int) -> NoReturn:
    """End this process as the tree ended its own: by a signal, or with an exit code."""
    if -65 < code < 0:
        os.kill(os.getpid(), -code)
    os._exit(_NEIGHBOUR if code in (TAMPERED, HUNG) else code & 255)
