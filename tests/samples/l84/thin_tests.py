"""A learner's tests of chapter L8.4 that are valid, and catch little."""

from prefix_cache import BlockPool, PrefixCache


def test_the_pool_gives_each_block_once():
    pool = BlockPool(4)
    assert len({*pool.allocate(2), *pool.allocate(2)}) == 4


def test_requests_that_run_together_share():
    cache = PrefixCache(2, 10)
    first, _ = cache.start([1, 2, 3])
    cache.prefilled(first)
    assert cache.start([1, 2, 4])[1] == 2


def test_what_a_running_request_reads_stays():
    cache = PrefixCache(2, 4)
    request, _ = cache.start([1, 2, 3])
    assert len(cache.table(request)) == 2


def test_every_block_comes_back():
    cache = PrefixCache(2, 4)
    request, _ = cache.start([1, 2, 3])
    cache.abort(request)
    assert cache.free_blocks() == 4
