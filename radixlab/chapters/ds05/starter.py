"""Your own tests of the Robin Hood map, graded by the planted bugs that they catch (chapter ds.05).

Promise only what the chapter promises, so that each test passes on every correct map: which of two keys with one home
lies nearer is nobody's business, and `keys` and `values` come in any order.
"""

from robin_hood import RobinHoodMap


def test_the_rich_give_way():
    """A key that has come far takes the slot of one that is nearer to its home, and a search may rely on it."""
    raise NotImplementedError(
        "write: set 0, 8, 1, 16, and 16 once more; compare probe_distances, len, and the value of each key; then the "
        "probe of a missing key, where a row of keys at home lies in its way"
    )


def test_a_deleted_key_leaves_no_gap():
    """The keys behind a deleted one move back, up to a free slot or a key that is at home."""
    raise NotImplementedError(
        "write: set 0, 8, 1, 16 and delete 8; compare probe_distances, len, and the values; then the same where a key "
        "at home comes behind the deleted one; a missing key must raise KeyError"
    )


def test_growth_moves_every_key():
    """The eighth key doubles a table of 8 slots, and each key lies behind its new home."""
    raise NotImplementedError(
        "write: set 7 keys, compare capacity; set one more, compare capacity, and the value and the probe of each key"
    )
