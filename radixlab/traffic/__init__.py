"""Traffic for a prefix cache: prompts as a serving engine sees them."""

from radixlab.traffic.chat import chat

__all__ = ["chat"]
