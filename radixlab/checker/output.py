"""A cap on what a test prints: the last lines are kept for its message, a flood ends it."""

import io
import sys

LIMIT = 1_000_000  # characters
_LINES, _WIDTH = 10, 200


class OutOfOutput(BaseException):
    """A test printed more than the limit; not an Exception, so that `except Exception` cannot hide it."""


class CappedOutput(io.TextIOBase):
    """Takes what is printed; past *limit* characters every further write raises, until `fresh`.

    >>> output = CappedOutput(10)
    >>> print("a b", file=output)
    >>> output.tail()
    'a b'
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.fresh()

    def fresh(self) -> None:
        """Forget what was printed."""
        self.count, self.spent = 0, None
        self._end = ""

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Take *text*."""
        self.count += len(text)
        if self.count > self.limit:
            self.spent = f"more than {self.limit:,} characters were printed"
            raise OutOfOutput(self.spent)
        self._end = (self._end + text)[-_LINES * _WIDTH :]
        return len(text)

    def tail(self) -> str:
        """Return the last lines that were printed."""
        return "\n".join(line[:_WIDTH] for line in self._end.rstrip().splitlines()[-_LINES:])

    def __enter__(self) -> "CappedOutput":
        """Stand in for `sys.stdout` and `sys.stderr`."""
        self._stood = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self
        return self

    def __exit__(self, *_: object) -> None:
        """Put the two back."""
        sys.stdout, sys.stderr = self._stood
