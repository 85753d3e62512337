import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
GRANULES = [1, 2, 4]
SGLANG = ["sglang"] if importlib.util.find_spec("sglang") else []  # gigabytes: tried where somebody has it


@pytest.fixture(scope="module")
def caches():
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("caches")
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in ("caches", "measuring", "workloads", "tables"):
                sys.modules.pop(name)


def prompts(seed, granule, number=300):
    """Return random prompts; most begin as an earlier one does, and they may end inside a run."""
    rng, made = random.Random(seed), [[]]
    for _ in range(number):
        before = rng.choice(made)
        new = [rng.randrange(3) for _ in range(rng.randint(1, 5 * granule))]
        made.append((before[: rng.randint(0, len(before))] + new)[: 12 * granule])
    return made[1:]


def matched(cache, prompt):
    return cache.matched(cache.match(cache.key(prompt)))


def insert(cache, number, prompt):
    whole = prompt[: len(prompt) - len(prompt) % cache.granule]
    if whole:
        cache.insert(cache.key(whole), cache.values(number, len(whole)))


@pytest.mark.parametrize("granule", GRANULES)
@pytest.mark.parametrize("name", ["fast", "trie", "hashes", *SGLANG])
def test_every_structure_finds_what_the_reference_finds(caches, name, granule):
    cache, reference = caches.CACHES[name](granule), caches.CACHES["reference"](granule)
    found = []
    for number, prompt in enumerate(prompts(f"{name} {granule}", granule)):
        found.append(matched(reference, prompt))
        assert matched(cache, prompt) == found[-1]
        for each in (cache, reference):
            insert(each, number, prompt)
        assert len(cache) == len(reference)
    assert len(set(found)) > 5  # short and long, none and all: the traffic is worth something


@pytest.mark.parametrize("granule", GRANULES)
def test_the_fast_tree_evicts_as_much_as_the_reference(caches, granule):
    cache, reference = caches.CACHES["fast"](granule), caches.CACHES["reference"](granule)
    for number, prompt in enumerate(prompts(granule, granule)):
        for each in (cache, reference):
            insert(each, number, prompt)
        if number % 10 == 9:
            assert cache.evict(7 * granule) == reference.evict(7 * granule) >= 7 * granule
        assert len(cache) == len(reference)
    assert cache.evict(10**6) == reference.evict(10**6)
    assert len(cache) == len(reference) == 0


@pytest.mark.parametrize("granule", GRANULES)
def test_block_hashes_evict_the_end_of_the_oldest_prompt_first(caches, granule):
    cache = caches.CACHES["hashes"](granule)
    old, new = [1] * 4 * granule, [2] * 4 * granule
    for number, prompt in enumerate((old, new)):
        insert(cache, number, prompt)
    assert cache.evict(3 * granule) == 3 * granule
    assert (matched(cache, old), matched(cache, new)) == (granule, 4 * granule)
    assert cache.evict(100 * granule) == 5 * granule
    assert len(cache) == 0


@pytest.mark.parametrize("granule", GRANULES)
def test_pygtrie_finds_only_prompts_that_were_inserted(caches, granule):
    cache = caches.CACHES["pygtrie"](granule)
    insert(cache, 0, [1] * 2 * granule)
    assert matched(cache, [1] * 2 * granule + [2] * granule) == 2 * granule
    assert matched(cache, [1] * granule + [2] * granule) == 0


def test_the_floor_compares_both_edges(caches):
    floor = caches.Floor(1, system=3)
    insert(floor, 0, [1, 2, 3, 4, 5])
    assert [matched(floor, prompt) for prompt in ([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], [1, 2, 9, 4, 5])] == [5, 3, 0]


@pytest.mark.parametrize("name", ["shared", "turns"])
def test_a_workload_has_the_leaves_and_the_prompts_that_it_promises(caches, name):
    workload = importlib.import_module("workloads").WORKLOADS[name](20)
    cache = caches.CACHES["fast"](16)
    for number, prompt in enumerate(workload.stored()):
        insert(cache, number, prompt)
    assert len(cache.tree.lru_order()) == 20
    assert {matched(cache, workload.whole(leaf)) for leaf in range(20)} == {len(workload.whole(0))}
    fresh = {len(workload.fresh(leaf)) - matched(cache, workload.fresh(leaf)) for leaf in range(20)}
    assert fresh == {workload.tail}


def test_what_is_borrowed_must_be_of_the_same_python(caches, monkeypatch):
    monkeypatch.setattr(caches, "ASKED", """print('[[2, 7], "/nowhere", "/nowhere"]')""")
    with pytest.raises(RuntimeError, match=r"is Python 2\.7, and this is 3\."):
        caches.borrow(sys.executable)
    assert "/nowhere" not in sys.path


def test_what_is_borrowed_comes_last(caches, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    here = list(sys.version_info[:2])
    monkeypatch.setattr(caches, "ASKED", f"""print('[{here}, "/theirs", "/theirs"]')""")
    before = [*sys.path]
    caches.borrow(sys.executable)
    assert sys.path == [*before, "/theirs"]


def test_the_benchmark_of_the_structures_prints_its_tables():
    command = [sys.executable, BENCHMARKS / "structures.py", "--quick"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    for title in ("A shared system prompt, granule 1", "Conversations of many turns, granule 16", "Aims", "Keys"):
        assert f"## {title}\n" in done.stdout
    assert done.stdout.count("| radixlab, the fast tree |") == 5
