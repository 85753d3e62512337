"""A learner's tests, one of which expects what nobody promises: which of two keys with one home lies nearer."""

from robin_hood import RobinHoodMap


def test_the_rich_give_way():
    table = RobinHoodMap()
    for key in (0, 8):
        table[key] = 10 * key
    assert table.probe(8) == (1, 1)


def test_a_deleted_key_leaves_no_gap():
    table = RobinHoodMap()
    table[0] = 1
    del table[0]
    assert len(table) == 0


def test_growth_moves_every_key():
    table = RobinHoodMap()
    for key in range(8):
        table[key] = key
    assert table.capacity() == 16
