"""What goes between us and a host: words on a socket, and for each run two pipes with lines, each with a deadline."""

import json
import os
import secrets
import select
import socket
import time
from typing import Any

from radixlab.classroom.wire import LINE, Tampered, line


def begun(host: socket.socket) -> tuple[int, int]:
    """Have *host* begin a run that has pipes of its own; return our ends of them: to write to, and to read from.

    The message that begins it is the first to be written. OSError when the host is gone.
    """
    asked, out = os.pipe()
    into, answers = os.pipe()
    try:
        socket.send_fds(host, [b"run"], [asked, answers])
    except OSError:
        os.close(out)
        os.close(into)
        raise
    finally:
        os.close(asked)
        os.close(answers)
    return out, into


def said(control: socket.socket, until: float | None = None) -> dict[str, Any]:
    """Return what the host says next, `{}` when nothing before *until*, or when it is gone."""
    control.settimeout(None if until is None else max(0.001, until - time.monotonic()))
    try:
        return json.loads(control.recv(100) or b"{}")
    except OSError:
        return {}


def nonce() -> str:
    """Return a number for a run that nobody can foresee."""
    return secrets.token_hex(8)


class Channel:
    """Lines out and lines in, each with a deadline: whoever sits at the other end may never read, or never write.

    *heard*: how many bytes have come in.
    """

    def __init__(self, out: int, into: int) -> None:
        self.out, self.into, self.heard = out, into, 0
        self._rest = b""
        os.set_blocking(out, False)
        self._can_write, self._can_read = select.poll(), select.poll()
        self._can_write.register(out, select.POLLOUT)
        self._can_read.register(into, select.POLLIN)

    def send(self, message: dict[str, Any], until: float) -> bool:
        """Send *message*; return False when it is not taken before *until*, on the monotonic clock."""
        data = line(message)
        while data:
            try:
                data = data[os.write(self.out, data) :]
            except BlockingIOError:
                if not self._can_write.poll(_milliseconds(until)):
                    return False
            except BrokenPipeError:  # nobody is there to take it, and `line` will say so
                break
        return True

    def line(self, until: float) -> bytes | None:
        """Return the next line, b"" at the end of all, None when none comes before *until*. Tampered: it is endless.

        Nor is one taken late: whoever talks without a pause must not talk for ever.
        """
        if time.monotonic() > until:
            return None
        while b"\n" not in self._rest:
            if len(self._rest) > LINE:
                raise Tampered("a line without an end")
            if not self._can_read.poll(_milliseconds(until)):
                return None
            more = os.read(self.into, 1 << 16)
            if not more:
                return b""
            self._rest += more
            self.heard += len(more)
        line, _, self._rest = self._rest.partition(b"\n")
        return line + b"\n"

    def close(self) -> None:
        """Close both ends."""
        os.close(self.out)
        os.close(self.into)


def _milliseconds(until: float) -> float:
    return max(0.0, until - time.monotonic()) * 1_000
