"""The attacks: dishonest tests and broken trees, graded as a learner's are. None may pass, hang, or leave a process.

`attacks/own_tests` holds test files that judge no behaviour, graded with a correct tree; `attacks/trees` holds trees
that are none, graded with good tests. What only a process stops is in `BEHIND_A_PROCESS`; what a process does not
stop, since the checker and what it checks share one, is in `BEHIND_A_WIRE`, and fails here on purpose.
"""

import builtins
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pytest
from processes import left_behind

from radixlab.checker.subject import Subject
from radixlab.checker.verdict import check
from radixlab.checker.worker import Inline, Shells, Worker

ATTACKS = Path(__file__).parent / "attacks"
SEED = 1

# How each is stopped: the kind of correct tree that the tests reject, or the most bugs that they may catch.
OWN_TESTS = {
    "g01_assert_false": "reference",
    "g02_source_hash": 0,
    "g03_bytecode_of_the_reference": "reference",
    "g04_counter": "decoy",
    "g05_flaky": None,  # by chance, but always one of the two
    "g06_exit_after_the_first_run": "reference",
    "g07_private_names": "reference",
    "g08_skip": "reference",
    "g09_xfail": "reference",
    "g10_endless_loop": "reference",
    "g11_asserted_tuple": 0,
    "g12_fingerprints_of_the_bugs": 6,  # now and then a bug is written again in its own words
    "g13_frame_walk": 0,
    "h01_shape_of_the_code": None,  # members and operators, counted: the members have other names in every run
    "h02_official_tests_of_the_package": 0,
    "h03_lottery": "decoy",
    "h04_one_ticket": None,  # see below
    "h05_junk_on_the_channel": None,
    "h06_flood_on_the_channel": "reference",
    "h07_endless_line": "reference",
    "h08_daemon": 0,
    "h09_exit_in_a_fixture": "reference",
    "h10_leaves_at_import": "reference",
    "h11_sleep": "reference",
    "h12_forged_answers": "reference",
    "h13_seed_of_the_run": 0,
}

# How each is stopped: what becomes of the official tests.
ENDED = {"no_answer", "not_run"}
HUNG = {"timeout", "not_run"}
TREES = {
    "a01_lying_ints": {"failed"},
    "a02_exit_at_import": {"error"},
    "a03_exit": {"failed"},
    "a04_os_exit_at_import": ENDED,
    "a05_os_exit": ENDED,
    "a06_another_program": ENDED,
    "a07_abort": ENDED,
    "a08_skip": {"failed"},
    "a09_skip_at_import": {"error", *ENDED},
    "a10_pytest_exit": {"failed"},
    "a11_xfail": {"failed"},
    "a12_interrupt": {"failed"},
    "a13_generator_exit": {"failed"},
    "a14_generator_exit_at_import": {"error", *ENDED},
    "a15_interrupt_at_import": {"error"},
    "a16_patched_builtins": {"failed", "error", *ENDED},
    "a17_at_exit": {"failed"},
    "a18_expected_values_of_the_caller": {"failed"},
    "a19_files_beside_it": {"failed"},
    "a20_endless_loop": {"budget"},
    "a21_endless_loop_that_holds_on": {"budget"},
    "a22_endless_loop_in_c": HUNG,
    "a23_sleep": HUNG,
    "a24_a_gigabyte_of_output": {"budget"},
    "a25_a_gigabyte_past_python": {"failed"},
    "a26_memory": {"failed"},
    "a27_deep_recursion": {"failed", *ENDED},
    "a28_generators": {"failed"},
    "a29_trace_function": {"budget", "error", "failed"},
    "a30_alarm": {"failed", *ENDED},
    "a31_closed_channel": {*ENDED, *HUNG},
    "a32_children": {*ENDED, *HUNG},
    "a33_daemon": {"failed"},
    "a34_junk_in_an_answer": {"failed", "error", *ENDED},
    "b01_patched_pytest": {"no_answer"},  # a planted bug passes in the same process
    "b02_patched_engine": {"no_answer"},
    "b03_forged_answers": {"failed", "error", *ENDED},
    "b04_reference_of_the_package": {"failed", "error"},
}

BEHIND_A_PROCESS = {
    "g06_exit_after_the_first_run": "it would end this process",
    "g13_frame_walk": "in one process the grader's own variables are there to be read, and it passes",
    "h05_junk_on_the_channel": "it writes to every pipe of the process",
    "h06_flood_on_the_channel": "it writes to every pipe of the process",
    "h07_endless_line": "it writes to every pipe of the process",
    "h08_daemon": "what it starts is killed with the worker only",
    "h11_sleep": "only a clock beside the process ends a sleep",
    "h12_forged_answers": "it writes to every pipe of the process",
    "a04_os_exit_at_import": "it would end this process",
    "a05_os_exit": "it would end this process",
    "a06_another_program": "it would replace this process",
    "a07_abort": "it would crash this process",
    "a12_interrupt": "a KeyboardInterrupt is the user's here",
    "a15_interrupt_at_import": "a KeyboardInterrupt is the user's here",
    "a16_patched_builtins": "it would break the builtins of this process",
    "a17_at_exit": "it would end this process with success",
    "a19_files_beside_it": "it leaves its folder on sys.path",
    "a22_endless_loop_in_c": "only a clock beside the process ends a loop in C",
    "a23_sleep": "only a clock beside the process ends a sleep",
    "a25_a_gigabyte_past_python": "it writes to the streams of the process themselves",
    "a26_memory": "only the worker has a limit of memory",
    "a27_deep_recursion": "it would crash this process",
    "a29_trace_function": "it leaves a trace function behind",
    "a30_alarm": "it would end this process",
    "a31_closed_channel": "it would close the files of this process",
    "a32_children": "it would end this process",
    "a33_daemon": "what it starts is killed with the worker only",
    "a34_junk_in_an_answer": "it writes to every pipe of the process",
    "b01_patched_pytest": "it would break the pytest of this process",
    "b02_patched_engine": "it would break the engine of this process",
    "b03_forged_answers": "it writes to every pipe of the process",
}

# What passes in a worker. A local verdict is honest practice; a submission that nobody trusts belongs in the sandbox.
BEHIND_A_WIRE = {
    "h02_official_tests_of_the_package": "it judges by behaviour, and rightly; only who wrote the tests is a lie",
    "b03_forged_answers": "the tree shares a process with the channel on which the verdict travels",
    "b04_reference_of_the_package": "it behaves rightly; only who wrote the tree is a lie",
}

# These wait for the clock: a short one, to keep the tests short. a23 waits for the usual one.
IMPATIENT = ("h07_endless_line", "h11_sleep", "a22_endless_loop_in_c", "a31_closed_channel", "a32_children")


def names(folder, *, inline=False):
    """Return the attacks of *folder* as parameters: those that get through a worker marked as such, or left out."""
    found = sorted(path.stem for path in (ATTACKS / folder).glob("*.py"))
    if inline:
        return [name for name in found if name not in {**BEHIND_A_PROCESS, **BEHIND_A_WIRE}]
    through = {name: pytest.mark.xfail(reason=reason, strict=True) for name, reason in BEHIND_A_WIRE.items()}
    return [pytest.param(name, marks=through.get(name, ())) for name in found]


def read(folder, name):
    return (ATTACKS / folder / f"{name}.py").read_text(encoding="utf-8")


@pytest.fixture
def marker(marker, monkeypatch, tmp_path):
    """Mark every process, and give what an attack writes a folder of its own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return marker


@pytest.fixture(scope="module")
def tree(job):
    """A worker for the trees that are no attack, started before anything is marked."""
    with Worker() as tree:
        tree.run([job("def test_nothing(): pass")])
        yield tree


@pytest.fixture
def untouched(marker, monkeypatch):
    """Undo what an attack that runs in this process leaves in its modules."""
    for module, name in ((builtins, "_runs"), (sys, "_runs"), (sys, "_draws")):
        monkeypatch.setattr(module, name, 0, raising=False)
    monkeypatch.setenv("RUNS", "0")
    yield
    for name in ("_bugs", "_correct", "_spent"):
        vars(sys).pop(name, None)


def graded(chapter, subject, tests, shells, seed=SEED):
    """Return the report, the shells closed; it must come within the time that `ol check` may take."""
    began = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pytest's own word on an asserted tuple
            report = check(chapter, Subject(subject, "radix.py"), tests, shells, seed=seed)
    finally:
        shells.tests.close()
    assert time.monotonic() - began < 20
    return report


def assert_stopped(report, how):
    """Assert that dishonest tests were stopped, and *how*."""
    assert report.verdict in ("invalid", "fail")
    assert all(test.outcome == "passed" for test in report.tests), "the tree is correct, so this is not what failed"
    if isinstance(how, str):
        assert (report.verdict, report.mutation) == ("invalid", None)
        assert {test.rejects for test in report.own_tests} - {None} == {how}
    elif how is not None:
        assert all(test.valid for test in report.own_tests)
        assert report.mutation.killed <= how < report.mutation.needed


def test_each_attack_is_in_a_table():
    for folder, table in (("own_tests", OWN_TESTS), ("trees", TREES)):
        assert sorted(table) == sorted(path.stem for path in (ATTACKS / folder).glob("*.py"))
    assert {*BEHIND_A_PROCESS, *BEHIND_A_WIRE} <= {*OWN_TESTS, *TREES}


@pytest.mark.parametrize("name", names("own_tests"))
def test_dishonest_tests_do_not_pass(name, chapter, reference, tree, marker):
    shells = Shells(tree, Worker(silence=1.0) if name in IMPATIENT else Worker())
    report = graded(chapter, reference, read("own_tests", name), shells)
    assert_stopped(report, OWN_TESTS[name])
    assert left_behind(marker) == []


@pytest.mark.parametrize("name", names("own_tests", inline=True))
def test_dishonest_tests_do_not_pass_in_one_process(name, chapter, reference, untouched):
    report = graded(chapter, reference, read("own_tests", name), Shells.inline())
    assert_stopped(report, OWN_TESTS[name])


def test_a_bug_drawn_by_lot_is_not_caught(chapter, reference, tree, marker):
    for seed in range(1, 5):
        report = graded(chapter, reference, read("own_tests", "h04_one_ticket"), Shells(tree, Worker()), seed)
        (ticket,) = (test for test in report.own_tests if test.name == "split_by_hand")
        assert ticket.kills == []


IN_ONE_PROCESS = """
import sys
from radixlab import course
from radixlab.checker.subject import Subject
from radixlab.checker.verdict import check
from radixlab.checker.worker import Shells

chapter = course.chapter("ds.07")
subject = Subject(chapter.text("reference.py"), "radix.py")
print(check(chapter, subject, sys.stdin.read(), Shells.inline(), seed=1).verdict)
"""


def test_in_one_process_the_frames_tell_all():
    """The reason why the desktop grades in a process of its own, and why a browser's verdict is advice.

    The process is a fresh one: what other tests left in this one confuses the attack.
    """
    tests = read("own_tests", "g13_frame_walk")
    ran = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS], input=tests, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "pass\n"


@pytest.mark.parametrize("name", names("trees"))
def test_a_broken_tree_does_not_pass(name, chapter, good_tests, marker):
    shells = Shells(*(Worker(silence=1.0) if name in IMPATIENT else Worker() for _ in range(2)))
    try:
        report = graded(chapter, read("trees", name), good_tests, shells)
    finally:
        shells.close()
    assert report.verdict == "fail"
    outcomes = {test.outcome for test in report.tests}
    assert outcomes <= {"passed", *TREES[name]} and outcomes & TREES[name]
    assert all(test.valid for test in report.own_tests) and report.mutation.passed, "the tests are not to blame"
    assert left_behind(marker) == []


@pytest.mark.parametrize("name", names("trees", inline=True))
def test_a_broken_tree_does_not_pass_in_one_process(name, chapter, untouched):
    report = graded(chapter, read("trees", name), None, Shells(Inline(), Inline()))
    outcomes = {test.outcome for test in report.tests}
    assert report.verdict == "fail" and outcomes <= {"passed", *TREES[name]} and outcomes & TREES[name]
