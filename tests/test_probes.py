"""The drawing of a hash map: slots, homes, distances, the looks of a search; half-written and wrong maps too."""

import pytest

from radixlab.chapters.ds05.reference import RobinHoodMap
from radixlab.show.draw import Drawing
from radixlab.show.picture.markup import ORANGE, PALE, SKY, VERMILION, WHITE
from radixlab.show.probes import MOST_SLOTS, Slot, probes


@pytest.fixture
def table():
    filled = RobinHoodMap()
    for key in (0, 8, 1, 16, 6):
        filled[key] = "value"
    return filled


def lines(drawing: Drawing) -> list[str]:
    return str(drawing).splitlines()


def test_each_slot_is_a_line_with_its_key_its_home_and_the_steps_from_there(table):
    assert lines(probes(table)) == [
        "slot 0: 0, home 0",
        "slot 1: 8, home 0 + 1",
        "slot 2: 16, home 0 + 2",
        "slot 3: 1, home 1 + 2",
        "slot 4: free",
        "slot 5: free",
        "slot 6: 6, home 6",
        "slot 7: free",
        "5 keys in 8 slots",
    ]


@pytest.mark.parametrize(
    ("key", "looks", "ends"),
    [(16, [0, 1, 2], "found, 3 looks"), (24, [0, 1, 2, 3], "missing, 4 looks"), (6, [6], "found, 1 look")],
)
def test_a_search_marks_the_slots_that_it_looks_at(table, key, looks, ends):
    drawn = lines(probes(table, key))
    assert [at for at, line in enumerate(drawn) if ", look " in line] == looks
    assert [f"slot {slot}, look {number}" for number, slot in enumerate(looks, 1)] == [
        drawn[slot].partition(":")[0] for slot in looks
    ]
    assert drawn[-1] == f"5 keys in 8 slots; {key}: {ends}"


def test_a_search_past_the_last_slot_is_marked_on_both_sides():
    table = RobinHoodMap()
    for key in (7, 15, 23):
        table[key] = 0
    drawn = lines(probes(table, 23))
    assert [drawn[slot].partition(":")[0] for slot in (7, 0, 1)] == [
        "slot 7, look 1",
        "slot 0, look 2",
        "slot 1, look 3",
    ]


def test_the_further_from_home_the_stronger_the_colour():
    fills = [Slot(3, "k", 0, distance).cell().fill for distance in (0, 1, 2, 3, 9)]
    assert fills == [WHITE, PALE, SKY, ORANGE, ORANGE]
    assert Slot(3).cell().fill == "" and Slot(3, look=1).cell().changed


def test_a_notebook_gets_a_picture(table):
    drawing = probes(table, 24)
    assert drawing.svg.startswith("<svg ")
    for word in ("slot 3, look 4", "home 1 + 2", "24: missing, 4 looks"):
        assert word in drawing.svg
    assert drawing._repr_mimebundle_()["text/plain"] == str(drawing)


def test_a_key_that_is_not_where_its_distance_says_is_marked(table):
    table._slots[2].distance = 5
    assert lines(probes(table))[2] == "slot 2: 16, home 0 + 5 ?"
    assert VERMILION in probes(table).dot


def test_a_large_table_is_drawn_in_part():
    table = RobinHoodMap()
    for key in range(100):
        table[key] = 0
    drawn = lines(probes(table))
    assert drawn[MOST_SLOTS:] == ["100 keys in 128 slots", f"only {MOST_SLOTS} of 128 slots are drawn"]
    assert probes(table).svg


@pytest.mark.parametrize("key", [None, "<b>&\\N", ("a", 1), "\0\n", "x" * 99, ""])
def test_any_key_can_be_drawn(key):
    table = RobinHoodMap()
    table[key] = 0
    assert "1 key in 8 slots" in str(probes(table, key))
    assert probes(table, key).svg


def test_a_map_without_a_search_is_drawn_all_the_same(table):
    class Half(RobinHoodMap):
        def probe(self, key):
            raise NotImplementedError("stage probe: later")

    half = Half()
    half._slots = table._slots
    drawn = lines(probes(half, 16))
    assert drawn[:4] == lines(probes(table))[:4]
    assert drawn[-1] == "5 keys in 8 slots; 16: the search raised NotImplementedError"


def test_what_the_map_does_not_tell_is_said(table, monkeypatch):
    monkeypatch.setattr(RobinHoodMap, "slots", lambda self: 1 / 0)
    assert lines(probes(table))[-1] == "the slots cannot be seen: ZeroDivisionError"
    monkeypatch.setattr(RobinHoodMap, "slots", lambda self: [None] * 7)
    assert lines(probes(table))[-1] == "7 slots, but 8 probe distances"
    assert probes(table).svg


@pytest.mark.parametrize("stranger", [{}, 3, None, RobinHoodMap])
def test_what_is_no_such_map_is_refused(stranger):
    with pytest.raises(TypeError, match=r"no Robin Hood map; make one, as in RobinHoodMap\(\)"):
        probes(stranger)
