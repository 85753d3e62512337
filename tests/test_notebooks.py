"""Each notebook runs from top to bottom: as committed, with the reference's code in it, and over work that is done."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from typed_cells import run as run_cell

from radixlab import cli, lab, splice
from radixlab.lab.mine import CHAPTER, CHAPTERS

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
WITHOUT_A_STAGE = {"07-your-tests": "tests", "09-real-traffic": "traffic"}  # what their predictions are called
GOOD_TESTS = {
    chapter.id: (Path(__file__).parent / "samples" / chapter.folder.name / "good_tests.py").read_text(encoding="utf-8")
    for chapter in CHAPTERS
}
STAGES = [(chapter, stage) for chapter in CHAPTERS for stage in chapter.stages]
BUGS = [(chapter, bug) for chapter in CHAPTERS for bug in chapter.bugs]
SEEN = """\
def test_seen_in_production():
    tree = RadixTree(1)
    tree.insert([1, 2, 3], ["a", "b", "c"])
    tree.match_prefix([1, 9])
    assert len(tree) == 3
"""
OURS = re.compile(r"^@(exercise|own_test)\b", re.M)
BLANK = re.compile(r"^(@exercise\(|@own_test\b|check\(|predict\()", re.M)  # cells that say how far one is
each_stage = pytest.mark.parametrize(("chapter", "stage"), STAGES, ids=[stage.name for _, stage in STAGES])
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.id)
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def chapter_of(path):
    """Return the chapter that a notebook belongs to."""
    return next((chapter for chapter, stage in STAGES if stage.notebook == path.stem), CHAPTER)


def filled(source, chapter, solution=None):
    """Return the *source* of a cell with every stub of an exercise taken from *solution*, every own test from ours."""
    if not OURS.search(source):
        return source
    tests, solution = f"{GOOD_TESTS[chapter.id]}\n\n{SEEN}", solution or chapter.text("reference.py")
    for name in splice.pieces(source):
        text = splice.piece(tests if name.startswith("test_") else solution, name)
        kept = [line for line in splice.piece(source, name).splitlines() if OURS.match(line)]
        source = splice.put(source, name, "\n".join([*kept, text]))
    return source


def solved(path, folder):
    """Write *path* with the solutions in it into *folder*."""
    notebook = read(path)
    for cell in code(notebook):
        cell.source = filled(cell.source, chapter_of(path))
    nbformat.write(notebook, folder / path.name)


def run(path, folder):
    """Run a notebook in *folder* and return what each code cell shows, by its id; an exception fails the test."""
    notebook = read(path)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return {cell.id: "".join(map(shown, cell.outputs)) for cell in code(notebook)}


def shown(output):
    return output.text if output.output_type == "stream" else output.data["text/plain"]


def with_helpers(workspace, chapter=CHAPTER):
    """Put the helpers of our own tests into the learner's file, as a learner's cell would."""
    tests = workspace.tests(chapter)
    helpers = [name for name in splice.pieces(GOOD_TESTS[chapter.id]) if not name.startswith("test_")]
    texts = [tests.read_text(encoding="utf-8"), *(splice.piece(GOOD_TESTS[chapter.id], name) for name in helpers)]
    tests.write_text("\n\n".join(texts), encoding="utf-8")


def exercises(stage):
    """Return the sources of the cells of *stage* in which something is written."""
    sources = [cell.source for path in NOTEBOOKS for cell in code(read(path))]
    return [source for source in sources if f'@exercise("{stage}")' in source]


# As they are committed ------------------------------------------------------------------------------------------------


@each_notebook
def test_a_notebook_is_committed_without_outputs_and_with_readable_ids(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name) for name in ids), ids
    assert [cell.outputs for cell in code(notebook)] == [[] for _ in code(notebook)]
    assert {cell.execution_count for cell in code(notebook)} == {None}


def test_there_is_a_notebook_for_each_stage_and_one_for_the_tests():
    assert {path.stem for path in NOTEBOOKS} == {stage.notebook for _, stage in STAGES} | WITHOUT_A_STAGE.keys()


@each_stage
def test_the_exercises_are_the_stubs_of_the_chapter_and_all_of_them(chapter, stage):
    stub, names = chapter.text("stub.py"), []
    for source in exercises(stage.name):
        for name in splice.pieces(source):
            own = splice.piece(source, name).removeprefix(f'@exercise("{stage.name}")\n')
            assert own == splice.piece(stub, name), f"{name} is not as the stub has it"
            assert "raise NotImplementedError" in own or f"stage {stage.name}" in own, f"{name} does not say what to do"
            names.append(name)
    assert sorted(names) == sorted(stage.writes)


@each_chapter
def test_the_own_tests_are_the_starters_and_all_of_them(chapter):
    starter, names = chapter.text("starter.py"), []
    for path in NOTEBOOKS:
        for cell in code(read(path)) if chapter_of(path) is chapter else ():
            for name in splice.pieces(cell.source) if re.search(r"^@own_test$", cell.source, re.M) else ():
                own = splice.piece(cell.source, name).removeprefix("@own_test\n")
                assert own == splice.piece(starter, name)
                stage = next(stage for stage in chapter.stages if name.removeprefix("test_") in stage.own_tests)
                assert path.stem == stage.notebook
                names.append(name.removeprefix("test_"))
    assert sorted(names) == sorted(chapter.own_tests)


@each_notebook
def test_every_name_and_command_that_a_notebook_mentions_exists(path):
    notebook = read(path)
    for cell in code(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module == "radixlab.lab":
                for alias in node.names:
                    assert hasattr(lab, alias.name), f"{cell.id}: radixlab.lab has no {alias.name}"
    text = "\n".join(cell.source for cell in notebook.cells)
    for command in re.findall(r"`ol ([a-z]+)", text):
        assert command in cli.COMMANDS, f"there is no `ol {command}`"
    for name in re.findall(r'\bpredict\("([^"]+)"', text):
        assert any(name in chapter.predictions for chapter in CHAPTERS)
    for name in re.findall(r'\bfilm\("([^"]+)"', text):
        assert any(name in chapter.films for chapter in CHAPTERS)
    for other in re.findall(r"\b0[0-9]-[a-z]+(?:-[a-z]+)*\b", text):
        assert other in [p.stem for p in NOTEBOOKS], f"there is no notebook {other}"


def test_every_prediction_is_asked_in_its_notebook():
    asked = {
        name: path.stem
        for path in NOTEBOOKS
        for cell in code(read(path))
        for name in re.findall(r'predict\("([^"]+)", \.\.\.\)', cell.source)
    }
    places = {stage.name: stage.notebook for _, stage in STAGES} | {name: at for at, name in WITHOUT_A_STAGE.items()}
    cards = [name for chapter in CHAPTERS for name in chapter.predictions]
    assert asked == {name: places[name.partition(".")[0]] for name in cards}


@each_chapter
def test_every_rule_has_its_cell(chapter):
    for rule in chapter.rules:
        cells = {cell.id for cell in read(NOTEBOOKS[0].parent / f"{rule.notebook}.ipynb").cells}
        assert rule.cell in cells, f"rule {rule.number}: {rule.notebook} has no cell {rule.cell}"


# Run ------------------------------------------------------------------------------------------------------------------


@each_notebook
def test_a_blank_notebook_runs_to_its_end_and_says_not_attempted(path, workspace, tmp_path):
    outputs = run(path, tmp_path)
    for cell in code(read(path)):
        if BLANK.search(cell.source):
            assert "not attempted" in outputs[cell.id], (cell.id, outputs[cell.id])
    assert not any(workspace.tree(chapter).exists() for chapter in CHAPTERS), "nothing was written: nothing is begun"


@pytest.mark.timeout(1_800)  # all of them, three times
def test_solved_notebooks_make_the_reference_and_no_older_cell_destroys_it(workspace, tmp_path):
    """All in one workspace, as a learner has it: solved one by one, then all of them again, blank and solved."""
    for chapter in CHAPTERS:
        workspace.start(chapter)
        with_helpers(workspace, chapter)
    folder = tmp_path / "solved"
    folder.mkdir()
    for path in NOTEBOOKS:
        solved(path, folder)
    nbval(folder)
    files = [place(chapter) for chapter in CHAPTERS for place in (workspace.tree, workspace.tests)]
    for chapter in CHAPTERS:
        names = [name for stage in chapter.stages for name in stage.writes]
        last_cut = splice.cut(chapter.text("stub.py"), chapter.text("reference.py"), names)
        assert workspace.tree(chapter).read_text(encoding="utf-8") == last_cut, "byte for byte"
    done = [file.read_bytes() for file in files]
    kept = sorted((workspace.folder / ".history").rglob("*"))
    nbval(NOTEBOOKS[0].parent)
    assert [file.read_bytes() for file in files] == done
    nbval(folder)
    assert [file.read_bytes() for file in files] == done
    assert sorted((workspace.folder / ".history").rglob("*")) == kept


def nbval(folder):
    """Run the notebooks of *folder* in their order, as CI does; an exception in a cell fails the test."""
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [*command, "--rootdir", str(folder), "-c", os.devnull, str(folder)], capture_output=True, text=True, cwd=folder
    )
    assert ran.returncode == 0, ran.stdout[-3000:]


# The hidden triple of each exercise: untouched, right, and with each bug of its stage --------------------------------


def begun(workspace, stage, chapter=CHAPTER):
    before = chapter.stages_up_to(stage)[:-1]
    workspace.start(chapter, solved=tuple(name for earlier in before for name in earlier.writes))


@each_stage
def test_an_exercise_untouched_is_not_attempted_and_right_it_passes(chapter, stage, workspace, capsys):
    begun(workspace, stage.name, chapter)
    for source in exercises(stage.name):
        capsys.readouterr()
        run_cell(source)
        assert f"{stage.name}: not attempted" in capsys.readouterr().out
    for source in exercises(stage.name):
        capsys.readouterr()
        run_cell(filled(source, chapter))
    out = capsys.readouterr().out
    assert f"{stage.name}: passed" in out and stage.why in out


@pytest.mark.parametrize(("chapter", "bug"), BUGS, ids=[f"{chapter.id}-{bug.id}" for chapter, bug in BUGS])
def test_a_planted_bug_in_its_exercise_fails_with_its_symptom(chapter, bug, workspace, capsys, monkeypatch):
    monkeypatch.setattr("radixlab.lab.checking.SEARCH", 0.0)  # the two trees are another test's
    begun(workspace, bug.stage, chapter)
    wrong = bug.plant(chapter.text("reference.py"))
    for source in exercises(bug.stage):
        capsys.readouterr()
        run_cell(filled(source, chapter, wrong))
    out = capsys.readouterr().out
    symptom = bug.symptom.lower()
    if symptom not in out.lower():  # the bug lies in what an earlier stage wrote: that cell brings it
        written = [s.name for s in chapter.stages_up_to(bug.stage)]
        monkeypatch.setattr("radixlab.lab.saving.check", lambda stage: None)  # one check, at the end
        for source in (source for name in written for source in exercises(name)):
            run_cell(filled(source, chapter, wrong).replace(")\nclass", ", again=True)\nclass"))
        lab.check(bug.stage)
        out = capsys.readouterr().out
    assert f"{bug.stage}: failed" in out or f"{bug.stage}: error in your code" in out
    assert symptom in out.lower()


# What may go wrong in a cell ------------------------------------------------------------------------------------------


def alone(*cells):
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return nbformat.v4.new_notebook(cells=list(cells), metadata=metadata)


def exercise_cell(stage):
    return nbformat.v4.new_code_cell(exercises(stage)[0], id="write")


def test_a_cell_that_does_not_parse_changes_nothing(workspace):
    begun(workspace, "split")
    tree = workspace.tree(CHAPTER)
    before = tree.read_bytes()
    cell = exercise_cell("split")
    cell.source = cell.source.replace("raise NotImplementedError(", "return (", 1) + "\n    def broken(:"
    cell.metadata.tags = ["raises-exception"]
    NotebookClient(alone(cell), timeout=120, kernel_name="python3").execute()
    assert cell.outputs[-1].ename == "SyntaxError"
    assert tree.read_bytes() == before


def test_an_endless_loop_leaves_the_kernel_alive(workspace, tmp_path):
    begun(workspace, "split")
    text = splice.piece(CHAPTER.text("stub.py"), "match_prefix").replace("raise NotImplementedError(", "while True: (")
    cell = next(
        nbformat.v4.new_code_cell(source, id="write") for source in exercises("split") if "def match_prefix" in source
    )
    cell.source = splice.put(cell.source, "match_prefix", text)
    call = "try:\n    RadixTree(1).match_prefix([1])\nexcept RuntimeError as error:\n    print(error)"
    notebook = alone(
        cell, nbformat.v4.new_code_cell(call, id="call"), nbformat.v4.new_code_cell("print('alive')", id="after")
    )
    path = tmp_path / "loop.ipynb"
    nbformat.write(notebook, path)
    outputs = run(path, tmp_path)
    assert re.search(r"the loop at line \d+ ran 100,000 steps", outputs["call"])
    assert outputs["after"] == "alive\n"


def test_a_restarted_kernel_goes_on_where_the_file_is(workspace, tmp_path):
    begun(workspace, "split")
    right = nbformat.v4.new_code_cell(filled(exercises("split")[0], CHAPTER), id="write")
    path = tmp_path / "one.ipynb"
    nbformat.write(alone(right), path)
    run(path, tmp_path)
    after = nbformat.v4.new_code_cell("from radixlab.lab import RadixTree\nRadixTree(1).insert([1], ['a'])", id="after")
    nbformat.write(alone(after), path)
    assert run(path, tmp_path)["after"] == "(1, [])"
