import importlib
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def tree():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("tree")
        for name in ("tree", "tables"):
            sys.modules.pop(name)


@pytest.mark.parametrize("conversations", [1_000, 16_000])
@pytest.mark.parametrize("workload", ["parent old", "parent new"])
def test_an_eviction_takes_at_most_two_list_steps(tree, workload, conversations):
    assert tree.steps_per_eviction(tree.tree_module(), tree.WORKLOADS[workload], conversations) <= 2


@pytest.mark.parametrize(("walk", "workload"), [("newest only", "parent old"), ("oldest only", "parent new")])
def test_a_walk_from_one_end_only_is_long_on_one_workload(tree, walk, workload):
    module = tree.tree_module(tree.WALKS[walk])
    assert tree.steps_per_eviction(module, tree.WORKLOADS[workload], 1_000) > 400


@pytest.mark.parametrize("walk", ["newest only", "oldest only"])
def test_every_walk_keeps_the_same_order(tree, walk):
    orders = []
    for edits in ((), tree.WALKS[walk]):
        stored = tree.tree_module(edits).RadixTree(1)
        for conversation in range(50):
            tree.turns(stored, conversation)
        tree.matched_at_random(stored, 50)
        stored.evict(40)
        stored.check()
        orders.append(stored.lru_order())
    assert orders[0] == orders[1]


def printed_by(script):
    done = subprocess.run([sys.executable, BENCHMARKS / script, "--quick"], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_benchmark_of_the_tree_prints_its_tables():
    text = printed_by("tree.py")
    for title in ("List steps for each eviction", "A match is linear in the prompt", "`evict(64)` does not feel"):
        assert f"## {title}" in text


def test_the_benchmark_of_drawing_prints_its_tables():
    text = printed_by("drawing.py")
    for title in ("Milliseconds a frame", "A film of"):
        assert f"## {title}" in text


def test_the_benchmark_of_grading_prints_its_tables():
    text = printed_by("grading.py")
    for title in ("For each bug", "The whole command", "An endless loop"):
        assert f"## {title}" in text
    assert text.count("| 18 of 18 |") == 2
    for where in ("in a planted bug", "in an own test", "in the learner's tree"):
        assert f"| {where} | budget |" in text


def test_the_benchmark_of_the_lab_prints_its_table():
    text = printed_by("lab.py")
    assert "## From Shift-Enter to the verdict" in text
    for cell in ("right", "a planted bug, s03", "right, the last stage"):
        assert f"| {cell} | " in text


def test_the_benchmark_of_memory_prints_its_tables():
    text = printed_by("memory.py")
    for title in ("Notebook 03-split-matching", "In a terminal"):
        assert f"## {title}" in text


def test_the_benchmark_of_the_classroom_prints_its_tables():
    text = printed_by("classroom.py")
    assert text.count("| 2 of 2 |") == 2
    assert "| official tests, tree behind the wire and in the sandbox | " in text
