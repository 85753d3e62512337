"""Checks in a notebook: four outcomes, the first difference, own tests judged, hints."""

import pytest
from typed_cells import CHAPTER, REFERENCE, cell, run, text

from radixlab import lab, splice

LOOP = "    def match_prefix(self, key):\n        while True:\n            {}\n"


def test_an_error_in_the_code_is_shown_with_its_line(tree, capsys):
    run(cell("_split", "    def match_prefix(self, key):\n        return kye\n"))
    out = capsys.readouterr().out
    line = text(tree).splitlines().index("        return kye") + 1
    assert "split: error in your code" in out and f"in radix.py, line {line}: return kye" in out


def test_a_failed_check_says_the_symptom(tree, capsys):
    bug = CHAPTER.bug("s03")
    run(cell("_split", "match_prefix", source=bug.plant(REFERENCE)))
    out = capsys.readouterr().out
    assert "split: failed, split_" in out and bug.symptom in out.lower()


def test_an_endless_loop_is_named_by_the_check(tree, capsys):
    run(cell("_split", LOOP.format("pass")))
    line = text(tree).splitlines().index("        while True:") + 1
    out = capsys.readouterr().out
    assert "split: error in your code" in out and f"the loop at line {line} ran 100,000 steps" in out


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
    saved = text(workspace.tests("ds07"))
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
    before = workspace.tests("ds07").read_bytes()
    stub = splice.piece(CHAPTER.text("starter.py"), "test_split_by_hand")
    space = run(f'@own_test("split")\n{stub}')
    assert workspace.tests("ds07").read_bytes() == before
    assert capsys.readouterr().out.startswith("test_split_by_hand: not attempted; insert [1, 2, 3]")
    with pytest.raises(NotImplementedError):
        space["test_split_by_hand"]()


def test_an_own_test_that_never_ends(tree, capsys):
    run('@own_test("split")\ndef test_split_by_hand():\n    while True:\n        pass\n')
    assert "invalid" in capsys.readouterr().out


def test_hints_go_up_and_are_remembered(tree, workspace, capsys):
    for _ in range(4):
        lab.hint("split")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("hint ")]
    assert [line.partition(" for ")[0] for line in lines] == [
        "hint 1 of 3",
        "hint 2 of 3",
        "hint 3 of 3",
        "hint 3 of 3",
    ]
    with workspace.state() as state:
        assert state["hints"] == {"ds.07": {"split": 3}}


def test_the_whole_check(tree, capsys):
    lab.check()
    out = capsys.readouterr().out
    assert "official tests: 2 of 11 pass" in out and "next: " in out


def test_the_whole_check_before_the_start(workspace, capsys):
    lab.check()
    out = capsys.readouterr().out
    assert out.startswith("ds.07: not attempted; ") and "begin with `ol start ds.07`" in out


def test_a_failed_check_shows_the_first_difference_and_the_script(tree, capsys):
    run(cell("_split", "match_prefix", source=CHAPTER.bug("s03").plant(REFERENCE)))
    out = capsys.readouterr().out
    assert "in the reference, and" in out and "in your tree" in out
    assert "tree = RadixTree(1)\ntree.insert(" in out
    assert "your tree, after step 2:\nroot" in out and "the reference, after step 2:\nroot" in out


def test_a_passed_check_says_why_it_matters_downstream(tree, capsys):
    run(cell("_split", "match_prefix"))
    assert f"why it matters: {CHAPTER.stage('split').why}" in capsys.readouterr().out


def test_a_tree_that_hangs_is_not_played_in_this_process(tree, capsys):
    run(cell("_split", "    def match_prefix(self, key):\n        import time\n        time.sleep(60)\n"))
    out = capsys.readouterr().out
    assert "split: " in out and "the reference, after step" not in out


def test_an_own_test_of_another_name_is_judged_by_the_whole_bank(tree, capsys):
    run(OWN.replace('@own_test("split")', "@own_test").replace("test_split_by_hand", "test_mine"))
    assert "bugs of the whole bank: caught s01, s03" in capsys.readouterr().out


def test_an_own_test_that_is_in_no_file_yet(tree, workspace, capsys):
    before = workspace.tests("ds07").read_bytes()
    run('@own_test("tests")\ndef test_mine():\n    raise NotImplementedError("write: something")\n')
    assert capsys.readouterr().out.startswith("test_mine: not attempted; write it")
    assert workspace.tests("ds07").read_bytes() == before


def test_the_search_for_a_difference_ends_in_time_and_says_nothing_then(tree, capsys, monkeypatch):
    monkeypatch.setattr("radixlab.lab.checking.SEARCH", 0.0)
    run(cell("_split", "match_prefix", source=CHAPTER.bug("s03").plant(REFERENCE)))
    assert "split: failed" in capsys.readouterr().out


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


def test_what_comes_next_is_said_as_in_a_notebook(tree, capsys):
    run(cell("_split", "    def match_prefix(self, key):\n        return 0, []\n"))
    out = capsys.readouterr().out
    assert '`hint("split")` helps' in out and "`ol hint" not in out
