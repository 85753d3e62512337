"""docs/teaching.md: what it names is there, and its minutes, thresholds and figures are those of the cards."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest

from radixlab import course
from radixlab.classroom import ledger
from radixlab.classroom.grade import EXAMPLE, OUTCOMES, Grade
from radixlab.classroom.outputs import write
from radixlab.classroom.points import max_points
from radixlab.cli import main, ol
from radixlab.commands.submit import _place
from radixlab.show import films

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/teaching.md").read_text(encoding="utf-8")
CHAPTER = course.chapter("ds.07")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.M | re.S)
TICKED = re.findall(r"`([^`\n]+)`", re.sub(r"^```\n.*?^```$", "", TEXT, flags=re.M | re.S))
FILMS = re.findall(r"film `([a-z0-9-]+)`, (\d+) frames", TEXT)


def section(title: str) -> str:
    """Return the text below the heading *title*, up to the next one of its kind."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the tables in *text*, a list a row, without heads."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    heads = [place for place, line in enumerate(lines) if set("".join(line)) <= set("-| ")]
    return [line for place, line in enumerate(lines) if place not in heads and place + 1 not in heads]


def card_of(notebook: Path) -> str:
    """Return what the first cell of a notebook says."""
    return "".join(json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"])


def minutes_of(name: str) -> int:
    """Return the minutes of the notebook called *name*: its stages' by the card, else what it says itself."""
    stages = [stage.minutes for chapter in course.chapters() for stage in chapter.stages if stage.notebook == name]
    said = re.search(r"(\d+) minutes", card_of(ROOT / "notebooks" / f"{name}.ipynb"))
    return sum(stages) or int(said[1])


def typed() -> list[str]:
    """Return every command that the text has a reader type, `$film` and the like filled in."""
    lines = [line.split("#")[0].strip() for block in BLOCKS for line in block.splitlines()]
    lines = [part.strip() for line in lines for part in re.split(r"; (?:do )?", line)]
    loop = re.search(r"for film in ([a-z0-9 -]+);", TEXT)[1].split()
    lines = [line.replace("$film", film) for line in lines for film in (loop if "$film" in line else [""])]
    return [line for line in (*lines, *TICKED) if re.match(r"ol\b", line) and line != "ol"]


# What it names --------------------------------------------------------------------------------------------------------


@pytest.fixture
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RADIXLAB_WORK", raising=False)
    for name in ("submissions", "late"):
        (tmp_path / name).mkdir()
    (tmp_path / "radix.py").write_text(CHAPTER.text("reference.py"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("line", sorted(set(typed())))
def test_every_command_can_be_typed(line, somewhere):
    words = shlex.split(line)[1:]
    command, context = ol, click.Context(ol, info_name="ol")
    while isinstance(command, click.Group):
        name = words.pop(0)
        command = command.get_command(context, name)
        assert command is not None, f"there is no ol {name}"
    try:
        given = command.make_context(name, list(words), parent=context).params
    except click.MissingParameter:  # it is named, not typed: `ol grade --resume`
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= options
        return
    if name == "demo":
        assert given["film"] in (None, *CHAPTER.films)
    if given.get("stage"):
        assert CHAPTER.stage(given["stage"])
    if given.get("bug"):
        assert CHAPTER.bug(given["bug"])


def test_commands_were_found_at_all():
    named = {line.split()[1] for line in typed()}
    assert {"demo", "explain", "start", "check", "submit", "grade", "pack", "lab", "watch", "hint"} <= named


def test_every_notebook_is_named_and_is_there():
    named = {name for name in TICKED if re.fullmatch(r"(\d\d|appendix)-[a-z-]+", name)}
    assert named == {path.stem for path in NOTEBOOKS}
    numbers = {path.stem[:2] for path in NOTEBOOKS}
    assert set(re.findall(r"notebook (\d\d)\b", TEXT)) <= numbers


def test_every_film_is_named_and_is_as_long_as_it_says():
    assert {name for name, _ in FILMS} | {"inside-a-split"} == set(CHAPTER.films)
    assert "`inside-a-split`" in TEXT
    for name, frames in FILMS:
        assert len(films.film(CHAPTER, name)) == int(frames), name


def test_every_file_is_there():
    words = {word for name in TICKED for word in name.split()}
    paths = {word for word in words if re.match(r"(radixlab|benchmarks|notebooks|docs|tests)/", word)}
    assert len(paths) >= 6
    assert not [path for path in paths if not (ROOT / path).exists()]
    assert re.search(r"^lab:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M), "make lab"
    assert str(_place(CHAPTER, None, False)) in TICKED


def test_what_grading_writes_is_what_the_table_says(tmp_path):
    grade = Grade.from_dict(EXAMPLE)
    write([grade], CHAPTER, tmp_path)
    there = {f"{path.name}/" if path.is_dir() else path.name for path in tmp_path.iterdir()} | {ledger.NAME}
    table = [row[0] for row in rows(section("Grading a class"))]
    assert set(re.findall(r"`([^`]+)`", " ".join(table))) == there
    assert list(tmp_path.glob("gradescope/*/results.json"))
    assert {path.suffix for path in (tmp_path / "submissions").iterdir()} == {".json", ".html"}
    assert "student_id" in (tmp_path / "nbgrader.csv").read_text(encoding="utf-8").splitlines()[0]


def test_the_keys_are_those_of_the_page():
    page = (ROOT / "radixlab/show/page.html").read_text(encoding="utf-8")
    keys = re.search(r"^Keys: (.*?)\.\s", TEXT, re.M | re.S)[1]
    arrows = {"←": "&larr;", "→": "&rarr;"}
    for key in re.findall(r"`([^`]+)`", keys):
        assert f"<kbd>{arrows.get(key, key)}</kbd>" in page, key


# The lecture ----------------------------------------------------------------------------------------------------------


def test_the_lecture_takes_ninety_minutes_and_its_clock_is_right():
    clock = 0
    for at, minutes, *_ in rows(section("The lecture: 90 minutes")):
        assert at == f"{clock // 60}:{clock % 60:02}"
        clock += int(minutes)
    assert clock == 90


def test_no_film_is_hurried():
    for _, minutes, show, *_ in rows(section("The lecture: 90 minutes")):
        if frames := re.search(r"(\d+) frames", show):
            assert int(minutes) >= int(frames[1]), show


def test_the_first_two_cells_are_those_that_the_lecture_shows():
    cells = json.loads((ROOT / "notebooks/00-why.ipynb").read_text(encoding="utf-8"))["cells"]
    assert [cell["id"] for cell in cells if cell["cell_type"] == "code"][:2] == ["predict-share", "idea-attention"]


@pytest.mark.parametrize(
    ("name", "frame", "call"),
    [
        ("worked-example", 3, "insert([1, 2, 4, 5]"),
        ("worked-example", 6, "match_prefix([1, 9])"),
        ("locks", 5, "match_prefix([1, 9])"),
        ("lru", 7, "unlock"),
        ("eviction", 6, "evict(1)"),
        ("eviction", 7, "evict(1)"),
    ],
)
def test_a_question_stands_at_its_frame(name, frame, call):
    row = next(row for row in rows(section("The lecture: 90 minutes")) if f"`{name}`" in row[2])
    assert f"Frame {frame}:" in row[3]
    assert films.film(CHAPTER, name)[frame - 1].call.startswith(call)


def test_the_pages_of_the_lecture_are_written_as_it_says(somewhere):
    lines = [line for line in typed() if re.search(r"-o [a-z0-9-]+\.html", line) and "--impl" not in line]
    assert len(lines) == 7
    for line in lines:
        assert main(shlex.split(line)[1:]) in (0, None)
    for name, frames in (*FILMS, ("s06", re.search(r"`s06.html`, (\d+) frames", TEXT)[1])):
        text = (somewhere / f"{name}.html").read_text(encoding="utf-8")
        assert len(re.findall(r"<section\b", text)) == int(frames), name


# Labs and homework ----------------------------------------------------------------------------------------------------


def test_the_minutes_are_those_of_the_cards():
    table = rows(section("The labs"))
    for lab in ("1", "2"):
        minutes = [(name.strip("`"), int(minutes)) for where, name, minutes, _ in table if where == lab]
        assert minutes and all(minutes_of(name) == took for name, took in minutes)
        assert f"**Lab {lab}, {sum(took for _, took in minutes)} minutes**" in section("The labs").replace("\n", " ")
    homework = re.findall(r"`([a-z0-9-]+)`\s+\((\d+)", section("Homework"))
    assert len(homework) == 6 and all(minutes_of(name) == int(took) for name, took in homework)
    at_home = sum(int(took) for _, took in homework[:3])
    assert f"**{at_home} minutes**, which makes {at_home + sum(int(row[2]) for row in table)} for" in section(
        "Homework"
    )


def test_labs_and_homework_are_the_whole_chapter_in_order():
    order = [row[1].strip("`") for row in rows(section("The labs"))]
    order += re.findall(r"`([a-z0-9-]+)`\s+\(\d+", section("Homework"))[:3]
    assert order == [*(stage.notebook for stage in CHAPTER.stages), CHAPTER.tests_notebook]


# Questions ------------------------------------------------------------------------------------------------------------


def test_each_stage_has_five_questions():
    parts = section("What will be asked").split("\n### ")[1:]
    heads = [part.splitlines()[0] for part in parts]
    stages = [f"Stage `{stage.name}`, notebook `{stage.notebook}`" for stage in CHAPTER.stages]
    assert heads == [*stages, f"Your tests, notebook `{CHAPTER.tests_notebook}`"]
    for part in parts:
        asked = re.findall(r"^(\d)\. \*.+\?\* \S", part, re.M)
        assert asked == list("12345"), part.splitlines()[0]


def test_no_answer_gives_code_away():
    said = " ".join(section("What will be asked").split())
    lines = {line.strip() for name in ("reference.py", "starter.py") for line in CHAPTER.text(name).splitlines()}
    assert not [line for line in lines if len(line) > 12 and line in said]
    assert "self." not in said and "```" not in said


# Thresholds and figures -----------------------------------------------------------------------------------------------


def test_the_thresholds_are_those_of_the_cards():
    table = rows(section("The thresholds"))
    assert [row[0] for row in table] == [each.id for each in course.chapters()]
    for name, card, *figures in table:
        chapter = course.chapter(name)
        assert (ROOT / card.strip("`")) == chapter.folder / "chapter.toml"
        counts = chapter.needed, ", ".join(chapter.required), len(chapter.tests), len(chapter.bugs)
        assert figures == [*map(str, counts), f"{max_points(chapter):g}"]
        assert chapter.points == {"tests": 1, "bugs": 1}
    assert f"{CHAPTER.needed} of the {len(CHAPTER.bugs)} planted bugs" in " ".join(TEXT.split())
    assert CHAPTER.required == ("s11",) and "*Why is s11 required?*" in TEXT


def test_every_outcome_is_explained_and_says_what_to_do():
    table = rows(section("What an outcome means"))
    assert [row[0] for row in table] == [f"`{outcome}`" for outcome in OUTCOMES]
    assert all(len(row) == 3 and all(row) for row in table)


def test_the_planted_bugs_are_those_of_the_chapter():
    bugs = [[f"`{bug.id}`", bug.area, bug.title] for bug in CHAPTER.bugs]
    assert rows(section("The planted bugs")) == bugs


def test_the_sums_of_points_are_right():
    text = " ".join(section("The thresholds").split())
    tests, bugs = len(CHAPTER.tests), len(CHAPTER.bugs)
    assert f"{max_points(CHAPTER):g} = {tests} + {bugs}" in text and f"gets {bugs} with good tests" in text
    heavy = replace(CHAPTER, points={"tests": 2, "bugs": 0.5})
    assert f"`tests = 2` and `bugs = 0.5` make {max_points(heavy):g} = {2 * tests} + {bugs / 2:g}" in text


def test_what_is_given_has_the_points_that_it_says():
    stage, points = re.search(r"--from ([a-z]+)` writes has (\d+) points", " ".join(TEXT.split())).groups()
    given = {before.name for before in CHAPTER.stages_up_to(stage)[:-1]}
    assert sum(card.stage in given for card in CHAPTER.tests) == int(points)


def test_the_memory_is_what_was_measured():
    results = (ROOT / "benchmarks/results/memory.md").read_text(encoding="utf-8")
    for what, *figures in rows(section("JupyterHub")):
        named = re.search(r"notebook `([a-z0-9-]+)`", what)
        part = results.split(f"## Notebook {named[1]}\n" if named else "## In a terminal\n")[1].split("\n## ")[0]
        assert next(row for row in rows(part) if "highest" in row[0])[1:] == figures


def test_a_lecturer_reads_it_in_one_sitting():
    assert len(TEXT.splitlines()) <= 285
