"""What was seen at a face, as one digest."""

import hashlib
from typing import Any

from radixlab.checker.kinds import without_addresses


class Trace:
    """What was seen at a face, as one digest: two subjects behaved alike when their digests are equal.

    It is empty until `begin`; ids of nodes are written down by their first appearance. Complexity: constant space.
    """

    def __init__(self) -> None:
        self._digest = None
        self.running = False

    def begin(self) -> None:
        """Start writing down."""
        self._digest, self._names, self.calls = hashlib.sha256(), {}, 0
        self.running = True

    def add(self, signature: Any, given: tuple, error: BaseException | None, result: Any) -> None:
        """Write one call down: what was asked, and what came of it."""
        self.calls += 1
        asked = [
            kind.note(argument, self._names) for kind, argument in zip(signature.arguments.values(), given, strict=True)
        ]
        answer = type(error).__name__ if error else signature.result.note(result, self._names)
        self._digest.update(without_addresses(f"{signature.name}{asked!r}{answer!r}\n").encode("utf8", "replace"))

    def end(self) -> str | None:
        """Return the digest, None when nothing was begun or no call was seen."""
        digest, self._digest, self.running = self._digest, None, False
        return digest.hexdigest() if digest and self.calls else None
