"""A tree as text: right trees, half-written ones, broken ones, deep ones."""

import itertools
import textwrap

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.snapshot import plain, shortened, snapshot
from radixlab.show.text import tree_text


def text(lines):
    return textwrap.dedent(lines).strip("\n")


class Fake:
    """A tree made of a map from an id to its children; one of its accessors can be replaced."""

    def __init__(self, links, **accessors):
        self.links = links
        vars(self).update(accessors)

    def children(self, node):
        return self.links[node]

    def key(self, node):
        return [node]

    def values(self, node):
        return [f"v{node}"]

    def lock_count(self, node):
        return 0

    def lru_order(self):
        return []


def refuse(*_):
    raise NotImplementedError("stage new: later")


def test_the_worked_example_with_a_lock():
    tree = RadixTree(1)
    first, _ = tree.insert([1, 2, 3], "abc")
    tree.insert([1, 2, 4, 5], "xyde")
    tree.insert([0], "z")
    tree.lock(first)
    assert tree_text(tree) == text(
        """
        root
        |-- 0: z  [node 4, lru 2]
        `-- 1 2: a b  [node 2, lock 1]
            |-- 3: c  [node 1, lock 1]
            `-- 4 5: d e  [node 3, lru 1]
        """
    )


def test_an_empty_tree():
    assert tree_text(RadixTree(4)) == "root"


def test_children_stand_by_their_first_token_not_by_their_ids():
    tree = RadixTree(1)
    for token in (9, 100, 1):
        tree.insert([token], ["v"])
    assert [line.split()[1] for line in tree_text(tree).splitlines()[1:]] == ["1:", "9:", "100:"]


def test_long_labels_and_values_are_shortened_in_the_middle():
    tree = RadixTree(1)
    tree.insert(range(1, 2001), range(2000))
    line = tree_text(tree).splitlines()[1]
    assert "1 2 3 ... 1999 2000 (2,000 tokens): 0 1 2 ... 1998 1999 (2,000 values)" in line
    assert shortened(range(8), "tokens") == "0 1 2 3 4 5 6 7"
    assert plain("x" * 100) == "x" * 21 + "..."
    assert plain("two\nlines") == "'two\\nlines'"


def test_an_accessor_that_raises_is_shown_in_its_place():
    assert tree_text(Fake({0: [3], 3: []}, children=refuse)) == "root\n`-- children(0) raised NotImplementedError"
    links = {0: [3], 3: []}
    assert "key(3) raised NotImplementedError: v3" in tree_text(Fake(links, key=refuse))
    assert "3: values(3) raised NotImplementedError" in tree_text(Fake(links, values=refuse))
    assert "lock_count(3) raised NotImplementedError]" in tree_text(Fake(links, lock_count=refuse))
    assert tree_text(Fake(links, lru_order=refuse)).endswith("\nlru_order() raised NotImplementedError")
    assert tree_text(Fake({0: [3, 4], 3: []})).splitlines()[-1].strip() == "`-- children(4) raised KeyError"
    assert tree_text(object()).splitlines()[1] == "`-- children(0) raised AttributeError"


def test_what_is_no_list_and_what_is_no_id():
    assert "children(0) returned None, which is no list" in tree_text(Fake({0: None}))
    assert "[3] stands among the children, and is no id" in tree_text(Fake({0: [[3]]}))
    assert "'x'" not in tree_text(Fake({0: ["x"]})) and "x stands among" in tree_text(Fake({0: ["x"]}))
    assert tree_text(Fake({0: [1], 1: []}, values=lambda node: itertools.count())).count("\n") == 1


def test_a_granule_that_raises_is_none():
    class Odd(Fake):
        @property
        def granule(self):
            raise ValueError

    assert snapshot(Odd({0: []})).granule == 1


def test_a_value_that_cannot_be_shown():
    class Shy:
        def __str__(self):
            raise ValueError

    assert "1: a Shy" in tree_text(Fake({0: [1], 1: []}, values=lambda node: [Shy()]))


def test_a_circle_ends():
    assert tree_text(Fake({0: [1], 1: [2], 2: [1]})).splitlines()[-1].strip() == (
        "`-- node 1 once more: it is drawn elsewhere"
    )
    assert "node 0 once more" in tree_text(Fake({0: [0]}))
    twice = tree_text(Fake({0: [1, 1], 1: []})).splitlines()
    assert twice[1].startswith("|-- 1: v1") and twice[2] == "`-- node 1 once more: it is drawn elsewhere"


def test_a_tree_without_end_is_cut_off():
    lines = tree_text(Fake(None, children=lambda node: [node + 1])).splitlines()
    assert lines[-1] == "only 200 nodes are drawn"
    assert len(lines) == 201
    assert max(map(len, lines)) < 250


def test_what_lies_below_a_level_is_counted():
    links = {0: [1, 2], 1: [3], 2: [], 3: [4, 5], 4: [], 5: []}
    assert tree_text(Fake(links), deep=1) == text(
        """
        root
        |-- 1: v1  [node 1]
        |   `-- ... 3 more below
        `-- 2: v2  [node 2]
        """
    )
    assert tree_text(Fake(links), deep=3) == tree_text(Fake(links))


def test_five_thousand_nodes_deep():
    links = {node: [node + 1] for node in range(5000)} | {5000: []}
    lines = tree_text(Fake(links), most=10_000).splitlines()
    assert len(lines) == 5001
    assert lines[-1] == "(5000 levels down) 5000: v5000  [node 5000]"
