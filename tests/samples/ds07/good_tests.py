"""A learner's tests that catch every planted bug."""

import pytest
from radix import ROOT, RadixTree


def edge(tree, node):
    return list(tree.key(node)), list(tree.values(node))


def test_split_by_hand():
    tree = RadixTree(1)
    old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    new, back = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    middle = tree.parent(new)
    assert back == ["x", "y"]
    assert edge(tree, middle) == ([1, 2], ["a", "b"])
    assert edge(tree, old) == ([3], ["c"])
    assert edge(tree, new) == ([4, 5], ["d", "e"])
    assert tree.children(middle) == sorted([old, new])
    assert tree.children(ROOT) == [middle]
    assert len(tree) == 5


def test_match_splits_inside_an_edge():
    tree = RadixTree(2)
    old, _ = tree.insert([1, 2, 3, 4], ["a", "b"])
    tree.lock(old)
    tokens, path = tree.match_prefix([1, 2, 3, 9])
    assert tokens == 2
    assert [edge(tree, node) for node in path] == [([1, 2], ["a"])]
    assert edge(tree, old) == ([3, 4], ["b"])
    assert tree.lock_count(path[0]) == 1
    assert tree.match_prefix([1, 2, 3, 4]) == (4, [*path, old])


def test_insert_hands_back_the_stored_part():
    tree = RadixTree(2)
    node, back = tree.insert([1, 2, 3, 4], ["a", "b"])
    assert back == []
    assert tree.insert([1, 2, 3, 4], ["x", "y"]) == (node, ["x", "y"])
    leaf, back = tree.insert([1, 2, 3, 4, 5, 6], ["x", "y", "c"])
    assert back == ["x", "y"]
    assert edge(tree, node) == ([1, 2, 3, 4], ["a", "b"])
    assert edge(tree, leaf) == ([5, 6], ["c"])
    for wrong in (["p"], ["p", "q", "r"]):
        with pytest.raises(ValueError):
            tree.insert([7, 8, 9, 10], wrong)
    assert len(tree) == 3


def test_oldest_leaf_goes_first():
    tree = RadixTree(1)
    first, _ = tree.insert([1, 2], ["a", "b"])
    second, _ = tree.insert([3, 4], ["c", "d"])
    tree.match_prefix([1, 2])
    assert tree.lru_order() == [second, first]
    gone = []
    assert tree.evict(1, gone.append) == 2
    assert gone == ["c", "d"]
    for token in range(10, 20):
        node, _ = tree.insert([token], ["n"])
        assert node < 5, "at most two nodes are alive, so ids must be used again"
        tree.match_prefix([1, 2])
        tree.evict(1)
    assert tree.lru_order() == [first]


def test_locks_pin_ancestors():
    tree = RadixTree(1)
    left, _ = tree.insert([1, 2], ["a", "b"])
    right, _ = tree.insert([1, 3], ["x", "c"])
    parent = tree.parent(left)
    tree.lock(left)
    assert [tree.lock_count(node) for node in (parent, left, right)] == [1, 1, 0]
    with pytest.raises(RuntimeError):
        tree.unlock(right)
    assert tree.lock_count(parent) == 1
    assert tree.lru_order() == [right]
    assert tree.evict(9) == 1
    assert tree.match_prefix([1, 2]) == (2, [parent, left])
    tree.unlock(left)
    assert tree.lru_order() == [left]


def test_parent_becomes_evictable():
    tree = RadixTree(1)
    tree.insert([1, 2, 3], ["a", "b", "c"])
    _, (parent,) = tree.match_prefix([1, 2])
    newer, _ = tree.insert([9], ["n"])
    gone = []
    assert tree.evict(1, gone.append) == 1
    assert gone == ["c"]
    assert tree.children(parent) == []
    assert tree.lru_order() == [parent, newer]
    assert tree.match_prefix([1, 2, 3]) == (2, [parent])
    assert tree.evict(9) == 3
    assert tree.is_empty()
