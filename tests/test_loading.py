"""From the file into a cell: what `load` gives can be run, and changes no byte."""

import pytest
from typed_cells import CHAPTER, cell, run, text

from radixlab import lab, splice


def loaded(capsys, what):
    capsys.readouterr()
    lab.load(what)
    return capsys.readouterr().out


@pytest.mark.parametrize("what", ["insert", "new", "runs", "_walk", "common_runs", "locks"])
def test_a_loaded_cell_runs_by_itself_and_changes_no_byte(tree, unchecked, capsys, what):
    before = tree.read_bytes()
    cell_ = loaded(capsys, what)
    assert "@exercise(" in cell_
    run_alone(cell_)
    assert tree.read_bytes() == before


def test_an_edit_in_an_editor_comes_into_the_cell_with_its_comments(tree, unchecked, capsys):
    run(cell("_split", "match_prefix"))
    tree.write_text(
        text(tree).replace("        self._touch(path)\n        return tokens", "        # mine\n        return 7")
    )
    assert "        # mine\n        return 7" in loaded(capsys, "split")


def test_methods_stand_as_in_the_file(tree, capsys):
    names = [line.split("(")[0].split()[-1] for line in loaded(capsys, "new").splitlines() if " def " in line]
    there = splice.pieces(text(tree))
    assert names == sorted(CHAPTER.stage("new").writes, key=there.__getitem__)


def test_an_own_test_is_loaded_to_be_sharpened(tree, workspace, capsys):
    before = workspace.tests(CHAPTER).read_bytes()
    cell_ = loaded(capsys, "test_split_by_hand")
    assert '@own_test("tests")\ndef test_split_by_hand():' in cell_
    assert loaded(capsys, "split_by_hand") == cell_
    run_alone(cell_)
    assert workspace.tests(CHAPTER).read_bytes() == before


def test_what_is_not_there_is_said(tree, capsys):
    assert loaded(capsys, "splat").startswith("there is no 'splat' in your files")


def test_a_broken_file_loads_nothing_and_says_why(tree, capsys):
    tree.write_text(text(tree) + "def oops(:\n", encoding="utf-8")
    assert loaded(capsys, "split").startswith("nothing was loaded: ")


def run_alone(cell_text):
    """Run the text of a cell with no other names than its own."""
    import linecache

    name = f"<loaded {id(cell_text)}>"
    linecache.cache[name] = len(cell_text), None, cell_text.splitlines(keepends=True), name
    exec(compile(cell_text, name, "exec"), {})
