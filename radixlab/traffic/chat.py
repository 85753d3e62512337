"""Chat traffic: the prompts of several conversations that run at the same time, in order of arrival."""

import random

VOCABULARY = 100_000  # token ids run from 0 up to here
CONVERSATIONS = 12  # that run at the same time
POPULARITY = (4, 2, 1)  # of the system prompts: how often a conversation starts on each


def chat(requests: int = 200, seed: int = 0) -> list[tuple[int, ...]]:
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
    rng = random.Random(seed)
    systems = [_text(rng, 128, 256) for _ in POPULARITY]
    running = [((), 0)] * CONVERSATIONS  # of each conversation: all that was said, and the turns to come
    prompts = []
    for _ in range(requests):
        place = rng.randrange(CONVERSATIONS)
        said, turns = running[place]
        if not turns:
            said, turns = rng.choices(systems, POPULARITY)[0], rng.randint(2, 8)
        prompt = said + _text(rng, 10, 40)
        prompts.append(prompt)
        running[place] = prompt + _text(rng, 20, 80), turns - 1
    return prompts


def _text(rng: random.Random, shortest: int, longest: int) -> tuple[int, ...]:
    """Return some tokens that nobody said before: those of a text of at least *shortest*, at most *longest* tokens."""
    return tuple(rng.randrange(VOCABULARY) for _ in range(rng.randint(shortest, longest)))
