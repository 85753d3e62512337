"""Traffic for a prefix cache: requests as a serving engine sees them, and what a cache saves of them."""

from radixlab.traffic.blocks import Block, belady, lfu
from radixlab.traffic.chat import agents, chat, mixed
from radixlab.traffic.files import NoTrace
from radixlab.traffic.names import TRACES, load
from radixlab.traffic.replay import POLICIES, Row, replay
from radixlab.traffic.table import Table
from radixlab.traffic.trace import Request, Trace, cut

__all__ = [
    "POLICIES",
    "TRACES",
    "Block",
    "NoTrace",
    "Request",
    "Row",
    "Table",
    "Trace",
    "agents",
    "belady",
    "chat",
    "cut",
    "lfu",
    "load",
    "mixed",
    "replay",
]
