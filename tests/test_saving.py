"""What a cell saves, and what it never destroys."""

import pytest
from typed_cells import CHAPTER, NAMES, REFERENCE, STUB, cell, run, start, text

from radixlab import lab, splice


def test_methods_go_to_their_place_with_their_comments(tree, capsys):
    before = text(tree)
    run(cell("_split", "match_prefix"))
    assert text(tree) == splice.cut(before, REFERENCE, ("_split", "match_prefix"))
    assert "# notebook 04: every lock on the child" in text(tree)
    out = capsys.readouterr().out
    assert out.startswith("saved _split, match_prefix to work/ds07/radix.py\n")
    assert "\nsplit: passed, 5 of 5 checks\n" in out and out.endswith(
        "\nnext: go on with stage locks (notebook 04-locks)\n"
    )


def test_the_same_cell_again_changes_no_byte(tree, workspace, unchecked):
    run(cell("_split", "match_prefix"))
    before, age, history = tree.read_bytes(), tree.stat().st_mtime_ns, list(workspace.folder.rglob("radix-*"))
    run(cell("_split", "match_prefix"))
    assert (tree.read_bytes(), tree.stat().st_mtime_ns) == (before, age)
    assert list(workspace.folder.rglob("radix-*")) == history


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_a_file_of_another_system_is_left_as_it_is_when_nothing_is_new(tree, unchecked, ending):
    run(cell("_split", "match_prefix"))
    tree.write_bytes(b"\xef\xbb\xbf" + tree.read_bytes().replace(b"\n", ending))
    before = tree.read_bytes()
    run(cell("_split", "match_prefix"))
    assert tree.read_bytes() == before


@pytest.mark.parametrize(
    "body", ['raise NotImplementedError("stage split: walk")', "...", "pass", '"""Later."""', "# soon\n        pass"]
)
def test_what_is_not_written_replaces_nothing(tree, unchecked, capsys, body):
    run(cell("_split", "match_prefix"))
    before = tree.read_bytes()
    capsys.readouterr()
    run(cell(f"    def match_prefix(self, key):\n        {body}\n"))
    assert tree.read_bytes() == before
    assert capsys.readouterr().out == "kept your match_prefix from the file\n"


def test_a_hook_that_the_stub_leaves_empty_replaces_nothing(workspace, unchecked):
    tree = start(workspace, "evict")
    before = tree.read_bytes()
    run(cell("_touch", "_relist", "_alloc", "_split", source=STUB, stage="evict"))
    assert tree.read_bytes() == before


def test_an_earlier_cell_never_replaces_what_a_later_one_wrote(tree, unchecked, capsys):
    early = splice.piece(REFERENCE, "_split").replace("        upper.locks = lower.locks", "        # no locks yet")
    run(cell(early))
    run(cell("_split", stage="locks"))
    late = tree.read_bytes()
    capsys.readouterr()
    run(cell(early))
    assert tree.read_bytes() == late
    assert "kept _split as the cell of stage locks wrote it; again=True in its decorator" in capsys.readouterr().out
    run(cell(early, more=", again=True"))
    assert "# no locks yet" in text(tree)
    run(cell(early.replace("no locks", "none"), stage="split"))
    assert "# none yet" in text(tree), "again made it the earlier stage's own"


def test_what_a_later_stage_wrote_does_not_outlive_a_new_start(tree, workspace, unchecked):
    run(cell("_split", stage="locks"))
    workspace.start(CHAPTER, force=True)
    run(cell("_split"))
    assert splice.piece(text(tree), "_split") == splice.piece(REFERENCE, "_split")


def test_forgetting_the_mark_loses_no_code(tree, workspace, unchecked):
    run(cell("_split", "match_prefix"))
    before = tree.read_bytes()
    (workspace.folder / ".radixlab").unlink()
    run(cell("_split", "match_prefix"))
    assert tree.read_bytes() == before


def test_a_new_method_goes_to_the_end_of_the_class(tree, unchecked):
    run(cell("    def longest(self, key):\n        # mine\n        return self.match_prefix(key)[0]\n"))
    assert text(tree).endswith(
        "\n\n    def longest(self, key):\n        # mine\n        return self.match_prefix(key)[0]\n"
    )
    assert hasattr(lab.RadixTree, "longest")


def test_another_indentation_is_put_right_and_strings_stay(tree, unchecked):
    run(cell('  def match_prefix(self, key):\n    x = """a\n  b\n"""\n    return len(x), []\n'))
    assert '    def match_prefix(self, key):\n      x = """a\n  b\n"""\n      return len(x), []\n' in text(tree)
    assert lab.RadixTree(1).match_prefix([1]) == (6, [])


def test_a_function_is_saved_without_our_decorator(workspace, unchecked):
    tree = start(workspace, "runs")
    source = splice.piece(REFERENCE, "common_runs")
    space = run(f'@exercise("runs")\n{source}')
    assert splice.piece(text(tree), "common_runs") == source
    assert space["common_runs"]((1, 2, 3), (1, 2, 4), 0, 1) == 2


def test_the_workspace_begins_with_the_first_code(workspace, capsys):
    run(cell("_split", "match_prefix", source=STUB))
    assert not workspace.folder.exists()
    out = capsys.readouterr().out
    assert "`ol start ds.07 --from split`" in out and "split: not attempted" in out
    run(cell("_split", "match_prefix"))
    assert text(workspace.tree(CHAPTER)) == splice.cut(STUB, REFERENCE, ("_split", "match_prefix"))
    assert text(workspace.tests(CHAPTER)) == CHAPTER.text("starter.py")
    out = capsys.readouterr().out
    assert "write common_runs" in out and "`ol start ds.07 --from split --force`" in out


def test_a_file_that_does_not_parse_is_left_alone(tree, capsys):
    broken = text(tree) + "def oops(:\n"
    tree.write_text(broken, encoding="utf-8")
    space = run(cell("_split", "match_prefix"))
    assert text(tree) == broken
    out = capsys.readouterr().out
    line = broken.count("\n")
    assert out.startswith("nothing was saved, mend the file first: ") and f"line {line}: " in out
    assert "split: error in your code" in out
    with pytest.raises(RuntimeError, match=f"line {line}"):
        space["RadixTree"](1)


def test_code_without_a_text_saves_nothing(tree, unchecked, capsys):
    before = tree.read_bytes()
    exec(NAMES + cell("_split"), {})
    assert tree.read_bytes() == before
    assert "nothing was saved" in capsys.readouterr().out


def test_a_plain_file_works_like_a_cell(tree, tmp_path, unchecked, monkeypatch):
    (tmp_path / "plain.py").write_text(NAMES + cell("_split"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import plain

    assert plain.RadixTree.__module__ == "radix"
    assert splice.piece(text(tree), "_split") == splice.piece(REFERENCE, "_split")


BEFORE = """\
import heapq
from math import inf as endless

LIMIT = 3
mine = 5

def shorter(key):
    # kept
    return key[:LIMIT]

"""
NEEDY = """\
    def match_prefix(self, key):
        mine = heapq.nsmallest(1, shorter(key))
        return len(mine), [endless]
"""


def test_imports_helpers_and_constants_that_a_method_needs_go_with_it(tree, unchecked, capsys):
    run(cell(NEEDY, before=BEFORE))
    saved = text(tree)
    assert "\nimport heapq\n" in saved and "\nfrom math import inf as endless\n" in saved
    assert "\nLIMIT = 3\n" in saved and "\ndef shorter(key):\n    # kept\n    return key[:LIMIT]\n" in saved
    assert "\nmine = 5\n" not in saved, "a name of the method's own needs nothing"
    assert lab.RadixTree(1).match_prefix([5, 4]) == (1, [float("inf")])
    assert capsys.readouterr().out.startswith("saved match_prefix, LIMIT, shorter to ")


def test_a_helper_is_replaced_by_its_new_version_and_an_experiment_stays_in_the_cell(tree, unchecked):
    method = "    def match_prefix(self, key):\n        return helper(key), []\n"
    run(cell(method, before="def helper(key):\n    return 1\n\n"))
    run(cell(method + "        # again\n", before="def helper(key):\n    return 2\n\ntries = helper([])\n\n"))
    assert text(tree).count("def helper(key):") == 1 and "tries" not in text(tree)
    assert lab.RadixTree(1).match_prefix([1]) == (2, [])


def test_what_comes_from_the_lab_is_not_imported_into_the_file(tree, unchecked, cut):
    before = "from radixlab.lab import NodeId, exercise\nfrom collections.abc import Sequence\n"
    run(cell("_split", "match_prefix", before=before))
    assert text(tree) == cut("split")


def test_a_test_sharpened_later_outlives_the_cell_that_began_it(tree, workspace, capsys):
    early = "@own_test\ndef test_split_by_hand():\n    assert RadixTree(1).is_empty()\n"
    late = early.replace("@own_test", '@own_test("tests")').replace("is_empty()", "node_count() == 0")
    run(early)
    run(late)
    before = workspace.tests(CHAPTER).read_bytes()
    run(early)
    assert workspace.tests(CHAPTER).read_bytes() == before
    assert "kept test_split_by_hand as the cell of stage tests wrote it" in capsys.readouterr().out


def test_without_the_mark_a_later_stage_still_keeps_its_work(tree, workspace, unchecked, capsys):
    early = splice.piece(REFERENCE, "_split").replace("        upper.locks = lower.locks", "        # no locks yet")
    run(cell(early, "match_prefix"))
    run(cell("lock", "unlock", "_split", stage="locks"))
    (workspace.folder / ".radixlab").unlink()
    before = tree.read_bytes()
    run(cell(early, "match_prefix"))
    assert tree.read_bytes() == before
    assert "kept _split as the cell of stage locks wrote it" in capsys.readouterr().out


def test_what_is_no_method_is_said_and_not_saved(tree, unchecked, capsys):
    run(cell("    shared = []\n\n", "match_prefix"))
    assert "shared = []" not in text(tree)
    assert "not saved, as it is no method: shared = []" in capsys.readouterr().out


@pytest.mark.parametrize("line", ['@exercise("run")', "@exercise"])
def test_a_stage_that_is_not_there_saves_nothing_and_says_which_there_are(tree, capsys, line):
    before = tree.read_bytes()
    run(cell("match_prefix").replace('@exercise("split")', line))
    assert tree.read_bytes() == before
    out = capsys.readouterr().out
    assert out.startswith("nothing was saved, ") and '@exercise("runs"), or one of new, insert, split' in out


def test_a_misspelt_function_is_told(workspace, capsys):
    run('@exercise("runs")\ndef comon_runs(label, key, at, granule):\n    return 0\n')
    assert "comon_runs is not asked for here: stage runs writes common_runs" in capsys.readouterr().out


def test_what_is_no_test_is_not_saved(tree, workspace, capsys):
    before = workspace.tests(CHAPTER).read_bytes()
    run("@own_test\nclass TestIt:\n    pass\n")
    run("@own_test\ndef split_by_hand():\n    pass\n")
    run('@own_test("test")\ndef test_split_by_hand():\n    pass\n')
    assert workspace.tests(CHAPTER).read_bytes() == before
    assert capsys.readouterr().out.count("nothing was saved") == 3


def test_a_test_that_is_almost_called_as_one_of_the_six_is_told(tree, capsys):
    run("@own_test\ndef test_split_by_hands():\n    assert RadixTree(1).is_empty()\n")
    assert "did you mean test_split_by_hand?" in capsys.readouterr().out
