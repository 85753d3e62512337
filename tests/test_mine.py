"""What comes back from the learner's file, as it is at each use."""

import pytest
from typed_cells import cell, run, text

from radixlab import lab


def test_the_whole_class_comes_back_from_the_file(tree):
    space = run(cell("_split", "match_prefix"))
    mine = space["RadixTree"](1)
    mine.insert([1, 2, 3], "abc")
    assert mine.match_prefix([1, 9]) == (1, [2])
    assert len(mine) == 3


def test_a_file_that_does_not_load_says_where(tree, unchecked):
    tree.write_text(text(tree) + "\n1 / 0\n", encoding="utf-8")
    mine = run(cell("_split"))["RadixTree"]
    line = text(tree).count("\n")
    with pytest.raises(RuntimeError, match=f"radix.py, line {line}: ZeroDivisionError"):
        mine(1)


LOOP = "    def match_prefix(self, key):\n        while True:\n            {}\n"


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "try:\n                for _ in range(10**9): pass\n            except BaseException: pass",
        "try:\n                while True: pass\n            except BaseException: return 0, []",
    ],
)
def test_an_endless_loop_ends_with_its_line_and_the_next_call_works(tree, unchecked, body):
    mine = run(cell("_split", LOOP.format(body)))["RadixTree"](1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"the loop at line \d+ ran 100,000 steps \(radix.py\)"):
            mine.match_prefix([1])
        assert mine.insert([1], ["a"])[0] == 1


def test_a_call_inside_a_call_has_no_allowance_of_its_own(tree, unchecked):
    mine = run(cell("_split", LOOP.format("self.node_count()")))["RadixTree"](1)
    with pytest.raises(RuntimeError, match="100,000 steps"):
        mine.match_prefix([1])


def test_other_subjects(workspace):
    assert lab.subject("reference").RadixTree(1).is_empty()
    with pytest.raises(NotImplementedError):
        lab.subject("stub").RadixTree(1).is_empty()
    assert lab.subject("s14").RadixTree(1).unlock(0) is None
    assert lab.subject("objects").RadixTree(2).granule == 2
    with pytest.raises(LookupError, match="s07"):
        lab.subject("s99")


def test_the_module_gives_what_the_file_defines(tree):
    assert (lab.ROOT, lab.NodeId) == (0, int)
    assert lab.RadixTree(1).node_count() == 0
    with pytest.raises(AttributeError, match="chek"):
        lab.chek  # noqa: B018


def test_a_picture_is_a_text(tree):
    mine = lab.RadixTree(1)
    mine.insert([1], ["a"])
    assert repr(lab.draw(mine)).startswith("root\n`-- 1: a  [node 1]")


def test_a_class_imported_once_follows_the_file(tree):
    mine = lab.RadixTree
    with pytest.raises(NotImplementedError):
        mine(1).match_prefix([1])
    tree.write_text(
        text(tree).replace('raise NotImplementedError("stage split: walk, touch', 'return 7, []  # ("'),
        encoding="utf-8",
    )
    assert mine(1).match_prefix([1]) == (7, [])
    assert isinstance(mine(1), mine) and not isinstance(3, mine)


def test_what_is_not_written_yet_is_one_line(tree, capsys):
    with lab.once_written():
        lab.RadixTree(1).lock(0)
    assert capsys.readouterr().out.startswith("not written yet: stage locks: ")
    with pytest.raises(LookupError), lab.once_written():
        lab.RadixTree(1).key(9)


def test_a_class_of_ones_own_can_derive_from_it(tree):
    class Counting(lab.RadixTree):
        def insert(self, key, values):
            self.inserts = getattr(self, "inserts", 0) + 1
            return super().insert(key, values)

    mine = Counting(1)
    mine.insert([1], ["a"])
    assert (mine.inserts, mine.node_count(), isinstance(mine, lab.RadixTree)) == (1, 1, True)
