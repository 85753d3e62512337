"""The checks of the five code stages of chapter L8.4, in the order in which they run.

A check of a stage calls only what is written by then, asks for nothing of a later stage, and passes on every correct
cache. A message starts with the symptom of a pitfall only where the cache shows just that; else it says what was done,
what was expected and what came.
"""

from prefix_cache import BlockPool, PrefixCache


def raised(due, call, *arguments):
    """Return the name of the kind, among those that are *due*, of what the call raised; else its own, or "nothing"."""
    try:
        call(*arguments)
    except (NotImplementedError, RecursionError, NameError, AttributeError):  # a mistake in the code is no answer
        raise
    except Exception as error:
        kinds = due if isinstance(due, tuple) else (due,)
        return next((kind.__name__ for kind in kinds if isinstance(error, kind)), type(error).__name__)
    return "nothing"


def said(symptom, shows, what):
    """Return the message *what*, after the symptom of a pitfall where the cache *shows* just that."""
    return f"{symptom} {what}" if shows else what


def counts(cache):
    """Return how many blocks are free, cached, held."""
    return cache.free_blocks(), cache.cached_blocks(), cache.held_blocks()


def running(cache, prompt):
    """Start a request, let its prompt have KV, and return its id."""
    request, _ = cache.start(prompt)
    cache.prefilled(request)
    return request


def left_behind(cache, prompt):
    """Leave the blocks of *prompt* in the cache, read by nobody."""
    cache.abort(running(cache, prompt))


# pool -----------------------------------------------------------------------------------------------------------------


def test_pool_hands_out_free_blocks():
    """Blocks are numbers from 0 up, each handed out once until it comes back."""
    pool = BlockPool(4)
    assert pool.free_count() == 4, f"BlockPool(4): all 4 blocks are free, free_count says {pool.free_count()}"
    first, none = pool.allocate(3), pool.allocate(0)
    assert (len(set(first)), none) == (3, []), f"allocate(3), allocate(0): 3 blocks and none, got {first} and {none}"
    assert pool.free_count() == 1, f"BlockPool(4), allocate(3): 1 block is free, free_count says {pool.free_count()}"
    everything = sorted(first + pool.allocate(1))
    assert everything == [0, 1, 2, 3], f"BlockPool(4), allocate(3), allocate(1): every block once, got {everything}"
    pool.give_back(first)
    assert pool.free_count() == 3, f"3 of the 4 blocks were given back, free_count says {pool.free_count()}"
    again = sorted(pool.allocate(3))
    assert again == sorted(first), f"blocks {first} were given back, allocate(3) must return them, got {again}"


def test_pool_gives_all_or_nothing():
    """What does not fit, or makes no sense, changes nothing."""
    pool = BlockPool(3)
    taken = pool.allocate(1)
    for n, due in ((3, MemoryError), (-1, ValueError)):
        error = raised(due, pool.allocate, n)
        done = f"BlockPool(3), allocate(1), allocate({n})"
        assert error == due.__name__, f"{done}: {due.__name__} is due, and it raised {error}"
        free = pool.free_count()
        assert free == 2, f"{done}: a refused call changes nothing, so 2 blocks are free, free_count says {free}"
    rest = pool.allocate(2)
    assert len({*taken, *rest}) == 3, f"BlockPool(3), allocate(1), allocate(2): 3 blocks, got {taken} and {rest}"


def test_pool_takes_no_block_twice():
    """Only a block in use can come back, and only once."""
    for wrong in ("given back before", "named twice", "never handed out", "past the end"):
        pool = BlockPool(4)
        kept, gone = pool.allocate(2)
        pool.give_back([gone])
        second = {"given back before": gone, "named twice": kept, "past the end": 4}
        blocks = [kept, second.get(wrong, min({0, 1, 2, 3} - {kept, gone}))]
        error, free = raised(ValueError, pool.give_back, blocks), pool.free_count()
        done = f"BlockPool(4), blocks {kept} and {gone} taken, {gone} given back, give_back({blocks}), one {wrong}"
        again = pool.allocate(free) if error == "nothing" else []
        assert error == "ValueError", said(
            "One block is handed out twice.", len(set(again)) < len(again), f"{done}: ValueError is due, got {error}"
        )
        assert free == 3, f"{done}: a refused call changes nothing, so 3 blocks are free, free_count says {free}"


# start ----------------------------------------------------------------------------------------------------------------


def test_start_takes_a_block_for_each_block_size_tokens():
    """The last block may be partly used; whatever a request holds is counted."""
    cache, held, named = PrefixCache(4, 20), 0, []
    for length, blocks in ((1, 1), (4, 1), (5, 2), (8, 2), (9, 3)):
        prompt = [100 * length + i for i in range(length)]
        request, cached = cache.start(prompt)
        done = f"block size 4, 20 blocks, start a prompt of {length} tokens"
        assert cached == 0, f"{done}: nothing like it was stored, so 0 tokens are cached, got {cached}"
        assert cache.tokens(request) == prompt, f"{done}: its tokens are the prompt, got {cache.tokens(request)}"
        table = cache.table(request)
        assert len(table) == blocks, said(
            "The last tokens of a prompt have no place.",
            len(table) == length // 4,
            f"{done}: every token needs a place, that is {blocks} blocks, got {table}",
        )
        named += table
        assert len(set(named)) == len(named), f"{done}: its blocks are nobody else's, got {table} among {named}"
        held += blocks
        due = 20 - held, 0, held
        assert counts(cache) == due, said(
            "The blocks that a request took itself count as shared.",
            counts(cache) == (20 - held, 0, 0),
            f"{done}: free, cached, held are {due}, got {counts(cache)}",
        )


def test_start_refuses_what_cannot_run():
    """A refused prompt leaves nothing behind."""
    cache = PrefixCache(2, 4)
    request, _ = cache.start([1, 2, 3])
    no_token = TypeError, ValueError, OverflowError
    for prompt, due, why in (
        ([], (ValueError,), "nothing of an empty prompt can be computed"),
        ([1, -1], no_token, "-1 is no token"),
        ([5, 6, 7, 8, 9], (MemoryError,), "it needs 3 blocks, and 2 are free"),
        (list(range(9)), (MemoryError,), "it needs 5 blocks, and there are 4 in all"),
    ):
        done, names = f"block size 2, 4 blocks, start([1, 2, 3]), start({prompt})", [kind.__name__ for kind in due]
        error = raised(due, cache.start, prompt)
        assert error in names, f"{done}: {why}, so {' or '.join(names)} is due, got {error}"
        assert counts(cache) == (2, 0, 2), f"{done}: nothing may change, free, cached, held are {counts(cache)}"
    assert len(cache.table(request)) == 2, "the running request keeps its 2 blocks whatever is refused to others"
    fits = raised(MemoryError, cache.start, [5, 6, 7, 8])
    assert fits == "nothing", f"block size 2, 2 of 4 blocks free: a prompt of 4 tokens fits, and start raised {fits}"


def test_start_and_abort_leave_nothing():
    """An aborted request gives all its blocks back, and its id is dead."""
    cache, ids = PrefixCache(2, 6), []
    for turn in range(5):
        request, _ = cache.start([1, 2, 3, 4, 5])
        ids.append(request)
        assert counts(cache) == (3, 0, 3), f"turn {turn}, start 5 tokens at block size 2: got {counts(cache)}"
        cache.abort(request)
        done = f"turn {turn}, block size 2, 6 blocks, start 5 tokens, abort"
        assert counts(cache) == (6, 0, 0), f"{done}: every block is free again, free, cached, held are {counts(cache)}"
        for call in (cache.table, cache.tokens, cache.abort):
            error = raised(LookupError, call, request)
            assert error == "LookupError", f"{done}: the request runs no more, so LookupError is due, got {error}"
    assert len(set(ids)) == 5, f"five requests were started, one after the other: an id is never used again, got {ids}"
    for wrong in (-1, max(ids) + 1, None):
        error = raised(LookupError, cache.table, wrong)
        assert error == "LookupError", f"table({wrong!r}): no such request was ever started, got {error}"


def test_start_reads_what_is_cached():
    """Cached blocks need neither computing nor a block of their own, and stay cached when their reader ends."""
    for block_size, stored, prompt, due in ((4, 8, 9, 8), (4, 8, 8, 4), (1, 3, 3, 2), (4, 4, 4, 0), (2, 4, 9, 4)):
        cache, blocks = PrefixCache(block_size, 20), -(-prompt // block_size)
        cache.warm(range(stored))
        done = f"block size {block_size}, 20 blocks, {stored} tokens cached, start {prompt} that begin alike"
        request, cached = cache.start(range(prompt))
        assert cached == due, said(
            "A prompt that is cached whole has no token left to compute.",
            cached == prompt,
            f"{done}: {due} tokens are cached, in whole blocks and less than the prompt, got {cached}",
        )
        shared, whole = due // block_size, stored // block_size
        other, _ = cache.start(range(prompt))
        mine, yours = cache.table(request), cache.table(other)
        assert (len(mine), len(yours)) == (blocks, blocks), f"{done}, twice: {blocks} blocks each, {mine}, {yours}"
        common = len({*mine} & {*yours})
        assert (common, mine[:shared]) == (shared, yours[:shared]), (
            f"{done}, twice: both begin with the same {shared} cached blocks and share no other, got {mine} and {yours}"
        )
        held = 2 * (blocks - shared)
        counted = 20 - whole - held, whole, held
        assert counts(cache) == counted, f"{done}, twice: free, cached, held are {counted}, got {counts(cache)}"
        for ended in (request, other):
            error = raised((), cache.abort, ended)
            assert error == "nothing", said(
                "A block is free and cached at once, and is handed out while others read it."
                if error == "ValueError"
                else "An unlock takes away the lock of another request.",
                error in ("ValueError", "RuntimeError"),
                f"{done}, twice, abort both: the abort raised {error}",
            )
        counted = 20 - whole, whole, 0
        assert counts(cache) == counted, said(
            "A block is free and cached at once, and is handed out while others read it.",
            sum(counts(cache)) > 20,
            f"{done}, twice, abort both: free, cached, held are {counted}, got {counts(cache)}",
        )


def test_start_locks_what_it_reads_until_it_ends():
    """What is read stays, whatever is evicted; what was read can be had again, whatever the tree has become."""
    cache = PrefixCache(1, 10)
    cache.warm([1, 2])
    request, _ = cache.start([1, 2, 3, 4])
    cache.warm([1, 2, 3, 5])
    cache.flush()
    done = "block size 1, 10 blocks, 1 2 cached, start 1 2 3 4, warm 1 2 3 5, flush"
    assert counts(cache) == (6, 2, 2), f"{done}: 1 2 is read and stays, so 6 2 2 are due, got {counts(cache)}"
    cache.warm([1, 2, 3, 5])
    error = raised((), cache.abort, request)
    assert error == "nothing", said(
        "An unlock takes away the lock of another request.",
        error == "RuntimeError",
        f"{done}, warm 1 2 3 5 again, abort: it must unlock the node that it locked, and raised {error}",
    )
    cache.flush()
    assert counts(cache) == (10, 0, 0), said(
        "What an aborted request read can never be evicted.",
        cache.cached_blocks() > 0,
        f"{done}, warm 1 2 3 5 again, abort, flush: nobody reads, so all 10 are free, got {counts(cache)}",
    )


def test_start_refused_leaves_no_lock():
    """A start that finds too few blocks has matched something by then, and reads it no more."""
    cache = PrefixCache(1, 4)
    cache.warm([1, 2])
    cache.start([9])
    done = "block size 1, 4 blocks, 1 2 cached, 9 running, start 1 2 3 4"
    error = raised(MemoryError, cache.start, [1, 2, 3, 4])
    assert error == "MemoryError", f"{done}: 2 blocks are missing and 1 is free, so MemoryError is due, got {error}"
    assert counts(cache) == (1, 2, 1), f"{done}: refused, so nothing changes: 1 2 1 are due, got {counts(cache)}"
    cache.flush()
    assert counts(cache) == (3, 0, 1), said(
        "A rejected request keeps its prefix locked.",
        cache.cached_blocks() > 0,
        f"{done}, refused, flush: nobody reads 1 2, so 3 0 1 are due, got {counts(cache)}",
    )


# share ----------------------------------------------------------------------------------------------------------------


def test_share_requests_that_run_together():
    """What has KV is shared at once, in whole blocks, while the one who computed it still runs."""
    cache = PrefixCache(4, 20)
    first = running(cache, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    done = "block size 4, 20 blocks, start 1..9, prefilled"
    second, cached = cache.start([1, 2, 3, 4, 5, 6, 7, 8, 10])
    assert cached == 8, said(
        "Requests that run together share nothing.",
        cached == 0,
        f"{done}, start 1..8 10: 1..8 has KV in two whole blocks, so 8 tokens are cached, got {cached}",
    )
    mine, yours = cache.table(first), cache.table(second)
    assert mine[:2] == yours[:2], f"{done}, start 1..8 10: both read the same two blocks, got {mine} and {yours}"
    assert mine[2] != yours[2], f"{done}, start 1..8 10: each writes into a block of its own, got {mine} and {yours}"
    assert counts(cache) == (16, 2, 2), said(
        "A block that is not full is cached.",
        cache.cached_blocks() == 3,
        f"{done}, start 1..8 10: free 16, cached 2, held 2 are due, got {counts(cache)}",
    )
    error = raised(RuntimeError, cache.prefilled, first)
    assert error == "RuntimeError", f"{done} twice: RuntimeError is due, got {error}"
    cache.abort(first)
    assert cache.table(second) == yours, f"{done}, start 1..8 10, abort the first: the second reads on"
    cache.abort(second)
    due = (18, 2, 0)
    assert counts(cache) == due, f"both aborted: free, cached, held are {due}, as the cache keeps, got {counts(cache)}"
    error = raised(LookupError, cache.prefilled, second)
    assert error == "LookupError", f"prefilled of an aborted request: LookupError is due, got {error}"


def test_share_a_full_prompt_computes_its_last_block():
    """Sampling needs the logits of the last token, so somebody has to compute it."""
    for block_size, prompt, due in ((4, range(8), 4), (1, range(3), 2), (4, range(9), 8), (4, range(4), 0)):
        cache = PrefixCache(block_size, 20)
        left_behind(cache, list(prompt))
        done = f"block size {block_size}, a prompt of {len(prompt)} tokens cached, start it again"
        request, cached = cache.start(list(prompt))
        assert cached == due, said(
            "A prompt that is cached whole has no token left to compute.",
            cached == len(prompt),
            f"{done}: {due} tokens are cached, in whole blocks and less than all, got {cached}",
        )
        before = cache.cached_blocks()
        cache.prefilled(request)
        after = cache.cached_blocks()
        assert before == after, f"{done}, prefilled: all was cached, so {before} blocks are, got {after}"


def test_share_keeps_one_copy_of_what_two_computed():
    """Of two copies the one stored first stays; the table takes it over, and the other block is free."""
    cache = PrefixCache(2, 20)
    first, _ = cache.start([1, 2, 3, 4, 5])
    second, _ = cache.start([1, 2, 3, 4, 6])
    tail = cache.table(second)[2]
    cache.prefilled(first)
    kept = cache.table(first)
    cache.prefilled(second)
    done = "block size 2, start 1..5 and 1..4 6, both prefilled"
    table, free = cache.table(second), cache.free_blocks()
    newcomer, _ = cache.start([7, 8, 9, 10])
    assert table == [*kept[:2], tail], said(
        "A table names a free block, and the next request writes into it.",
        bool({*table} & {*cache.table(newcomer)}),
        f"{done}: the second reads the first one's blocks and keeps its tail, {[*kept[:2], tail]}, got {table}",
    )
    assert cache.table(first) == kept, f"{done}: the table of the first stays {kept}, got {cache.table(first)}"
    assert free == 16, f"{done}: 2 blocks are cached, 2 are held, so 16 are free, free_blocks says {free}"
    cache.abort(first)
    cache.abort(second)
    cache.abort(newcomer)
    assert counts(cache) == (18, 2, 0), f"{done}, all aborted: 18 free and 2 cached are due, got {counts(cache)}"


def test_share_stores_below_what_is_shared():
    """A request that begins with cached blocks adds the rest of its prompt below them."""
    cache = PrefixCache(2, 20)
    left_behind(cache, [1, 2, 3, 4])
    request, cached = cache.start([1, 2, 3, 4, 5, 6, 7])
    table = cache.table(request)
    cache.prefilled(request)
    done = "block size 2, 1..4 cached, start 1..7, prefilled"
    got = cached, cache.table(request), counts(cache)
    due = 4, table, (16, 3, 1)
    assert got == due, f"{done}: cached tokens, table, and free, cached, held are {due}, got {got}"
    other, cached = cache.start([1, 2, 3, 4, 5, 6, 8])
    assert cached == 6, f"{done}, start 1..6 8: three blocks are cached by now, 6 tokens, got {cached}"
    shared = cache.table(other)[:3]
    assert shared == table[:3], f"{done}, start 1..6 8: it reads the blocks {table[:3]}, got {shared}"


def test_share_moves_the_lock():
    """From `prefilled` on the whole prompt is pinned, and once its last reader has ended nothing is."""
    cache = PrefixCache(2, 12)
    first = running(cache, [1, 2, 3, 4, 5])
    cache.flush()
    done = "block size 2, 12 blocks, 1..5 running, flush"
    assert counts(cache) == (9, 2, 1), said(
        "The blocks that a running request reads are evicted.",
        cache.cached_blocks() < 2,
        f"{done}: 1..4 is read and stays, so 9 2 1 are due, got {counts(cache)}",
    )
    second = running(cache, [1, 2, 3, 4, 6, 7, 8])
    cache.abort(first)
    cache.flush()
    done = f"{done}, 1..4 6 7 8 running, abort 1..5, flush"
    assert counts(cache) == (8, 3, 1), f"{done}: the second reads three blocks, so 8 3 1 are due, got {counts(cache)}"
    cache.abort(second)
    cache.flush()
    assert counts(cache) == (12, 0, 0), said(
        "What an aborted request read can never be evicted.",
        cache.cached_blocks() > 0,
        f"{done}, abort the other, flush: nobody reads, so all 12 are free, got {counts(cache)}",
    )


def test_share_a_prompt_shorter_than_a_block():
    """There is nothing to store, and nothing to refuse."""
    cache = PrefixCache(4, 6)
    request, _ = cache.start([1, 2, 3])
    done = "block size 4, 6 blocks, start 1 2 3, prefilled"
    error = raised((), cache.prefilled, request)
    assert error == "nothing", f"{done}: no block is whole, nothing is stored, and it raised {error}"
    assert counts(cache) == (5, 0, 1), f"{done}: no block is whole, so 5 0 1 are due, got {counts(cache)}"
    cache.abort(request)
    assert counts(cache) == (6, 0, 0), f"{done}, abort: every block is free again, got {counts(cache)}"


# room -----------------------------------------------------------------------------------------------------------------


def test_room_evicts_what_is_missing():
    """What nobody reads makes room, the least recently used first, and no more of it than is needed."""
    cache = PrefixCache(1, 5)
    left_behind(cache, [1, 2])
    left_behind(cache, [3, 4])
    done = "block size 1, 5 blocks, 1 2 and then 3 4 cached and read by nobody"
    error = raised(MemoryError, cache.start, [5, 6])
    assert error == "nothing", said(
        "What an aborted request read can never be evicted.",
        error == "MemoryError",
        f"{done}, start 5 6: 1 block is free and 4 can be evicted, so it fits, and start raised {error}",
    )
    assert counts(cache) == (1, 2, 2), (
        f"{done}, start 5 6: one leaf goes, free 1, cached 2, held 2, got {counts(cache)}"
    )
    _, cached = cache.start([3, 4, 9])
    assert cached == 2, f"{done}, start 5 6, start 3 4 9: the oldest, 1 2, had to go and not 3 4, cached {cached}"


def test_room_locks_before_it_evicts():
    """What a request has matched is its own from that moment on, also while its other blocks are looked for."""
    cache = PrefixCache(1, 5)
    running(cache, [9])
    left_behind(cache, [1, 2, 3])
    done = "block size 1, 5 blocks, 9 running, 1 2 3 cached, 1 free, start 1 2 3 4 5"
    error = raised(MemoryError, cache.start, [1, 2, 3, 4, 5])
    assert error == "MemoryError", said(
        "The matched blocks are evicted before they are locked.",
        cache.cached_blocks() < 4 or error == "LookupError",
        f"{done}: 2 blocks are missing, and all that is cached is read, so MemoryError is due, got {error}",
    )
    assert counts(cache) == (1, 4, 0), f"{done}: refused, so nothing changes: 1 4 0 are due, got {counts(cache)}"


def test_room_never_takes_what_is_read():
    """The prompt of a running request stays, however old its last use is."""
    cache = PrefixCache(1, 6)
    reader = running(cache, [1, 2, 3])
    left_behind(cache, [7, 8])
    table = cache.table(reader)
    newcomer, _ = cache.start([5, 6])
    done = "block size 1, 6 blocks, 1 2 3 running, 7 8 cached after it, start 5 6"
    taken = cache.table(newcomer)
    assert not {*table} & {*taken}, said(
        "The blocks that a running request reads are evicted.",
        True,
        f"{done}: it must make room with 7 8, and took {taken} while 1 2 3 reads {table}",
    )
    assert counts(cache) == (1, 3, 2), f"{done}: 7 8 goes whole, so 1 3 2 are due, got {counts(cache)}"
    cache.abort(newcomer)
    cache.abort(reader)
    error = raised(MemoryError, cache.start, [10, 11, 12, 13, 14, 15])
    assert error == "nothing", f"{done}, both aborted: all 6 blocks can be had, and a start that needs 6 raised {error}"


def test_room_an_abort_undoes_its_own_lock():
    """A request that never got to share its prompt has locked less of it than another one reads."""
    cache = PrefixCache(1, 8)
    reader = running(cache, [1, 2, 3, 4])
    other, _ = cache.start([1, 2, 3, 4])
    done = "block size 1, 8 blocks, 1 2 3 4 running, start it once more, abort that"
    error = raised((), cache.abort, other)
    assert error == "nothing", f"{done}: the abort raised {error}"
    left_behind(cache, [7, 8])
    newcomer, _ = cache.start([5, 6, 9])
    done = f"{done}, 7 8 cached, start 5 6 9"
    table, taken = cache.table(reader), cache.table(newcomer)
    assert not {*table} & {*taken}, said(
        "An unlock takes away the lock of another request.",
        True,
        f"{done}: it must make room with 7 8, and took {taken} while 1 2 3 4 reads {table}",
    )
    cache.abort(newcomer)
    cache.abort(reader)
    error = raised(MemoryError, cache.start, list(range(10, 18)))
    assert error == "nothing", f"{done}, all aborted: 8 blocks can be had, and a start that needs 8 raised {error}"


def test_room_refuses_before_anything_goes():
    """A request that does not fit costs the others nothing, and leaves nothing behind."""
    cache = PrefixCache(1, 6)
    running(cache, [9, 8])
    left_behind(cache, [1, 2, 3])
    done = "block size 1, 6 blocks, 9 8 running, 1 2 3 cached, 1 free, start 5 blocks"
    error = raised(MemoryError, cache.start, [5, 6, 7, 4, 3])
    assert error == "MemoryError", f"{done}: 1 is free and 3 can be evicted, so MemoryError is due, got {error}"
    assert counts(cache) == (1, 5, 0), said(
        "A request that does not fit empties the cache.",
        cache.cached_blocks() == 2,
        f"{done}: refused, so nothing changes: 1 5 0 are due, got {counts(cache)}",
    )
    error = raised(MemoryError, cache.start, [1, 2, 3, 5, 6])
    assert error == "MemoryError", f"{done}, start 1 2 3 5 6: 1 is free for 2 tokens: MemoryError is due, got {error}"
    assert counts(cache) == (1, 5, 0), f"{done}, start 1 2 3 5 6: nothing changes: 1 5 0 are due, got {counts(cache)}"
    error = raised(MemoryError, cache.start, [5, 6, 7])
    assert error == "nothing", said(
        "A rejected request keeps its prefix locked.",
        error == "MemoryError",
        f"{done}, start 1 2 3 5 6, both refused, start 5 6 7: nobody reads 1 2 3, so it fits, got {error}",
    )


def test_room_counts_its_own_match_as_read():
    """While a start looks for blocks, what it has matched is as little to be had as what others read."""
    cache = PrefixCache(1, 6)
    running(cache, [20, 21])
    for prompt in ([1, 2, 3], [7]):
        left_behind(cache, prompt)
    done = "block size 1, 6 blocks, 20 21 running, 1 2 3 and 7 cached, start 1 2 3 4 5"
    error = raised(MemoryError, cache.start, [1, 2, 3, 4, 5])
    assert error == "MemoryError", f"{done}: 2 blocks are missing, 7 alone can go: MemoryError is due, got {error}"
    assert counts(cache) == (0, 6, 0), said(
        "A start counts its own match as evictable.",
        counts(cache) == (1, 5, 0),
        f"{done}: refused, so nothing changes: 0 6 0 are due, got {counts(cache)}",
    )


def test_room_counts_a_block_once_that_two_read():
    """However many read a block, it is one block less that can be evicted."""
    cache = PrefixCache(1, 8)
    running(cache, [1, 2, 3])
    second, cached = cache.start([1, 2, 3])
    done = "block size 1, 8 blocks, 1 2 3 running, start it once more"
    assert cached == 2, f"{done}: 1 2 is cached, and 3 is left to compute, got {cached}"
    cache.preempt(running(cache, [7, 8]))
    error = raised(MemoryError, cache.start, [5, 6, 9, 10])
    done = f"{done}, 7 8 preempted, start 5 6 9 10"
    assert error == "nothing", (
        f"{done}: 2 blocks are free, and 7 8 can be evicted, since 1 2 is 2 blocks and not 4, so it fits; got {error}"
    )
    assert len(cache.table(second)) == 3, f"{done}: the second 1 2 3 keeps its 3 blocks, got {cache.table(second)}"


def test_room_preempt_gives_blocks_and_tokens_back():
    """A preempted request costs nothing until it starts again, and finds its prompt where it left it."""
    cache = PrefixCache(4, 10)
    prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    request = running(cache, prompt)
    tokens = cache.preempt(request)
    done = "block size 4, 10 blocks, start 1..9, prefilled, preempt"
    assert tokens == prompt, f"{done}: its tokens come back, so that it can start again, got {tokens}"
    free = cache.free_blocks()
    assert free == 8, said(
        "A preempted request makes no room.", free == 7, f"{done}: 2 blocks stay cached, 8 are free, got {free}"
    )
    error = raised(LookupError, cache.preempt, request)
    assert error == "LookupError", f"{done} twice: it runs no more, so LookupError is due, got {error}"
    again, cached = cache.start(tokens)
    assert (again != request, cached) == (True, 8), f"{done}, start again: a new id and 8 cached tokens, got {cached}"
    early, _ = cache.start([21, 22])
    tokens = cache.preempt(early)
    assert tokens == [21, 22], f"preempt before prefilled: it can be preempted at any moment, got {tokens}"
    due = (7, 2, 1)
    assert counts(cache) == due, f"{done}, start again: free, cached, held are {due}, got {counts(cache)}"


# finish ---------------------------------------------------------------------------------------------------------------


def test_finish_grow_takes_a_block_when_the_last_is_full():
    """A token has a place from the moment it is sampled."""
    cache = PrefixCache(4, 10)
    request, _ = cache.start([1, 2, 3])
    for call, arguments in ((cache.grow, (request, 4)), (cache.finish, (request,))):
        error = raised(RuntimeError, call, *arguments)
        assert error == "RuntimeError", f"start, and no prefilled yet: RuntimeError is due, got {error}"
    cache.prefilled(request)
    for tokens, blocks in ((4, 1), (5, 2), (6, 2), (7, 2), (8, 2), (9, 3)):
        cache.grow(request, tokens)
        done = f"block size 4, start 1 2 3, prefilled, grow up to {tokens} tokens"
        grown, table = cache.tokens(request), cache.table(request)
        assert grown == list(range(1, tokens + 1)), f"{done}: a decoded token follows the others, got {grown}"
        assert len(table) == blocks, f"{done}: every token needs a place, that is {blocks} blocks, got {table}"
    assert counts(cache) == (7, 0, 3), f"{done}: 7 free and 3 held are due, got {counts(cache)}"
    cache.abort(request)
    assert counts(cache) == (10, 0, 0), f"{done}, abort: every block is free again, got {counts(cache)}"
    error = raised(LookupError, cache.grow, request, 5)
    assert error == "LookupError", f"{done}, abort, grow: it runs no more, so LookupError is due, got {error}"


def test_finish_a_refused_grow_changes_nothing():
    """The engine preempts somebody and asks again, so the token must not be there yet."""
    cache = PrefixCache(2, 3)
    request, other = running(cache, [1, 2]), running(cache, [3, 4, 5])
    done = "block size 2, 3 blocks, 1 2 and 3 4 5 running, grow the first"
    error = raised(MemoryError, cache.grow, request, 9)
    assert error == "MemoryError", f"{done}: no block is free and none can be evicted, so MemoryError, got {error}"
    got = cache.tokens(request), len(cache.table(request)), counts(cache)
    due = [1, 2], 1, (0, 2, 1)
    assert got == due, f"{done}: refused, so nothing changes: tokens, blocks, counts are {due}, got {got}"
    tokens = cache.preempt(other)
    assert tokens == [3, 4, 5], f"{done}, preempt the second: its tokens come back, got {tokens}"
    error = raised(MemoryError, cache.grow, request, 9)
    assert error == "nothing", f"{done}, preempt the second, grow again: a block is free by now, and it raised {error}"
    got = cache.tokens(request), len(cache.table(request)), counts(cache)
    due = [1, 2, 9], 2, (0, 2, 1)
    assert got == due, f"{done}, preempt the second, grow again: tokens, blocks, counts are {due}, got {got}"


def test_finish_stores_what_has_kv():
    """The token sampled last has no KV: nobody has computed it."""
    for prompt, decoded, due in (([1, 2, 3], 1, 0), ([1, 2, 3], 2, 1), ([1, 2, 3, 4], 0, 1), ([1, 2, 3, 4], 5, 2)):
        cache = PrefixCache(4, 10)
        request = running(cache, prompt)
        for token in range(decoded):
            cache.grow(request, 50 + token)
        tokens = cache.tokens(request)
        cache.finish(request)
        done = f"block size 4, 10 blocks, a prompt of {len(prompt)} and {decoded} decoded tokens, finish"
        free, cached, held = counts(cache)
        assert cached == due, said(
            "A block is cached before its last token has KV.",
            cached == len(tokens) // 4,
            f"{done}: all but the last decoded token have KV, {due} whole blocks, got {cached}",
        )
        assert (free, held) == (10 - due, 0), said(
            "The last block of each finished request leaks.",
            (free, held) == (9 - due, 0),
            f"{done}: {due} blocks stay cached and {10 - due} are free, got {counts(cache)}",
        )
        _, cached = cache.start([*tokens, 99])
        assert cached == 4 * due, f"{done}, start its tokens and one more: {4 * due} are cached, got {cached}"
        error = raised(LookupError, cache.finish, request)
        assert error == "LookupError", f"{done} twice: it runs no more, so LookupError is due, got {error}"


def test_finish_keeps_one_copy_of_what_two_decoded():
    """Two requests that decode the same leave one copy of it."""
    cache = PrefixCache(2, 10)
    first, second = running(cache, [1, 2, 3]), running(cache, [1, 2, 3])
    for token in (4, 5):
        cache.grow(first, token)
        cache.grow(second, token)
    done = "block size 2, 10 blocks, 1 2 3 twice, each decodes 4 5"
    assert counts(cache) == (5, 1, 4), f"{done}: free 5, cached 1, held 4 are due, got {counts(cache)}"
    cache.finish(first)
    assert counts(cache) == (6, 2, 2), f"{done}, the first finishes: 6 2 2 are due, got {counts(cache)}"
    cache.finish(second)
    assert counts(cache) == (8, 2, 0), f"{done}, both finish: 3 4 is kept once, 8 2 0 are due, got {counts(cache)}"
    error = raised(MemoryError, cache.start, list(range(20, 40)))
    assert error == "nothing", (
        f"{done}, both finish: nobody reads, so all 10 blocks can be had, and start raised {error}"
    )


def test_finish_refuses_what_is_no_token():
    """A grow that is refused has taken no block, and has computed nothing."""
    cache, no_token = PrefixCache(2, 10), (TypeError, ValueError, OverflowError)
    request = running(cache, [1, 2, 3])
    cache.grow(request, 4)
    done = "block size 2, 10 blocks, a prompt of 3 tokens, grow 4, grow -1"
    error = raised(no_token, cache.grow, request, -1)
    assert error in [kind.__name__ for kind in no_token], f"{done}: -1 is no token, and it raised {error}"
    assert counts(cache) == (8, 1, 1), said(
        "A refused token has cost a block.",
        cache.held_blocks() == 2,
        f"{done}: refused, so nothing changes: 8 1 1 are due, got {counts(cache)}",
    )
    cache.finish(request)
    assert counts(cache) == (9, 1, 0), said(
        "A block is cached before its last token has KV.",
        cache.cached_blocks() == 2,
        f"{done}, finish: 3 tokens have KV, so 9 1 0 are due, got {counts(cache)}",
    )


def test_finish_reads_no_further_than_it_stores():
    """Another request may have stored what this one has decoded and not computed."""
    cache = PrefixCache(2, 10)
    left_behind(cache, [1, 2, 3, 4])
    request = running(cache, [1, 2, 3])
    cache.grow(request, 4)
    done = "block size 2, 10 blocks, 1..4 cached, a prompt 1 2 3 running, grow 4, finish"
    error = raised((), cache.finish, request)
    assert error == "nothing", f"{done}: 3 tokens have KV, one whole block that is cached, and it raised {error}"
    assert counts(cache) == (8, 2, 0), f"{done}: 1..4 stays cached, the rest is free, 8 2 0, got {counts(cache)}"


def test_finish_alone_stores_what_was_decoded():
    """Who aborts or preempts wants room: no more is cached than before."""
    for end in ("abort", "preempt"):
        cache = PrefixCache(2, 10)
        request = running(cache, [1, 2, 3])
        for token in (4, 5):
            cache.grow(request, token)
        (cache.abort if end == "abort" else cache.preempt)(request)
        done = f"block size 2, 10 blocks, a prompt 1 2 3, grow 4 and 5, {end}"
        assert counts(cache) == (9, 1, 0), f"{done}: only 1 2 was cached and is, so 9 1 0 are due, got {counts(cache)}"
