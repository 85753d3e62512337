"""Grading own tests: valid on every correct tree first, then by the bugs they catch."""

import pytest

from radixlab import splice
from radixlab.checker import mutation
from radixlab.checker.mutation import Grades
from radixlab.checker.subject import Unreadable
from radixlab.checker.testfile import test_names
from radixlab.checker.worker import Inline, Worker

NAME = "split_by_hand"


@pytest.fixture(scope="session")
def graded(chapter, worker):
    """Return the grades of a test file."""

    def graded(source: str, seed: int = 1, shell: Worker | Inline = worker) -> Grades:
        return mutation.grade(chapter, mutation.suite(chapter, source), shell, seed)

    return graded


@pytest.fixture(scope="session")
def good(graded, good_tests) -> Grades:
    return graded(good_tests)


@pytest.fixture(scope="session")
def thin(graded, thin_tests) -> Grades:
    return graded(thin_tests)


@pytest.fixture
def with_test(good_tests):
    """Return the good tests with the one of `NAME` replaced by others."""
    return lambda body: splice.put(good_tests, f"test_{NAME}", body)


def of(grades: Grades, name: str = NAME):
    (test,) = [test for test in grades.own_tests if test.name == name]
    return test


def killed(grades: Grades) -> set[str]:
    return {bug.id for bug in grades.mutation.bugs if bug.killed}


def test_a_good_suite_catches_all(good, chapter):
    assert (good.mutation.killed, good.mutation.total, good.mutation.score) == (18, 18, 1.0)
    assert good.mutation.passed
    assert [bug.id for bug in good.mutation.bugs] == [bug.id for bug in chapter.bugs]
    for test in good.own_tests:
        assert (test.valid, test.rejects, test.message) == (True, None, "")
        assert test.kills == [bug.id for bug in good.mutation.bugs if test.name in bug.by] != []
    assert {bug.how for bug in good.mutation.bugs} <= {"assertion", "exception", "budget"}


def test_a_thin_suite_is_valid_and_fails_by_what_it_misses(thin):
    assert all(test.valid for test in thin.own_tests)
    assert killed(thin) == {"s01", "s02", "s03", "s05", "s07", "s08", "s09", "s10", "m01"}
    assert "s11" not in killed(thin)
    assert (thin.mutation.score, thin.mutation.passed) == (0.5, False)
    assert all((bug.by, bug.how) == ([], None) for bug in thin.mutation.bugs if not bug.killed)


@pytest.mark.parametrize("missing", ["locks_pin_ancestors"])
def test_without_the_required_bug_it_does_not_pass(graded, good_tests, missing):
    grades = graded(splice.put(good_tests, f"test_{missing}", f"def test_{missing}():\n    assert ROOT == 0\n"))
    assert grades.mutation.killed >= grades.mutation.needed
    assert "s11" not in killed(grades)
    assert not grades.mutation.passed
    assert of(grades, missing).kills == []


def test_the_same_seed_repeats_everything(graded, thin_tests, thin):
    assert graded(thin_tests) == thin


def test_another_seed_changes_no_verdict(graded, thin_tests, thin):
    assert killed(graded(thin_tests, seed=2)) == killed(thin)


OVERFITTED = {
    "a private name": ("assert RadixTree(1)._nodes", "reference"),
    "a private module": ("import radix\n    assert radix.Node", "reference"),
    "the text of an exception": (
        "with pytest.raises(ValueError, match='granule'):\n        RadixTree(0)",
        "reference",
    ),
    "the number of a node": (
        "tree = RadixTree(1)\n    tree.insert([1, 2], 'ab')\n    leaf, _ = tree.insert([1, 3], 'xc')\n"
        "    assert (tree.parent(leaf), leaf) == (2, 3)",
        "variant",
    ),
    "how soon a value is handed to f": (
        "tree, seen = RadixTree(1), []\n    tree.insert([1, 2], 'ab')\n"
        "    tree.evict(1, lambda value: seen.append(len(tree)))\n    assert seen == [1, 0]",
        "reference",
    ),
    "repr": ("assert 'granule' in repr(RadixTree(1))", "reference"),
    "the type of a label": ("tree = RadixTree(1)\n    assert tree.key(ROOT) == ()", "reference"),
    "itself": ("assert 1 == 2", "reference"),
}


SAID = {
    "reference": "the reference",
    "variant": "a variant: it differs in what nobody promised",
}


@pytest.mark.parametrize(("body", "rejects"), OVERFITTED.values(), ids=OVERFITTED)
def test_a_test_that_rejects_a_correct_tree_is_invalid(graded, with_test, body, rejects):
    grades = graded(with_test(f"def test_{NAME}():\n    {body}\n"))
    assert grades.mutation is None
    test = of(grades)
    assert (test.valid, test.rejects, test.kills) == (False, rejects, [])
    assert (test.unwritten, test.invalid) == (False, True)
    assert test.message.startswith(f"this test rejects a correct tree ({SAID[rejects]}). line ")
    assert [other.name for other in grades.own_tests if not other.valid] == [NAME]


FICKLE = {
    "fails in the end": "assert sys.maxsize and runs < 8",
    "fails every third time": "assert runs % 3",
    "passes the first time only": "assert runs == 1",
}


@pytest.mark.parametrize("body", FICKLE.values(), ids=FICKLE)
def test_a_test_that_counts_its_runs_is_invalid(graded, with_test, body):
    count = "import sys\n    runs = sys.runs = getattr(sys, 'runs', 0) + 1"
    with Worker(silence=30.0, deadline=60.0) as worker:
        grades = graded(with_test(f"def test_{NAME}():\n    {count}\n    {body}\n"), shell=worker)
    assert (grades.mutation, of(grades).valid) == (None, False)
    assert of(grades).rejects in ("reference", "variant", "decoy")


def test_a_test_that_needs_another_one_first_is_invalid(graded, good_tests):
    source = good_tests + "\n\nseen = []\n\n\ndef test_y():\n    seen.append(1)\n\n\ndef test_z():\n    assert seen\n"
    grades = graded(source)
    assert grades.mutation is None
    assert [test.name for test in grades.own_tests if not test.valid] == ["z"]


@pytest.mark.parametrize("body", ["pytest.skip()", "pytest.xfail()", "yield"])
def test_a_test_that_does_not_run_is_invalid(graded, with_test, body):
    assert not of(graded(with_test(f"def test_{NAME}():\n    {body}\n"))).valid


def test_a_missing_test_is_named_and_nothing_is_graded(graded, with_test):
    grades = graded(with_test("def helper():\n    pass\n"))
    assert grades.mutation is None
    assert (of(grades).outcome, of(grades).valid, of(grades).rejects) == ("not_run", False, None)
    assert of(grades).message == f"not written yet: test_radix.py has no test_{NAME}"
    assert (of(grades).unwritten, of(grades).invalid) == (True, False)


def test_a_test_defined_twice_is_named_and_nothing_is_graded(graded, with_test):
    twice = f"def test_{NAME}():\n    pass\n"
    grades = graded(with_test(f"{twice}\n\n{twice}"))
    assert (grades.mutation, of(grades).valid) == (None, False)
    assert of(grades).message == f"test_{NAME} is defined twice: the first one would never run"
    assert (of(grades).unwritten, of(grades).invalid) == (False, True)
    assert [test.name for test in grades.own_tests].count(NAME) == 1


def test_the_starter_is_not_written_yet(graded, chapter):
    grades = graded(chapter.text("starter.py"))
    assert grades.mutation is None
    for test in grades.own_tests:
        assert (test.valid, test.rejects) == (False, None)
        assert test.message.startswith("not written yet: ")
        assert (test.unwritten, test.invalid) == (True, False)


def test_no_python_is_refused_before_anything_runs(chapter):
    with pytest.raises(Unreadable, match=r"test_radix\.py, line 1"):
        mutation.suite(chapter, "def test_a(:\n")


def test_names_are_read_without_running():
    source = "1 / 0\ndef test_a(): ...\nasync def test_b(): ...\nclass TestC:\n    def test_d(self): ...\n"
    source += "class Other:\n    def test_e(self): ...\ndef f():\n    def test_g(): ...\ntest_h = f\n"
    assert test_names(source) == ["a", "b", "d"]


def test_classes_and_parameters_count_like_any_test(graded, with_test):
    grades = graded(
        with_test(
            f"class TestSplits:\n"
            f"    @pytest.mark.parametrize('granule', [1, 2])\n"
            f"    def test_{NAME}(self, granule):\n"
            f"        tree = RadixTree(granule)\n"
            f"        tree.insert([1] * granule + [2] * granule, 'ab')\n"
            f"        leaf, back = tree.insert([1] * granule + [3] * granule, 'xc')\n"
            f"        assert list(tree.values(tree.parent(leaf))) == ['a']\n"
            f"        assert len(tree.children(tree.parent(leaf))) == 2\n"
        )
    )
    assert all(test.valid for test in grades.own_tests)
    assert {"s01", "s03"} <= set(of(grades).kills)


ON_A_BUG = f"""def test_{NAME}():
    tree = RadixTree(1)
    tree.insert([1], "a")
    tree.insert([1, 2], "xb")
    {{}}
"""


def test_a_loop_that_only_a_bug_makes_endless_is_a_kill_by_budget(graded, with_test):
    grades = graded(with_test(ON_A_BUG.format("gone = tree.evict(9)\n    while gone != 2:\n        pass")))
    assert grades.mutation.killed == 18
    (bug,) = [bug for bug in grades.mutation.bugs if bug.id == "s08"]
    assert (bug.by[0], bug.how) == (NAME, "budget")


def test_a_test_that_hangs_on_a_bug_has_not_caught_it(graded, with_test):
    body = "if len(tree) == 0:  # as in m01\n        __import__('time').sleep(60)"
    with Worker(silence=2.0, deadline=60.0) as worker:
        grades = graded(with_test(ON_A_BUG.format(body)), shell=worker)
    assert grades.mutation is not None
    assert of(grades).valid
    assert of(grades).kills == []


def test_hangs_on_bugs_make_no_other_test_reject_a_correct_tree(graded, with_test):
    body = "if tree.evict(9) != 2:\n        __import__('time').sleep(60)"
    with Worker(silence=1.0, deadline=60.0) as worker:
        grades = graded(with_test(ON_A_BUG.format(body)), shell=worker)
    hung = "gives no answer on some planted bug: let it end on a wrong tree too"
    assert [(test.valid, test.rejects, test.message) for test in grades.own_tests] == [
        (True, None, hung if test.name == "split_by_hand" else "") for test in grades.own_tests
    ]
    assert grades.mutation.passed, "the other tests are asked about every bug all the same"
    assert of(grades).kills == []
    assert grades.mutation is not None


def test_a_kill_that_does_not_happen_again_is_no_kill(graded, with_test):
    body = "if tree.evict(9) != 2:\n        import sys\n        sys.asked = getattr(sys, 'asked', 0) + 1\n"
    body += "        assert sys.asked > 1"
    with Worker(silence=30.0, deadline=60.0) as worker:
        grades = graded(with_test(ON_A_BUG.format(body)), shell=worker)
    assert (grades.mutation, of(grades).valid, of(grades).rejects) == (None, False, None)
    assert of(grades).message == ("this test says now this, now that of the same tree: seed what is random in it")
    assert of(grades).invalid
    assert [test.name for test in grades.own_tests if not test.valid] == [NAME]


def test_an_error_in_a_fixture_has_not_caught_a_bug(graded, with_test):
    grades = graded(
        with_test(
            f"@pytest.fixture\ndef stored():\n    tree = RadixTree(1)\n    tree.insert([1], 'a')\n"
            f"    assert len(tree) == 1\n    return tree\n\n\n"
            f"def test_{NAME}(stored):\n    assert stored\n"
        )
    )
    assert of(grades).valid
    assert of(grades).kills == []


def test_messages_about_our_trees_give_nothing_away(graded, with_test):
    body = "import inspect\n    try:\n        RadixTree(1).unlock(7)\n    except LookupError as error:\n"
    body += "        raise AssertionError(repr(error), error.__cause__, error.__context__)"
    message = of(graded(with_test(f"def test_{NAME}():\n    {body}\n"))).message
    assert "the tree raised" in message
    assert "7" not in message.partition("line ")[2].partition(": ")[2].partition("\n")[0]
