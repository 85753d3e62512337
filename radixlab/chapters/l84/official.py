"""The nine tests of chapter L8.4: what `ol check` runs against a prefix cache.

They see the public face only: which blocks a table names, how many are free, cached and held, how many tokens of a
prompt were cached. Which number a block or a request has is nobody's business. What each checks, and why it matters
downstream, is on the card of the chapter.
"""

import random
from itertools import takewhile

from prefix_cache import BlockPool, PrefixCache


def refuses(error, call, *arguments):
    """Say whether the call raises *error*; a part that is unwritten, or that recurses without end, refuses nothing."""
    try:
        call(*arguments)
    except (NotImplementedError, RecursionError):
        raise
    except error:
        return True
    return False


def counts(cache):
    """Return how many blocks are free, cached, held."""
    return cache.free_blocks(), cache.cached_blocks(), cache.held_blocks()


def running(cache, prompt, *decoded):
    """Start a request, let its prompt have KV, decode, and return its id."""
    request, _ = cache.start(prompt)
    cache.prefilled(request)
    for token in decoded:
        cache.grow(request, token)
    return request


def left_behind(cache, prompt):
    """Leave the blocks of *prompt* in the cache, read by nobody."""
    cache.abort(running(cache, prompt))


def test_the_pool_gives_each_block_once():
    """A block is handed out once until it comes back; what does not fit or is not out changes nothing."""
    pool = BlockPool(5)
    first, second = pool.allocate(2), pool.allocate(2)
    assert len({*first, *second}) == 4, f"allocate(2) twice: four blocks, got {first} and {second}"
    assert refuses(MemoryError, pool.allocate, 2), "1 of 5 blocks is free: allocate(2) must raise MemoryError"
    assert refuses(ValueError, pool.allocate, -1), "allocate(-1) must raise ValueError"
    assert pool.free_count() == 1, "an allocate that is refused takes no block"
    pool.give_back(first)
    assert pool.free_count() == 3, "two blocks came back"
    for wrong in (first, [second[0], second[0]], [second[0], first[0]], [second[0], 5], [-1]):
        assert refuses(ValueError, pool.give_back, wrong), f"give_back({wrong}), one not in use: ValueError is due"
        assert pool.free_count() == 3, f"give_back({wrong}) was refused: no block may come back"
    third = pool.allocate(3)
    assert len({*second, *third}) == 5, f"allocate(3): all five blocks are out, each once, got {second} and {third}"
    assert pool.allocate(0) == [], "allocate(0) needs no free block"


def test_a_start_holds_blocks_until_it_ends():
    """A prompt has a block for every *block_size* tokens; an end gives them back; a dead id is an error."""
    cache = PrefixCache(4, 8)
    short, cached = cache.start([1, 2, 3])
    assert (cached, len(cache.table(short))) == (0, 1), "3 tokens at block size 4: one block, nothing cached"
    long, cached = cache.start(range(10, 19))
    assert (cached, len(cache.table(long))) == (0, 3), "9 tokens at block size 4: three blocks, nothing cached"
    assert cache.tokens(long) == list(range(10, 19)), "the tokens of a request are its prompt"
    named = {*cache.table(short), *cache.table(long)}
    assert len(named) == 4, f"two tables name different blocks, got {named}"
    assert counts(cache) == (4, 0, 4), f"free, cached, held are 4 0 4, got {counts(cache)}"
    for prompt, due in (([], ValueError), (range(17), MemoryError), (range(33), MemoryError)):
        assert refuses(due, cache.start, prompt), f"start({prompt}), 4 of 8 blocks free: {due.__name__} is due"
        assert counts(cache) == (4, 0, 4), f"start({prompt}) was refused: nothing may change"
    cache.abort(short)
    assert counts(cache) == (5, 0, 3), f"the short one was aborted: free, cached, held are 5 0 3, got {counts(cache)}"
    for call in (cache.abort, cache.table, cache.tokens):
        assert refuses(LookupError, call, short), "it was aborted: its id must raise LookupError"
    again, _ = cache.start([1, 2, 3])
    assert again not in (short, long), "an id is never used again: whoever kept the old one must hear of it"
    assert refuses(ValueError, PrefixCache, 0, 4), "a block of 0 tokens: ValueError is due"
    assert refuses(ValueError, PrefixCache, 4, 0), "a cache of 0 blocks: ValueError is due"


def test_a_full_prompt_computes_its_last_block():
    """The logits of the last token have to be computed by somebody, so less than the prompt is cached."""
    for block_size, length, due in ((4, 8, 4), (1, 5, 4), (4, 4, 0), (4, 9, 8), (2, 7, 6)):
        cache = PrefixCache(block_size, 16)
        left_behind(cache, range(length))
        stored = cache.cached_blocks()
        done = f"block size {block_size}, the same prompt of {length} tokens again"
        assert stored == length // block_size, f"{done}: the whole blocks of the first are cached, and no other"
        request, cached = cache.start(range(length))
        assert cached == due, f"{done}: {due} tokens come from the cache, got {cached}"
        cache.prefilled(request)
        whole = length // block_size
        held = len(cache.table(request)) - whole
        assert counts(cache) == (16 - whole - held, whole, held), f"{done}: one copy of its blocks is kept"


def test_requests_that_run_together_share():
    """What is prefilled is shared at once; of two copies one is kept, and both tables name it."""
    cache = PrefixCache(2, 12)
    first, _ = cache.start([1, 2, 3, 4, 5])
    twin, cached = cache.start([1, 2, 3, 4, 6])
    assert cached == 0, "nothing is prefilled yet, so nothing is shared"
    cache.prefilled(first)
    kept, tail = cache.table(first), cache.table(twin)[2]
    third, cached = cache.start([1, 2, 3, 4, 5])
    assert cached == 4, "the first still runs, and its prompt is shared by now"
    assert cache.table(third)[:2] == kept[:2], "the third reads the blocks of the first"
    assert cache.table(third)[2] != kept[2], "a block that is not full is nobody else's"
    cache.prefilled(twin)
    assert cache.table(twin) == [*kept[:2], tail], "the twin computed 1 2 3 4 as well: it takes the stored blocks over"
    assert counts(cache) == (7, 2, 3), f"two blocks cached, a tail each: 7 2 3 are due, got {counts(cache)}"
    assert refuses(RuntimeError, cache.prefilled, twin), "a prompt is prefilled once: RuntimeError is due"
    newcomer, _ = cache.start([7, 8, 9])
    for request in (first, twin, third):
        assert not {*cache.table(newcomer)} & {*cache.table(request)}, "a block that a table names is not free"
    cache.prefilled(third)
    for request in (first, third, newcomer):
        cache.abort(request)
    assert cache.table(twin) == [*kept[:2], tail], "what the others leave is still there for the twin"
    cache.abort(twin)
    assert counts(cache) == (10, 2, 0), f"all ended: two blocks are cached, the rest free, got {counts(cache)}"


def test_what_a_running_request_reads_stays():
    """Eviction takes the oldest that nobody reads: what was matched is locked before it, and moved with the prompt."""
    cache = PrefixCache(1, 8)
    reader = running(cache, [1, 2, 3])
    left_behind(cache, [4, 5])
    left_behind(cache, [6, 7])
    late, cached = cache.start([4, 8])
    assert cached == 1, "4 is cached"
    newcomer, _ = cache.start([9, 10])
    tables = [*cache.table(reader), *cache.table(late), *cache.table(newcomer)]
    assert len(set(tables)) == 7, f"three requests that share nothing read different blocks, got {tables}"
    assert counts(cache)[2] == 3, "8, 9 and 10 are held, the rest is cached or free"
    cache.abort(newcomer)
    cache.abort(late)
    left_behind(cache, [4, 11])
    assert cache.start([1, 2, 3, 12])[1] == 3, "1 2 3 was read all the time: it must still be cached"

    cache = PrefixCache(1, 5)
    running(cache, [9])
    left_behind(cache, [1, 2, 3])
    assert refuses(MemoryError, cache.start, [1, 2, 3, 4, 5]), (
        "9 is read, 1 2 3 is matched, one block is free: two more do not fit, and MemoryError is due"
    )
    assert counts(cache) == (1, 4, 0), f"what is matched does not make room for itself, got {counts(cache)}"

    cache = PrefixCache(1, 9)
    reader = running(cache, [1, 2, 3, 4])
    other, _ = cache.start([1, 2, 3, 4])
    cache.abort(other)
    left_behind(cache, [7, 8])
    newcomer, _ = cache.start([5, 6, 9, 10])
    assert not {*cache.table(newcomer)} & {*cache.table(reader)}, "another one's abort unlocks only what that one read"
    cache.abort(reader)
    cache.abort(newcomer)
    assert not refuses(MemoryError, cache.start, range(20, 29)), "nobody reads anything: all nine blocks can be had"


def test_a_request_that_does_not_fit_changes_nothing():
    """Neither blocks nor locks nor what is cached: the engine asks again at every step."""
    cache = PrefixCache(2, 8)
    running(cache, [1, 2, 3, 4])
    left_behind(cache, [5, 6, 7, 8, 9, 10])
    for prompt in (range(20, 34), [5, 6, 7, 8, 9, 10, *range(20, 28)], range(20, 37)):
        assert refuses(MemoryError, cache.start, prompt), f"start({[*prompt]}): 2 blocks are read, so it cannot fit"
        assert counts(cache) == (3, 5, 0), f"start({[*prompt]}) was refused: 3 5 0 must stay, got {counts(cache)}"
    request, cached = cache.start([5, 6, 7, 8, 30])
    assert cached == 4, "what a refused request would have evicted is still cached"
    cache.abort(request)
    request, _ = cache.start(range(20, 32))
    assert len(cache.table(request)) == 6, "6 blocks are free or read by nobody, whatever was refused before"


def test_finish_stores_what_has_kv():
    """The token that was sampled last has no KV; what is no whole block is free again."""
    for prompt, decoded, due in ((3, 1, 0), (3, 2, 1), (4, 0, 1), (4, 4, 1), (4, 5, 2), (5, 0, 1)):
        cache = PrefixCache(4, 10)
        request = running(cache, range(prompt), *range(50, 50 + decoded))
        tokens = cache.tokens(request)
        done = f"block size 4, {prompt} tokens of prompt, {decoded} decoded"
        assert tokens == [*range(prompt), *range(50, 50 + decoded)], f"{done}: all of them, in order, got {tokens}"
        assert len(cache.table(request)) == -(-len(tokens) // 4), f"{done}: every token has a place"
        cache.finish(request)
        assert counts(cache) == (10 - due, due, 0), f"{done}, finish: {due} whole blocks have KV, got {counts(cache)}"
        assert refuses(LookupError, cache.finish, request), f"{done}, finish twice: LookupError is due"
        cached = cache.start([*tokens, 99])[1]
        assert cached == 4 * due, f"{done}, finish, the next turn: {4 * due} tokens are cached, got {cached}"
    cache = PrefixCache(2, 10)
    first, second = running(cache, [1, 2, 3], 4, 5), running(cache, [1, 2, 3], 4, 5)
    cache.finish(first)
    cache.finish(second)
    assert counts(cache) == (8, 2, 0), f"two that decode the same leave one copy, 8 2 0, got {counts(cache)}"


def test_a_preempted_request_makes_room():
    """A grow that does not fit changes nothing; the engine preempts another request, and starts it again later."""
    cache = PrefixCache(2, 4)
    request, victim = running(cache, [1, 2], 3, 4), running(cache, [5, 6, 7])
    assert counts(cache) == (0, 2, 2), f"two running requests have all four blocks, got {counts(cache)}"
    for _ in range(2):
        assert refuses(MemoryError, cache.grow, request, 9), "no block is free and none can be evicted: MemoryError"
        assert (cache.tokens(request), len(cache.table(request))) == ([1, 2, 3, 4], 2), "a refused grow adds no token"
        assert counts(cache) == (0, 2, 2), "a refused grow changes no count"
    tokens = cache.preempt(victim)
    assert tokens == [5, 6, 7], f"what was preempted comes back, to start again, got {tokens}"
    assert counts(cache) == (1, 2, 1), f"its own block is free, its whole block stays cached, got {counts(cache)}"
    assert refuses(LookupError, cache.preempt, victim), "it runs no more: LookupError is due"
    cache.grow(request, 9)
    cache.grow(request, 10)
    cache.grow(request, 11)
    assert counts(cache) == (0, 1, 3), f"5 6 was evicted for the fourth block, got {counts(cache)}"
    assert refuses(MemoryError, cache.start, tokens), "no room yet to start again"
    cache.finish(request)
    assert counts(cache) == (1, 3, 0), f"7 tokens with one that has no KV: 3 whole blocks, got {counts(cache)}"
    again, cached = cache.start(tokens)
    assert (cached, again in (request, victim)) == (0, False), "it starts again, with a new id"
    assert refuses(RuntimeError, cache.grow, again, 8), "not prefilled yet: RuntimeError is due"
    assert refuses(RuntimeError, cache.finish, again), "not prefilled yet: RuntimeError is due"
    assert cache.preempt(again) == tokens, "a request can be preempted before it is prefilled"


class Running:
    """What is known of a running request; *computed* of its tokens have KV, *shared* blocks of its table are cached."""

    def __init__(self, tokens, computed, table, shared):
        self.tokens, self.computed, self.table, self.shared = tokens, computed, table, shared
        self.decodes = False


class Engine:
    """An engine with a memory: it writes where a table says, and looks whether a later table reads just that.

    The KV of a token depends on all tokens before it, so a place in memory holds the tokens up to its own.
    """

    def __init__(self, block_size, blocks):
        self.cache, self.size, self.blocks = PrefixCache(block_size, blocks), block_size, blocks
        self.memory = {}  # (block, place in it) -> tokens
        self.running = {}  # request -> what is known of it
        self.stored = set()  # runs of whole blocks from the first token on that are cached for sure
        self.exact = True  # they are all that is: nothing was evicted so far
        self.free = blocks
        self.calls, self.refused = [f"PrefixCache({block_size}, {blocks})"], 0

    def same(self, what, got, due):
        """Compare what was seen with what is due; the message tells the last calls."""
        calls = self.calls if len(self.calls) < 12 else ["...", *self.calls[-8:]]
        assert got == due, "\n".join([f"after {len(self.calls) - 1} calls, {what}: expected {due}, got {got}", *calls])

    def runs(self, tokens, end=None):
        """Return the runs of whole blocks from the first token on, the shortest first."""
        return [tokens[:stop] for stop in range(self.size, (len(tokens) if end is None else end) + 1, self.size)]

    def shared_runs(self):
        """Return the runs that running requests share."""
        return {run for one in self.running.values() for run in self.runs(one.tokens)[: one.shared]}

    def named(self):
        """Return every block that a table names."""
        return {block for one in self.running.values() for block in one.table}

    def place(self, one, position):
        """Return where the KV of a token stands: the block, and the place in it."""
        return one.table[position // self.size], position % self.size

    def write(self, one):
        """Compute the KV of all tokens that have none."""
        for position in range(one.computed, len(one.tokens)):
            self.memory[self.place(one, position)] = one.tokens[: position + 1]
        one.computed = len(one.tokens)

    def misread(self, one):
        """Return the positions where a request reads anything but the KV of its own tokens."""
        return [i for i in range(one.computed) if self.memory.get(self.place(one, i)) != one.tokens[: i + 1]]

    def attempt(self, fits, call, *arguments):
        """Return what a call gives that needs blocks, None when it is refused, which it must be unless it *fits*."""
        try:
            result = call(*arguments)
        except MemoryError:
            result = None
            self.refused += 1
        self.same("a call that needs blocks is refused", result is None, not fits)
        return result

    def took(self, fresh):
        """Note which blocks were taken: what they held is lost, and where too few were free something was evicted."""
        self.same("fresh blocks that others name", self.named() & {*fresh}, set())
        self.memory = {place: tokens for place, tokens in self.memory.items() if place[0] not in fresh}
        if len(fresh) > self.free:
            self.exact, self.stored, self.free = False, self.shared_runs(), None
        else:
            self.free -= len(fresh)

    def start(self, prompt):
        """What is cached and read cannot be evicted, so it is known which prompts fit."""
        needed, less = -(-len(prompt) // self.size), self.runs(prompt, len(prompt) - 1)
        read = len([*takewhile(self.shared_runs().__contains__, less)])
        least = self.size * len([*takewhile(self.stored.__contains__, less)])
        found = self.attempt(needed - read <= self.blocks - len(self.named()), self.cache.start, prompt)
        if found is None:
            return
        request, cached = found
        self.same("tokens cached", cached if self.exact else min(cached, least), least)
        self.same("whole blocks cached, less than the prompt", cached, min(cached // self.size, len(less)) * self.size)
        one = Running(prompt, cached, self.cache.table(request), cached // self.size)
        self.same("length of the table", len(one.table), needed)
        self.took(one.table[one.shared :])
        self.running[request] = one
        self.stored |= self.shared_runs()

    def prefilled(self, request):
        """What was stored by others is taken over, and one block is free for each."""
        one = self.running[request]
        self.write(one)
        self.cache.prefilled(request)
        one.decodes = True
        table, runs = self.cache.table(request), self.runs(one.tokens)
        known = [i for i in range(one.shared, len(runs)) if runs[i] in self.stored]
        switched = [i for i in range(len(table)) if table[i] != one.table[i]]
        self.same("places that take a stored block over", [i for i in switched if self.exact or i in known], known)
        self.free += len(switched)
        self.stored.update(runs)
        one.table, one.shared = table, len(runs)

    def grow(self, request, token):
        """The pass that samples *token* computes the KV of the one before it."""
        one = self.running[request]
        full = len(one.tokens) == len(one.table) * self.size
        before = one.table
        if self.attempt(not full or len(self.named()) < self.blocks, lambda: (self.cache.grow(request, token),)):
            table = self.cache.table(request)
            self.took(table[len(before) :])
            self.write(one)
            one.tokens, one.table = (*one.tokens, token), table
            self.same("the table", (table[: len(before)], len(table)), (before, len(before) + full))

    def finish(self, request):
        """Whole blocks with KV stay, once; the rest is free."""
        one = self.running[request]
        self.cache.finish(request)
        runs = self.runs(one.tokens, one.computed)
        known = sum(run in self.stored for run in runs[one.shared :])
        self.free = self.free + known + len(one.table) - len(runs) if self.exact else None
        self.stored.update(runs)
        del self.running[request]

    def abort(self, request):
        """What it held alone is free."""
        self.cache.abort(request)
        one = self.running.pop(request)
        self.free += len(one.table) - one.shared

    def preempt(self, request):
        """What it held alone is free, and its tokens are not lost."""
        tokens = self.cache.preempt(request)
        one = self.running.pop(request)
        self.same("tokens to start again with", tokens, [*one.tokens])
        self.free += len(one.table) - one.shared

    def step(self, kind, *arguments):
        """Make one call; then every block is in one place, and every request reads what is its own."""
        self.calls.append(f"{kind}({', '.join(str(each) for each in arguments)})")
        try:
            getattr(self, kind)(*arguments)
        except (NotImplementedError, AssertionError):
            raise
        except Exception as error:
            self.same("outcome", repr(error), "an answer")
        free, cached, held = counts(self.cache)
        own = [block for one in self.running.values() for block in one.table[one.shared :]]
        self.same("free + cached + held", free + cached + held, self.blocks)
        self.same("blocks held, each by one request", (held, len(set(own))), (len(own), len(own)))
        self.same("blocks cached", cached if self.exact else min(cached, len(self.stored)), len(self.stored))
        self.same("blocks free", free, free if self.free is None else self.free)
        for request, one in self.running.items():
            self.same(f"tokens of {request}", self.cache.tokens(request), [*one.tokens])
            self.same(f"table of {request}", self.cache.table(request), one.table)
            self.same(f"positions where {request} reads what is not its own", self.misread(one), [])
        self.free = free


def play(block_size, blocks, calls, seed):
    """Make seeded calls as an engine would, with more requests than fit."""
    rng, engine, known = random.Random(seed), Engine(block_size, blocks), [()]
    for _ in range(calls):
        kind = rng.choice(
            ("start", "start", "prefilled", "prefilled", "grow", "grow", "grow", "finish", "abort", "preempt")
        )
        decodes = [request for request, one in engine.running.items() if one.decodes]
        begun = [request for request, one in engine.running.items() if not one.decodes]
        some = {"start": [], "prefilled": begun, "grow": decodes, "finish": decodes}.get(kind, decodes + begun)
        if not some or kind == "start":
            head = rng.choice(known)
            tail = rng.choices((0, 1), k=rng.randint(1, 2 * block_size))
            prompt = (*head[: rng.randint(0, len(head))], *tail)[: 6 * block_size]
            known = [*known[-9:], prompt]
            engine.step("start", prompt)
        elif kind == "grow":
            engine.step("grow", rng.choice(some), rng.choice((0, 1)))
        else:
            request = rng.choice(some)
            known = [*known[-9:], engine.running[request].tokens]
            engine.step(kind, request)
    return engine


def test_model_based_every_block_is_in_one_place():
    """1,300 seeded calls at block sizes 1 and 4, with room for all and with far too little."""
    for block_size, blocks, calls in ((1, 400, 100), (4, 400, 200), (1, 12, 500), (4, 12, 500)):
        engine = play(block_size, blocks, calls, blocks + block_size)
        if blocks < 100:
            assert engine.refused and not engine.exact, "this play is about running out of blocks"
