"""The author's lint: a damaged chapter is reported, thing by thing, before a learner sees it."""

import shutil

import pytest

from radixlab import course
from radixlab.author import lint
from radixlab.course import Chapter

MEASURED = [
    "correct trees pass everything",
    "cuts turn the right tests green",
    "planted bugs turn their stage red",
    "planted bugs are caught as the card says",
    "stub and starter attempt nothing",
]


@pytest.fixture
def damaged(chapter, tmp_path, monkeypatch):
    """Return a copy of the chapter with texts replaced: (file, find, replace), each found exactly once."""

    def damaged(*changes: tuple[str, str, str]) -> Chapter:
        folder = tmp_path / "chapters" / "ds07"
        shutil.copytree(chapter.folder, folder)
        for name, find, replace in changes:
            text = (folder / name).read_text(encoding="utf-8")
            assert text.count(find) == 1, find
            (folder / name).write_text(text.replace(find, replace), encoding="utf-8")
        monkeypatch.setattr(course, "CHAPTERS", folder.parent)
        return course.chapter("ds.07")

    return damaged


def reported(chapter: Chapter, last: str) -> dict[str, list[str]]:
    """Return the problems found up to the title *last*."""
    found = {}
    for title, problems in lint.lint(chapter, decoys=0):
        if problems:
            found[title] = problems
        if title == last:
            break
    return found


S11 = 'caught_by = ["locks_pin_the_path", "model_based_against_a_naive_map"]'
DAMAGED = {
    "an edit that does not apply": (
        ("bugs.toml", "        lower.values = lower.values[:runs]\n", "        lower.values = lower.values[:runs\n"),
        "edits of the planted bugs",
        "s01: ",
    ),
    "an edit that is found nowhere": (
        ("reference.py", "[lower.label[at : at + self.granule]] = child", "[lower.label[at:][: self.granule]] = child"),
        "edits of the planted bugs",
        "s03: the text to replace occurs 0 times, not once",
    ),
    "a hint too many": (
        ("chapter.toml", '  "An id is good when three', '  "another",\n  "An id is good when three'),
        "hints",
        "stage new has 4 hints, not 3",
    ),
    "a catcher that does not exist": (
        ("bugs.toml", S11, 'caught_by = ["nobody"]'),
        "card",
        "s11 is caught by nobody, which is no official test",
    ),
    "an own test renamed": (
        ("starter.py", "def test_split_by_hand", "def test_split_in_thought"),
        "card",
        "the own tests of the card are not those of starter.py",
    ),
    "an official test renamed": (
        ("official.py", "def test_freed_slots_are_reused", "def test_freed_slots_are_kept"),
        "card",
        "the tests of the card are not those of official.py",
    ),
    "a stage check of no stage": (
        ("stages.py", "def test_runs_half_a_run_counts_nothing", "def test_half_a_run_counts_nothing"),
        "card",
        "stages.py: test_half_a_run_counts_nothing belongs to no stage",
    ),
    "a method renamed": (
        ("stub.py", "def child_count(", "def children_count("),
        "card",
        "stage new writes child_count, which stub.py does not have",
    ),
}


@pytest.mark.parametrize(("change", "title", "problem"), DAMAGED.values(), ids=DAMAGED)
def test_what_does_not_fit_together_is_reported(damaged, change, title, problem):
    found = reported(damaged(change), title)
    assert list(found) == [title]
    assert found[title][0].startswith(problem)


EARLY = """

for name in [name for name in globals() if name.startswith("test_new_")]:
    globals()[name] = lambda: None
"""


def test_what_does_not_behave_is_reported(damaged):
    """One run finds all of these, each under its own title."""
    chapter = damaged(
        ("variants/head_tail.py", "while freed < n and self._head != NIL:", "while freed <= n and self._head != NIL:"),
        ("bugs.toml", S11, 'caught_by = ["locks_pin_the_path"]'),
        ("bugs.toml", 'symptom = "the lower half of the edge disappears"', 'symptom = "half of the edge disappears"'),
        ("starter.py", '"write: insert a key twice', '"insert a key twice'),
        ("official.py", "play(granule, 2500)", "play(granule, 500)"),  # a shorter test, for a quicker one
    )
    with (chapter.folder / "stages.py").open("a", encoding="utf-8") as stages:
        stages.write(EARLY)
    found = reported(chapter, MEASURED[-1])
    variant, cuts, stages, catchers, start = found.values()
    assert list(found) == MEASURED
    assert any(problem.startswith("head_tail: a_childless_parent_becomes_evictable: failed: ") for problem in variant)
    assert all(problem.startswith("head_tail: ") for problem in variant)
    assert cuts == ["stage new: its checks pass before it is written"]
    assert [problem.partition(":")[0] for problem in stages] == ["s03"]
    assert catchers == [
        "s11: caught by locks_pin_the_path, model_based_against_a_naive_map; the card says locks_pin_the_path"
    ]
    assert start == ["starter.py: test_insert_hands_back_the_stored_part does not say what to write"]
