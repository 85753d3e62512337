"""The examples in the chapters' files hold: they are loaded as subjects are, so pytest does not find them itself."""

import doctest
import sys

import pytest

from radixlab import course
from radixlab.checker.budget import Meter
from radixlab.checker.jobs import sources_below
from radixlab.checker.subject import compile_subject, load, modules_restored

SUBJECTS = [(chapter, name) for chapter in course.chapters() for name in ("reference", *chapter.variants)]


@pytest.mark.parametrize(("chapter", "name"), SUBJECTS, ids=[f"{chapter.id}-{name}" for chapter, name in SUBJECTS])
def test_the_examples_of_a_correct_subject_hold(chapter, name):
    meter, needs = Meter(10**9), sources_below(chapter)
    with modules_restored(chapter.module, *(module for module, _ in needs)):
        for module, source in needs:
            sys.modules[module] = load(compile_subject(source), meter, module)
        sys.modules[chapter.module] = subject = load(compile_subject(chapter.source(name)), meter, chapter.module)
        results = doctest.testmod(subject)
    assert results.failed == 0
    assert results.attempted or name != "reference"
