"""The panel does what is typed, says what it made of it, and neither bad input nor a bad tree stops it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radixlab.chapters.ds07 import reference as right
from radixlab.checker.live import loaded
from radixlab.show.panel.playground import OPERATIONS, playground
from radixlab.show.script import Node, Script, evict, insert, lock, match

WORKED = Script(1, (insert([1, 2, 3], "abc"), insert([1, 2, 4, 5], "xyde")))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_enter_performs_what_is_typed():
    panel = playground()
    panel._tokens.value = "1 2 3"
    assert panel._values.value == "a b c"
    assert "3 tokens, 3 runs" in panel._said.value
    panel._tokens.value = "1 2 3\n"
    assert panel.bench.script.steps == (insert([1, 2, 3], "abc"),)
    assert "(1, [])" in panel._screen.value and "node 1" in panel._screen.value
    assert panel._values.value == "d e f"  # fresh ones for the next
    panel._tokens.value = "1 2 4 5\n"
    assert panel.bench.script.steps[1:] == (insert([1, 2, 4, 5], "defg"),)


def test_letters_are_tokens_and_it_says_which():
    panel = playground()
    panel._tokens.value = "abd"
    assert "abd is 1 2 4" in panel._said.value
    panel._do.click()
    assert panel.bench.script.steps == (insert([1, 2, 4], "abc"),)


def test_edited_values_stay_until_they_are_used():
    panel = playground()
    panel._tokens.value = "1"
    panel._values.value = "mine"
    panel._tokens.value = "1 2"
    assert panel._values.value == "mine"
    panel._values.value = "mine too\n"
    assert panel.bench.script.steps == (insert([1, 2], ["mine", "too"]),)
    assert panel._values.value == "a b"


def test_each_operation_has_its_field():
    panel = playground(script=WORKED)
    steps = {
        "match_prefix": match([1, 2, 9]),
        "evict": evict(1),
        "lock": lock(Node(2)),
    }
    panel._tokens.value = "1 2 9"
    for operation, step in steps.items():
        panel._operation.value = operation
        assert panel._do.description == OPERATIONS[operation][0]
        panel.bench.reset()
        panel.bench.undo()
        if operation == "lock":
            panel._node.value = 3
        panel._do.click()
        assert panel.bench.script.steps[-1] == step
        panel.bench.undo()


def test_after_a_match_the_node_that_it_ended_at_is_chosen():
    panel = playground(script=WORKED)
    assert panel._node.options == (
        ("1 2 (node 2)", 2),
        ("1 2 > 3 (node 1)", 1),
        ("1 2 > 4 5 (node 3)", 3),
        ("root (node 0)", 0),
    )
    panel._operation.value, panel._tokens.value = "match_prefix", "1 2 3\n"
    assert panel._node.value == 1
    panel._operation.value = "lock"
    panel._do.click()
    assert [panel.bench.tree.nodes[node].locks for node in (1, 2, 3)] == [1, 1, 0]


def test_locking_a_node_that_no_step_returned_says_that_it_was_matched():
    panel = playground(script=WORKED)
    panel._operation.value, panel._node.value = "lock", 2
    panel._do.click()
    assert panel.bench.script.steps[2:] == (match([1, 2]), lock(Node(3)))
    assert "matched first" in panel._said.value


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"_tokens": "1 x"}, "x is no token"),
        ({"_tokens": ""}, "type tokens"),
        ({"_tokens": "1 2", "_values": "a"}, "1 value for 2 runs"),
        ({"_operation": "match_prefix", "_tokens": "&"}, "&amp; is no token"),
        ({"_operation": "evict", "_number": "many"}, "many is no number"),
    ],
)
def test_bad_input_gets_one_line_and_changes_nothing(fields, why):
    panel = playground(script=WORKED)
    for name, value in fields.items():
        getattr(panel, name).value = value
    before = panel.bench.script, panel._screen.value
    panel._do.click()
    assert "Not done" in panel._said.value and why in panel._said.value
    assert (panel.bench.script, panel._screen.value) == before
    assert not panel.bench.can_undo


def test_undo_redo_and_reset_show_the_tree_of_then():
    panel = playground(script=WORKED)
    assert panel._undo.disabled and panel._redo.disabled and not panel._reset.disabled
    panel._reset.click()
    assert panel.bench.script == Script(1, ()) and panel._reset.disabled
    panel._undo.click()
    assert panel.bench.script == WORKED and "node 3" in panel._screen.value
    panel._redo.click()
    assert panel.bench.script == Script(1, ()) and "node 3" not in panel._screen.value


def test_another_granule_begins_anew_and_undo_brings_both_back():
    panel = playground(script=WORKED)
    panel._granule.value = 2
    assert panel.bench.script == Script(2, ())
    panel._undo.click()
    assert panel.bench.script == WORKED and panel._granule.value == 1


def test_an_exception_and_an_endless_loop_are_shown_and_the_panel_goes_on(reference):
    source = (
        f"{reference}\n\ndef forever(self, n, f=None):\n    while True:\n        pass\n\nRadixTree.evict = forever\n"
    )
    panel = playground(loaded(source, "radix.py", {"RadixTree"}), script=WORKED)
    for operation, words in (("unlock", "raised RuntimeError"), ("evict", "the loop at line")):
        panel._operation.value = operation
        panel._do.click()
        assert words in panel._screen.value and "wrong" in panel._screen.value
    panel._operation.value, panel._tokens.value = "match_prefix", "1 2\n"
    assert "(2, [2])" in panel._screen.value and "wrong" not in panel._screen.value


def test_a_subject_without_a_tree_is_shown_too():
    class RadixTree:
        def __init__(self, granule):
            raise ZeroDivisionError("<none> today")

    panel = playground(RadixTree)
    assert "&lt;none&gt; today" in panel._screen.value
    panel._tokens.value = "1\n"
    assert "Not done: there is no tree" in panel._said.value
    panel._saver.click()
    assert "there is no film" in panel._saved.value


def test_what_was_done_is_saved_in_three_forms(folder):
    panel = playground(script=WORKED)
    for name in ("a.json", "a.py", "a.html"):
        panel._file.value = f"{name}\n"
        assert f"Saved {folder / name}" in panel._saved.value
    assert Script.from_json((folder / "a.json").read_text()) == WORKED
    assert json.loads((folder / "a.json").read_text())["granule"] == 1
    tree = {}
    text = (folder / "a.py").read_text().replace("from radix import RadixTree", "")
    exec(text, {"RadixTree": right.RadixTree}, tree)
    assert tree["tree"].node_count() == 3
    assert (folder / "a.html").read_text().startswith("<!")


def test_a_file_that_was_there_before_is_kept(folder):
    (folder / "mine.json").write_text("mine")
    panel = playground(script=WORKED)
    panel._file.value = "mine.json\n"
    assert "Not saved" in panel._saved.value and (folder / "mine.json").read_text() == "mine"
    panel._file.value = "new.json\n"
    panel._tokens.value = "7\n"
    panel._file.value = "new.json\n"
    assert "Saved" in panel._saved.value and '"insert": [7]' in (folder / "new.json").read_text()


@pytest.mark.parametrize("name", ["", "noform", "a.txt", "no/such/folder/a.py"])
def test_a_name_that_cannot_be_is_answered(folder, name):
    panel = playground(script=WORKED)
    panel._file.value = name
    panel._saver.click()
    assert "Not saved" in panel._saved.value
    assert not list(folder.iterdir())


def test_everything_has_a_tooltip():
    panel = playground()
    fields = [panel._tokens, panel._values, panel._number, panel._node, panel._granule, panel._file, panel._large]
    buttons = [panel._do, panel._undo, panel._redo, panel._reset, panel._saver]
    assert all(widget.tooltip for widget in fields + buttons)
    assert len(panel._operation.tooltips) == len(OPERATIONS) == len(panel._operation.options)


def test_large_type_is_a_class_on_the_panel():
    panel = playground()
    panel._large.value = True
    assert "radixlab-large" in panel._dom_classes
    panel._large.value = False
    assert "radixlab-large" not in panel._dom_classes


@settings(max_examples=10)  # each draws some ten trees
@given(
    st.lists(
        st.sampled_from([*OPERATIONS, "undo", "redo", "reset", "granule", "1 2\n", "1 2 3 4\n", "ab", "?\n"]),
        max_size=12,
    )
)
def test_whatever_is_pressed_the_panel_shows_what_its_script_makes(presses):
    panel = playground()
    for press in presses:
        if press in OPERATIONS:
            panel._operation.value = press
            panel._do.click()
        elif press == "granule":
            panel._granule.value = 3 - panel._granule.value
        elif press in ("undo", "redo", "reset"):
            getattr(panel, f"_{press}").click()
        else:
            panel._tokens.value = press
    again = playground(script=panel.bench.script)
    assert again.bench.tree == panel.bench.tree
    assert again._screen.value == panel._screen.value
    assert (panel._undo.disabled, panel._redo.disabled) == (not panel.bench.can_undo, not panel.bench.can_redo)
