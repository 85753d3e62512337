"""A learner in JupyterLab: a cell filled in is green, a mistake is red, a restart loses nothing, 07 ends in kills."""

import shutil
from pathlib import Path

import nbformat
import pytest

from radixlab import course, splice
from radixlab.workspace import Workspace

CHAPTER = course.chapter("ds.07")
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
GOOD_TESTS = (Path(__file__).parents[1] / "samples" / "ds07" / "good_tests.py").read_text(encoding="utf-8")
_FIND = """([path, id]) => {
    const panel = [...window.jupyterapp.shell.widgets('main')].find(widget => widget.context?.path === path);
    const at = panel?.content.widgets.findIndex(cell => cell.model.id === id);
"""
_GO = """async ([path, id]) => {
    const panel = [...window.jupyterapp.shell.widgets('main')].find(widget => widget.context?.path === path);
    window.jupyterapp.shell.activateById(panel.id);
    const at = panel.content.widgets.findIndex(cell => cell.model.id === id);
    panel.content.activeCellIndex = at;
    await panel.content.scrollToItem(at, 'center');
    panel.content.mode = 'edit';
    panel.content.activeCell.editor.focus();
}"""
_SHOWS = f"{_FIND} return (panel?.content.widgets[at]?.outputArea?.node.innerText ?? '').includes(text); }}".replace(
    "[path, id]", "[path, id, text]"
)
_COUNT = f"{_FIND} return panel.content.widgets[at].outputArea.node.querySelectorAll('svg').length; }}"
_DO = "async ([command, options]) => { await window.jupyterapp.commands.execute(command, options); }"


@pytest.fixture
def learner(server, window, theme):
    """A folder with the notebooks in it, and a workspace beside them; its notebooks can be opened and typed in."""
    return Learner(server, window, theme)


class Learner:
    """Somebody at the keyboard."""

    def __init__(self, server, window, theme) -> None:
        self.page, self.folder = window, server.folder / f"learner-{theme}"
        (self.folder / "notebooks").mkdir(parents=True)
        for notebook in NOTEBOOKS.glob("*.ipynb"):
            shutil.copy(notebook, self.folder / "notebooks")
        self.work = Workspace(self.folder / "work")
        self.path = ""

    def open(self, notebook: str, ready: str) -> None:
        self.path = f"{self.folder.name}/notebooks/{notebook}.ipynb"
        self.page.wait_for_function("() => window.jupyterapp?.restored")
        self.page.evaluate(_DO, ["docmanager:open", {"path": self.path}])
        self.page.wait_for_function(ready, arg=self.path)

    def cell(self, name: str) -> str:
        """Return what a cell of the notebook holds as it was committed."""
        cells = nbformat.read(NOTEBOOKS / Path(self.path).name, as_version=4).cells
        return next(cell.source for cell in cells if cell.id == name)

    def run(self, name: str, text: str | None = None) -> None:
        """Run a cell with Shift-Enter, once its text was typed over by *text*."""
        self.page.evaluate(_GO, [self.path, name])
        if text is not None:
            self.page.keyboard.press("Control+A")
            self.page.keyboard.insert_text(text)
        self.page.keyboard.press("Shift+Enter")

    def sees(self, name: str, *texts: str) -> None:
        for text in texts:
            self.page.wait_for_function(_SHOWS, arg=[self.path, name, text])

    def pictures(self, name: str) -> int:
        return self.page.evaluate(_COUNT, [self.path, name])

    def restart(self) -> None:
        self.page.evaluate(
            """async path => {
                const panel = [...window.jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);
                await panel.sessionContext.session.kernel.restart();
            }""",
            self.path,
        )

    def close(self) -> None:
        self.page.evaluate(
            """async path => {
                const panel = [...window.jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);
                await panel.sessionContext.shutdown();
                panel.context.model.dirty = false;
                panel.close();
            }""",
            self.path,
        )


def typed(source: str, solution: str) -> str:
    """Return the *source* of an exercise cell with its methods as *solution* has them."""
    for name in splice.pieces(source):
        source = splice.put(source, name, splice.piece(solution, name))
    return source


def test_from_the_first_cell_to_a_kill_matrix(learner, ready, shot):
    reference = CHAPTER.text("reference.py")
    learner.work.start(CHAPTER, solved=CHAPTER.stage("runs").writes)

    learner.open("01-new", ready)
    for name in ("write-guard", "write-accessors"):
        learner.run(name, typed(learner.cell(name), reference))
    learner.sees("write-accessors", "new: passed", "Why it matters")
    learner.run("idea-tree")
    learner.page.wait_for_function(
        "([path, id]) => [...window.jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)"
        ".content.widgets.find(c => c.model.id === id).outputArea.node.querySelector('svg')",
        arg=[learner.path, "idea-tree"],
    )
    shot(learner.page, "01 green")
    learner.close()

    learner.work.start(CHAPTER, solved=solved_before("split"), force=True)
    learner.open("03-split-matching", ready)
    bug = CHAPTER.bug("s03")
    learner.run("write-split", typed(learner.cell("write-split"), bug.plant(reference)))
    learner.sees("write-split", "split: failed", bug.symptom[1:], "The first difference", "your tree", "the reference")
    assert learner.pictures("write-split") >= 2
    shot(learner.page, "03 red")
    summary = learner.page.locator("summary", has_text="lower half of the edge disappears").first
    summary.scroll_into_view_if_needed()
    summary.click()
    shot(learner.page, "03 help")
    learner.restart()
    learner.run("write-split", typed(learner.cell("write-split"), reference))
    learner.sees("write-split", "split: passed")
    learner.run("check")
    learner.sees("check", "split: passed")
    shot(learner.page, "03 green")
    learner.close()

    learner.work.start(CHAPTER, solved=solved_before(None), force=True)
    learner.work.tests(CHAPTER).write_text(GOOD_TESTS, encoding="utf-8")
    learner.open("07-your-tests", ready)
    learner.run("check")
    learner.sees("check", "Official tests: 11 of 11 pass", "18 of 18 caught", "s11 (required) caught")
    shot(learner.page, "07 matrix")
    learner.close()
    learner.page.seen.nothing()


def solved_before(stage: str | None) -> tuple[str, ...]:
    """Return the functions of the stages before *stage*, of all when it is None."""
    stages = CHAPTER.stages if stage is None else CHAPTER.stages_up_to(stage)[:-1]
    return tuple(name for earlier in stages for name in earlier.writes)
