"""Own tests in a notebook: valid or not, and what they catch."""

import pytest
from typed_cells import CHAPTER, run, text

from radixlab import lab, splice

OWN = """\
@own_test("split")
def test_split_by_hand():
    tree = RadixTree(1)
    old, _ = tree.insert([1, 2, 3], ["a", "b", "c"])
    new, _ = tree.insert([1, 2, 4], ["x", "y", "d"])
    assert tree.children(tree.parent(new)) == sorted([old, new])
    assert list(tree.values(old)) == ["c"]
"""


def test_an_own_test_is_saved_and_judged(tree, workspace, capsys):
    run(OWN)
    saved = text(workspace.tests(CHAPTER))
    assert splice.piece(saved, "test_split_by_hand") == OWN.partition("\n")[2]
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("saved test_split_by_hand to ")
    assert out[1:] == [
        "test_split_by_hand: valid, it passes on every correct tree",
        "bugs of stage split: caught s01, s03; still alive s02 (matching), s04 (matching)",
    ]


def test_an_own_test_that_rejects_a_correct_tree_is_invalid(tree, capsys):
    run(OWN.replace('== ["c"]', '== ["a"]'))
    out = capsys.readouterr().out
    assert "test_split_by_hand: invalid: this test rejects a correct tree (the reference)" in out
    assert "caught" not in out


def test_an_own_test_not_written_yet(tree, workspace, capsys):
    before = workspace.tests(CHAPTER).read_bytes()
    stub = splice.piece(CHAPTER.text("starter.py"), "test_split_by_hand")
    space = run(f'@own_test("split")\n{stub}')
    assert workspace.tests(CHAPTER).read_bytes() == before
    assert capsys.readouterr().out.startswith("test_split_by_hand: not attempted; insert [1, 2, 3]")
    with pytest.raises(NotImplementedError):
        space["test_split_by_hand"]()


def test_an_own_test_that_never_ends(tree, capsys):
    run('@own_test("split")\ndef test_split_by_hand():\n    while True:\n        pass\n')
    assert "invalid" in capsys.readouterr().out


def test_an_own_test_of_another_name_is_judged_by_the_whole_bank(tree, capsys):
    run(OWN.replace('@own_test("split")', "@own_test").replace("test_split_by_hand", "test_mine"))
    assert "bugs of the whole bank: caught s01, s03" in capsys.readouterr().out


def test_an_own_test_that_is_in_no_file_yet(tree, workspace, capsys):
    before = workspace.tests(CHAPTER).read_bytes()
    run('@own_test("tests")\ndef test_mine():\n    raise NotImplementedError("write: something")\n')
    assert capsys.readouterr().out.startswith("test_mine: not attempted; write it")
    assert workspace.tests(CHAPTER).read_bytes() == before


def test_a_bug_that_another_test_catches_is_not_called_alive(tree, capsys):
    run(OWN)
    capsys.readouterr()
    run(
        "@own_test\ndef test_match_splits_inside_an_edge():\n    tree = RadixTree(1)\n"
        "    tree.insert([1, 2], ['a', 'b'])\n    assert len(tree.match_prefix([1, 9])[1]) == 1\n"
        "    assert list(tree.key(tree.children(0)[0])) == [1]\n"
    )
    out = capsys.readouterr().out
    assert "caught s02, s01 (by test_split_by_hand), s03 (by test_split_by_hand); still alive s04 (matching)" in out


def test_an_own_test_is_tried_on_any_tree(tree, capsys):
    run(OWN)
    outcome = lab.outcome
    test = run(OWN)["test_split_by_hand"]
    assert outcome(test, "reference") == outcome(test, "objects") == "passes"
    assert outcome(test, "s03").startswith("fails, line ")
    with pytest.raises(LookupError, match="s99"):
        outcome(test, "s99")


def test_a_test_that_hangs_is_tried_apart(tree, capsys):
    test = run("@own_test\ndef test_mine():\n    while True:\n        pass\n")["test_mine"]
    assert "ran 500,000 steps" in lab.outcome(test, "reference")


def test_a_test_that_is_not_written_is_not_tried(tree, capsys):
    test = run('@own_test\ndef test_mine():\n    raise NotImplementedError("write: it")\n')["test_mine"]
    assert lab.outcome(test, "N3") == "not written yet"


def test_an_own_test_that_expects_a_certain_id_is_invalid(tree, capsys):
    run(
        "@own_test\ndef test_split_by_hand():\n"
        "    node, _ = RadixTree(1).insert([1, 2], ['a', 'b'])\n    assert node == 1\n"
    )
    assert "invalid: this test rejects a correct tree (a variant: " in capsys.readouterr().out
