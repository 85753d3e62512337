"""A learner's tests that catch every planted bug."""

import pytest
from robin_hood import RobinHoodMap


def filled(keys):
    table = RobinHoodMap()
    for key in keys:
        table[key] = 10 * key
    return table


def test_the_rich_give_way():
    table = filled((0, 8, 1, 16))
    table[16] = 5
    assert table.probe_distances() == [0, 1, 2, 2, -1, -1, -1, -1]
    assert [table.get(key) for key in (0, 8, 1, 16)] == [0, 80, 10, 5]
    assert len(table) == 4
    assert sorted(table.keys()) == [0, 1, 8, 16]
    assert filled(range(6)).probe(8) == (1, 1)


def test_a_deleted_key_leaves_no_gap():
    table = filled((0, 8, 1, 16))
    del table[8]
    assert table.probe_distances() == [0, 1, 1, -1, -1, -1, -1, -1]
    assert [table.get(key) for key in (0, 8, 1, 16)] == [0, None, 10, 160]
    assert len(table) == 3
    with pytest.raises(KeyError):
        del table[8]
    table = filled((0, 8, 2, 3))
    del table[0]
    assert table.probe_distances() == [0, -1, 0, 0, -1, -1, -1, -1]
    assert [table.get(key) for key in (8, 2, 3)] == [80, 20, 30]


def test_growth_moves_every_key():
    keys = (0, 8, 16, 24, 3, 11, 5)
    table = filled(keys)
    assert table.capacity() == 8
    table[13] = 130
    assert table.capacity() == 16
    for key in (*keys, 13):
        slot, distance = table.probe(key)
        assert table.get(key) == 10 * key
        assert slot == (key + distance) % 16
