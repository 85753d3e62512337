"""`ol explain` as a learner meets it: a script, a sentence and two trees; and who may see it when."""

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from radixlab import course
from radixlab.cli import main
from radixlab.commands import explain
from radixlab.show.divergence.diverge import diverge

CHAPTER = course.chapter("ds.07")
REFERENCE = CHAPTER.text("reference.py")
GOOD = Path(__file__).parent / "samples" / "ds07" / "good_tests.py"


@pytest.fixture
def says(capsys, monkeypatch, tmp_path):
    """Type a command in a folder of one's own; return its exit code and all that it printed."""
    monkeypatch.chdir(tmp_path)

    def says(command: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(command.split()[1:])
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out + out.err

    return says


@pytest.fixture
def tree(work) -> Path:
    """The learner's file, the reference to begin with."""
    main(["start", "ds.07"])
    path = work / "ds07" / "radix.py"
    path.write_text(REFERENCE)
    return path


def test_a_bug_is_spoiled_without_a_workspace(says, work):
    code, said = says("ol explain ds.07 s01 --spoil")
    assert code == 0 and not work.exists()
    assert "tree = RadixTree(1)\ntree.insert([1, 2], ['a', 'b'])\n" in said
    assert "has the values b in s01, and a in the reference" in said
    assert "s01, after step 2" in said and "`-- 1: b" in said and "`-- 1: a" in said
    assert CHAPTER.bug("s01").title not in said, "the behaviour is shown, the cause is not given away"
    assert not list(Path().iterdir()), "nothing is left behind"


def test_a_bug_is_explained_once_the_own_tests_are_valid(says, tree, work):
    code, said = says("ol explain ds.07 s01")
    assert code == 1 and "once your tests are valid" in said and "--spoil" in said and "ol check ds.07" in said
    says("ol check ds.07")
    assert says("ol explain ds.07 s01")[0] == 1
    shutil.copy(GOOD, work / "ds07" / "test_radix.py")
    says("ol check ds.07")
    code, said = says("ol explain ds.07 s01")
    assert code == 0 and "in s01, and" in said


def test_without_a_workspace_nothing_is_written(says, work):
    assert says("ol explain ds.07 s01")[0] == 1 and not work.exists()
    code, said = says("ol explain ds.07")
    assert code == 2 and "ol start ds.07" in said and not work.exists()


def test_the_learners_tree_agrees_or_differs(says, tree):
    code, said = says("ol explain ds.07")
    assert code == 0 and "no difference found in " in said and " scripts" in said
    assert int(said.split("found in ")[1].split()[0].replace(",", "")) > 500
    tree.write_text(CHAPTER.source("s07"))
    code, said = says("ol explain ds.07")
    assert code == 0 and "tree.match_prefix" in said and "here, and" in said and "your tree, after step 3" in said


def test_an_unfinished_tree_is_explained_too(says, tree):
    tree.write_text(CHAPTER.text("stub.py"))
    code, said = says("ol explain ds.07")
    assert code == 0 and "NotImplementedError" in said and "your tree, new" in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (REFERENCE.replace("def evict(self, n", "def evict(self n"), "invalid syntax"),
        ("ROOT = 0\n", "radix.py defines no RadixTree"),
        ("while True:\n    pass\n", "the loop at line 1 ran 100,000 steps"),
        ("import nowhere_at_all\n", "No module named 'nowhere_at_all'"),
        ("raise SystemExit(0)\n", "SystemExit"),
    ],
)
def test_a_file_that_does_not_load_is_one_sentence_and_exit_1(says, tree, text, sentence):
    tree.write_text(text)
    code, said = says("ol explain ds.07")
    assert code == 1 and sentence in said and "mend the file" in said


def test_a_file_that_is_gone_is_exit_1(says, tree):
    tree.unlink()
    code, said = says("ol explain ds.07")
    assert code == 1 and "does not exist" in said


def test_a_tree_that_prints_is_not_heard(says, tree):
    tree.write_text(
        CHAPTER.source("m01").replace("        freed = 0\n", "        print('x' * 100)\n        freed = 0\n")
    )
    code, said = says("ol explain ds.07")
    assert code == 0 and "xxx" not in said and "len(tree)" in said


@pytest.mark.parametrize(
    "command", ["ol explain ds.07 s99", "ol explain ds.07 s01 --spoil --seed -1", "ol explain ds.99"]
)
def test_wrong_usage_is_exit_2(says, command):
    code, said = says(command)
    assert code == 2 and said


def test_both_films_go_into_a_file(says):
    code, said = says("ol explain ds.07 s03 --spoil -o s03.html")
    page = Path("s03.html").read_text(encoding="utf-8")
    assert code == 0 and "s03.html" in said
    assert "there is a node of 1 2 with the values b" in page and "the reference" in page
    assert says("ol explain ds.07 s03 --spoil -o nowhere/s03.html")[0] == 2


def test_the_seed_repeats(says):
    one, other = (says("ol explain ds.07 s06 --spoil --seed 3") for _ in range(2))
    assert one == other


def test_the_trees_stand_side_by_side_where_there_is_room(theirs_and_s01):
    for width, both_in_a_line in ((80, True), (50, False), (200, True)):
        console = Console(width=width, record=True, file=io.StringIO())
        console.print(explain._trees(theirs_and_s01, width))
        lines = console.export_text().splitlines()
        assert any(line.count("1: ") == 2 for line in lines) == both_in_a_line
        assert max(map(len, lines)) <= width


@pytest.fixture(scope="module")
def theirs_and_s01():
    return diverge(explain._subject("s01.py", CHAPTER.source("s01")), explain._subject("reference.py", REFERENCE))


def test_progress_is_one_line_on_a_terminal_only(monkeypatch):
    for terminal in (True, False):
        screen = io.StringIO()
        monkeypatch.setattr(explain, "stderr", Console(force_terminal=terminal, width=80, file=screen))
        with explain._progress() as watch:
            watch(40)
        assert watch.played == 40
        assert ("looking for a script" in screen.getvalue()) == terminal
