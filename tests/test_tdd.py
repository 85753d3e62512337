"""Red first, then green."""

import pytest

from radixlab import splice
from radixlab.checker import tdd
from radixlab.checker.mutation import suite
from radixlab.checker.subject import Subject
from radixlab.checker.worker import Inline

NAME = "test_locks_pin_ancestors"


@pytest.fixture
def red(chapter):
    return lambda source: tdd.red(chapter, suite(chapter, source), Inline())


@pytest.fixture
def green(chapter):
    return lambda source, tree: tdd.green(chapter, Subject(tree, "s"), suite(chapter, source), Inline())


@pytest.fixture
def with_test(good_tests):
    return lambda body: splice.put(good_tests, NAME, f"def {NAME}():\n    {body}\n")


def test_good_tests_are_red(red, good_tests, thin_tests):
    assert red(good_tests) == red(thin_tests) == []


def test_a_test_that_passes_on_the_stub_proves_nothing(red, with_test):
    assert red(with_test("assert ROOT == 0")) == [
        f"{NAME} passes on the stub, where nothing is written yet: it proves nothing"
    ]


def test_an_unwritten_part_is_no_refusal(red, with_test):
    (problem,) = red(with_test("with pytest.raises(RuntimeError):\n        RadixTree(1).unlock(ROOT + 1)"))[:1]
    assert problem.startswith(f"{NAME} passes on the stub")


def test_a_test_that_fails_on_a_correct_tree_is_not_red(red, with_test):
    (problem,) = red(with_test("tree = RadixTree(1)\n    assert tree.lock_count(ROOT) == 1"))
    assert problem.startswith(f"{NAME} fails on the reference, a correct tree: test_radix.py, line ")


def test_an_overfitted_test_names_the_variant_that_it_rejects(red, with_test):
    body = "tree = RadixTree(1)\n    tree.insert([1, 2], 'ab')\n    leaf, _ = tree.insert([1, 3], 'xc')\n"
    (problem,) = red(with_test(f"{body}    assert (tree.parent(leaf), leaf) == (2, 3)"))
    assert problem.startswith(f"{NAME} fails on the variant ")


def test_the_starter_is_not_red(red, chapter):
    problems = red(chapter.text("starter.py"))
    assert len(problems) == 6
    assert all(problem.endswith(", a correct tree: it is not written yet") for problem in problems)


def test_missing_and_doubled_tests_are_named(red, good_tests, with_test):
    assert f"{NAME} is missing: write it" in red(splice.put(good_tests, NAME, "x = 1\n"))
    doubled = good_tests + f"\n\ndef {NAME}():\n    RadixTree(1).lock(ROOT)\n"
    assert f"{NAME} is defined twice: the first one would never run" in red(doubled)


def test_green_on_a_correct_tree(green, good_tests, reference, chapter):
    assert green(good_tests, reference) == []
    assert green(good_tests, chapter.variants["objects"]) == []


def test_not_green_says_which_and_why(green, good_tests, chapter, reference, stub):
    problems = green(good_tests, chapter.bug("s11").plant(reference))
    assert [problem.split()[0] for problem in problems] == [NAME]
    assert "test_radix.py, line " in problems[0]
    assert len(green(good_tests, stub)) == 6


def test_no_test_is_green_on_a_tree_that_is_no_python(green, good_tests):
    problems = green(good_tests, "class RadixTree:\n    def f(:\n")
    assert len(problems) == 6
    assert all(" fails on your tree: radix.py, line 2: " in problem for problem in problems)


def test_green_misses_tests_too(green, good_tests, reference):
    assert green(splice.put(good_tests, NAME, "x = 1\n"), reference) == [f"{NAME} is missing: write it"]
