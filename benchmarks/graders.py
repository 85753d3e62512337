"""How others grade the same submissions: nbgrader's `autograde` and otter-grader's `run`, with no sandbox around them.

Neither grades own tests, so a cell of the teacher's does it: the same official tests, and the same own tests on the
reference and on each planted bug, one after the other in the kernel of the notebook.
"""

import csv
import json
import os
import shutil
import textwrap
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from peers import run

JUDGE = '''
import sys
import types


def module(name, source):
    sys.modules[name] = made = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(made))
    return made


def failed(tree, tests):
    """Return the names of the tests that do not pass on the tree, each the text of a module."""
    module("radix", tree)
    found = []
    for name, test in list(vars(module("tests", tests)).items()):
        if name.startswith("test_"):
            try:
                test()
            except BaseException:
                found.append(name)
    return found


def handed_in(name):
    with open(name) as file:
        return file.read()
'''
OFFICIAL = 'assert failed(handed_in("radix.py"), OFFICIAL) == []\n'
OWN = """
tests = handed_in("test_radix.py")
assert failed(REFERENCE, tests) == []
assert sum(bool(failed(bug, tests)) for bug in BUGS) == len(BUGS)
"""


class Grader:
    """A folder in which *submissions*, pairs of a tree and its tests, wait to be graded; *python*: who runs it.

    *passed*: how many of them did.
    """

    def __init__(self, folder: Path, python: str, chapter: dict, submissions: list[tuple[str, str]]) -> None:
        self.folder, self.python, self.submissions = folder, python, submissions
        self.given = "".join(f"{name} = {value!r}\n" for name, value in chapter.items())
        self.passed = 0
        folder.mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        """Write *text* into the file *name* of the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *arguments: str) -> None:
        """Run a module of the grader's in the folder."""
        path = os.pathsep.join([str(Path(self.python).parent), os.environ["PATH"]])
        run(self.python, ["-m", *arguments], self.folder, HOME=str(self.folder), PATH=path)


def answers(tree: str, tests: str) -> list:
    """Return the cells in which a learner hands in."""
    return [new_code_cell(f"%%writefile radix.py\n{tree}"), new_code_cell(f"%%writefile test_radix.py\n{tests}")]


class Nbgrader(Grader):
    """nbgrader: a course of one notebook, whose last two cells are the tests."""

    def prepare(self) -> None:
        """Release the notebook, and lay out what was handed in."""
        self.write("source/ds07/ds07.ipynb", self._notebook("", ""))
        self.run("nbgrader", "generate_assignment", "ds07")
        for number, (tree, tests) in enumerate(self.submissions):
            self.write(f"submitted/learner{number}/ds07/ds07.ipynb", self._notebook(tree, tests))

    def _notebook(self, tree: str, tests: str) -> str:
        cells = answers(tree, tests)
        for name, text in {"official": OFFICIAL, "own": OWN}.items():
            cells.append(new_code_cell(f"{JUDGE}\n{self.given}\n{text}"))
            cells[-1].metadata["nbgrader"] = _graded(name)
        for name, cell in zip(("tree", "tests"), cells, strict=False):
            cell.metadata["nbgrader"] = _graded(name) | {"grade": False, "solution": True, "locked": False}
        for number, cell in enumerate(cells):
            cell["id"] = f"cell-{number}"
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": kernel}))

    def grade(self) -> None:
        """Grade all anew."""
        shutil.rmtree(self.folder / "autograded", ignore_errors=True)
        self.run("nbgrader", "autograde", "ds07", "--force")
        self.run("nbgrader", "export")
        with (self.folder / "grades.csv").open(newline="") as file:
            self.passed = sum(float(row["score"]) == float(row["max_score"]) for row in csv.DictReader(file))


def _graded(name: str) -> dict:
    kept = {"grade": True, "solution": False, "locked": True, "task": False}
    return {"grade_id": name, "points": 1, "schema_version": 3, "cell_type": "code", **kept}


class Otter(Grader):
    """otter-grader without its container: `otter run` for each notebook, which is what it does inside one."""

    def prepare(self) -> None:
        """Make the autograder, and lay out what was handed in."""
        for name, text in {"official": OFFICIAL, "own": OWN}.items():
            body = textwrap.indent(text, "    ")
            case = f"@test_case(points=1)\ndef test_{name}(env):\n{body}"
            head = f"from otter.test_files import test_case\n\nOK_FORMAT = False\nname = {name!r}\npoints = 1\n"
            self.write(f"tests/{name}.py", f"{head}\n{JUDGE}\n{self.given}\n{case}")
        self.run("otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment")
        for number, (tree, tests) in enumerate(self.submissions):
            kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
            notebook = new_notebook(cells=answers(tree, tests), metadata={"kernelspec": kernel})
            self.write(f"submitted/{number}/ds07.ipynb", nbformat.writes(notebook))

    def grade(self) -> None:
        """Grade each in turn."""
        self.passed = 0
        for number in range(len(self.submissions)):
            place = f"submitted/{number}"
            self.run("otter", "run", "-a", "autograder.zip", "-o", place, f"{place}/ds07.ipynb")
            results = json.loads((self.folder / place / "results.json").read_text(encoding="utf-8"))
            self.passed += all(test["score"] == test["max_score"] for test in results["tests"] if "max_score" in test)
