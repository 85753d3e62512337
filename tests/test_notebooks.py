"""Each notebook runs from top to bottom: as committed, with the reference's code in it, and with a planted bug."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from radixlab import splice
from radixlab.course import chapter
from radixlab.workspace import Workspace

CHAPTER = chapter("ds.07")
NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
SPLIT = next(path for path in NOTEBOOKS if path.name.startswith("03"))
GOOD_TESTS = (Path(__file__).parent / "samples" / "ds07" / "good_tests.py").read_text(encoding="utf-8")


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RADIXLAB_WORK", str(tmp_path / "work"))
    return Workspace(tmp_path / "work")


def started(workspace, stage):
    """Start at *stage*, and put the helper of the sample's tests into the learner's test file."""
    before = CHAPTER.stages_up_to(stage)[:-1]
    tree, tests = workspace.start(CHAPTER, solved=tuple(name for earlier in before for name in earlier.writes))
    helper = splice.piece(GOOD_TESTS, "edge")
    tests.write_text(f"{tests.read_text(encoding='utf-8')}\n\n{helper}", encoding="utf-8")
    return tree


def filled(notebook, source):
    """Return *notebook* with every stub of an exercise taken from *source*, every own test from the sample."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and re.search(r"^@(exercise|own_test)\(", cell.source, re.M):
            solution = source if "@exercise" in cell.source else GOOD_TESTS
            for name in splice.pieces(cell.source):
                text = splice.piece(solution, name)
                kept = [line for line in cell.source.splitlines() if line.startswith("@own_test")]
                cell.source = splice.put(cell.source, name, "\n".join([*kept, text]))
    return notebook


def run(notebook, folder):
    """Run *notebook* in *folder* and return what each code cell shows, by its id; an exception fails the test."""
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return {cell.id: "".join(map(shown, cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"}


def shown(output):
    return output.text if output.output_type == "stream" else output.data["text/plain"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs_and_with_readable_ids(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name) for name in ids), ids
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[] for _ in code]
    assert {cell.execution_count for cell in code} == {None}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_blank_notebook_runs_to_its_end_and_says_not_attempted(path, workspace, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    outputs = run(notebook, tmp_path)
    for cell in notebook.cells:
        if cell.cell_type == "code" and re.search(r"^(@exercise|@own_test|check|predict)\(", cell.source, re.M):
            assert "not attempted" in outputs[cell.id], (cell.id, outputs[cell.id])
    assert not workspace.tree("ds07").exists(), "nothing was written, so nothing is begun"


def test_a_blank_notebook_leaves_the_files_as_they_are(workspace, tmp_path):
    tree = started(workspace, "split")
    before = tree.read_bytes(), workspace.tests("ds07").read_bytes()
    run(nbformat.read(SPLIT, as_version=4), tmp_path)
    assert (tree.read_bytes(), workspace.tests("ds07").read_bytes()) == before
    assert not (workspace.folder / ".history").exists()


def test_the_stubs_in_the_notebook_are_those_of_the_chapter():
    cells = {cell.id: cell.source for cell in nbformat.read(SPLIT, as_version=4).cells}
    stub = CHAPTER.text("stub.py")
    names = CHAPTER.stage("split").writes
    assert tuple(splice.pieces(cells["write-split"])) == names
    assert [splice.piece(cells["write-split"], name) for name in names] == [splice.piece(stub, name) for name in names]


def test_a_solved_notebook_passes(workspace, tmp_path):
    tree = started(workspace, "split")
    notebook = filled(nbformat.read(SPLIT, as_version=4), CHAPTER.text("reference.py"))
    outputs = run(notebook, tmp_path)
    assert "saved _split, match_prefix to" in outputs["write-split"]
    assert "split: passed, 5 of 5 checks" in outputs["write-split"]
    assert "next: go on with stage locks" in outputs["check"]
    assert "test_split_by_hand: valid" in outputs["own-test-split"]
    assert "caught s01, s03" in outputs["own-test-split"]
    assert "1: a" in outputs["see"] and "4 5: d e" in outputs["see"]
    solved = tuple(name for stage in CHAPTER.stages_up_to("split") for name in stage.writes)
    due = splice.cut(CHAPTER.text("stub.py"), CHAPTER.text("reference.py"), solved)
    assert tree.read_text(encoding="utf-8") == due, "the file is the cut, byte for byte"


def test_a_planted_bug_fails_with_its_symptom(workspace, tmp_path):
    started(workspace, "split")
    bug = CHAPTER.bug("s03")
    notebook = filled(nbformat.read(SPLIT, as_version=4), bug.plant(CHAPTER.text("reference.py")))
    outputs = run(notebook, tmp_path)
    for cell in ("write-split", "check"):
        assert "split: failed, " in outputs[cell]
        assert bug.symptom in outputs[cell].lower()
        assert "passed" not in outputs[cell]


def test_a_cell_that_does_not_parse_changes_nothing(workspace):
    tree = started(workspace, "split")
    before = tree.read_bytes()
    notebook = nbformat.read(SPLIT, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == "write-split")
    cell.source = cell.source.replace("raise NotImplementedError(", "return (", 1) + "\n    def broken(:"
    cell.metadata.tags = ["raises-exception"]
    alone = nbformat.v4.new_notebook(cells=[cell], metadata=notebook.metadata)
    NotebookClient(alone, timeout=120, kernel_name="python3").execute()
    assert cell.outputs[-1].ename == "SyntaxError"
    assert tree.read_bytes() == before


def test_an_endless_loop_leaves_the_kernel_alive(workspace, tmp_path):
    started(workspace, "split")
    notebook = nbformat.read(SPLIT, as_version=4)
    text = splice.piece(CHAPTER.text("stub.py"), "match_prefix").replace("raise NotImplementedError(", "while True: (")
    cell = next(cell for cell in notebook.cells if cell.id == "write-split")
    cell.source = splice.put(cell.source, "match_prefix", text)
    call = "try:\n    RadixTree(1).match_prefix([1])\nexcept RuntimeError as error:\n    print(error)"
    after = nbformat.v4.new_code_cell("print('alive')", id="after")
    cells = [cell, nbformat.v4.new_code_cell(call, id="call"), after]
    outputs = run(nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata), tmp_path)
    assert re.search(r"the loop at line \d+ ran 100,000 steps", outputs["call"])
    assert outputs["after"] == "alive\n"
