"""Your own tests of the prefix cache, graded by the planted bugs that they catch (chapter L8.4).

Promise only what the chapter promises, so that each test passes on every correct cache: a block and a request are known
by what a call returned, never by a number of your own. An OutOfBlocks reaches a test as a MemoryError.
"""

import pytest
from prefix_cache import BlockPool, PrefixCache


def test_the_pool_gives_each_block_once():
    """A block is handed out once until it comes back, and comes back once."""
    raise NotImplementedError(
        "write: allocate and give back; compare free_count and the blocks; give one back twice, in two calls and in "
        "one, and expect ValueError and an unchanged pool"
    )


def test_requests_that_run_together_share():
    """A prompt that has KV is shared at once, in whole blocks, and one token at least is left to compute."""
    raise NotImplementedError(
        "write: start a prompt, prefilled, start it again and compare the cached tokens and the tables; start two "
        "before either is prefilled, and compare tables and counts after both are"
    )


def test_what_a_running_request_reads_stays():
    """Eviction takes what nobody reads, the oldest first, and nothing at all when that is not enough."""
    raise NotImplementedError(
        "write: fill a small cache with prompts, some running and some aborted; start one that needs eviction, and see "
        "that no two tables share a block they should not; start one that cannot fit, and compare what changed: nothing"
    )


def test_every_block_comes_back():
    """Free, cached and held blocks add up to all there are, whatever way a request ends."""
    raise NotImplementedError(
        "write: grow, finish, abort and preempt requests, some after a prompt that ends inside a block; after each "
        "call compare free_blocks, cached_blocks and held_blocks with what you expect; then start the next turn"
    )
