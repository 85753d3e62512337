"""A learner's tests that are right and see little: the pinned leaf that could still be evicted goes unnoticed."""

from radix import RadixTree


def test_split_by_hand():
    tree = RadixTree(1)
    tree.insert([1, 2, 3], ["a", "b", "c"])
    leaf, _ = tree.insert([1, 2, 4, 5], ["x", "y", "d", "e"])
    assert list(tree.values(leaf)) == ["d", "e"]
    assert list(tree.values(tree.parent(leaf))) == ["a", "b"]
    assert tree.child_count(tree.parent(leaf)) == 2


def test_match_splits_inside_an_edge():
    tree = RadixTree(1)
    tree.insert([1, 2, 3], ["a", "b", "c"])
    tokens, path = tree.match_prefix([1, 2, 9])
    assert tokens == 2
    assert list(tree.key(path[-1])) == [1, 2]


def test_insert_hands_back_the_stored_part():
    tree = RadixTree(1)
    tree.insert([1, 2], ["a", "b"])
    _, back = tree.insert([1, 2], ["x", "y"])
    assert back == ["x", "y"]
    assert len(tree) == 2


def test_oldest_leaf_goes_first():
    tree = RadixTree(1)
    first, _ = tree.insert([1], ["a"])
    second, _ = tree.insert([2], ["b"])
    tree.match_prefix([1])
    assert tree.lru_order() == [second, first]


def test_locks_pin_ancestors():
    tree = RadixTree(1)
    left, _ = tree.insert([1, 2], ["a", "b"])
    tree.insert([1, 3], ["x", "c"])
    tree.lock(left)
    assert tree.lock_count(left) == 1
    assert tree.lock_count(tree.parent(left)) == 1
    tree.unlock(left)
    assert tree.lock_count(left) == 0


def test_parent_becomes_evictable():
    tree = RadixTree(1)
    tree.insert([1], ["a"])
    tree.insert([1, 2], ["x", "b"])
    assert tree.evict(2) == 2
    assert tree.is_empty()
