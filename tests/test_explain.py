"""`ol explain` as a learner meets it: a script, a sentence and two trees; and who may see it when."""

import io
import re
import shutil
import textwrap
from pathlib import Path

import pytest
from rich.console import Console

from radixlab import course
from radixlab.cli import main
from radixlab.commands import apart, explain

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
    assert said.startswith(f"s01: {CHAPTER.bug('s01').title}\n\ntree = "), "a line says which bug it is"
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


@pytest.mark.parametrize("stage", [None, "insert", "split", "locks", "lru"])
def test_what_is_not_written_yet_is_no_difference(says, tree, cut, stage):
    tree.write_text(cut(stage) if stage else CHAPTER.text("stub.py"))
    code, said = says("ol explain ds.07")
    assert code == 0 and re.match(r"no difference as far as your tree is written \([\d,]{3,} scripts\)\n", said)
    names = [each.name for each in CHAPTER.stages]
    following = CHAPTER.stages[names.index(stage) + 1 if stage else 0]
    assert f"next: stage {following.name}, notebook {following.notebook}; `ol check ds.07`" in said


def test_what_is_wrong_in_a_half_written_tree_is_a_difference(says, tree, cut):
    tree.write_text(cut("insert").replace("self._stored += len(values) - known", "self._stored += 1", 1))
    code, said = says("ol explain ds.07")
    assert code == 0 and re.search(r"^after step \d len\(tree\) is", said, re.MULTILINE)


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


EVICT = "        freed = 0\n"
ENDS = {
    "an exit": ("import os; os._exit(0)", "radix.py ended the program with exit code 0 (line {line}, in evict)"),
    "a kill": ("import os; os.kill(os.getpid(), 9)", "radix.py ended the program with "),
    "a hang": ("import time; time.sleep(100)", "radix.py gave no answer for 2 s (line {line}, in evict)"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_file_that_ends_or_hangs_is_one_sentence_and_exit_1(says, tree, monkeypatch, how):
    does, sentence = ENDS[how]
    assert REFERENCE.count(EVICT) == 1
    tree.write_text(REFERENCE.replace(EVICT, f"        {does}\n{EVICT}"))
    monkeypatch.setattr(apart, "SILENCE", 2)
    code, said = says("ol explain ds.07")
    line = REFERENCE[: REFERENCE.index(EVICT)].count("\n") + 1
    assert code == 1 and sentence.format(line=line) in said and "mend the file" in said


def test_an_exception_is_told_with_its_message_and_its_line(says, tree):
    tree.write_text(REFERENCE.replace(EVICT, f"        None.gone\n{EVICT}"))
    _, said = says("ol explain ds.07")
    line = REFERENCE[: REFERENCE.index(EVICT)].count("\n") + 1
    raised = f"raised AttributeError: 'NoneType' object has no attribute 'gone' (radix.py, line {line}) here"
    assert raised in flat(said)


def test_a_loop_has_one_wording(says, tree):
    tree.write_text(REFERENCE.replace(EVICT, "        while True:\n            pass\n"))
    _, said = says("ol explain ds.07")
    assert re.search(r"evict\(0\) raised RuntimeError: the loop at line \d+ ran 100,000 steps \(radix.py\)", flat(said))


def flat(said: str) -> str:
    return " ".join(said.split())


def test_a_tree_without_end_is_cut_off_below_some_levels(says, tree):
    endless = """
    def children(self, node):
        return [node + 1]

    def old_children("""
    assert REFERENCE.count("\n    def children(") == 1
    tree.write_text(REFERENCE.replace("\n    def children(", endless))
    code, said = says("ol explain ds.07")
    assert code == 0 and len(said.splitlines()) < 60 and re.search(r"\.\.\. \d+ more below", said)


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


WRONG = {
    "ol explain ds.07 s99": "no bug called 's99': take one such as s01; `ol bugs ds.07` has more",
    "ol explain ds.07 work/radix.py": "`ol explain ds.07` alone explains your own tree",
    "ol explain ds.07 s01 --spoil --seed -1": "--seed",
    "ol explain ds.99": "ds.99",
    "ol explain ds.07 s01 --spoil -o radix.py": "name one that ends in .html",
    "ol explain ds.07 s01 --spoil -o nowhere/s01.html": "nowhere does not exist",
    "ol check ds.07 --impl nowhere.py": "nowhere.py does not exist; --impl takes a path, or a name: reference,",
    "ol start ds.07 --dir work/radix.py/work": "nothing can be written into work/radix.py/work: ",
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_usage_is_exit_2_and_one_sentence(says, command):
    Path("work").mkdir()
    Path("work/radix.py").write_text("mine")
    code, said = says(command)
    assert code == 2 and WRONG[command] in said
    assert len(said.splitlines()[-1]) < 200, "no long list of names"
    assert Path("work/radix.py").read_text() == "mine"


def test_both_films_go_into_a_file(says):
    code, said = says("ol explain ds.07 s03 --spoil -o s03.html")
    page = Path("s03.html").read_text(encoding="utf-8")
    assert code == 0 and "wrote s03.html" in said
    assert f"s03: {CHAPTER.bug('s03').title}. In what will the two trees part?" in page
    assert "After step 2 there is a node of 1\xa02 with the values b in the reference" in page
    assert "the reference</h2>" in page


def test_a_page_of_ours_is_written_anew_and_nothing_else_is(says):
    mine = Path("mine.html")
    mine.write_text("my notes")
    code, said = says("ol explain ds.07 s01 --spoil -o mine.html")
    assert code == 2 and "mine.html is there and none of ours: --force overwrites it" in said
    assert mine.read_text() == "my notes"
    assert says("ol explain ds.07 s01 --spoil -o mine.html --force")[0] == 0
    assert says("ol explain ds.07 s03 --spoil -o mine.html")[0] == 0
    assert "s03" in mine.read_text(encoding="utf-8")


def test_without_a_working_engine_no_page_is_written(says, monkeypatch, tmp_path):
    for engine in (shutil.which("false"), str(tmp_path / "nowhere")):
        monkeypatch.setenv("RADIXLAB_DOT", engine)
        code, said = says("ol explain ds.07 s01 --spoil -o s01.html")
        assert code == 2 and "nothing can be drawn here" in said and "RADIXLAB_DOT" in said
        assert not Path("s01.html").exists()


def test_the_seed_repeats(says):
    one, other = (says("ol explain ds.07 s06 --spoil --seed 3") for _ in range(2))
    assert one == other


def test_the_trees_stand_side_by_side_where_there_is_room():
    tree = textwrap.dedent("""
        root
        `-- 1: b  [node 2]
            `-- 2: a  [node 1, lru 1]""").strip()
    found = explain.Explained(trees=(("s01, after step 2", tree), ("the reference, after step 2", tree)))
    for width, both_in_a_line in ((80, True), (50, False), (200, True)):
        console = Console(width=width, record=True, file=io.StringIO())
        console.print(explain.trees(found, width))
        lines = console.export_text().splitlines()
        assert any(line.count("1: ") == 2 for line in lines) == both_in_a_line
        assert max(map(len, lines)) <= width


def test_progress_is_one_line_on_a_terminal_only(monkeypatch):
    for terminal in (True, False):
        screen = io.StringIO()
        monkeypatch.setattr(explain, "stderr", Console(force_terminal=terminal, width=80, file=screen))
        with explain._progress() as watch:
            watch(40)
        assert watch.played == 40
        assert ("looking for a script" in screen.getvalue()) == terminal
