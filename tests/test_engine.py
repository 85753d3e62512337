"""The engine: what pytest can do it can do, and only a test that ran to its end and held is a pass."""

import builtins
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
from textwrap import dedent

import pytest

from radixlab.checker import engine
from radixlab.checker.job import Outcome, order_of
from radixlab.checker.subject import Subject
from radixlab.checker.verdict import check
from radixlab.checker.worker import Shells

HEAD = "import pytest, random, sys, time\nfrom radix import ROOT, RadixTree\n\n"


@pytest.fixture
def tests(play):
    """Run the tests of a text; return the outcomes by name."""
    return lambda body, source=None, **options: play(HEAD + dedent(body), source, **options)


@pytest.fixture
def one(tests):
    """Run the only test of a text; return its outcome."""

    def one(body: str, source: str | None = None, **options) -> Outcome:
        (outcome,) = tests(body, source, **options).values()
        return outcome

    return one


def test_what_pytest_offers_works(tests):
    outcomes = tests("""
        @pytest.fixture(scope="module")
        def shared():
            tree = RadixTree(1)
            yield tree
            tree.evict(9)

        @pytest.fixture(params=[1, 2])
        def tree(request):
            return RadixTree(request.param)

        @pytest.fixture(autouse=True)
        def counted():
            RadixTree(1)

        def test_fixtures(shared, tree):
            node, _ = tree.insert([1, 2], ["v"] * (2 // tree.granule))
            assert tree.key(node) == [1, 2] and shared.is_empty()

        @pytest.mark.parametrize(("key", "runs"), [((), 0), ((1,), 1)])
        def test_parametrize(key, runs):
            tree = RadixTree(1)
            tree.insert(key, key)
            assert len(tree) == runs

        class TestClass:
            def setup_method(self):
                self.tree = RadixTree(1)

            def test_in_a_class(self):
                assert self.tree.is_empty()

        def test_raises():
            with pytest.raises(ValueError, match="."):
                RadixTree(0)
            assert 0.1 + 0.2 == pytest.approx(0.3)

        def test_monkeypatch(monkeypatch):
            monkeypatch.setattr(time, "time", lambda: 0)
            monkeypatch.setenv("MINE", "1")
            assert time.time() == 0

        def test_tmp_path(tmp_path):
            (tmp_path / "a").write_text("b")
            assert (tmp_path / "a").read_text() == "b"

        def test_capsys(capsys):
            print("said")
            assert capsys.readouterr().out == "said\\n"
    """)
    assert {name: outcome.outcome for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, "passed")
    assert len(outcomes) == 7
    assert "MINE" not in os.environ


NO_PASS = {
    "skip": ("def test_a(): pytest.skip('later')", "not_run"),
    "skip mark": ("@pytest.mark.skip\ndef test_a(): pass", "not_run"),
    "skip of the module": ("pytestmark = pytest.mark.skip\ndef test_a(): pass", "not_run"),
    "skip on the way in": ("pytest.skip('x', allow_module_level=True)\ndef test_a(): pass", "error"),
    "skip in a fixture": ("@pytest.fixture\ndef f(): pytest.skip('x')\ndef test_a(f): pass", "not_run"),
    "xfail that fails": ("@pytest.mark.xfail\ndef test_a(): assert False", "not_run"),
    "xfail that passes": ("@pytest.mark.xfail\ndef test_a(): pass", "not_run"),
    "strict xfail that passes": ("@pytest.mark.xfail(strict=True)\ndef test_a(): pass", "not_run"),
    "xfail from within": ("def test_a(): pytest.xfail('x')", "not_run"),
    "deleted": ("def test_a(): pass\ndel test_a", "not_run"),
    "no test any more": ("def test_a(): pass\ntest_a.__test__ = False", "not_run"),
    "no test at all": ("test_a = 1", "not_run"),
    "generator": ("def test_a():\n    yield", "error"),
    "coroutine": ("async def test_a(): pass", "failed"),
    "no parameters": ("@pytest.mark.parametrize('x', [])\ndef test_a(x): pass", "not_run"),
    "unknown fixture": ("def test_a(nothing): pass", "error"),
    "chapter's own fixture": ("def test_a(steps): pass", "error"),
    "class with a constructor": ("class TestA:\n    def __init__(self): pass\n    def test_a(self): pass", "not_run"),
    "error on the way out": ("@pytest.fixture\ndef f():\n    yield\n    1 / 0\ndef test_a(f): pass", "error"),
    "pytest.exit in a fixture": ("@pytest.fixture\ndef f(): pytest.exit('x')\ndef test_a(f): pass", "error"),
    "exit on the way out": ("@pytest.fixture\ndef f():\n    yield\n    sys.exit(0)\ndef test_a(f): pass", "error"),
    "exit from within the module": ("raise SystemExit\ndef test_a(): pass", "error"),
    "BaseException in the module": ("raise BaseException\ndef test_a(): pass", "error"),
    "error in teardown_function": ("def teardown_function(): 1 / 0\ndef test_a(): pass", "error"),
}


@pytest.mark.filterwarnings("ignore:cannot collect")
@pytest.mark.parametrize(("body", "outcome"), NO_PASS.values(), ids=NO_PASS)
def test_what_did_not_run_to_its_end_is_no_pass(one, body, outcome):
    got = one(body, names=["a"])
    assert got.outcome == outcome
    assert got.how is None or outcome == "failed"
    assert got.message


FAILED = {
    "assertion": ("assert 1 == 2", "assertion", "assert 1 == 2"),
    "assertion with words": ("assert 1 == 2, 'one is not two'", "assertion", "one is not two\nassert 1 == 2"),
    "pytest.fail": ("pytest.fail('so')", "assertion", "so"),
    "raises nothing": ("with pytest.raises(KeyError): pass", "assertion", "DID NOT RAISE"),
    "exception": ("{}['x']", "exception", "KeyError: 'x'"),
    "the tree's exception": ("RadixTree(1).unlock(99)", "exception", "LookupError"),
    "the tree's own assertion": ("RadixTree(1).key('AssertionError')", "exception", "a tree asserts"),
    "SystemExit": ("raise SystemExit(0)", "exception", "SystemExit was raised"),
    "exit()": ("sys.exit()", "exception", "SystemExit was raised"),
    "pytest.exit": ("pytest.exit('bye', returncode=0)", "exception", "pytest.exit was raised"),
    "BaseException": ("raise BaseException('base')", "exception", "BaseException: base"),
    "GeneratorExit": ("raise GeneratorExit", "exception", "GeneratorExit"),
    "recursion": ("f = lambda: f()\n    f()", "exception", "RecursionError"),
    "an exception without words": (
        "class Mute(Exception):\n        def __str__(self): raise KeyError\n    raise Mute",
        "exception",
        "Mute",
    ),
}


@pytest.mark.parametrize(("body", "how", "message"), FAILED.values(), ids=FAILED)
def test_a_failure_says_how_it_failed(one, reference, body, how, message):
    source = reference.replace(
        '        """Return the label of the edge above *node*',
        '        assert node != "AssertionError", "a tree asserts"\n        """',
    )
    outcome = one(f"def test_a():\n    {body}\n", source)
    assert (outcome.outcome, outcome.how) == ("failed", how)
    assert message in outcome.message


def test_ctrl_c_passes_through_here_and_is_a_failure_in_a_worker(job):
    jobs = [job(HEAD + "def test_a(): raise KeyboardInterrupt\ndef test_b(): pass\n")]
    with pytest.raises(KeyboardInterrupt):
        engine.run(jobs, lambda number, outcome: None)
    seen = {}
    engine.run(jobs, lambda number, outcome: seen.update({outcome.name: outcome}), interruptible=False)
    assert (seen["a"].outcome, seen["a"].message) == ("failed", "KeyboardInterrupt was raised")
    assert seen["b"].outcome == "passed"


def test_a_parametrized_test_has_its_worst_outcome(one):
    outcome = one("""
        @pytest.mark.parametrize("n", range(3))
        def test_a(n):
            for _ in range(10): pass
            assert n != 1
    """)
    assert (outcome.outcome, outcome.ticks) == ("failed", 33)


LOOPS = {
    "in the test": ("def test_a():\n    while True: pass", "the loop at line 5 ran 500,000 steps"),
    "hidden": (
        "def test_a():\n    try:\n        while True: pass\n    except BaseException: pass",
        "line 6 ran 500,000",
    ),
    "in a fixture": ("@pytest.fixture\ndef f():\n    while True: pass\ndef test_a(f): pass", "line 6 ran 500,000"),
    "in the file": ("while True: pass\ndef test_a(): pass", "the loop at line 4 ran 100,000 steps"),
    "in the tree": ("def test_a():\n    RadixTree(1).key('loop')", "the loop at line 2 ran 100,000 steps"),
    "hidden, in the tree": (
        "def test_a():\n    try: RadixTree(1).key('loop')\n    except BaseException: pass",
        "the loop at line 2 ran 100,000 steps",
    ),
}


@pytest.mark.parametrize(("body", "message"), LOOPS.values(), ids=LOOPS)
def test_an_endless_loop_ends_by_its_budget(tests, body, message):
    source = "def forever():\n    while True: pass\nROOT = 0\nclass RadixTree:\n    def __init__(self, granule): ...\n"
    source += "    def key(self, node): forever()\n"
    outcomes = tests(body + "\ndef test_b(): pass\n", source)
    assert outcomes["a"].outcome == "budget"
    assert message in outcomes["a"].message
    assert outcomes["b"].outcome == ("budget" if body.startswith("while") else "passed")


def test_every_test_has_the_whole_budget(tests):
    body = "def spend(): [None for _ in range(400_000)]\ndef test_a(): spend()\ndef test_b(): spend()\n"
    assert [outcome.outcome for outcome in tests(body).values()] == ["passed", "passed"]


def test_a_loop_in_one_of_our_trees_is_not_described(one):
    source = "ROOT = 0\nclass RadixTree:\n    def __init__(self, granule):\n        while True: pass\n"
    outcome = one("def test_a(): RadixTree(1)", source, quiet=True)
    assert (outcome.outcome, outcome.message) == ("budget", "the tree ran past its step budget")


@pytest.mark.parametrize("what", ["print('x' * 2_000_000)", "while True: print('x' * 100_000, file=sys.stderr)"])
def test_a_flood_ends_its_test(tests, what):
    hidden = f"def test_a():\n    try:\n        {what}\n    except BaseException: pass\ndef test_b(): print('b')\n"
    outcomes = tests(hidden)
    assert outcomes["a"].outcome == "budget"
    assert outcomes["a"].message == "more than 1,000,000 characters were printed"
    assert (outcomes["b"].outcome, outcomes["b"].message) == ("passed", "")


def test_what_was_printed_is_shown_with_a_failure(one, capsys):
    outcome = one("def test_a():\n    print('so far', object())\n    assert False, object()")
    assert outcome.message.endswith("printed: so far <object object at 0x...>")
    assert "0x..." in outcome.message.splitlines()[0]
    assert capsys.readouterr() == ("", "")


def test_messages_are_short(one):
    assert len(one("def test_a(): assert False, 'x' * 100_000").message) <= engine.MESSAGE


def test_lines_are_named_in_both_files(one, reference):
    outcome = one("def test_a():\n    tree = RadixTree(1)\n    tree.unlock(99)\n")
    lines = reference.splitlines()
    assert outcome.test_line == 6
    assert "raise LookupError" in lines[outcome.subject_line - 1]


UNLOADABLE = {
    "the tree raises": ("raise KeyError('k')", "", "KeyError: 'k'"),
    "the tree leaves": ("import sys; sys.exit(3)", "", "SystemExit"),
    "the tree loops": ("while True: pass", "", "the loop at line 1 ran 100,000 steps"),
    "the tree floods": ("print('x' * 2_000_000)", "", "more than 1,000,000 characters"),
    "the tree lacks its class": ("ROOT = 0", "", "RadixTree"),
    "the tests raise": (None, "1 / 0", "ZeroDivisionError"),
    "the tests leave": (None, "sys.exit()", "SystemExit"),
    "the tests stop pytest": (None, "pytest.exit('bye')", "bye"),
    "the tests import nothing real": (None, "import nothing_of_that_name", "nothing_of_that_name"),
}


@pytest.mark.parametrize(("source", "body", "message"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_does_not_load_fails_every_test_with_the_reason(tests, source, body, message):
    outcomes = tests(f"{body}\ndef test_a(): pass\ndef test_b(): pass\n", source)
    assert {outcome.outcome for outcome in outcomes.values()} <= {"error", "budget"}
    assert all(message in outcome.message for outcome in outcomes.values())


def test_every_expected_name_gets_one_answer_in_order(job):
    jobs = [job(HEAD + "def test_a(): pass\ndef test_b(): assert 0\ndef test_extra(): pass\n", names=["b", "c", "a"])]
    seen = []
    engine.run(jobs * 2, lambda number, outcome: seen.append((number, outcome.name, outcome.outcome)))
    expected = [("b", "failed"), ("a", "passed"), ("c", "not_run")]
    assert seen == [(number, *answer) for number in (0, 1) for answer in expected]


def test_the_order_follows_the_seed(job, good_tests):
    first, second, other = (job(good_tests, order=seed) for seed in (1, 1, 2))
    assert order_of(first) == order_of(second) != order_of(other)
    assert sorted(order_of(other)) == sorted(first.names)
    seen = []
    engine.run([other], lambda number, outcome: seen.append(outcome.name))
    assert seen == order_of(other)


def test_every_job_has_its_own_tree_and_its_own_tests(job):
    body = HEAD + "seen = []\ndef test_a():\n    seen.append(1)\n    assert seen == [1] and ROOT == "
    source = "class RadixTree: pass\nROOT = "
    jobs = [job(f"{body}{number}\n", f"{source}{number}\n") for number in (0, 0, 5)]
    answers = []
    engine.run(jobs, lambda number, outcome: answers.append(outcome.outcome))
    assert answers == ["passed"] * 3


def test_chance_is_the_same_in_every_test(tests):
    body = "import random\nseen = []\ndef test_a(): seen.append(random.random())\n"
    outcomes = tests(body + "def test_b():\n    assert [random.random()] == seen\n")
    assert outcomes["b"].outcome == "passed"


HOSTILE = "import os\nos._exit(9)\n"


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A current folder and an environment that would turn any pytest on its head."""
    for name in ("conftest.py", "hostile_plugin.py", "sitecustomize.py", "radix.py", "pytest.py"):
        (tmp_path / name).write_text(HOSTILE)
    for name in ("pytest.ini", "tox.ini", ".pytest.ini"):
        (tmp_path / name).write_text(
            "[pytest]\naddopts = --collect-only -p hostile_plugin\npython_functions = none_*\n"
        )
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nxfail_strict = true\naddopts = '--nope'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only --nope")
    monkeypatch.setenv("PYTEST_PLUGINS", "hostile_plugin")
    monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    monkeypatch.setenv("PYTHONSTARTUP", "conftest.py")


@pytest.mark.usefixtures("hostile")
def test_nothing_around_is_read(one, job, worker):
    body = "def test_a(tmp_path):\n    assert RadixTree(1).is_empty()\n"
    before = dict(os.environ)
    assert one(body).outcome == "passed"
    assert dict(os.environ) == before
    worker.close()  # the next one starts in these surroundings
    assert worker.run([job(HEAD + body)])[0]["a"].outcome == "passed"
    worker.close()


def test_inside_a_running_pytest_it_leaves_all_as_it_was(one, monkeypatch):
    monkeypatch.setitem(sys.modules, "radix", before := object())
    random.seed(5)
    state, modules = random.getstate(), set(sys.modules)
    streams, environ, path, hook = (sys.stdout, sys.stderr), dict(os.environ), list(sys.path), sys.excepthook
    written, filters, opened = sys.dont_write_bytecode, list(__import__("warnings").filters), builtins.open
    assert (
        one("def test_a(tmp_path, monkeypatch):\n    random.seed(1)\n    monkeypatch.setenv('X', '1')\n").outcome
        == "passed"
    )
    assert one("def test_a():\n    random.random()\n    assert 0").outcome == "failed"
    assert sys.modules["radix"] is before
    assert set(sys.modules) == modules
    assert random.getstate() == state
    assert ((sys.stdout, sys.stderr), dict(os.environ), sys.path, sys.excepthook) == (streams, environ, path, hook)
    assert (sys.dont_write_bytecode, list(__import__("warnings").filters), builtins.open) == (written, filters, opened)


def test_the_inline_shell_needs_no_process_thread_or_signal(chapter, reference, good_tests, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("a browser has no such thing")

    with monkeypatch.context() as patch:
        for owner, name in (
            *((os, name) for name in ("fork", "forkpty", "posix_spawn", "system", "popen", "execv", "pipe", "kill")),
            (subprocess, "Popen"),
            (threading.Thread, "start"),
            *((signal, name) for name in ("signal", "alarm", "setitimer")),
            (multiprocessing.Process, "start"),
            (multiprocessing, "Pool"),
        ):
            patch.setattr(owner, name, refused, raising=False)
        report = check(chapter, Subject(reference, "reference"), good_tests, Shells.inline(), seed=3)
    assert (report.verdict, report.mutation.killed) == ("pass", 18)
