"""Checks in a notebook: four outcomes, the first difference, hints."""

import pytest
from typed_cells import CHAPTER, REFERENCE, cell, run, text

from radixlab import lab

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


@pytest.mark.parametrize("call", [lambda: lab.check("splat"), lambda: lab.hint("splat")])
def test_a_stage_that_is_not_there_is_said_in_a_sentence(tree, capsys, call):
    call()
    assert capsys.readouterr().out.startswith("there is no stage called 'splat': choose from runs, new")


def test_a_file_that_is_gone_is_told_where_its_copy_is(tree, capsys):
    run(cell("_split", "match_prefix"))
    tree.unlink()
    capsys.readouterr()
    lab.check("split")
    assert "work/ds07/radix.py is gone, and work/.history/ds07/radix-" in capsys.readouterr().out


def test_a_mistake_in_the_code_is_named_not_swallowed_by_the_check(tree, capsys):
    broken = "    def _node(self, node):\n        return _nodes[node]\n"
    run(cell(broken, stage="new"))
    assert "NameError: name '_nodes' is not defined" in capsys.readouterr().out


def test_a_passed_check_says_why_it_matters_downstream(tree, capsys):
    run(cell("_split", "match_prefix"))
    assert f"why it matters: {CHAPTER.stage('split').why}" in capsys.readouterr().out


def test_a_tree_that_hangs_is_not_played_in_this_process(tree, capsys):
    run(cell("_split", "    def match_prefix(self, key):\n        import time\n        time.sleep(60)\n"))
    out = capsys.readouterr().out
    assert "split: " in out and "the reference, after step" not in out


def test_the_search_for_a_difference_ends_in_time_and_says_nothing_then(tree, capsys, monkeypatch):
    monkeypatch.setattr("radixlab.lab.checking.SEARCH", 0.0)
    run(cell("_split", "match_prefix", source=CHAPTER.bug("s03").plant(REFERENCE)))
    assert "split: failed" in capsys.readouterr().out


def test_what_comes_next_is_said_as_in_a_notebook(tree, capsys):
    run(cell("_split", "    def match_prefix(self, key):\n        return 0, []\n"))
    out = capsys.readouterr().out
    assert '`hint("split")` helps' in out and "`ol hint" not in out
