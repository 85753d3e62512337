"""A diagnosis names the pitfall that a tree fell into, or says nothing: never a guess."""

import random
import time

import pytest

from radixlab.checker.diagnosis import matching_bug
from radixlab.checker.mutation import public_names
from radixlab.checker.rewrite import Template
from radixlab.checker.subject import Subject, compile_subject
from radixlab.checker.verdict import check, check_stage


@pytest.fixture(scope="session")
def diagnosed(chapter, worker):
    """Return the bug that an official test finds a tree to behave like, None when it finds none."""

    def diagnosed(code, test: str):
        return matching_bug(chapter, "official.py", test, code, worker, time.monotonic() + 120)

    return diagnosed


@pytest.fixture(scope="session")
def found(chapter, reference, diagnosed) -> dict[str, str | None]:
    """Each planted bug, written in other words, and the bug that its first failing test names."""
    template = Template(reference, public_names(chapter.text("face.pyi")))
    answers = {}
    for bug in chapter.bugs:
        code = template.write(random.Random(9), bug.edits)
        named = diagnosed(code, bug.caught_by[0])
        answers[bug.id] = named and named.id
    return answers


def test_it_never_names_another_bug(found):
    assert {bug: named for bug, named in found.items() if named not in (bug, None)} == {}


def test_it_names_most_bugs(found):
    assert sum(named is not None for named in found.values()) >= 12


def test_a_mistake_made_in_another_tree_is_recognised(chapter, diagnosed):
    variant = chapter.variants["sorted_scan"]
    line = "            path.append(self._split(*cut))\n        self._use(path)\n"
    assert variant.count(line) == 1
    code = compile_subject(variant.replace(line, line.partition("        self._use")[0]))
    assert diagnosed(code, "lru_order_follows_last_use").id == "s07"


def test_where_two_bugs_show_the_same_none_is_named(chapter, reference, diagnosed):
    one, other = chapter.bug("s13"), chapter.bug("N1")
    for bug in (one, other):
        assert diagnosed(compile_subject(bug.plant(reference)), "a_split_inherits_the_locks_below_it") is None


OTHER = {
    "values handed back the wrong way round": (
        "return path[-1], values[:known]",
        "return path[-1], values[:known][::-1]",
        "reinserting_hands_every_value_back",
    ),
    "children by decreasing id": (
        "return sorted(self._node(node).children.values())",
        "return sorted(self._node(node).children.values())[::-1]",
        "hand_example_split_and_match",
    ),
}


@pytest.mark.parametrize(("find", "replace", "test"), OTHER.values(), ids=OTHER)
def test_a_bug_that_is_none_of_the_planted_gets_no_sentence(chapter, reference, worker, find, replace, test):
    assert reference.count(find) == 1
    code = compile_subject(reference.replace(find, replace))
    assert matching_bug(chapter, "official.py", test, code, worker, time.monotonic() + 60) is None


def test_a_correct_tree_gets_no_sentence(chapter, reference, worker):
    code = compile_subject(reference)
    for test in ("locks_pin_the_path", "unlock_without_a_lock_panics"):
        assert matching_bug(chapter, "official.py", test, code, worker, time.monotonic() + 60) is None


def test_the_sentence_has_the_symptom_and_the_hint_and_says_nothing_twice(chapter, reference, shells):
    bug = chapter.bug("s14")
    subject = Subject(bug.plant(reference), "radix.py")
    report = check(chapter, subject, None, shells, seed=1)
    failed = next(test for test in report.tests if test.outcome == "failed")
    assert failed.message.endswith(f"\nyour tree behaves like this pitfall: {bug.symptom}. {bug.hint}")
    report = check_stage(chapter, subject, chapter.stage(bug.stage), shells, seed=1)
    failed = next(test for test in report.tests if test.outcome == "failed")
    assert failed.message.lower().count(bug.symptom) == 1 and failed.message.endswith(bug.hint)
