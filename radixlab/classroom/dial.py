"""The trusted process that runs the official tests: where it asks the learner's tree, which is in the sandbox."""

import json
import os
import time
from typing import Any, NoReturn

from radixlab.checker.budget import Meter
from radixlab.classroom.sandbox import Channel
from radixlab.classroom.wire import Asker, Tampered, parsed

TAMPERED, HUNG = 86, 88  # exit codes of this process: it met tampering; a call was not answered
_NEIGHBOUR = 87  # stands in for these two from elsewhere
_lines: dict[tuple[int, int], "_Line"] = {}
SUBJECT = "globals().update(__import__('radixlab.classroom.dial', fromlist=['names']).names(__tick__.__self__, {}))"


def names(meter: Meter, out: int, into: int, begin: str, filename: str, silence: float) -> dict[str, Any]:
    """Begin the run *begin* over the pipes *out* and *into*; return what its subject defines.

    *meter* learns what it spends; *silence*: seconds that one call may take, or this process ends with `HUNG`. Where
    the tree ends its process, this one ends in the same way; where the channel carries what no honest host sends, it
    ends with `TAMPERED`: then no test can pass.
    """
    line = _lines.setdefault((out, into), _Line(out, into, silence))
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
    """The line to the host in the sandbox, where one run is served after the other."""

    def __init__(self, out: int, into: int, silence: float) -> None:
        self.channel, self.silence = Channel(out, into), silence
        self.nonce: str | None = None

    def begin(self, message: dict[str, Any]) -> dict[str, Any]:
        """Begin a run, after ending the one before; return the promises of its subject."""
        if self.nonce is not None:
            self._send({"end": True})
            if "ended" not in self._read():
                raise Tampered("a run that does not end")
        self.nonce = message["n"]
        self._send(message)
        return self._answer()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send *message*; return the answer."""
        self._send(message)
        return self._answer()

    def _send(self, message: dict[str, Any]) -> None:
        if not self.channel.send(message, time.monotonic() + self.silence):
            os._exit(HUNG)

    def _answer(self) -> dict[str, Any]:
        answer = self._read()
        if "ended" in answer:
            _end_likewise(answer["ended"])
        return answer

    def _read(self) -> dict[str, Any]:
        line = self.channel.line(time.monotonic() + self.silence)
        if line is None:
            os._exit(HUNG)
        if not line:
            _end_likewise(-9)  # the sandbox was killed
        message = parsed(line)
        if message.get("n") != self.nonce:
            raise Tampered("a message of another run")
        return message


def _end_likewise(code: Any) -> NoReturn:
    """End this process as the tree ended its own: by a signal, or with an exit code."""
    if type(code) is not int:
        os._exit(TAMPERED)
    if -65 < code < 0:
        os.kill(os.getpid(), -code)
    os._exit(_NEIGHBOUR if code in (TAMPERED, HUNG) else code & 255)
