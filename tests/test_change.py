"""What changed between two moments of a tree, in a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.change import change_words
from radixlab.show.snapshot import Node, Snapshot, snapshot


def tree(*nodes, order=(), granule=1):
    """A snapshot in which ROOT has all the *nodes* that no other has."""
    below = {child for node in nodes for child in node.children}
    root = Node(0, children=tuple(node.id for node in nodes if node.id not in below))
    return Snapshot(granule, {node.id: node for node in (root, *nodes)}, order)


ONE = tree(Node(1, (1, 2), ("a", "b")))


def test_nodes_come_go_and_come_back():
    both = tree(Node(2, (1,), ("a",), children=(1,)), Node(1, (1, 2), ("a", "b")))
    assert change_words(ONE, tree(Node(2, (1,), ("a",)))) == "Node 2 is new, below ROOT; node 1 is out of reach."
    assert change_words(tree(Node(2, (1,), ("a",))), both, {1}) == "Node 1 is in reach again, below node 2."
    assert change_words(ONE, both) == "Node 2 is new, below ROOT; node 1 hangs below node 2 now."


def test_labels_values_and_locks_are_told_and_whether_they_fit():
    assert change_words(ONE, tree(Node(1, (2,), ("b",)))) == "Node 1 has the label 2 now."
    assert change_words(ONE, tree(Node(1, (1, 2), ("c",)))) == "Node 1 has the values c now, and 1 value for 2 runs."
    assert change_words(ONE, tree(Node(1, (1, 2), ("a", "b"), locks=2))) == "Node 1 has the lock count 2 now."
    assert change_words(ONE, tree(Node(1, None, None, locks=None))) == (
        "Node 1 has the label ? now; node 1 has the lock count ? now."
    )


def test_the_list_is_told():
    assert change_words(ONE, tree(Node(1, (1, 2), ("a", "b")), order=(1,))) == "The LRU list is 1 now."
    assert change_words(tree(order=(1,)), tree()) == "The LRU list is empty now."


def test_runs_of_several_tokens_are_counted():
    before = tree(Node(1, (1, 2, 3, 4), ("a", "b")), granule=2)
    assert change_words(before, tree(Node(1, (3, 4), ("a", "b")), granule=2)).endswith(
        "3 4 now, and 2 values for 1 run."
    )


KEYS = st.lists(st.integers(0, 2), max_size=4)


@given(st.lists(KEYS, max_size=5), KEYS, st.booleans())
def test_there_are_words_exactly_when_something_can_be_seen(keys, key, lock):
    grown = RadixTree(1)
    for each in keys:
        node, _ = grown.insert(each, "abcd"[: len(each)])
    before = snapshot(grown)
    grown.match_prefix(key)
    if lock and keys:
        grown.lock(node)
    after = snapshot(grown)
    assert bool(change_words(before, after)) == (before != after)
