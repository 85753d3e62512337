"""One engine, three shells: the sandbox says what the desktop says, to the word, whatever was handed in."""

from pathlib import Path

import pytest
from test_shells import timeless

from radixlab.checker.subject import Subject
from radixlab.checker.verdict import check
from radixlab.course import chapter

CHAPTER = chapter("ds.07")
SUBJECTS = ["reference", *CHAPTER.variants, "stub", "half", *(bug.id for bug in CHAPTER.bugs)]


def without_ticks(report):
    """Return the report without times and ticks: of these the sandbox knows only what was spent over there."""
    plain = timeless(report)
    for test in plain["tests"]:
        del test["ticks"]
    return plain


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_sandbox_and_the_desktop_say_the_same_of_a_tree(checked, subject):
    assert without_ticks(checked(subject, "none", "sandbox")) == without_ticks(checked(subject, "none", "worker"))


@pytest.mark.parametrize("tests", ["good", "thin", "starter", "does not load", "no python"])
def test_the_sandbox_and_the_desktop_say_the_same_of_own_tests(checked, tests):
    assert without_ticks(checked("half", tests, "sandbox")) == without_ticks(checked("half", tests, "worker"))


OTHERS = {name: chapter(id) for name, id in {"l84": "L8.4", "ds05": "ds.05"}.items()}
SAMPLES = Path(__file__).parent / "samples"


def sources_of(chapter):
    """Return what is handed in for a *chapter*: its reference, every variant, the stub, every planted bug."""
    reference = chapter.text("reference.py")
    bugs = {bug.id: bug.plant(reference) for bug in chapter.bugs}
    return {"reference": reference, **chapter.variants, "stub": chapter.text("stub.py"), **bugs}


@pytest.mark.parametrize(("folder", "subject"), [(name, s) for name, c in OTHERS.items() for s in sources_of(c)])
def test_they_say_the_same_in_the_other_chapters(shells, sandboxes, folder, subject):
    chapter, tests = OTHERS[folder], None
    if subject == "reference":
        tests = (SAMPLES / folder / "good_tests.py").read_text(encoding="utf-8")
    tree = Subject(sources_of(chapter)[subject], subject, "", chapter.file)
    here, there = (check(chapter, tree, tests, where, seed=7, deadline=300.0) for where in (shells, sandboxes))
    assert without_ticks(there) == without_ticks(here)
    assert (here.verdict == "pass") == (subject in ("reference", *chapter.variants))
