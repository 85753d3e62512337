"""One engine, three shells: the sandbox says what the desktop says, to the word, whatever was handed in."""

import pytest
from test_shells import timeless

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
