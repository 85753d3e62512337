"""`ol demo`: it writes what was asked for, says where and what next, and harms nothing."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from radixlab import course
from radixlab.cli import main

ROOT = Path(__file__).parents[1]
PURE = shutil.which("graphviz-pure", path=sysconfig.get_path("scripts"))


@pytest.fixture
def ol(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def typed(command: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(command.split(" ")[1:])
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, out.out + out.err

    return typed


def test_without_a_film_the_worked_example_becomes_a_page(ol):
    code, said = ol("ol demo")
    assert code == 0 and "wrote demo.html: worked-example, 7 frames" in said and "arrow keys" in said
    assert "match_prefix([7, 1])" in Path("demo.html").read_text(encoding="utf-8")


def test_a_film_by_name_goes_where_it_is_told(ol):
    code, said = ol("ol demo locks -o my.html")
    assert code == 0 and "wrote my.html: locks" in said
    assert "evict(9)" in Path("my.html").read_text(encoding="utf-8") and not Path("demo.html").exists()


def test_the_list_has_every_film_and_writes_nothing(ol):
    code, said = ol("ol demo --list")
    assert code == 0 and all(name in said for name in course.chapter("ds.07").films)
    assert list(Path().iterdir()) == []


def test_a_sheet_and_a_folder_of_frames(ol):
    assert ol("ol demo -o all.svg")[0] == 0 and Path("all.svg").read_text(encoding="utf-8").count('class="panel"') == 6
    code, said = ol("ol demo -o frames/")
    assert code == 0 and "frames/frame-01.svg to frames/frame-07.png" in said.replace("\\", "/")
    assert len(list(Path("frames").iterdir())) == 14
    assert ol("ol demo lru -o frames")[0] == 0, "an existing folder needs no slash, and our frames may be replaced"


def test_another_tree_plays_too(ol):
    Path("mine.py").write_text(course.chapter("ds.07").source("s03"), encoding="utf-8")
    for impl in ("mine.py", "s03", "stub"):
        assert ol(f"ol demo inside-a-split --impl {impl}")[0] == 0
        assert f"The inside of a split, {impl}" in Path("demo.html").read_text(encoding="utf-8")
    assert "raised NotImplementedError" in Path("demo.html").read_text(encoding="utf-8")


def test_an_endless_loop_in_a_tree_ends(ol):
    loop = "class RadixTree:\n    def __init__(self, granule): self.granule = granule\n"
    loop += "    def insert(self, key, values):\n        while True: pass\n"
    Path("loop.py").write_text(loop)
    assert ol("ol demo --impl loop.py")[0] == 0
    assert "raised RuntimeError" in Path("demo.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("ol demo nix", "choose from worked-example"),
        ("ol demo -o no/demo.html", "no does not exist"),
        ("ol demo -o demo.pdf", ".html or .svg"),
        ("ol demo -o demo.png", "a PNG holds one frame"),
        ("ol demo -o frames", "end it in /, as in frames/"),
        ("ol demo -o ", "-o names nothing"),
        ("ol demo -o theirs.html/", "is a file"),
        ("ol demo -o theirs.html", "--force"),
        ("ol demo --impl nix", "--impl takes a path"),
        ("ol demo --impl empty.py", "no RadixTree"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(ol, command, says):
    Path("theirs.html").write_text("theirs")
    Path("empty.py").write_text("")
    code, said = ol(command)
    assert code == 2 and says in said.splitlines()[-1]
    assert Path("theirs.html").read_text() == "theirs" and not Path("demo.html").exists()


def test_without_an_engine_nothing_is_written(ol, monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", "no-such-program")
    code, said = ol("ol demo")
    assert code == 2 and "RADIXLAB_DOT" in said.splitlines()[-1] and not Path("demo.html").exists()


@pytest.mark.skipif(shutil.which("false") is None, reason="there is no program that does nothing")
@pytest.mark.parametrize("out", ["demo.html", "demo.svg", "frames/"])
def test_with_a_broken_engine_nothing_is_written(ol, monkeypatch, out):
    monkeypatch.setenv("RADIXLAB_DOT", shutil.which("false"))
    code, said = ol(f"ol demo -o {out}")
    assert code == 2 and "Set RADIXLAB_DOT to the dot of another Graphviz." in said.splitlines()[-1]
    assert list(Path().iterdir()) == []


def test_a_file_that_is_no_python_is_named_with_its_line(ol):
    Path("bad.py").write_text("def f(:\n")
    code, said = ol("ol demo --impl bad.py")
    assert code == 1 and "line 1" in said and "mend the file" in said


def test_ours_is_overwritten_and_theirs_only_by_force(ol):
    assert ol("ol demo")[0] == 0 and ol("ol demo locks")[0] == 0
    assert "evict(9)" in Path("demo.html").read_text(encoding="utf-8")
    Path("demo.html").write_text("theirs")
    assert ol("ol demo")[0] == 2 and ol("ol demo --force")[0] == 0
    Path("frames").mkdir()
    Path("frames/frame-03.png").write_text("theirs")
    assert ol("ol demo -o frames/")[0] == 2
    assert [path.name for path in Path("frames").iterdir()] == ["frame-03.png"]


def test_the_committed_sheet_is_what_the_command_writes(tmp_path):
    """`RADIXLAB_DOT=graphviz-pure ol demo -o docs/worked-example.svg`; how wide letters are may differ by version."""
    command = [sys.executable, "-m", "radixlab", "demo", "-o", "sheet.svg"]
    subprocess.run(command, cwd=tmp_path, check=True, env={**os.environ, "RADIXLAB_DOT": PURE}, capture_output=True)
    written = (tmp_path / "sheet.svg").read_text(encoding="utf-8")
    committed = (ROOT / "docs/worked-example.svg").read_text(encoding="utf-8")
    assert without_places(written) == without_places(committed)


def without_places(svg: str) -> str:
    """Return an SVG without the coordinates and sizes in its attributes."""
    places = r'(?<= )(x|y|x1|x2|y1|y2|d|points|width|height|viewBox|transform|textLength|rx)="[^"]*"'
    return re.sub(places, r'\1=""', svg)


def test_the_command_starts_fast(ol):
    code = "import sys, radixlab.commands.demo; print([m for m in ('graphviz', 'ipywidgets') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [("import os\nos._exit(3)", "ended the program with exit code 3"), ("import nothing_there", "nothing_there")],
)
def test_a_file_that_ends_or_fails_ends_in_a_sentence(tmp_path, monkeypatch, capsys, line, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(f"{line}\n", encoding="utf-8")
    assert main(["demo", "--impl", "mine.py"]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "demo.html").exists()
