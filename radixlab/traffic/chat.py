"""Generated traffic: the prompts of conversations and agent runs that go on at the same time, in order of arrival.

An agent run is a conversation too: its messages are the results of tools, its answers the calls of tools.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

VOCABULARY = 100_000  # token ids run from 0 up to here

Span = tuple[int, int]  # the least and the most of something, both possible
Prompt = tuple[int, ...]  # token ids


@dataclass(frozen=True)
class Kind:
    """One kind of traffic, by the numbers that shape it."""

    at_once: int  # conversations that go on at the same time
    popularity: tuple[int, ...]  # of the system prompts: how often a conversation starts on each
    system: Span  # tokens of a system prompt
    turns: Span  # prompts of one conversation
    message: Span  # tokens that come in with each prompt: what the user writes, what a tool gives back
    answer: Span  # tokens that the model writes after it


SMALL = Kind(12, (4, 2, 1), (128, 256), (2, 8), (10, 40), (20, 80))
# A system prompt of 512 tokens and 160 more a turn, as in the project's measurements of multi-turn chat.
CHAT = Kind(48, (4, 2, 1), (512, 512), (4, 12), (20, 60), (60, 180))
# After tau-bench's airline runs with GPT-4o (github.com/sierra-research/tau-bench, MIT), counted in cl100k tokens: a
# system prompt with tools of 1,266 tokens, 12.3 calls a run, prompts of 3,071 tokens on average.
AGENTS = Kind(12, (1,), (1266, 1266), (4, 20), (40, 340), (20, 100))


def chat(requests: int = 200, seed: int = 0) -> list[Prompt]:
    """Return the prompts of so many *requests*, in order of arrival, each a tuple of token ids.

    A conversation starts on one of three system prompts and has two to eight turns. A turn sends again all that was
    said before, with the answer to the last message, and a new message. Its prompts have between 138 and 1,136 tokens.
    The same *seed* gives the same prompts, and fewer requests are the beginning of more.

    >>> prompts = chat(100)
    >>> prompts[:40] == chat(40), prompts == chat(100, seed=1)
    (True, False)
    >>> again = [new for at, new in enumerate(prompts) if any(new[: len(old)] == old for old in prompts[:at])]
    >>> len(again)  # requests that send a whole earlier prompt again, and go on from there
    75
    """
    return [prompt for prompt, _ in islice(turns(SMALL, random.Random(seed)), requests)]


def agents(requests: int = 200, seed: int = 0) -> list[Prompt]:
    """Return the prompts of so many *requests* of agents, as `chat` does of conversations.

    A run starts on one long system prompt that describes the tools, and makes 4 to 20 calls, each with all that went
    before and what the last tool gave back. Its prompts have between 1,306 and 9,966 tokens.

    >>> prompts = agents(100)
    >>> prompts[:40] == agents(40), len({prompt[:1266] for prompt in prompts})
    (True, 1)
    """
    return [prompt for prompt, _ in islice(turns(AGENTS, random.Random(seed)), requests)]


def mixed(requests: int = 2000, seed: int = 0) -> list[tuple[Prompt, int]]:
    """Return the prompts of so many *requests*, each with the tokens of its answer: half chat, half agents.

    The chat is of a larger kind than that of `chat`. The same *seed* gives the same, and fewer are the beginning of
    more.
    """
    rng = random.Random(seed)
    kinds = [turns(kind, random.Random(rng.getrandbits(64))) for kind in (CHAT, AGENTS)]
    return [next(kinds[rng.randrange(2)]) for _ in range(requests)]


def turns(kind: Kind, rng: random.Random) -> Iterator[tuple[Prompt, int]]:
    """Yield prompt after prompt of traffic of this *kind*, each with the tokens of the answer to it; it never ends."""
    systems = [_text(rng, kind.system) for _ in kind.popularity]
    running = [((), 0)] * kind.at_once  # of each conversation: all that was said, and the turns to come
    while True:
        place = rng.randrange(kind.at_once)
        said, to_come = running[place]
        if not to_come:
            said, to_come = rng.choices(systems, kind.popularity)[0], rng.randint(*kind.turns)
        prompt = said + _text(rng, kind.message)
        answer = _text(rng, kind.answer)
        running[place] = prompt + answer, to_come - 1
        yield prompt, len(answer)


def _text(rng: random.Random, length: Span) -> Prompt:
    """Return some tokens that nobody said before, a text of a *length* in that span."""
    return tuple(rng.randrange(VOCABULARY) for _ in range(rng.randint(*length)))
