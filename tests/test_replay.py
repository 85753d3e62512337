"""Replays give the published integers, agree with a count by hand, and are shown by `ol replay`."""

import inspect
import json
import re
import sys
from pathlib import Path

import pooch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.chapters.ds07.reference import RadixTree as Reference
from radixlab.cli import main
from radixlab.commands import replay as command
from radixlab.fast import RadixTree
from radixlab.traffic import POLICIES, Request, Trace, belady, cut, load, replay
from radixlab.traffic.blocks import BlockCache, QueueCache
from radixlab.traffic.files import PublicFile
from radixlab.traffic.plot import hit_rates
from radixlab.traffic.replay import Row, TreeCache
from radixlab.traffic.table import Table

DATA = Path(__file__).parents[2] / "shared" / "data"

# KVCache.AI, kvcache-blog, data/kv_cache_lab/precomputed.json at 9753288: ragpulse, by capacity in blocks.
PUBLISHED_LRU = {
    16: 1_472_754,
    19: 1_513_742,
    24: 1_575_069,
    41: 1_683_329,
    107: 1_807_066,
    377: 1_859_840,
    1_160: 1_875_738,
    3_021: 1_877_154,
    16_545: 1_877_154,
}
PUBLISHED_FIFO = {16: 633_835, 107: 1_508_181, 377: 1_743_862, 1_160: 1_830_768, 3_021: 1_858_344, 16_545: 1_874_273}
# What kvcache-simulator 0.1.3 of the same authors gives as `optimal`, and as `lru` on the traces of Mooncake.
OPTIMAL = {16: 1_877_154, 19: 1_877_444, 107: 1_877_444, 16_545: 1_877_444}
MOONCAKE_LRU = {
    "conversation": {2_000: 3_814_129, 8_000: 12_515_013, 20_000: 20_586_572, 60_000: 26_035_060},
    "synthetic": {2_000: 8_134_569, 8_000: 19_850_941, 20_000: 28_338_548},
}
MOONCAKE_CEILING = {
    "conversation": {2_000: 0.2658, 20_000: 0.3981},
    "synthetic": {2_000: 0.4968, 8_000: 0.7874, 20_000: 0.8627},
}
# Leaves evicted whole: measured with another tree, not published.
WHOLE_LEAF = {16: 1_405_678, 107: 1_806_856, 377: 1_859_156, 1_160: 1_875_738, 3_021: 1_877_154, 16_545: 1_877_154}


@pytest.fixture(scope="module")
def public():
    """Return a public trace by its name, read once."""
    assert DATA.is_dir(), f"{DATA} with the public traces is missing"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RADIXLAB_DATA", str(DATA))
        traces = {name: load(name) for name in ("ragpulse", *MOONCAKE_LRU)}
    return traces.__getitem__


def hits(trace, capacities, *args, **options) -> dict[int, int]:
    return {blocks: replay(trace, blocks, *args, **options).hit_tokens for blocks in capacities}


# Published numbers ----------------------------------------------------------------------------------------------------


def test_lru_on_ragpulse_gives_the_published_integers(public):
    assert hits(public("ragpulse"), PUBLISHED_LRU) == PUBLISHED_LRU


def test_whole_leaves_on_ragpulse_give_the_measured_integers(public):
    assert hits(public("ragpulse"), WHOLE_LEAF, whole_leaf=True) == WHOLE_LEAF
    assert hits(public("ragpulse"), [16], whole_leaf=True, tree=Reference) == {16: WHOLE_LEAF[16]}


def test_fifo_on_ragpulse_gives_the_published_integers(public):
    assert hits(public("ragpulse"), PUBLISHED_FIFO, "fifo") == PUBLISHED_FIFO


def test_belady_on_ragpulse_is_the_published_optimum(public):
    assert hits(public("ragpulse"), OPTIMAL, "belady") == OPTIMAL


@pytest.mark.parametrize("name", MOONCAKE_LRU)
def test_lru_on_mooncake_gives_the_integers_of_the_published_simulator(public, name):
    assert hits(public(name), MOONCAKE_LRU[name]) == MOONCAKE_LRU[name]


@pytest.mark.parametrize("name", MOONCAKE_CEILING)
def test_belady_on_mooncake_reaches_the_ceiling(public, name):
    trace, rates = public(name), MOONCAKE_CEILING[name]
    assert {blocks: round(replay(trace, blocks, "belady").hit_rate, 4) for blocks in rates} == rates


def test_every_policy_lies_below_belady_on_generated_traffic():
    trace = load("chat")
    for blocks in trace.capacities[::2]:
        found = {policy: replay(trace, blocks, policy).hit_tokens for policy in POLICIES}
        assert max(found.values()) == found["belady"] and found["lru"] > found["fifo"]


# Small traces, counted by hand ----------------------------------------------------------------------------------------

PROMPTS = st.lists(st.lists(st.integers(0, 2), max_size=9), max_size=14)
GRANULES = st.integers(1, 3)
CAPACITIES = st.integers(1, 12)


def small(prompts, granule=1) -> Trace:
    return cut("small", [(prompt, 0) for prompt in prompts], granule)


def longest_seen(key, before) -> int:
    """Return how far *key* agrees with the one of *before* that agrees furthest."""
    return max((at for old in before for at in range(len(key) + 1) if key[:at] == old[:at]), default=0)


@given(PROMPTS, GRANULES)
def test_without_a_limit_a_request_finds_the_longest_prefix_seen_before(prompts, granule):
    keys = [prompt[: len(prompt) // granule * granule] for prompt in prompts]
    seen = [longest_seen(key, keys[:at]) // granule * granule for at, key in enumerate(keys)]
    due = sum(seen[len(seen) // 2 :])
    trace = small(prompts, granule)
    for policy in (*POLICIES, lambda block: -block.depth):
        row = replay(trace, 1_000, policy)
        assert (row.hit_tokens, row.evictions, row.requests) == (due, 0, len(prompts))
        assert row.hit_rate == (due / trace.total_tokens if trace.total_tokens else 0)
    assert replay(trace, 1_000, whole_leaf=True).hit_tokens == due
    assert replay(trace, 1_000, whole_leaf=True, tree=Reference).hit_tokens == due


@given(PROMPTS, GRANULES, CAPACITIES)
def test_the_capacity_is_never_exceeded(prompts, granule, capacity):
    trace = small(prompts, granule)
    trees = [TreeCache(RadixTree, granule, capacity, whole) for whole in (False, True)]
    ranks = (lambda block: block.last_use, lambda block: -block.depth, belady(trace))
    blocks = [QueueCache(capacity), *(BlockCache(capacity, rank, choosy) for rank in ranks for choosy in (True, False))]
    for request, path in zip(trace.requests, trace.prefixes, strict=True):
        for cache in trees:
            cache.serve(request.key)
            cache.tree.check()
            assert cache.tree.protected_size() == 0, "nothing stays locked"
        for cache in blocks:
            cache.serve(path)
        assert all(len(cache) <= capacity for cache in (*trees, *blocks))
    for cache in (*trees[:1], *blocks[:2]):
        assert len(cache) <= len({prefix for path in trace.prefixes for prefix in path})


class _Exact(Reference):
    """The chapter's tree, whose `trim` goes block by block: what it removes of a leaf it puts back without its tail."""

    def trim(self, n, f=None):
        freed = 0
        while freed < n and self.lru_order():
            here = self._nodes[self.lru_order()[0]]
            if len(here.values) == 1:
                self._remove_leaf(self.lru_order()[0])
            else:
                here.label, here.values = here.label[: -self.granule], here.values[:-1]
                self._stored -= 1
            freed += 1
        return freed


@given(PROMPTS, GRANULES, CAPACITIES)
def test_lru_is_the_same_on_every_tree_and_as_a_rank(prompts, granule, capacity):
    trace = small(prompts, granule)
    row = replay(trace, capacity)
    for other in (replay(trace, capacity, tree=_Exact), replay(trace, capacity, lambda block: block.last_use)):
        assert (other.hit_tokens, other.evictions) == (row.hit_tokens, row.evictions)


def best(trace, capacity) -> int:
    """Return the most blocks that a cache of leaves can find in *trace*, by trying everything."""
    states = {frozenset(): 0}
    for path in trace.prefixes:
        after: dict[frozenset, int] = {}
        for stored, found in states.items():
            hit = next((at for at, prefix in enumerate(path) if prefix not in stored), len(path))
            for state in _kept(stored | set(path), trace.prefixes, capacity):
                after[state] = max(after.get(state, 0), found + hit)
        states = after
    return max(states.values(), default=0)


def _kept(blocks, paths, capacity):
    """Yield every set of at most *capacity* of *blocks* in which each has all those before it."""
    parent = {b: a for path in paths for a, b in zip([None, *path], path, strict=False)}
    todo, seen = [frozenset(blocks)], set()
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        if len(here) <= capacity:
            yield here
        todo += [here - {leaf} for leaf in here if not any(parent[block] == leaf for block in here)]


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=3), min_size=2, max_size=6), st.integers(1, 4))
def test_belady_finds_as_much_as_any_cache_of_leaves_can(prompts, capacity):
    trace = small(prompts)
    cache = BlockCache(capacity, belady(trace), selective=True)
    assert sum(cache.serve(path) for path in trace.prefixes) == best(trace, capacity)


# Policies -------------------------------------------------------------------------------------------------------------


def test_a_policy_sees_what_a_block_went_through():
    seen = {}

    def watching(block):
        seen[block.prefix] = (
            block.depth,
            block.first_use,
            block.last_use,
            block.uses,
            block.parent and block.parent.prefix,
        )
        return block.last_use

    trace = small([[7, 8], [7, 8], [7, 9], [7, 8, 5]])
    replay(trace, 10, watching)
    assert seen == {1: (2, 0, 1, 2, 0), 2: (2, 2, 2, 1, 0), 3: (3, 3, 3, 1, 1)}


def test_a_cache_shows_its_blocks_each_after_the_one_before_it():
    cache = BlockCache(3, lambda block: block.last_use)
    for path in ([0, 1], [0, 2], [3, 4]):
        cache.serve(path)
    assert [(block.prefix, block.depth) for block in cache] == [(0, 1), (3, 1), (4, 2)]


def test_of_equal_ranks_the_one_used_longer_ago_goes_first():
    trace = small([[1], [2], [1], [3], [1], [2]])
    assert replay(trace, 2, lambda block: 0).hit_tokens == 1, "2 went for 3, and 1 was there"


def test_a_selective_cache_leaves_out_what_ranks_lowest():
    cache = BlockCache(2, lambda block: -block.depth, selective=True)
    assert [cache.serve(path) for path in ([0, 1], [2, 3], [0, 1], [2])] == [0, 0, 1, 1]
    assert cache.evictions == 1, "1, deeper than 2; then 3 would have been deepest"
    cache = BlockCache(2, lambda block: -block.depth)
    assert [cache.serve(path) for path in ([0, 1], [2, 3], [0, 1], [2])] == [0, 0, 0, 0]


def test_what_a_request_has_found_does_not_go_for_its_own_rest():
    for cache, ask in ((TreeCache(RadixTree, 1, 2), [[1, 2], [1, 3, 4]]), (BlockCache(2, belady), [[0, 1], [0, 2, 3]])):
        if isinstance(cache, BlockCache):
            cache.policy = lambda block: block.last_use
        assert [cache.serve(what) for what in (*ask, ask[1])] == [0, 1, 2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"capacity": 0}, "a capacity is at least 1 block, not 0"),
        ({"capacity": 5, "policy": "best"}, "there is no policy 'best': choose lru, fifo, lfu, belady"),
        ({"capacity": 5, "policy": "fifo", "whole_leaf": True}, "only LRU is played on a tree"),
        ({"capacity": 5, "policy": max, "tree": Reference}, "only LRU is played on a tree"),
        ({"capacity": 5, "tree": Reference}, "cannot trim: play whole_leaf"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(options, why):
    with pytest.raises(ValueError, match=why):
        replay(small([[1]]), **options)


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize(
    ("rank", "why"),
    [
        (lambda block: None, "the policy returned None for a block"),
        (lambda block: float("nan"), "the policy returned nan for a block"),
        (lambda block: block.depth if block.depth > 1 else None, "the policy returned None for a block"),
    ],
)
def test_a_rank_that_ranks_nothing_is_refused_in_a_sentence(rank, why, selective):
    with pytest.raises(ValueError, match=why):
        replay(small([[1, 2], [3], [4]]), 2, rank, selective=selective)


def test_a_policy_must_rank_the_newcomer_too():
    cache = BlockCache(1, lambda block: 0 if block.last_use == 0 else None, selective=True)
    cache.serve([0])
    with pytest.raises(ValueError, match="returned None"):
        cache.serve([1])


def test_the_name_of_a_trace_is_no_trace():
    with pytest.raises(TypeError, match=r"replay plays a trace, not 'chat': make one with load\(name\)"):
        replay("chat", 100)


def test_the_signature_shows_no_address_of_this_process():
    assert "0x" not in str(inspect.signature(replay))


def test_first_stored_first_among_leaves_is_lru_on_the_generated_traffic():
    trace = load("chat")
    for blocks in trace.capacities[1:4]:
        assert replay(trace, blocks, lambda block: block.first_use).hit_tokens == replay(trace, blocks).hit_tokens


def test_who_watches_is_told_of_every_request():
    told = []
    row = replay(Trace("", [Request((at,), 1, 1) for at in range(250)]), 3, watch=told.append)
    assert told == [100, 100, 50] and row.tokens_per_s > 0


# The command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def types(tmp_path, monkeypatch, capsys):
    """Type `ol replay ...` in an empty folder; return the exit code and what came out on both ways."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RADIXLAB_DATA", str(DATA))

    def type_it(line: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["replay", *line.split()])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, " ".join(err.split())

    return type_it


def test_the_json_is_all_of_standard_output(types):
    code, out, err = types("ragpulse --capacity 16,1_07 --json -")
    report = json.loads(out)
    assert all(row.pop("tokens_per_s") > 0 for row in report["rows"])
    assert (code, report) == (
        0,
        {
            "trace": "ragpulse",
            "policy": "lru",
            "granule": 1,
            "whole_leaf": False,
            "total_tokens": 10_535_055,
            "rows": [
                {
                    "capacity": 16,
                    "hit_tokens": 1_472_754,
                    "hit_rate": 1_472_754 / 10_535_055,
                    "evictions": 61_400,
                    "requests": 7_106,
                },
                {
                    "capacity": 107,
                    "hit_tokens": 1_807_066,
                    "hit_rate": 1_807_066 / 10_535_055,
                    "evictions": 59_083,
                    "requests": 7_106,
                },
            ],
        },
    )
    assert "1,472,754" in err and "next:" in err


def test_chat_is_played_at_its_own_capacities_when_nothing_is_said(types):
    code, out, err = types("")
    assert (code, err) == (0, "")
    assert "the last 1,000 of 2,000 requests" in out and "blocks of 16 tokens" in out
    for shown in ("1,000", "16,000", "54.33%", "90.64%", "next: `ol replay chat --policy belady`"):
        assert shown in out
    code, out, _ = types("chat --granule 64 --policy belady --json rows.json")
    rows = json.loads(Path("rows.json").read_text())["rows"]
    assert [row["capacity"] for row in rows] == [250, 500, 1_000, 2_000, 4_000] and "blocks of 64 tokens" in out


def test_whole_leaves_are_played_when_asked_for(types):
    assert "1,405,678" in types("ragpulse --capacity 16 --whole-leaf")[1]
    played = json.loads(types("chat --capacity 500 --granule 64 --whole-leaf --json -")[1])
    assert (played["policy"], played["granule"], played["whole_leaf"]) == ("lru", 64, True)


def test_names_are_taken_in_any_case_and_the_next_command_keeps_the_capacity(types):
    code, out, _ = types("Chat --policy LRU --capacity 500,1_000")
    assert code == 0 and "chat, lru" in out
    assert "next: `ol replay chat --capacity 500,1000 --policy belady`" in out
    assert "next: `ol replay ragpulse --capacity 16 --plot" in types("ragpulse --policy Belady --capacity 16")[1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("kimi", "'kimi' is not one of 'chat', 'ragpulse', 'conversation', 'synthetic'"),
        ("--capacity 0", "0 blocks are no cache: a capacity is at least 1"),
        ("--capacity=-3", "-3 blocks are no cache"),
        ("--capacity 16,many", "'many' is no whole number; write numbers of blocks as in 16,107,1_160"),
        ("--capacity 16,,17", "'' is no whole number"),
        ("--capacity 1.5", "'1.5' is no whole number"),
        ("--policy best", "'best' is not one of"),
        ("--policy fifo --whole-leaf", "--whole-leaf is for lru: fifo evicts block by block"),
        ("--granule 0", "0 is not in the range"),
        ("ragpulse --granule 16", "the blocks of ragpulse are given"),
        ("--plot rates.pdf", "name a file that ends in .svg or .png"),
        ("--plot nowhere/rates.svg", "nowhere does not exist"),
        ("--json .", ". is a folder; name a file in it"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_played(types, monkeypatch, line, why):
    monkeypatch.setattr(command, "replay", lambda *args, **options: pytest.fail("played"))
    code, out, err = types(line)
    assert (code, out) == (2, "") and why in err


def test_offline_the_exit_code_is_3_and_the_way_on_is_named(types, monkeypatch, tmp_path):
    monkeypatch.delenv("RADIXLAB_DATA")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache")
    monkeypatch.setattr(PublicFile, "address", "http://127.0.0.1:9/0.jsonl")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    code, out, err = types("ragpulse --json -")
    assert (code, out) == (3, "")
    assert "ragpulse_0_trace.jsonl could not be fetched" in err and "next: put it under that name" in err


def test_a_plot_is_drawn_as_its_name_says(types):
    code, out, _ = types("chat --capacity 500,2000 --plot rates.svg")
    assert code == 0 and "wrote rates.svg" in out
    assert Path("rates.svg").read_text().startswith("<?xml") and "capacity (blocks)" in Path("rates.svg").read_text()
    assert types("chat --capacity 500 --plot rates.PNG")[0] == 0
    assert Path("rates.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_same_rows_give_the_same_picture():
    rows = [replay(small([[1], [1]]), blocks) for blocks in range(1, 12)]
    assert hit_rates({"lru": rows}, "small", "svg") == hit_rates({"lru": rows}, "small", "svg")


def test_curves_are_told_apart_without_colour():
    rows = [Row(10, 1, 0.5, 0, 1, 1.0)]

    def shapes(curves):
        picture = hit_rates({str(at): rows for at in range(curves)}, "some", "svg").decode()
        return set(re.findall(r'<path id="m\w+" d="([^"]+)"', picture))

    assert [len(shapes(curves) - shapes(curves - 1)) for curves in range(2, 6)] == [1, 1, 1, 1]


def test_a_table_has_a_line_for_each_capacity_and_says_the_same_as_text_and_as_html():
    table = Table({"<mine>": [Row(2_000, 1_234, 0.5, 0, 9, 1.0), Row(16, 7, 0.25, 0, 9, 1.0)], "lru": []})
    assert [line.split() for line in repr(table).splitlines()] == [
        ["blocks", "<mine>", "lru"],
        ["16", "7", "25.0%"],
        ["2,000", "1,234", "50.0%"],
    ]
    assert table._repr_html_() == (
        '<table><thead><tr><th scope="col">blocks</th><th scope="col">&lt;mine&gt;</th><th scope="col">lru</th></tr>'
        '</thead><tbody><tr><th scope="row">16</th><td>7  25.0%</td><td></td></tr>'
        '<tr><th scope="row">2,000</th><td>1,234  50.0%</td><td></td></tr></tbody></table>'
    )


def test_without_matplotlib_a_plot_is_refused_and_the_rest_goes_on(types, monkeypatch):
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)
    code, out, err = types("--plot rates.svg")
    assert (code, out) == (2, "") and "--plot needs matplotlib: pip install matplotlib" in err
    assert types("--capacity 500")[0] == 0


def test_matplotlib_is_loaded_for_a_plot_alone():
    import subprocess

    code = (
        "import sys, radixlab.commands.replay; sys.exit(any(name in sys.modules for name in ('matplotlib', 'pooch')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_ctrl_c_leaves_nothing_behind(types, monkeypatch):
    def interrupted(trace, blocks, policy, *, whole_leaf, watch):
        watch(100)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "replay", interrupted)
    code, out, err = types("--json rows.json --plot rates.svg")
    assert (code, out, err) == (130, "", "interrupted; nothing was changed")
    assert list(Path().iterdir()) == []


def test_the_help_names_every_trace_and_policy(types):
    code, out, _ = types("--help")
    assert code == 0 and all(
        name in out for name in ("ragpulse", "conversation", "synthetic", "$RADIXLAB_DATA", *POLICIES)
    )
