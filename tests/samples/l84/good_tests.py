"""A learner's tests that catch every planted bug of chapter L8.4."""

import pytest
from prefix_cache import BlockPool, PrefixCache


def counts(cache):
    return cache.free_blocks(), cache.cached_blocks(), cache.held_blocks()


def running(cache, prompt, *decoded):
    request, _ = cache.start(prompt)
    cache.prefilled(request)
    for token in decoded:
        cache.grow(request, token)
    return request


def test_the_pool_gives_each_block_once():
    pool = BlockPool(3)
    taken = pool.allocate(2)
    with pytest.raises(MemoryError):
        pool.allocate(2)
    assert pool.free_count() == 1
    pool.give_back(taken)
    for wrong in (taken, [taken[0]]):
        with pytest.raises(ValueError):
            pool.give_back(wrong)
    assert pool.free_count() == 3
    assert sorted(pool.allocate(3)) == [0, 1, 2]


def test_requests_that_run_together_share():
    cache = PrefixCache(4, 20)
    first, cached = cache.start(range(10))
    assert (cached, len(cache.table(first))) == (0, 3)
    twin, _ = cache.start(range(10))
    cache.prefilled(first)
    cache.prefilled(twin)
    assert cache.table(twin)[:2] == cache.table(first)[:2]
    assert counts(cache) == (16, 2, 2)
    third, cached = cache.start(range(8))
    assert cached == 4
    assert cache.table(third)[0] == cache.table(first)[0]


def test_what_a_running_request_reads_stays():
    cache = PrefixCache(1, 8)
    reader = running(cache, [1, 2, 3, 4])
    early, cached = cache.start([1, 2, 3, 4])
    assert cached == 3
    cache.abort(early)
    cache.abort(running(cache, [7, 8]))
    newcomer, _ = cache.start([5, 6, 9])
    assert not {*cache.table(newcomer)} & {*cache.table(reader)}
    cache.abort(newcomer)

    cache = PrefixCache(1, 8)
    running(cache, [9, 8])
    cache.abort(running(cache, [1, 2, 3]))
    for prompt in ([1, 2, 3, 10, 11, 12, 13], [20, 21, 22, 23, 24, 25, 26]):
        with pytest.raises(MemoryError):
            cache.start(prompt)
        assert counts(cache) == (3, 5, 0)
    cache.start(range(30, 36))
    assert counts(cache) == (0, 2, 6)


def test_every_block_comes_back():
    cache = PrefixCache(2, 10)
    request = running(cache, [1, 2, 3], 4, 5, 6)
    assert counts(cache) == (7, 1, 2)
    cache.finish(request)
    assert counts(cache) == (8, 2, 0)
    again, cached = cache.start([1, 2, 3, 4, 5, 6, 7])
    assert cached == 4
    assert cache.preempt(again) == [1, 2, 3, 4, 5, 6, 7]
    assert counts(cache) == (8, 2, 0)
    cache.abort(running(cache, [1, 2, 3, 4, 5, 6, 7]))
    assert counts(cache) == (7, 3, 0)
    cache.start(range(20, 40))
    assert counts(cache) == (0, 0, 10)
