"""Public traces of real traffic: what their lines mean."""

import json
from collections.abc import Callable, Iterator
from operator import index
from typing import Any

from radixlab.traffic.files import NoTrace, PublicFile, read
from radixlab.traffic.trace import Request, Trace

BLOCK = 512  # tokens of a block in the traces of Mooncake, and the most that a block of RAGPulse stands for

MOONCAKE = "kvcache-ai/Mooncake", "3cca71daccf2a7afb8fe3f0295358f70e3a69fdb"
CONVERSATION = PublicFile(
    "conversation_trace.jsonl",
    *MOONCAKE,
    "FAST25-release/traces/conversation_trace.jsonl",
    "b8cbb061a85206d729d91cdc2981f43c9e0d99209dce588d3af5f7934408b9df",
    "Apache-2.0",
)
SYNTHETIC = PublicFile(
    "synthetic_trace.jsonl",
    *MOONCAKE,
    "FAST25-release/traces/synthetic_trace.jsonl",
    "bd070915a98fc0ed264d7cfef2ce746002eb3076a695ec31ba2674c0111ec131",
    "Apache-2.0",
)
RAGPULSE = PublicFile(
    "ragpulse_0_trace.jsonl",
    "flashserve/RAGPulse",
    "99a62769a91d5ebd17a2d4ddbbc88c1d16edc0e8",
    "data/0_trace.jsonl",
    "cd371571bef3320907147f8901729e37f412aafb067ec8eb153e2828e1801e65",
    "MIT",
)


def conversation() -> Trace:
    """Return the conversation trace of Mooncake (FAST '25): 12,031 chat requests. NoTrace when it cannot be had."""
    return Trace("conversation", mooncake(*read(CONVERSATION)), capacities=(2_000, 8_000, 20_000, 60_000))


def synthetic() -> Trace:
    """Return the synthetic trace of Mooncake (FAST '25): 3,993 requests. NoTrace when it cannot be had."""
    return Trace("synthetic", mooncake(*read(SYNTHETIC)), capacities=(2_000, 8_000, 20_000))


def ragpulse() -> Trace:
    """Return the trace of RAGPulse: 7,106 requests of a campus service that retrieves. NoTrace when it cannot be had.

    The default capacities are among those for which KVCache.AI publishes hit tokens (kvcache-ai/kvcache-blog,
    ``data/kv_cache_lab/precomputed.json``).
    """
    return Trace("ragpulse", rag(*read(RAGPULSE)), capacities=(16, 107, 377, 1_160, 3_021, 16_545))


def mooncake(data: bytes, where: str) -> list[Request]:
    """Return the requests in *data*, lines of JSON of the Mooncake traces; NoTrace with file and line for a wrong one.

    ``hash_ids`` has one id for each 512 tokens of the prompt; the last block stands for what is left of them.

    >>> line = b'{"timestamp": 0, "input_length": 600, "output_length": 9, "hash_ids": [70, 71]}'
    >>> mooncake(line, "a.jsonl")
    [Request(key=(0, 1), block_tokens=512, tokens=600, output=9)]
    """
    return _requests(data, where, lambda ids: [index(id) for id in ids], lambda names, length: (BLOCK, length))


def rag(data: bytes, where: str) -> list[Request]:
    """Return the requests in *data*, lines of JSON of RAGPulse; NoTrace with file and line for a wrong one.

    ``hash_ids`` has ids by component, numbered in each anew, so a block is named by both. The trace does not say how
    long a block is: each stands for an equal share of the prompt, rounded half up, between 1 and 512 tokens, and the
    prompt counts what its blocks stand for. That is how the published table counts.

    >>> line = b'{"timestamp": "5", "input_length": 7, "output_length": 9, "hash_ids": {"system": [1], "user": [1]}}'
    >>> rag(line, "a.jsonl")
    [Request(key=(0, 1), block_tokens=4, tokens=8, output=9)]
    """

    def named(components: dict[str, list[int]]) -> list[str]:
        return [f"{component}:{index(id)}" for component, ids in components.items() for id in ids]

    def counted(names: list[str], length: int) -> tuple[int, int]:
        block = min(BLOCK, max(1, (2 * length + len(names)) // (2 * len(names))))
        return block, block * len(names)

    return _requests(data, where, named, counted)


def _requests(
    data: bytes,
    where: str,
    names_in: Callable[[Any], list],
    counted: Callable[[list, int], tuple[int, int]],
) -> list[Request]:
    """Return the requests in *data* by time of arrival, those of one time in the order of the file.

    *names_in* makes a list of block names of ``hash_ids``; *counted* says of names and the prompt's length how many
    tokens a block and the prompt count. A request without blocks is left out. Names become ids by first appearance.
    """
    found = []
    for line, record in _records(data, where):
        try:
            names, length = names_in(record["hash_ids"]), index(record["input_length"])
            if names:
                found.append(
                    (float(record["timestamp"]), names, *counted(names, length), index(record["output_length"]))
                )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NoTrace(f"{where}, line {line}: no request of this trace ({type(error).__name__}: {error})") from None
    ids: dict[Any, int] = {}
    return [
        Request(tuple(ids.setdefault(name, len(ids)) for name in names), block, tokens, output)
        for _, names, block, tokens, output in sorted(found, key=lambda request: request[0])
    ]


def _records(data: bytes, where: str) -> Iterator[tuple[int, Any]]:
    """Yield the number of each line of *data* that is not empty, and what its JSON says."""
    for line, text in enumerate(data.splitlines(), 1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except ValueError as error:
                raise NoTrace(f"{where}, line {line}: this is no JSON ({error})") from None
