"""The lab: what a cell saves, what it never destroys, and what comes back from the file."""

import linecache

import pytest

from radixlab import lab, splice
from radixlab.workspace import Workspace

CHAPTER = lab.CHAPTER
STUB, REFERENCE = CHAPTER.text("stub.py"), CHAPTER.text("reference.py")
NAMES = "from collections.abc import Callable, Sequence\nfrom radixlab.lab import Node, NodeId, V, exercise, own_test\n"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RADIXLAB_WORK", str(tmp_path / "work"))
    return Workspace(tmp_path / "work")


@pytest.fixture
def tree(workspace):
    """The learner's file, with the stages before `split` solved."""
    return start(workspace, "split")


@pytest.fixture
def unchecked(monkeypatch):
    """Saving alone."""
    monkeypatch.setattr(lab, "check", lambda stage: None)


def start(workspace, stage):
    solved = [name for earlier in CHAPTER.stages_up_to(stage)[:-1] for name in earlier.writes]
    return workspace.start(CHAPTER, solved=tuple(solved))[0]


def run(text):
    """Run *text* as a notebook does: its lines are in linecache under the name of the code."""
    run.number = getattr(run, "number", 0) + 1
    name = f"<cell {run.number}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = {}
    exec(compile(NAMES, "names", "exec"), space)
    exec(compile(text, name, "exec"), space)
    return space


def cell(*methods, stage="split", more="", source=REFERENCE):
    """A cell with *methods*, each a name of a method of *source* or the text of one."""
    texts = [method if "\n" in method else splice.piece(source, method) for method in methods]
    return f'@exercise("{stage}"{more})\nclass RadixTree:\n' + "\n".join(texts)


def text(path):
    return path.read_text(encoding="utf-8")


def test_methods_go_to_their_place_with_their_comments(tree, capsys):
    before = text(tree)
    run(cell("_split", "match_prefix"))
    assert text(tree) == splice.cut(before, REFERENCE, ("_split", "match_prefix"))
    assert "# notebook 04: every lock on the child" in text(tree)
    out = capsys.readouterr().out
    assert out.startswith("saved _split, match_prefix to ")
    assert out.endswith("split: passed, 5 of 5 checks\nnext: go on with stage locks (notebook 04-locks)\n")


def test_the_whole_class_comes_back_from_the_file(tree):
    space = run(cell("_split", "match_prefix"))
    mine = space["RadixTree"](1)
    mine.insert([1, 2, 3], "abc")
    assert mine.match_prefix([1, 9]) == (1, [2])
    assert len(mine) == 3


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
    assert 'kept _split as the cell of stage locks wrote it; @exercise("split", again=True)' in capsys.readouterr().out
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
    assert text(workspace.tree("ds07")) == splice.cut(STUB, REFERENCE, ("_split", "match_prefix"))
    assert text(workspace.tests("ds07")) == CHAPTER.text("starter.py")
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


def test_a_file_that_does_not_load_says_where(tree, unchecked):
    tree.write_text(text(tree) + "\n1 / 0\n", encoding="utf-8")
    mine = run(cell("_split"))["RadixTree"]
    line = text(tree).count("\n")
    with pytest.raises(RuntimeError, match=f"radix.py, line {line}: ZeroDivisionError"):
        mine(1)


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


def test_a_prediction(capsys):
    lab.predict("split.1", ...)
    lab.predict("split.1", 4)
    lab.predict("split.1", 3)
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("split.1")]
    assert said[0].startswith("split.1: not attempted")
    assert said[1:] == ["split.1: right, node_count() is 4", "split.1: not so, node_count() is 4"]


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


def test_the_whole_check(tree, capsys):
    lab.check()
    out = capsys.readouterr().out
    assert "official tests: 2 of 11 pass" in out and "next: " in out


def test_the_whole_check_before_the_start(workspace, capsys):
    lab.check()
    assert "begin with `ol start ds.07`" in capsys.readouterr().out
