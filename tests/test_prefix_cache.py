"""The prefix cache of chapter L8.4: its invariants under a long random load, its rules, its tests and planted bugs."""

import os
import random
import sys
import tracemalloc
from array import array
from collections import Counter
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import radixlab.fast
from radixlab import course, splice
from radixlab.author import lint
from radixlab.checker.job import TestFile
from radixlab.checker.jobs import job_of
from radixlab.checker.mutation import grade, suite
from radixlab.checker.standing import stage_tests
from radixlab.checker.subject import compile_subject
from radixlab.checker.testfile import test_names as names_of
from radixlab.checker.worker import Inline

CHAPTERS = Path(course.__file__).parent / "chapters"
SAMPLES = Path(__file__).parent / "samples" / "l84"
REQUESTS = 100_000 if os.environ.get("RADIXLAB_LONG") else 20_000  # of the long load


def module(name: str, path: Path) -> ModuleType:
    """Run the file *path* as the module *name*, which other files can import while they are run here."""
    made = ModuleType(name)
    made.__file__ = str(path)
    sys.modules[name] = made
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), vars(made))
    return made


def cache_module(file: str, tree: str = "reference") -> ModuleType:
    """Return the prefix cache of *file* on a tree: the `reference` of ds.07, or `fast`."""
    before = {name: sys.modules.get(name) for name in ("radix", "prefix_cache")}
    try:
        if tree == "fast":
            sys.modules["radix"] = radixlab.fast
        else:
            module("radix", CHAPTERS / "ds07" / f"{tree}.py")
        return module("prefix_cache", CHAPTERS / "l84" / file)
    finally:
        for name, there in before.items():
            if there is None:
                del sys.modules[name]
            else:
                sys.modules[name] = there


REFERENCE = cache_module("reference.py")
CORRECT = {
    "reference": REFERENCE,
    "on the fast tree": cache_module("reference.py", "fast"),
    "readers": cache_module("variants/readers.py"),
}


@pytest.fixture(params=CORRECT)
def correct(request) -> ModuleType:
    return CORRECT[request.param]


def counts(cache) -> tuple[int, int, int]:
    return cache.free_blocks(), cache.cached_blocks(), cache.held_blocks()


def running(cache, prompt, *decoded) -> int:
    request, _ = cache.start(prompt)
    cache.prefilled(request)
    for token in decoded:
        cache.grow(request, token)
    return request


# A long load ----------------------------------------------------------------------------------------------------------


class One:
    """What the load knows of a running request."""

    def __init__(self, tokens: tuple[int, ...], table: list[int], shared: int, size: int) -> None:
        self.tokens, self.table, self.shared = tokens, table, shared
        self.computed = shared * size
        self.decodes = False


class Load:
    """An engine that keeps 12 requests running, and a naive model of what stands in each block.

    The model never asks what is cached: it knows which tokens it had written into a block when it was last written,
    which blocks the tables name, and so which calls must run out of blocks.
    """

    def __init__(self, module: ModuleType, size: int, blocks: int, seed: int) -> None:
        self.cache, self.size, self.blocks = module.PrefixCache(size, blocks), size, blocks
        self.out_of_blocks = module.OutOfBlocks
        self.rng = random.Random(seed)
        self.content: dict[int, tuple[int, ...]] = {}  # block -> all tokens up to the last one written into it
        self.named: Counter[int] = Counter()  # block -> how many tables name it
        self.read: Counter[tuple[int, ...]] = Counter()  # run of whole blocks -> how many running requests share it
        self.running: dict[int, One] = {}
        self.known: list[tuple[int, ...]] = [()]
        self.held = self.started = self.calls = self.hits = 0
        self.ended: Counter[str] = Counter()

    def __call__(self, requests: int) -> None:
        """Start so many requests more, and make the calls of their lives, each checked."""
        aim = self.started + requests
        while self.started < aim:
            if len(self.running) == 12 or (self.running and self.rng.random() < 0.8):
                self.go_on(self.rng.choice(list(self.running)))
            else:
                self.start(self.prompt())
            self.calls += 1
            counted = counts(self.cache)
            assert sum(counted) == self.blocks and counted[2] == self.held
            if self.calls % 1_000 == 0:
                self.check_all()

    def prompt(self) -> tuple[int, ...]:
        rng, head = self.rng, self.rng.choice(self.known)
        return (*head[: rng.randint(0, len(head))], *rng.choices(range(3), k=rng.randint(1, 12)))[: 12 * self.size]

    def runs(self, tokens: tuple[int, ...], blocks: int, first: int = 0) -> list[tuple[int, ...]]:
        return [tokens[: end * self.size] for end in range(first + 1, blocks + 1)]

    def check(self, one: One) -> None:
        """Every block of a request holds what its tokens say, and its own blocks are in no other table."""
        for end, block in zip(range(self.size, self.size * len(one.table) + 1, self.size), one.table, strict=True):
            due = one.tokens[: min(end, one.computed)]
            assert len(due) <= end - self.size or self.content[block] == due
        assert all(self.named[block] == 1 for block in one.table[one.shared :])

    def check_all(self) -> None:
        if hasattr(self.cache, "check"):
            self.cache.check()
        for request, one in self.running.items():
            self.check(one)
            assert (self.cache.table(request), self.cache.tokens(request)) == (one.table, list(one.tokens))

    def write(self, one: One) -> None:
        for block in range(one.computed // self.size, len(one.table)):
            self.content[one.table[block]] = one.tokens[: (block + 1) * self.size]
        one.computed = len(one.tokens)

    def attempt(self, fits: bool, call, *arguments):
        """Return what the call gives; None where it must be refused, and then counts stay as they were."""
        before = counts(self.cache)
        try:
            result = call(*arguments)
        except self.out_of_blocks:
            assert not fits
            assert counts(self.cache) == before
            self.ended["refused"] += 1
            return None
        assert fits
        return result

    def take(self, table: list[int], first: int) -> None:
        fresh = table[first:]
        assert len(set(fresh)) == len(fresh) and not any(self.named[block] for block in fresh)
        for block in fresh:
            self.content.pop(block, None)
        self.named.update(table[first:])
        self.held += len(fresh)

    def start(self, prompt: tuple[int, ...]) -> None:
        self.started += 1
        needed, most = -(-len(prompt) // self.size), (len(prompt) - 1) // self.size
        pinned = len([*takewhile(self.read.__contains__, self.runs(prompt, most))])
        found = self.attempt(needed - pinned <= self.blocks - len(self.named), self.cache.start, prompt)
        if found is None:
            return
        request, cached = found
        table, shared = self.cache.table(request), cached // self.size
        assert cached % self.size == 0 and pinned <= shared <= most and len(table) == needed
        self.hits += cached
        one = self.running[request] = One(prompt, table, shared, self.size)
        self.named.update(table[:shared])
        self.read.update(self.runs(prompt, shared))
        self.take(table, shared)
        self.check(one)

    def go_on(self, request: int) -> None:
        one, rng = self.running[request], self.rng.random()
        self.check(one)
        if rng < 0.04:
            self.end(request, "abort")
        elif rng < 0.08:
            assert tuple(self.end(request, "preempt")) == one.tokens
        elif not one.decodes:
            self.prefilled(request, one)
        elif rng < 0.25:
            self.end(request, "finish")
        else:
            self.grow(request, one, self.rng.randrange(3))

    def prefilled(self, request: int, one: One) -> None:
        self.write(one)
        self.cache.prefilled(request)
        table, whole = self.cache.table(request), len(one.tokens) // self.size
        assert table[whole:] == one.table[whole:]
        self.named.update(table)
        forget(self.named, one.table)
        self.read.update(self.runs(one.tokens, whole, one.shared))
        self.held -= whole - one.shared
        one.table, one.shared, one.decodes = table, whole, True
        self.check(one)

    def grow(self, request: int, one: One, token: int) -> None:
        full = len(one.tokens) == len(one.table) * self.size
        fits = not full or len(self.named) < self.blocks
        if self.attempt(fits, lambda: (self.cache.grow(request, token),)) is None:
            return
        self.write(one)
        table = self.cache.table(request)
        assert table[: len(one.table)] == one.table and len(table) == len(one.table) + full
        self.take(table, len(one.table))
        one.tokens, one.table = (*one.tokens, token), table
        self.check(one)

    def end(self, request: int, how: str) -> object:
        result = getattr(self.cache, how)(request)
        one = self.running.pop(request)
        self.ended[how] += 1
        self.known = [*self.known[-30:], one.tokens]
        self.held -= len(one.table) - one.shared
        forget(self.named, one.table)
        forget(self.read, self.runs(one.tokens, one.shared))
        return result


def forget(counter: Counter, things: list) -> None:
    """Count each of *things* once less; what is counted no more is gone."""
    for thing in things:
        if counter[thing] == 1:
            del counter[thing]
        else:
            counter[thing] -= 1


def test_every_block_is_in_one_place_through_100_000_requests():
    """Counts, tables, contents and refusals agree with a naive model at every call; 20,000 without RADIXLAB_LONG."""
    load = Load(CORRECT["on the fast tree"], size=4, blocks=64, seed=1)
    load(REQUESTS)
    assert min(load.ended[how] for how in ("abort", "preempt", "finish", "refused")) > REQUESTS // 100
    assert load.hits > REQUESTS


@pytest.mark.parametrize(("size", "blocks"), [(1, 40), (2, 16), (4, 400)])
def test_every_block_is_in_one_place(correct, size, blocks):
    load = Load(correct, size, blocks, seed=size)
    load(1_000)
    assert min(load.ended[how] for how in ("abort", "preempt", "finish")) > 0 and load.hits > 0
    assert (load.ended["refused"] > 0) == (blocks < 400)


def test_memory_is_flat_under_a_long_load():
    """Whatever a request leaves behind for good would show after four times as many more."""
    load = Load(REFERENCE, size=4, blocks=64, seed=2)
    tracemalloc.start()
    try:
        load(REQUESTS // 40)
        early, _ = tracemalloc.get_traced_memory()
        load(REQUESTS // 10)
        late, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert late < early * 1.2


# Side by side, and the rules ------------------------------------------------------------------------------------------

PROMPTS = st.lists(st.integers(0, 1), max_size=9)
CALLS = st.one_of(
    st.tuples(st.just("start"), PROMPTS),
    st.tuples(st.sampled_from(["prefilled", "finish", "abort", "preempt"]), st.integers(0, 9)),
    st.tuples(st.just("grow"), st.integers(0, 9)),
)


class Play:
    """One cache under random calls, which name requests by the order in which they were started."""

    def __init__(self, module: ModuleType, size: int, blocks: int) -> None:
        self.cache = module.PrefixCache(size, blocks)
        self.started: list[int] = []

    def do(self, kind: str, argument) -> object:
        """Make one call; return what came of it and all there is to see, numbers of blocks and requests aside."""
        if kind == "start":
            arguments = [argument]
        elif argument < len(self.started):
            arguments = [self.started[argument], *([1] if kind == "grow" else [])]
        else:
            arguments = [-1, *([1] if kind == "grow" else [])]
        try:
            result = getattr(self.cache, kind)(*arguments)
        except (LookupError, ValueError, MemoryError, RuntimeError) as error:
            assert not isinstance(error, NotImplementedError)
            result = next(
                kind for kind in (LookupError, ValueError, MemoryError, RuntimeError) if isinstance(error, kind)
            )
        if kind == "start" and isinstance(result, tuple):
            self.started.append(result[0])
            result = result[1]
        tables = {}
        for turn, request in enumerate(self.started):
            try:
                tables[turn] = self.cache.tokens(request), self.cache.table(request)
            except LookupError:
                continue
        letters: dict[int, int] = {}
        named = {
            turn: (tokens, [letters.setdefault(block, len(letters)) for block in table])
            for turn, (tokens, table) in tables.items()
        }
        return result, counts(self.cache), named


@given(st.integers(1, 3), st.integers(1, 9), st.lists(CALLS, max_size=40))
def test_correct_caches_cannot_be_told_apart(size, blocks, calls):
    plays = [Play(module, size, blocks) for module in CORRECT.values()]
    for call in calls:
        first, *others = [play.do(*call) for play in plays]
        assert all(other == first for other in others), call
        plays[0].cache.check()


@pytest.mark.parametrize(
    "damage",
    [
        "pool._free.pop()",
        "pool._used.add(99)",
        "tree.lock(1)",
        "_running[0].table.pop()",
        "_running[0].table.reverse()",
        "tree.insert([7, 7], [5])",
    ],
)
def test_its_check_sees_a_damaged_cache(damage):
    cache = REFERENCE.PrefixCache(2, 8)
    running(cache, [1, 2, 3])
    cache.check()
    exec(f"cache.{damage}", {"cache": cache})
    with pytest.raises(AssertionError):
        cache.check()


def test_a_warm_key_is_read_by_whoever_starts_with_it_and_flushed_when_nobody_does(correct):
    cache = correct.PrefixCache(2, 8)
    for _ in range(2):
        cache.warm([1, 2, 3, 4])
        assert counts(cache) == (6, 2, 0), "what is cached already is not cached twice"
    reader, cached = cache.start([1, 2, 9])
    cache.warm([1, 2, 5, 6])
    assert (cached, counts(cache)) == (2, (4, 3, 1))
    cache.flush()
    assert counts(cache) == (6, 1, 1), "1 2 is read"
    cache.abort(reader)
    cache.flush()
    cache.flush()
    assert counts(cache) == (8, 0, 0)


@pytest.mark.parametrize("key", [[1, 2, 3], [1, -1], range(18)])
def test_a_key_that_cannot_be_warmed_changes_nothing(correct, key):
    cache = correct.PrefixCache(2, 8)
    with pytest.raises((ValueError, TypeError, OverflowError, MemoryError)):
        cache.warm(key)
    cache.warm([])
    assert counts(cache) == (8, 0, 0)
    assert len(cache.table(cache.start(range(16))[0])) == 8


def test_a_prompt_is_any_sequence_and_is_not_kept(correct):
    for kind in (list, tuple, lambda tokens: array("I", tokens), lambda tokens: array("q", tokens)):
        cache, prompt = correct.PrefixCache(2, 8), kind([1, 2, 3, 4, 5])
        request, _ = cache.start(prompt)
        if not isinstance(prompt, tuple):
            prompt[0] = 9
        assert cache.tokens(request) == [1, 2, 3, 4, 5]
        cache.prefilled(request)
        assert cache.start(range(1, 6))[1] == 4


def test_what_is_given_away_changes_nothing(correct):
    cache = correct.PrefixCache(2, 8)
    request = running(cache, [1, 2, 3])
    cache.table(request).clear()
    cache.tokens(request).append(4)
    assert (len(cache.table(request)), cache.tokens(request)) == (2, [1, 2, 3])
    cache.finish(request)
    assert counts(cache) == (7, 1, 0)


@pytest.mark.parametrize("token", [-1, 2**32, "a", None, 1.5])
def test_what_is_no_token_is_refused_before_anything_changes(correct, token):
    cache = correct.PrefixCache(1, 3)
    request = running(cache, [1, 2])
    for call in (lambda: cache.start([5, token]), lambda: cache.grow(request, token)):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call()
        assert (counts(cache), cache.tokens(request)) == ((1, 2, 0), [1, 2])


@pytest.mark.parametrize("end", ["finish", "abort", "preempt"])
def test_an_id_is_dead_whatever_ended_it_and_never_comes_back(correct, end):
    cache = correct.PrefixCache(2, 8)
    request = running(cache, [1, 2, 3])
    getattr(cache, end)(request)
    assert running(cache, [1, 2, 3]) != request
    for wrong in (request, -1, 10**9, None, "0", 0.0, True, [1]):
        for call in ("table", "tokens", "prefilled", "finish", "abort", "preempt"):
            with pytest.raises(LookupError):
                getattr(cache, call)(wrong)
        with pytest.raises(LookupError):
            cache.grow(wrong, 1)


def test_out_of_blocks_says_how_many_are_missing():
    cache = REFERENCE.PrefixCache(2, 4)
    with pytest.raises(REFERENCE.OutOfBlocks, match="9 tokens need 5 blocks: with 4 they can never fit"):
        cache.start(range(9))
    running(cache, [1, 2, 3])
    cache.abort(running(cache, [4, 5]))
    with pytest.raises(REFERENCE.OutOfBlocks, match="3 blocks are needed: 1 are free, and 1 can be evicted"):
        cache.start(range(10, 16))


def test_a_refused_start_counts_as_a_use_and_as_nothing_else(correct):
    cache = correct.PrefixCache(1, 8)
    for prompt in ([1, 2], [3, 4]):
        cache.abort(running(cache, prompt))
    reader = running(cache, [5, 6])
    with pytest.raises(MemoryError):
        cache.start([1, 2, 10, 11, 12, 13, 14])
    newcomer, _ = cache.start([7, 8, 9])
    assert counts(cache) == (1, 4, 3)
    cache.abort(newcomer)
    assert cache.start([1, 2, 9])[1] == 2, "3 4 went, as 1 2 was asked for later"
    assert cache.table(reader)


def test_many_requests_on_one_prompt_are_as_many_locks(correct):
    cache = correct.PrefixCache(4, 150)
    prompt = list(range(40))
    first = running(cache, prompt)
    others = [cache.start([*prompt, 99])[0] for _ in range(100)]
    assert counts(cache) == (40, 10, 100)
    for request in (first, *others[:-1]):
        cache.abort(request)
    with pytest.raises(MemoryError):
        cache.start(range(1_000, 1_000 + 4 * 140))
    cache.abort(others[-1])
    cache.start(range(1_000, 1_000 + 4 * 150))


def test_a_tree_deeper_than_the_stack_is_like_any_other():
    """Each turn of a talk adds a node below the last one."""
    cache = CORRECT["on the fast tree"].PrefixCache(1, 1_300)
    for turn in range(1, 1_101):
        cache.abort(running(cache, array("I", range(turn))))
    assert cache.start(range(1_300))[1] == 1_100
    assert counts(cache) == (0, 1_100, 200)


def test_a_talk_finds_all_of_its_last_turn_but_the_part_of_a_block(correct):
    cache = correct.PrefixCache(4, 64)
    talk, cached = [], []
    for turn in range(4):
        talk += [10 * turn + i for i in range(6)]
        request, tokens = cache.start(talk)
        cached.append(tokens)
        cache.prefilled(request)
        for token in (1, 2, 3):
            cache.grow(request, token)
        talk = cache.tokens(request)
        cache.finish(request)
    # Turn by turn 9, 18, 27 tokens, the last of them without KV: 8, 17 and 26 in whole blocks.
    assert cached == [0, 8, 16, 24]


# The chapter ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def card() -> course.Chapter:
    return course.chapter("L8.4")


def test_the_chapter_is_sound(card):
    problems = {what: found for what, found in lint.lint(card, decoys=2) if found}
    assert problems == {}


MISTAKES = {  # stage, symptom, and edits of the reference: what no planted bug is, and learners did
    "an own block counts as shared": (
        "start",
        "The blocks that a request took itself count as shared.",
        [
            (
                "        return request, cached\n",
                "        here.shared = len(here.table)\n        return request, cached\n",
            )
        ],
    ),
    "a refusal keeps the lock": (
        "start",
        "A rejected request keeps its prefix locked.",
        [
            (
                "            self._release(request)\n            raise\n",
                "            del self._running[request]\n            raise\n",
            )
        ],
    ),
    "an end keeps the lock": (
        "start",
        "What an aborted request read can never be evicted.",
        [("        self.tree.unlock(here.node)\n        self.pool.give_back", "        self.pool.give_back")],
    ),
    "the lock is looked for again": (
        "start",
        "An unlock takes away the lock of another request.",
        [
            (
                "        self.tree.unlock(here.node)\n        self.pool.give_back",
                "        _, path = self.tree.match_prefix(here.tokens[:-1])\n"
                "        self.tree.unlock(path[-1] if path else ROOT)\n        self.pool.give_back",
            )
        ],
    ),
    "the whole prompt is matched": (
        "start",
        "A prompt that is cached whole has no token left to compute.",
        [("match_prefix(tokens[:-1])", "match_prefix(tokens)")],
    ),
    "shared blocks are given back": (
        "start",
        "A block is free and cached at once, and is handed out while others read it.",
        [("give_back(here.table[here.shared :])", "give_back(here.table)")],
    ),
    "shared blocks are held": ("start", "block size 4", [("len(here.table) - here.shared for", "len(here.table) for")]),
    "the end of the path is the node": (
        "share",
        "block size 4, 6 blocks, start 1 2 3, prefilled",
        [("        self.tree.lock(node)  #", "        node = path[-1]\n        self.tree.lock(node)  #")],
    ),
    "the old lock stays": (
        "share",
        "What an aborted request read can never be evicted.",
        [("        self.tree.unlock(here.node)\n        here.node = node\n", "        here.node = node\n")],
    ),
    "a request runs once it has its blocks": (
        "room",
        "A start counts its own match as evictable.",
        [
            ("        self._running[request] = here\n", ""),
            (
                "            self._release(request)\n            raise\n",
                "            self.tree.unlock(here.node)\n            raise\n",
            ),
            (
                "        return request, cached\n",
                "        self._running[request] = here\n        return request, cached\n",
            ),
        ],
    ),
    "the token is refused late": (
        "finish",
        "A refused token has cost a block.",
        [
            ('        decoded = array("I", [token])  # refuses what is no token, before anything has changed\n', ""),
            ("        here.tokens += decoded\n", "        here.tokens.append(token)\n"),
        ],
    ),
    "all tokens are matched again": (
        "finish",
        "block size 2, 10 blocks, 1..4 cached",
        [("match_prefix(key)", "match_prefix(here.tokens)")],
    ),
    "a preempt stores the answer": (
        "finish",
        "block size 2, 10 blocks, a prompt 1 2 3, grow 4 and 5, preempt",
        [
            (
                "        tokens = self.tokens(request)\n",
                "        tokens = self.tokens(request)\n        self._store(self._request(request))\n",
            )
        ],
    ),
}


@pytest.mark.parametrize(("stage", "symptom", "edits"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_fails_in_its_own_stage(card, stage, symptom, edits):
    source = card.text("reference.py")
    for old, new in edits:
        assert source.count(old) == 1
        source = source.replace(old, new)
    writes = [name for each in card.stages_up_to(stage) for name in each.writes]
    checks = TestFile(card.text("stages.py"), "stages.py")
    names = stage_tests(card.stage(stage), names_of(card.text("stages.py")))
    code = compile_subject(splice.cut(card.text("stub.py"), source, writes), card.file)
    [outcomes] = Inline().run([job_of(card, code, checks, names, ours=True)])
    failed = [outcome.message for outcome in outcomes.values() if outcome.outcome != "passed"]
    assert failed and failed[0].startswith(symptom)


def test_every_official_test_is_needed(card):
    assert {name for bug in card.bugs for name in bug.caught_by} == {test.name for test in card.tests}


def grades(card, name):
    return grade(card, suite(card, (SAMPLES / f"{name}_tests.py").read_text(encoding="utf-8")), Inline(), seed=7)


def test_good_tests_catch_every_planted_bug(card):
    mutation = grades(card, "good").mutation
    assert [bug.id for bug in mutation.bugs if not bug.killed] == []
    assert mutation.passed


def test_thin_tests_catch_little(card):
    mutation = grades(card, "thin").mutation
    assert 0 < mutation.killed < card.needed
    assert not mutation.passed


def test_tests_that_expect_numbers_reject_a_correct_cache(card):
    graded = grades(card, "overfitted")
    assert graded.mutation is None
    rejected = {test.name: test.rejects for test in graded.own_tests if not test.valid}
    assert rejected == {"the_pool_gives_each_block_once": "variant", "requests_that_run_together_share": "variant"}
