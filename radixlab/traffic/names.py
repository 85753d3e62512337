"""The traces that have a name."""

from collections.abc import Callable

from radixlab.traffic.chat import mixed
from radixlab.traffic.public import conversation, ragpulse, synthetic
from radixlab.traffic.trace import Trace, cut

GRANULE = 16  # tokens of a block where nobody says another number
ROOM = (16_000, 32_000, 64_000, 128_000, 256_000)  # capacities for `chat`, in tokens


def generated(granule: int = GRANULE) -> Trace:
    """Return 2,000 requests of chat and agents in blocks of *granule* tokens, made here: they need no network."""
    return cut("chat", mixed(), granule, ROOM)


TRACES: dict[str, Callable[[], Trace]] = {
    "chat": generated,
    "ragpulse": ragpulse,
    "conversation": conversation,
    "synthetic": synthetic,
}


def load(name: str, granule: int | None = None) -> Trace:
    """Return the trace called *name*, one of `TRACES`; *granule* is for ``chat`` alone, the blocks of others are given.

    ValueError for another name, and for a *granule* below 1 or given to another trace; NoTrace when a public file
    cannot be had.

    >>> trace = load("chat", granule=64)
    >>> trace.name, len(trace.requests), trace.granule
    ('chat', 2000, 64)
    """
    if name not in TRACES:
        raise ValueError(f"no trace {name!r}: choose {', '.join(TRACES)}")
    if name != "chat" and granule is not None:
        raise ValueError(f"the blocks of {name} are given: a granule can be chosen for chat alone")
    return TRACES[name]() if granule is None else generated(granule)
