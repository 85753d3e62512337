"""Steps: the same on every machine, of a tree's method or of a function of the notebook's."""

import pytest
from typed_cells import run

from radixlab import lab


def test_the_steps_of_a_method_are_those_of_the_tree_alone():
    tree = lab.subject("reference").RadixTree(1)
    assert lab.steps(tree.insert, [1, 2], ["a", "b"]) == lab.steps(
        lab.subject("reference").RadixTree(1).insert, [1, 2], "ab"
    )
    assert lab.steps(tree.node_count) == 1


def test_a_search_costs_more_the_more_there_is_and_a_list_costs_the_same():
    costs = {}
    for leaves in (100, 400):
        tree = lab.subject("reference").RadixTree(1)
        for token in range(leaves):
            tree.insert([token], ["v"])
        costs[leaves] = lab.steps(tree.match_prefix, [7]), lab.steps(tree.lru_order)
    assert costs[100][0] == costs[400][0]
    assert costs[400][1] > 3 * costs[100][1]


def test_the_steps_of_a_function_of_a_cell():
    space = run("def rounds(n):\n    return [i for i in range(n)]\n")
    assert lab.steps(space["rounds"], 50) == 51


def test_what_has_no_steps_is_refused():
    with pytest.raises(TypeError, match="a tree's method"):
        lab.steps(len, [])


def test_an_endless_function_ends():
    space = run("def forever():\n    while True:\n        pass\n")
    with pytest.raises(RuntimeError, match="ran 100,000 steps"):
        lab.steps(space["forever"])
