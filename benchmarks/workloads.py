"""What the structures are given: one long system prompt for all, or conversations that grow turn by turn.

A workload makes the same prompts each time that it is asked, and a tree of them has as many leaves as it is told.
Beside the prompts to store it has those to ask for: one that was stored `whole`, and one that only begins like it, and
is `fresh` in its last `tail` tokens.
"""

import random
from array import array
from collections.abc import Iterator

FRESH = 2**16  # random tokens are below it


class SharedPrompt:
    """Every prompt is the system prompt and a tail of its own."""

    title = "a shared system prompt"
    system, tail, prompts = 2_000, 64, 1  # tokens, tokens, and prompts stored for each leaf

    def __init__(self, leaves: int) -> None:
        rng = random.Random(1)
        self.leaves = leaves
        self.start = _text(rng, self.system).tolist()
        self.ends = [_text(rng, self.tail - 1) for _ in range(leaves)]

    def stored(self) -> Iterator[list[int]]:
        """Yield every prompt to store, in order."""
        return map(self.whole, range(self.leaves))

    def whole(self, leaf: int) -> list[int]:
        """Return a prompt that was stored. No two tails begin alike, so the tree has two levels, whatever its size."""
        return [*self.start, leaf, *self.ends[leaf]]

    def fresh(self, leaf: int) -> list[int]:
        """Return a prompt of which all but the last `tail` tokens were stored."""
        return [*self.start, FRESH + leaf, *self.ends[leaf]]

    def __str__(self) -> str:
        return (
            f"A system prompt of {self.system:,} tokens, and a tail of {self.tail} for each prompt, of which no two "
            f"begin alike: a prompt of {self.system + self.tail:,} tokens is a path of two nodes."
        )


class Conversations:
    """Each prompt is a conversation so far: what was said before, and one turn more."""

    title = "conversations of many turns"
    system, tail, prompts = 512, 160, 8

    def __init__(self, leaves: int) -> None:
        rng = random.Random(2)
        self.leaves = leaves
        self.start = _text(rng, self.system).tolist()
        self.said = [array("H", [leaf]) + _text(rng, (self.prompts + 1) * self.tail - 1) for leaf in range(leaves)]

    def stored(self) -> Iterator[list[int]]:
        """Yield every prompt to store, in order: all first turns, then all second turns, and so on."""
        return (self._prompt(leaf, turns) for turns in range(1, self.prompts + 1) for leaf in range(self.leaves))

    def whole(self, leaf: int) -> list[int]:
        """Return a prompt that was stored."""
        return self._prompt(leaf, self.prompts)

    def fresh(self, leaf: int) -> list[int]:
        """Return a prompt of which all but the last `tail` tokens were stored."""
        return self._prompt(leaf, self.prompts + 1)

    def _prompt(self, leaf: int, turns: int) -> list[int]:
        return [*self.start, *self.said[leaf][: turns * self.tail]]

    def __str__(self) -> str:
        return (
            f"Conversations of {self.prompts} turns on one system prompt of {self.system} tokens, {self.tail} more at "
            f"each turn, all of them one turn further before any goes on. A leaf is a conversation of "
            f"{self.system + self.prompts * self.tail:,} tokens, a path of {self.prompts + 1} nodes."
        )


Workload = SharedPrompt | Conversations
WORKLOADS: dict[str, type[Workload]] = {"shared": SharedPrompt, "turns": Conversations}


def _text(rng: random.Random, tokens: int) -> array:
    return array("H", rng.randbytes(2 * tokens))
