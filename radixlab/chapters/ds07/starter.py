"""Your own tests of the radix tree, graded by the planted bugs that they catch (chapter ds.07).

Promise only what the chapter promises, so that each test passes on every correct tree: a node is known by what a call
returned, never by a number of your own.
"""

from radix import ROOT, RadixTree


def test_split_by_hand():
    """An insert that leaves an edge in the middle splits it: no value is lost, and each stays with its tokens."""
    raise NotImplementedError(
        "write: insert [1, 2, 3], then [1, 2, 4, 5]; compare key, values, parent, children of all nodes, and len"
    )


def test_match_splits_inside_an_edge():
    """A match ends exactly at a node: it splits the edge that it ends in, between two whole runs."""
    raise NotImplementedError(
        "write: at granule 2, insert [1, 2, 3, 4] and match [1, 2, 3, 9]; compare the tokens matched, the values on "
        "the path, and what is left of the old node; then the same below a lock"
    )


def test_insert_hands_back_the_stored_part():
    """An insert keeps the values stored first, hands the caller's back, and refuses a wrong number of values."""
    raise NotImplementedError(
        "write: insert a key twice, then a longer one; compare the values handed back, the node and len; then expect "
        "ValueError for one value too few, and an unchanged tree"
    )


def test_oldest_leaf_goes_first():
    """Eviction takes the least recently used leaf whole, and a match counts as a use."""
    raise NotImplementedError(
        "write: insert three keys, match the first again, compare lru_order; evict(1) with a list's append, compare "
        "what it got; insert and evict ten times, and see that ids are used again"
    )


def test_locks_pin_ancestors():
    """A lock keeps a node and every ancestor from eviction, until it is undone."""
    raise NotImplementedError(
        "write: lock one of two leaves; compare the lock_count of leaf, sibling and parent, and lru_order; evict more "
        "than there is; unlock, and see it listed again; one unlock more must raise RuntimeError"
    )


def test_parent_becomes_evictable():
    """A parent whose last child was evicted is a leaf in its turn, at the place of its own last use."""
    raise NotImplementedError(
        "write: insert [1, 2, 3], match [1, 2], insert [9]; evict(1), and compare what went, lru_order and the "
        "parent's children; then evict the rest"
    )
