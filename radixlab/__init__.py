"""Learn how an LLM engine remembers prompts: write a radix tree, see it drawn, have your own tests graded."""

__version__ = "0.1.0"
