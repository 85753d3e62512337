"""Chat traffic is the same on every machine, sends again what was said before, and suits a tree in a notebook."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.checker.live import loaded
from radixlab.course import chapter
from radixlab.traffic import chat

GRANULE = 16


def shared(one, other):
    """Return how many tokens two prompts have in common at their start."""
    same = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(same, min(len(one), len(other)))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 2**64))
def test_a_seed_gives_one_traffic_and_fewer_requests_are_its_beginning(few, more, seed):
    prompts = chat(few + more, seed)
    assert len(prompts) == few + more
    assert prompts[:few] == chat(few, seed)
    assert all(type(token) is int and 0 <= token < 2**32 for prompt in prompts for token in prompt)
    assert all(type(prompt) is tuple and 138 <= len(prompt) <= 1136 for prompt in prompts)


def test_another_seed_gives_another_traffic():
    assert len({tuple(chat(20, seed)) for seed in range(50)}) == 50


def test_the_first_prompts_are_pinned():
    prompts = chat()
    assert (len(prompts), sum(map(len, prompts)), max(map(len, prompts))) == (200, 78925, 776)
    assert (prompts[0][:3], prompts[-1][-3:]) == ((15363, 78222, 57974), (87174, 89522, 15259))


@pytest.mark.parametrize("seed", range(5))
def test_prompts_start_with_one_of_three_system_prompts(seed):
    starts = Counter(prompt[:100] for prompt in chat(200, seed))
    assert len(starts) == 3, "three system prompts, of at least 128 tokens each"
    assert min(starts.values()) >= 10, "each is in use"


@pytest.mark.parametrize("seed", range(5))
def test_turns_send_again_all_that_was_said_and_conversations_are_interleaved(seed):
    prompts = chat(200, seed)
    turns = Counter()
    apart = 0
    for at, prompt in enumerate(prompts):
        before = [back for back in range(at) if prompt[: len(prompts[back])] == prompts[back]]
        turns[len(before) + 1] += 1
        if before:
            apart += at - before[-1] > 1
            assert len(prompt) - len(prompts[before[-1]]) >= 30, "the answer of at least 20 tokens, a message of 10"
    assert max(turns) in range(5, 9), "conversations have two to eight turns"
    assert apart > 100, "others come between two turns of one conversation"


def test_what_two_conversations_share_is_their_system_prompt():
    firsts = [prompt for prompt in chat(60) if len(prompt) <= 256 + 40]
    common = {shared(one, other) for at, one in enumerate(firsts) for other in firsts[:at]}
    assert max(common - {len(prompt) for prompt in firsts}) <= 256


def test_a_tree_replays_the_traffic_in_about_a_second():
    module = loaded(chapter("ds.07").text("reference.py"), "radix.py", {"RadixTree"})
    tree, matched, prompts = module.RadixTree(GRANULE), 0, chat()
    start = time.perf_counter()
    for prompt in prompts:
        matched += tree.match_prefix(prompt)[0]
        whole = len(prompt) // GRANULE
        tree.insert(prompt[: whole * GRANULE], range(whole))
    assert time.perf_counter() - start < 2
    assert 0.75 < matched / sum(map(len, prompts)) < 0.9, "most of the prefill can be saved"
    assert len(tree) < 1000
