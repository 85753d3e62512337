"""A learner's tests that look at values only: valid, and not enough."""

from robin_hood import RobinHoodMap


def test_the_rich_give_way():
    table = RobinHoodMap()
    for key in (0, 8, 1, 16):
        table[key] = 10 * key
    assert [table.get(key) for key in (0, 8, 1, 16)] == [0, 80, 10, 160]


def test_a_deleted_key_leaves_no_gap():
    table = RobinHoodMap()
    for key in (0, 8, 1, 16):
        table[key] = 10 * key
    del table[8]
    assert [table.get(key) for key in (0, 8, 1, 16)] == [0, None, 10, 160]


def test_growth_moves_every_key():
    table = RobinHoodMap()
    for key in range(50):
        table[key] = 10 * key
    assert [table.get(key) for key in range(50)] == list(range(0, 500, 10))
