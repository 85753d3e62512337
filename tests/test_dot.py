"""Trees and films as graphs: what is written on cards, what is marked, and that all frames have one layout."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.film import Film
from radixlab.show.picture.card import card
from radixlab.show.picture.dot import MOST_FRAMES, MOST_NODES, film_dots, frame_dot, tree_dot
from radixlab.show.script import Node, Script, evict, insert, lock, match, unlock
from radixlab.show.snapshot import snapshot

SAMPLES = Path(__file__).parent / "samples" / "dot"
WORKED = Script(
    1,
    (
        insert([1, 2, 3], "abc"),
        insert([1, 2, 4, 5], "xyde"),
        match([1, 2, 3, 9]),
        match([1, 2, 7]),
        match([1, 9]),
        match([7, 1]),
    ),
)
NASTY = [
    "<b>",
    "a & b",
    'say "x"',
    "it's",
    "\U0001f600",
    "two\nlines",
    "\\N\\G",
    "]]>",
    "<!--",
    "",
    " ",
    "caf\xe9",
    "\0",
]


class Broken:
    """A tree whose accessors do what those of half-written trees do."""

    granule = 1

    def children(self, node):
        if node == 3:
            raise NotImplementedError("stage new: later")
        return {0: [1, 3], 1: [2, 0]}.get(node, [])

    def key(self, node):
        if node == 2:
            raise KeyError(node)
        return [node, node]

    def values(self, node):
        return None if node == 3 else ["<a>", "b"]

    def lock_count(self, node):
        return "many" if node == 1 else 0

    def lru_order(self):
        raise AttributeError("_head")


def worked_example():
    return "".join(film_dots(Film.of(WORKED, RadixTree(1))))


def broken_tree():
    return tree_dot(snapshot(Broken()))


GOLDEN = {"worked-example.dot": worked_example, "broken-tree.dot": broken_tree}


def film(granule, *steps, **options):
    return Film.of(Script(granule, steps), RadixTree(granule), **options)


def cards(dot):
    """The HTML label of each node by its name, None for one that is not seen."""
    node = re.compile(
        r'^\t"?(ROOT|node [^"]*)"? \[(?:label=<(<.*?>)> |label="" )(style=invis )?', re.MULTILINE | re.DOTALL
    )
    return {name: label or None for name, label, _ in node.findall(dot)}


def edges(dot):
    """How each edge is drawn."""
    return dict(re.findall(r"^\t(.+ -> .+?)(?: \[(.*)\])?$", dot, re.MULTILINE))


def words(label):
    """All that stands on a card, parsed as the XML that an HTML label has to be."""
    parts = [text.replace("\xa0", " ").split() for text in ElementTree.fromstring(label).itertext()]
    return " ".join(word for part in parts for word in part)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_text_is_the_one_that_was_looked_at(name):
    again = f"if the change is meant, and the picture was looked at: python {Path(__file__).name}"
    assert GOLDEN[name]() == (SAMPLES / name).read_text(encoding="utf-8"), again


def test_a_card_says_label_values_locks_and_place():
    last = film(1, insert([1, 2], "ab"), insert([1, 3], "xc"), lock(Node(1)))[3]
    shown = cards(tree_dot(last.tree))
    assert words(shown["node 1"]) == "node 1 lock 1 2 b"
    assert words(shown["node 3"]) == "node 3 lru 1 3 c"
    assert words(shown["ROOT"]) == "ROOT"


def test_runs_are_told_apart_when_they_are_longer_than_a_token():
    shown = cards(tree_dot(film(2, insert([1, 2, 3, 4], ["x", "y"]))[1].tree))
    assert words(shown["node 1"]) == "node 1 lru 1 1 2 | 3 4 x | y"


def test_each_value_stands_below_its_run():
    single = film(1, insert([10, 2, 3000], ["a", "bcdef", "g"]))[1].tree.nodes[1]
    runs, values = (list(re.finditer(r"\S+", row)) for row in card(single, 1)._rows)
    assert [found[0] for found in values] == ["a", "bcdef", "g"]
    for run, value in zip(runs, values, strict=True):
        assert run.start() == value.start()
    pairs = film(2, insert([1, 2, 30, 40, 5, 6], ["a", "long one", "c"]))[1].tree.nodes[1]
    runs, values = card(pairs, 2)._rows
    assert len(runs) == len(values) and runs.count("|") == 2
    assert all(values[at] == "|" for at, character in enumerate(runs) if character == "|")


def test_the_middle_of_a_long_label_is_left_out_and_counted():
    one = cards(tree_dot(film(1, insert(range(1, 2001), (f"b{n}" for n in range(1, 2001))))[1].tree))["node 1"]
    assert words(one) == "node 1 lru 1 1 2 3 ... 1999 2000 b1 b2 b3 ... b1999 b2000 2,000 tokens"
    runs = cards(tree_dot(film(16, insert(range(2000), (f"b{n}" for n in range(125))))[1].tree))["node 1"]
    assert "2,000 tokens in 125 runs" in words(runs) and len(words(runs)) < 120
    value = cards(tree_dot(film(1, insert([1], ["v" * 9 + "w" * 9]))[1].tree))["node 1"]
    assert words(value) == "node 1 lru 1 1 vvvv...www"
    cut = cards(tree_dot(film(1, insert([1], ["v" * 999]))[1].tree))["node 1"]
    assert words(cut) == "node 1 lru 1 1 vvvvvvv..."


def test_what_an_accessor_does_wrong_stands_on_the_card():
    shown = cards(broken_tree())
    assert "children(3) raised NotImplementedError" in words(shown["node 3"])
    assert "values(3) returned None, which is no list" in words(shown["node 3"])
    assert "lock_count(1) returned many, which is no count" in words(shown["node 1"])
    assert "key(2) raised KeyError" in words(shown["node 2"])
    assert "lru_order() raised AttributeError" in broken_tree()


def test_new_nodes_and_the_path_are_marked_in_their_frame_only():
    dots = film_dots(film(1, insert([1, 2, 3], "abc"), match([1, 9]), match([7])))
    split, after = dots[2], dots[3]
    assert words(cards(split)["node 2"]).startswith("node 2 NEW") and "NEW" not in words(cards(split)["node 1"])
    assert "penwidth=4" in edges(split)['ROOT -> "node 2"'] and edges(split)['"node 2" -> "node 1"'] == ""
    assert 'BORDER="4"' in cards(split)["node 2"] and 'BORDER="4"' not in cards(split)["node 1"]
    assert "NEW" not in after and "penwidth" not in after


def test_a_head_with_changed_locks_or_place_is_bold_in_a_heavy_border():
    steps = [insert([1], "a"), insert([2], "b"), lock(Node(1)), unlock(Node(1)), match([7]), match([1])]
    dots = film_dots(film(1, *steps))
    badge = re.compile(r'<TD [^>]*BORDER="2" [^>]*BGCOLOR="(#\w+)"><FONT[^>]*><B>node \d+ +(.*?)</B></FONT></TD>')
    orange, sky = "#E69F00", "#56B4E9"
    assert badge.findall(cards(dots[3])["node 1"]) == [(orange, "lock 0-&gt;1")]
    assert badge.findall(cards(dots[4])["node 1"]) == [(sky, "lock 1-&gt;0  lru -&gt;1")]
    assert badge.findall("".join(cards(dots[5]).values())) == []
    moved = badge.findall("".join(cards(dots[6]).values()))
    assert moved in ([(sky, "lru 1-&gt;2")], [(sky, "lru 2-&gt;1")])
    assert dots[6].count('BORDER="3"') == 1  # in the strip


def test_evicted_nodes_are_ghosts_once():
    dots = film_dots(film(1, insert([1, 2], "ab"), insert([1, 3], "xc"), evict(1), match([1])))
    assert words(cards(dots[3])["node 1"]) == "node 1 GONE 2 b"
    assert 'STYLE="dashed"' in cards(dots[3])["node 1"] and "dashed" in edges(dots[3])['"node 2" -> "node 1"']
    assert cards(dots[4])["node 1"] is None and "invis" in edges(dots[4])['"node 2" -> "node 1"']


def test_a_node_in_a_slot_that_was_used_before_is_another_one():
    dots = film_dots(film(1, insert([1], "a"), evict(1), insert([2], "b")))
    assert cards(dots[3])["node 1"] is None and words(cards(dots[3])["node 1'"]) == "node 1 NEW lru 1 2 b"


def test_the_inside_of_a_split_shows_what_is_cut_off():
    inside = film(1, insert([1, 2, 3], "abc"), insert([1, 4], "xd"), inside=True)
    cut = [words(shown["node 1"]) for dot in film_dots(inside) if (shown := cards(dot))["node 1"]]
    assert any("CUT OFF" in text for text in cut) and "CUT OFF" not in cut[-1]
    assert sum("NEW" in text for text in cut) <= 2  # as a node of the first insert, from the inside and as a whole
    assert not any("'" in name for dot in film_dots(inside) for name in cards(dot))


KEYS = st.lists(st.integers(0, 2), min_size=1, max_size=4)
STEPS = st.one_of(
    st.builds(lambda key, value: insert(key, [value] * len(key)), KEYS, st.sampled_from(NASTY)),
    st.builds(match, KEYS),
    st.builds(evict, st.integers(0, 4)),
    st.just(lock(Node(0))),
)


@given(st.lists(STEPS, max_size=12), st.data())
def test_all_frames_of_a_film_hold_the_same_nodes_edges_and_sizes(steps, data):
    locked = [lock(Node(at)) for at, step in enumerate(steps, 1) if step.operation == "insert"][:2]
    played = film(1, *steps, *locked, *(unlock(step.node) for step in locked), evict(2))
    dots = film_dots(played)
    first = dots[0]
    sizes = [
        re.findall(r'^\t"?((?:ROOT|node)[^"]*)"? \[.*?height=([\d.]+).*? width=([\d.]+)\]$', dot, re.M | re.S)
        for dot in dots
    ]
    for frame, dot, size in zip(played, dots, sizes, strict=True):
        assert cards(dot).keys() == cards(first).keys() and edges(dot).keys() == edges(first).keys()
        assert size == sizes[0] and len(size) == len(cards(dot))
        assert dot.isascii()
        seen = {name for name, label in cards(dot).items() if label and words(label) is not None}
        assert len(seen) == len(frame.tree.nodes) + len(frame.gone)
    assert film_dots(played) == dots and [frame_dot(frame) for frame in played] == [frame_dot(f) for f in played]


@given(st.text(max_size=30), st.sampled_from(["key", "values"]))
def test_any_text_is_a_label_that_can_be_parsed(text, where):
    tree = RadixTree(1)
    tree.insert([1], [text])
    if where == "key":
        tree.key = lambda node: [text]
    dot = tree_dot(snapshot(tree))
    assert dot.isascii() and "\\" not in dot  # a lone backslash would begin an escape
    assert words(cards(dot)["node 1"])


def test_a_film_too_large_for_one_layout_has_one_a_frame():
    many = film(1, *(insert([token], "a") for token in range(MOST_NODES + 5)))
    assert len(many) > MOST_FRAMES
    assert len(cards(film_dots(many)[1])) == 2
    long = film(1, insert([1], "a"), *[match([1])] * MOST_FRAMES)
    assert "invis" not in "".join(film_dots(long))


if __name__ == "__main__":
    SAMPLES.mkdir(exist_ok=True)
    for file, make in GOLDEN.items():
        (SAMPLES / file).write_text(make(), encoding="utf-8")
