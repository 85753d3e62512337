"""The checks of the four stages of chapter ds.05, in the order in which they run.

A check of a stage calls only what is written by then, holds at most seven keys before the table can grow, and passes on
every correct map. A message starts with the symptom of a pitfall only where the map shows just that; else it says what
was done, what was expected and what came.
"""

from robin_hood import RobinHoodMap


def raised(due, call, *arguments):
    """Return the name of *due* where the call raised one of that kind, else of what it raised, or "nothing"."""
    try:
        call(*arguments)
    except (NotImplementedError, RecursionError, NameError, AttributeError):  # a mistake in the code is no answer
        raise
    except due:
        return due.__name__
    except Exception as error:
        return type(error).__name__
    return "nothing"


def said(symptom, shows, what):
    """Return the message *what*, after the symptom of a pitfall where the map *shows* just that."""
    return f"{symptom} {what}" if shows else what


def filled(keys):
    """Return a map in which each of *keys* has the hundredfold of its place as its value, and what was done."""
    table = RobinHoodMap()
    for place, key in enumerate(keys, 1):
        table[key] = 100 * place
    return table, f"set {', '.join(map(str, keys))} to 100, 200, ..."


def lost(table, keys, gone=()):
    """Return the first of *keys*, those that are *gone* left out, whose value is not found, None when all are there."""
    values = {key: 100 * place for place, key in enumerate(keys, 1) if key not in gone}
    return next((key for key, value in values.items() if table.get(key) != value), None)


def check_places(table, keys, done):
    """Assert that a search finds each key as far behind its home as its slot says."""
    distances, slots = table.probe_distances(), table.capacity()
    for key in keys:
        slot, distance = table.probe(key)
        home = hash(key) % slots
        assert (home + distance) % slots == slot, (
            f"{done}: the home of {key} is {home}, and probe({key}) says slot {slot}, {distance} behind it"
        )
        assert distances[slot] == distance, (
            f"{done}: {key} is in slot {slot}, {distance} behind its home, and the slot says {distances[slot]}"
        )


# probe ------------------------------------------------------------------------------------------------------------


def test_probe_begins_at_home():
    """In an empty map every search ends where it begins."""
    table = RobinHoodMap()
    for key in (0, 5, 13, -3, (1, 2), (70_000, 3, 4)):
        home, got = hash(key) % 8, table.probe(key)
        assert got == (home, 0), f"empty map: hash({key}) % 8 is {home}, so probe({key}) is ({home}, 0), got {got}"
        assert key not in table, f"empty map: {key} in the map must be False"
        assert table.get(key) is None, f"empty map: get({key}) must be None, got {table.get(key)}"
        error = raised(KeyError, table.__getitem__, key)
        assert error == "KeyError", f"empty map: [{key}] must raise KeyError, and raised {error}"


def test_probe_walks_on_from_a_taken_slot():
    """Keys that collide are found behind each other; the slot after the last is the first."""
    for keys in ((0, 1, 2), (1, 9, 17), (7, 15, 23), (-1, 7, 6, 14)):
        table, done = filled(keys)
        missed = lost(table, keys)
        walked = missed is not None and hash(missed) % 8 in {hash(key) % 8 for key in keys if key != missed}
        assert missed is None, said(
            "A key that walked past another is not found.",
            walked and missed not in table,
            f"{done}: get({missed}) is {table.get(missed)}",
        )
        assert len(table) == len(keys), f"{done}: {len(keys)} keys, and len is {len(table)}"
        check_places(table, keys, done)
    table, done = filled((7, 15, 23))
    got = sorted(table.probe(key)[0] for key in (7, 15, 23))
    assert got == [0, 1, 7], f"{done}: they lie in slots 7, 0 and 1, and probe says {got}"
    got = table.probe(31)
    assert got == (2, 3), f"{done}: the search for 31 ends in slot 2, which is free, got {got}"
    error = raised(KeyError, table.__getitem__, 31)
    assert error == "KeyError", f"{done}: 31 is missing, so [31] must raise KeyError, and raised {error}"


def test_probe_sets_a_known_key_in_its_own_slot():
    """An update changes the value of one key, wherever that lies, and nothing else."""
    for keys in ((3,), (1, 9, 17), (7, 15)):
        table, done = filled(keys)
        before = table.probe_distances()
        table[keys[-1]] = 777
        done = f"{done}, then {keys[-1]} to 777"
        there, size = table.probe_distances(), len(table)
        assert there == before, said(
            "A key that is set twice is there twice.",
            there.count(-1) < before.count(-1),
            f"{done}: no slot changes hands, distances {before} became {there}",
        )
        assert size == len(keys), f"{done}: len must be {len(keys)}, and is {size}"
        assert table.get(keys[-1]) == 777, f"{done}: get({keys[-1]}) is {table.get(keys[-1])}"
        missed = lost(table, keys, gone=keys[-1:])
        assert missed is None, f"{done}: get({missed}) is now {table.get(missed)}"


def test_probe_takes_any_key_with_a_hash():
    """Runs of tokens are tuples: each is a key of its own, and equal ones are one key."""
    keys = ((1, 2), (2, 1), (1, 2, 3), (1,))
    table, done = filled(keys)
    missed = lost(table, keys)
    assert missed is None, f"{done}: get({missed}) is {table.get(missed)}"
    table[tuple(range(1, 3))] = 5
    assert (table[1, 2], len(table)) == (5, 4), f"{done}, then another (1, 2) to 5: equal tuples are one key"
    error = raised(TypeError, table.__setitem__, [1, 2], 6)
    assert (error, len(table)) == ("TypeError", 4), f"a list has no hash: TypeError is due; it raised {error}"


# steal ------------------------------------------------------------------------------------------------------------


def test_steal_equals_do_not_give_way():
    """Two keys with one home: the later one walks on, and both are found."""
    for keys in ((0, 8), (5, 13), (7, 15)):
        table, done = filled(keys)
        missed = [key for key in keys if key not in table]
        assert not missed, said(
            "Of two keys with one home only one is found.",
            len(missed) == 1,
            f"{done}: {missed} is not found, the distances are {table.probe_distances()}",
        )
        check_places(table, keys, done)
        assert lost(table, keys) is None, f"{done}: get({lost(table, keys)}) is {table.get(lost(table, keys))}"


def test_steal_the_rich_give_way():
    """The worked example: 16 has come two slots where it meets 1, which has come one."""
    keys = (0, 8, 1, 16)
    table, done = filled(keys)
    got, due = table.probe_distances(), [0, 1, 2, 2, -1, -1, -1, -1]
    assert 16 in table, said(
        "A stored key is not found any more.",
        got == [0, 1, 1, 3, -1, -1, -1, -1],
        f"{done}: the search for 16 ends before it; the distances are {due}, got {got}",
    )
    assert got == due, said(
        "A key that gave way goes on with the steps of the other.",
        got == [0, 1, 2, 3, -1, -1, -1, -1],
        f"{done}: 16 takes slot 2 from 1, which is then 2 behind its home: {due}, got {got}",
    )
    check_places(table, keys, done)
    assert lost(table, keys) is None, f"{done}: get({lost(table, keys)}) is {table.get(lost(table, keys))}"
    assert len(table) == 4, f"{done}: 4 keys, and len is {len(table)}"


def test_steal_one_after_the_other_gives_way():
    """Who gave way makes the next one give way; a run may come round the end of the table."""
    for keys, due in (
        ((0, 1, 2, 3, 8), [0, 1, 1, 1, 1, -1, -1, -1]),
        ((6, 7, 14, 0, 22), [2, 2, 2, -1, -1, -1, 0, 1]),
        ((5, 6, 7, 13, 21, 29), [3, 3, 3, -1, -1, 0, 1, 2]),
    ):
        table, done = filled(keys)
        got = table.probe_distances()
        assert got == due, f"{done}: the distances are {due}, got {got}"
        missed = lost(table, keys)
        assert missed is None, f"{done}: get({missed}) is {table.get(missed)}: a value goes along with its key"
        check_places(table, keys, done)


def test_steal_a_missing_key_is_given_up_early():
    """A search ends at the first slot that gives way, since a stored key would have taken it."""
    table, done = filled((0, 1, 2, 3, 4, 5))
    for key, due in ((8, (1, 1)), (10, (3, 1)), (13, (6, 1)), (6, (6, 0))):
        got = table.probe(key)
        assert got == due, said(
            "A search for a missing key walks to the end of the run.",
            got[0] == 6,
            f"{done}: all are at home, so the search for {key} ends at {due}, got {got}",
        )
    assert 8 not in table and table.get(8) is None, (
        f"A key that was never set has a value. {done}: the search for 8 ends at slot 1, which another key holds, so 8 "
        f"is missing; get(8) is {table.get(8)}"
    )
    table, done = filled((7, 15, 0, 1))
    for key, due in ((23, (1, 2)), (8, (2, 2)), (31, (1, 2)), (9, (3, 2))):
        got = table.probe(key)
        assert got == due, f"{done}: the search for {key} ends at {due}, got {got}"


# shift ------------------------------------------------------------------------------------------------------------


def test_shift_keys_behind_move_back():
    """The worked example without 8: 16 and 1 move back by one."""
    keys = (0, 8, 1, 16)
    table, done = filled(keys)
    del table[8]
    done = f"{done}, then del 8"
    got, due = table.probe_distances(), [0, 1, 1, -1, -1, -1, -1, -1]
    assert 8 not in table, f"{done}: 8 is still found"
    missed = lost(table, keys, gone=(8,))
    assert missed is None, said(
        "Keys behind a deleted one are not found.",
        got[1] == -1,
        f"{done}: get({missed}) is {table.get(missed)}; the distances are {due}, got {got}",
    )
    size = len(table)
    assert size == 3, said("Len still counts a key that is gone.", size == 4, f"{done}: 3 keys, and len is {size}")
    assert got == due, said(
        "A key that moved back keeps its old distance.",
        [distance >= 0 for distance in got] == [distance >= 0 for distance in due],
        f"{done}: 16 and 1 are one nearer to home than before: {due}, got {got}",
    )
    check_places(table, (0, 1, 16), done)


def test_shift_stops_at_a_key_that_is_home():
    """A key at home stays, and so does all behind it."""
    keys = (0, 8, 2, 3)
    table, done = filled(keys)
    del table[0]
    done = f"{done}, then del 0"
    got, due = table.probe_distances(), [0, -1, 0, 0, -1, -1, -1, -1]
    assert table.get(8) == 200, f"{done}: get(8) is {table.get(8)}"
    assert got == due, said(
        "A key at home is moved to the slot before it.",
        2 not in table,
        f"{done}: 8 moves to slot 0; 2 and 3 are at home and stay: {due}, got {got}",
    )
    missed = lost(table, keys, gone=(0,))
    assert missed is None, f"{done}: get({missed}) is {table.get(missed)}"
    table, done = filled((4, 12, 20))
    del table[20]
    got = table.probe_distances()
    assert got == [-1, -1, -1, -1, 0, 1, -1, -1], f"{done}, then del 20: nobody is behind it, got {got}"


def test_shift_comes_round_the_end():
    """A gap moves from the last slot to the first, like a walk."""
    keys = (6, 14, 7, 15)
    table, done = filled(keys)
    del table[6]
    done = f"{done}, then del 6"
    got, due = table.probe_distances(), [1, -1, -1, -1, -1, -1, 0, 0]
    assert got == due, f"{done}: 14 and 7 move home, and 15 from slot 1 to slot 0: {due}, got {got}"
    check_places(table, (14, 7, 15), done)
    assert lost(table, keys, gone=(6,)) is None, f"{done}: a value moves along with its key"


def test_shift_refuses_a_missing_key():
    """KeyError, and nothing has changed."""
    keys = (0, 8, 1, 16)
    table, done = filled(keys)
    before = table.probe_distances()
    for key in (24, 9, 2, 5):
        error = raised(KeyError, table.__delitem__, key)
        assert error == "KeyError", f"{done}: {key} is missing, so del [{key}] must raise KeyError; it raised {error}"
        got = len(table), table.probe_distances()
        assert got == (4, before), f"{done}: del [{key}] was refused, and the map changed all the same: {got}"
    assert lost(table, keys) is None, f"{done}: a refused del loses nothing"


# grow -------------------------------------------------------------------------------------------------------------


def test_grow_moves_every_key_to_its_new_home():
    """The eighth key doubles the table of 8 slots; no key is lost on the way."""
    keys = (0, 8, 16, 24, 3, 11, 5, 13)
    table, done = filled(keys[:7])
    slots = table.capacity()
    assert slots == 8, f"{done}: 7 keys are 7/8 of 8 slots, which is not too much; capacity is {slots}"
    table[keys[7]] = 800
    done = f"{done}, then 13"
    slots = table.capacity()
    assert slots == 16, said(
        "The table fills up to its last slot.",
        slots == 8,
        f"{done}: an eighth key is more than 7/8 of 8 slots, so there must be 16; capacity is {slots}",
    )
    missed = lost(table, keys)
    assert missed is None, said(
        "Keys are lost when the table grows.",
        missed not in table,
        f"{done}: get({missed}) is {table.get(missed)}",
    )
    size = len(table)
    assert size == 8, said("Len counts old keys twice.", size == 15, f"{done}: 8 keys, and len is {size}")
    check_places(table, keys, done)


def test_grow_only_for_a_new_key():
    """An update needs no room, and a table never shrinks."""
    keys = (1, 9, 2, 3, 4, 5, 6)
    table, done = filled(keys)
    table[9] = 200
    slots = table.capacity()
    assert slots == 8, f"{done}, then 9 again: an update needs no new slot, and capacity is {slots}"
    table[7] = 0
    for key in (*keys, 7):
        del table[key]
    got = len(table), table.capacity(), set(table.probe_distances())
    assert got == (0, 16, {-1}), f"{done}, then 7, then all of them deleted: 16 free slots, got {got}"


def test_grow_again_and_again():
    """The table doubles whenever 7/8 are taken, whatever the keys are."""
    for step in (1, 8, 40, -24):
        table = RobinHoodMap()
        for count in range(1, 61):
            table[step * count] = count
            due = next(slots for slots in (8, 16, 32, 64, 128) if 8 * count <= 7 * slots)
            slots = table.capacity()
            assert slots == due, f"set the first {count} multiples of {step}: {due} slots are due, capacity is {slots}"
        keys = range(step, 61 * step, step)
        missed = next((key for key in keys if table.get(key) != key // step), None)
        assert missed is None, f"set 60 multiples of {step}: get({missed}) is {table.get(missed)}"
        check_places(table, keys, f"set 60 multiples of {step}")
        for key in keys[::2]:
            del table[key]
        missed = next((key for key in keys[1::2] if table.get(key) != key // step), None)
        assert (len(table), missed) == (30, None), f"60 multiples of {step}, every other deleted: {missed} is missing"
