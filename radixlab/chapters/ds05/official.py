"""The seven tests of chapter ds.05: what `ol check` runs against a Robin Hood map.

They see the public face only. What they know of the inside is what the chapter promises: where a home is, when the
table doubles, and that the exchange leaves only one answer for the distances. Which of two keys with one home lies
nearer is not promised, and no test asks for it.
"""

import random
from collections import Counter, deque

from robin_hood import RobinHoodMap


def filled(keys):
    """Return a map in which each key has ten times its place among *keys* as its value."""
    table = RobinHoodMap()
    for place, key in enumerate(keys):
        table[key] = 10 * place
    return table


def misses(call, *arguments):
    """Say whether the call raises KeyError."""
    try:
        call(*arguments)
    except KeyError:
        return True
    return False


def due_distances(keys, capacity):
    """Return what the distances of these keys must be: slot by slot, whoever waits longest gets the slot.

    Where the rich give way, keys lie behind each other in the order of their homes, so there is only one answer.
    """
    at_home, waiting = Counter(hash(key) % capacity for key in keys), deque()
    for _ in range(2):  # the second round begins with those who walked past the last slot in the first
        distances = []
        for slot in range(capacity):
            waiting.extend([slot] * at_home[slot])
            distances.append((slot - waiting.popleft()) % capacity if waiting else -1)
    return distances


def misplaced(table, keys):
    """Return the first key that a search does not find at the distance written in its slot, None when there is none."""
    distances, capacity = table.probe_distances(), table.capacity()
    for key in keys:
        slot, distance = table.probe(key)
        if (hash(key) + distance) % capacity != slot or distances[slot] != distance:
            return key
    return None


def test_keys_with_one_home_are_all_found():
    """Keys that collide, that walk past the last slot, that are negative, or tuples: each has its own value."""
    for keys in ((1, 9, 17, 2), (7, 15, 0, 23), (-1, -9, 6, -2), ((1, 2), (3, 4), (5, 6), (1, 2, 3), 5)):
        table = filled(keys)
        done = f"set {', '.join(map(str, keys))} to 0, 10, 20, ..."
        got, due = [table.get(key) for key in keys], [10 * place for place in range(len(keys))]
        assert got == due, f"{done}: the values are {due}, got {got}"
        assert (len(table), sorted(table.values())) == (len(keys), due), f"{done}: {len(keys)} keys, a value each"
        assert table[keys[2]] == 20, f"{done}: the third key has the value 20"
        for key in (33, 16, (9, 9)):
            assert key not in table, f"{done}: {key} was never set"
            assert misses(table.__getitem__, key), f"{done}: {key} is missing, so [{key}] must raise KeyError"
            assert table.get(key) is None, f"{done}: get({key}) is None"
            assert table.get(key, 5) == 5, f"{done}: get({key}, 5) is 5"
        table[keys[1]] = 77
        done = f"{done}, then {keys[1]} to 77"
        got = [table.get(key) for key in keys]
        assert got == [0, 77, *due[2:]], f"{done}: only that value changes, got {got}"
        assert len(table) == len(keys), f"{done}: no key is added, len is {len(table)}"
    table = filled((1, 9, 17, 2))
    assert sorted(table.keys()) == [1, 2, 9, 17], "set 1, 9, 17, 2: keys() has each key once"
    assert table.capacity() == 8, "set 1, 9, 17, 2: the table has 8 slots"


def test_hand_example_the_rich_give_way():
    """The worked example, key by key: 16 comes from far, and 1, which is nearer to its home, gives way."""
    table = RobinHoodMap()
    steps = [
        (0, [0, -1, -1, -1], "0 lies at home"),
        (8, [0, 1, -1, -1], "8 finds 0 in its home, no nearer to home than 8 itself, and walks on to slot 1"),
        (1, [0, 1, 1, -1], "1 finds 8 in its home, further from home than 1 itself, and walks on to slot 2"),
        (16, [0, 1, 2, 2], "16 has come 2 slots where it finds 1, which has come 1: 1 gives way, to slot 3"),
    ]
    for number, (key, due, says) in enumerate(steps, 1):
        table[key] = 10 * key
        done = f"set {', '.join(str(each) for each, _, _ in steps[:number])}"
        got = table.probe_distances()
        assert got == [*due, -1, -1, -1, -1], f"{done}: {says}: {due}, then free; got {got}"
    got = [table.get(key) for key in (0, 8, 1, 16)]
    assert got == [0, 80, 10, 160], f"{done}: each value went along with its key, got {got}"
    assert table.probe(1) == (3, 2), f"{done}: probe(1) finds it in slot 3, got {table.probe(1)}"

    for keys in ((6, 14, 7, 22, 0), (3, 11, 19, 4, 27, 5), (7, 15, 23, 0, 31)):
        table, done = filled(keys), f"set {', '.join(map(str, keys))}"
        got, due = table.probe_distances(), due_distances(keys, 8)
        assert got == due, f"{done}: the distances are {due}, got {got}"
        lost = misplaced(table, keys)
        assert lost is None, f"{done}: probe({lost}) is {table.probe(lost)}, and the slot says {got}"
        got, due = [table.get(key) for key in keys], [10 * place for place in range(len(keys))]
        assert got == due, f"{done}: each value goes along with its key: {due}, got {got}"


def test_a_search_for_a_missing_key_ends_early():
    """It ends at the first slot that gives way: a free one, or one whose key is nearer to its home."""
    table, done = RobinHoodMap(), "in an empty map"
    assert table.probe(13) == (5, 0), f"{done}: probe(13) ends in its home, slot 5, got {table.probe(13)}"
    table, done = filled((0, 1, 2, 3, 4, 5)), "set 0, 1, 2, 3, 4, 5"
    for key in (8, 11, 12):
        slot = key % 8 + 1
        got = table.probe(key)
        assert got == (slot, 1), f"{done}: in slot {slot} a key is at home, so probe({key}) ends there, got {got}"
    table, done = filled((0, 8, 1, 16)), "set 0, 8, 1, 16"
    for key, due in ((24, (3, 3)), (9, (4, 3)), (2, (4, 2)), (3, (4, 1)), (4, (4, 0)), (7, (7, 0))):
        got = table.probe(key)
        assert got == due, f"{done}: the search for {key} ends in slot {due[0]}, {due[1]} from home; got {got}"
    table, done = filled((6, 7, 14, 15)), "set 6, 7, 14, 15"
    assert table.probe(22) == (0, 2), f"{done}: probe(22) comes round to slot 0, got {table.probe(22)}"


def test_deletion_closes_the_gap():
    """The keys behind a deleted one move back by one, up to a free slot or a key at home."""
    table, done = filled((0, 8, 1, 16)), "set 0, 8, 1, 16, del 8"
    del table[8]
    assert 8 not in table, f"{done}: 8 is gone"
    assert len(table) == 3, f"{done}: 3 keys are left, len is {len(table)}"
    assert [table.get(key) for key in (0, 1, 16)] == [0, 20, 30], f"{done}: 0, 1 and 16 are still found"
    got = table.probe_distances()
    assert got == [0, 1, 1, -1, -1, -1, -1, -1], f"{done}: 16 and 1 move back by one, got {got}"

    table, done = filled((0, 8, 2, 3)), "set 0, 8, 2, 3, del 0"
    del table[0]
    got = table.probe_distances()
    assert got == [0, -1, 0, 0, -1, -1, -1, -1], f"{done}: 8 moves to its home; 2 and 3 are at home and stay, got {got}"
    assert [table.get(key) for key in (8, 2, 3)] == [10, 20, 30], f"{done}: 8, 2 and 3 are still found"

    table, done = filled((6, 14, 7, 15, 0)), "set 6, 14, 7, 15, 0, del 6"
    del table[6]
    got, due = table.probe_distances(), due_distances((14, 7, 15, 0), 8)
    assert got == due, f"{done}: the gap moves past the last slot: {due}, got {got}"
    lost = misplaced(table, (14, 7, 15, 0))
    assert lost is None, f"{done}: probe({lost}) is {table.probe(lost)}, and the slots say {got}"

    before = table.probe_distances()
    for key in (6, 30, 5):
        assert misses(table.__delitem__, key), f"{done}: {key} is missing, so del [{key}] must raise KeyError"
    assert (len(table), table.probe_distances()) == (4, before), f"{done}: a refused del changes nothing"
    for key in (14, 7, 15, 0):
        del table[key]
    assert (len(table), table.probe_distances()) == (0, [-1] * 8), f"{done} and the rest: the map is empty"


def test_a_table_does_not_age():
    """After 1,000 keys have come and gone, the table is as if only the last six had ever been there."""
    rng = random.Random(5)
    keys = deque(rng.sample(range(40), 6))
    table = filled(keys)
    for number in range(1, 1001):
        del table[keys.popleft()]
        new = 64 * number + rng.randrange(40)
        keys.append(new)
        table[new] = number
        done = f"6 keys, and {number} times the oldest one deleted and another one set"
        got, due = table.probe_distances(), due_distances(keys, 8)
        assert got == due, f"{done}: as in a new table the distances are {due}, got {got}"
        assert (len(table), table.capacity()) == (6, 8), f"{done}: 6 keys in 8 slots"
    assert sorted(table.keys()) == sorted(keys), f"{done}: the six keys are there"


def test_growth_comes_at_seven_eighths_and_loses_nothing():
    """8 slots hold 7 keys, 16 hold 14; the next new key doubles the table, and each key moves to its new home."""
    table = RobinHoodMap()
    for place in range(30):
        key = 24 * place
        table[key] = place
        table[key] = 10 * place
        done = f"{place + 1} keys, the multiples of 24, each set twice"
        due = next(slots for slots in (8, 16, 32, 64) if place + 1 <= slots * 7 // 8)
        assert table.capacity() == due, f"{done}: the table has {due} slots, and says {table.capacity()}"
        assert len(table) == place + 1, f"{done}: len is {len(table)}"
        keys = range(0, key + 1, 24)
        lost = [each for each in keys if table.get(each) != each // 24 * 10]
        assert lost == [], f"{done}: the values of {lost} are lost"
        got, due = table.probe_distances(), due_distances(keys, due)
        assert got == due, f"{done}: the distances are {due}, got {got}"
    for key in range(0, 600, 24):
        del table[key]
    assert (len(table), table.capacity()) == (5, 64), f"{done}, 25 of them deleted: a table never shrinks"
    assert [table.get(key) for key in range(600, 720, 24)] == [250, 260, 270, 280, 290], f"{done}: the last 5 are left"


def draw(rng, kind):
    """Return a key that is likely to collide with others, an int or a tuple."""
    if kind == "int":
        return rng.randrange(6) + 64 * rng.randrange(-4, 4)
    return rng.randrange(6), rng.randrange(6)


def answer(call, *arguments):
    """Return what the call returns, or the name of the KeyError that it raises."""
    try:
        return call(*arguments)
    except KeyError:
        return "KeyError"


def play(kind, operations):
    """Play seeded operations on a map and on a dict; the two must agree after each."""
    rng, table, model, capacity, calls = random.Random(kind), RobinHoodMap(), {}, 8, []
    for step in range(1, operations + 1):
        key = draw(rng, kind)
        act = rng.choices(("set", "del", "get"), (50, 30, 20))[0]
        if act == "set":
            if key not in model and len(model) + 1 > capacity * 7 // 8:
                capacity *= 2
            calls.append(f"table[{key}] = {step}")
            table[key] = model[key] = step
            checks = []
        elif act == "del":
            calls.append(f"del table[{key}]")
            checks = [("outcome", answer(table.__delitem__, key), answer(model.__delitem__, key))]
        else:
            calls.append(f"table[{key}]")
            checks = [("outcome", answer(table.__getitem__, key), answer(model.__getitem__, key))]
        checks += [
            ("len", len(table), len(model)),
            (f"get({key})", table.get(key), model.get(key)),
            (f"{key} in the map", key in table, key in model),
            ("capacity", table.capacity(), capacity),
            ("probe_distances", table.probe_distances(), due_distances(model, capacity)),
        ]
        if step % 50 == 0:
            checks += [
                ("values", sorted(table.values()), sorted(model.values())),
                ("misplaced key", misplaced(table, model), None),
            ]
        for what, got, due in checks:
            if got != due:
                told = calls if step < 12 else calls[-5:]
                says = f"step {step}, keys {kind}, {told[-1]}: {what}: expected {due}, got {got}"
                raise AssertionError("\n".join([says, *told]))


def test_model_based_against_a_dict():
    """600 seeded operations on ints and on tuples leave the map and a dict in agreement, slot by slot."""
    for kind in ("int", "tuple"):
        play(kind, 600)
