"""The engine: run test files against subjects, in this process, in one pytest session, under a step budget.

It needs no fork, subprocess, thread or signal, and no file of the learner's. What comes back is an
outcome for each expected test of a job. The engine never knows which subject a job holds.
"""

import contextlib
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from radixlab.checker.asserts import compile_tests
from radixlab.checker.budget import CALL_STEPS, OURS_STEPS, TEST_STEPS, Meter
from radixlab.checker.face import face_of
from radixlab.checker.job import Job, Outcome, order_of
from radixlab.checker.judge import Left, Uncollectable, fold, unloadable
from radixlab.checker.kinds import without_addresses
from radixlab.checker.output import CappedOutput
from radixlab.checker.subject import load, modules_restored

MESSAGE = 2_000  # characters of a message


def run(jobs: Iterable[Job], report: Callable[[int, Outcome], None], *, interruptible: bool = True) -> None:
    """Run each job in turn and *report* its number and each outcome as soon as it is there.

    *interruptible*: a KeyboardInterrupt is the user's and passes through; otherwise it is the learner's code's, and a
    failure. Jobs are taken one at a time, so the iterable may wait for more.
    """
    session = _Session(jobs, report, interruptible)
    with _nailed_down():
        code = pytest.main(_ARGUMENTS, plugins=[session])
    if session.interrupted:
        raise KeyboardInterrupt
    if not session.finished:
        raise RuntimeError(f"pytest ended early, with exit code {int(code)}")


_UNUSED = (
    *("cacheprovider", "doctest", "faulthandler", "junitxml", "logging", "pastebin", "stepwise", "terminal"),
    *("threadexception", "unittest", "unraisableexception", "warnings"),
)
_ARGUMENTS = [
    *("-c", os.devnull, "--noconftest", "--rootdir", str(Path(__file__).parent), "--capture=no"),
    *(f"-pno:{name}" for name in _UNUSED),
]


@contextlib.contextmanager
def _nailed_down() -> Iterator[None]:
    """Keep pytest from reading the surroundings: its own variables, plugins, and whether this is a CI machine."""
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    gone = {k: v for k, v in os.environ.items() if k.startswith("PYTEST_") or k in ("CI", "BUILD_NUMBER")}
    dont_write, state = sys.dont_write_bytecode, random.getstate()
    for name in gone:
        del os.environ[name]
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in [k for k in os.environ if k.startswith("PYTEST_")]:
            del os.environ[name]
        os.environ.update(gone)
        sys.dont_write_bytecode = dont_write
        random.setstate(state)


def _in_no_words(error: pytest.ExceptionInfo) -> str:
    """Stand for pytest's own text of a failure, which is dear, and which nobody reads."""
    return ""


class _Tests(pytest.Module):
    """The tests of one job: a module made from compiled code, with the subject's face in `sys.modules`."""

    job: Job
    own: Meter

    def _getobj(self) -> ModuleType:
        return load(compile_tests(*self.job.tests, keep=self.job.ours), self.own, "tests")


class _Session:
    """A plugin that replaces collection and the run loop by the jobs."""

    def __init__(self, jobs: Iterable[Job], report: Callable[[int, Outcome], None], interruptible: bool) -> None:
        self.jobs, self.report, self.interruptible = jobs, report, interruptible
        self.finished = self.interrupted = False
        self.outcome: Outcome | None = None
        self.output = CappedOutput()

    # pytest's hooks

    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect nothing: each job collects its own tests."""
        session.items = []
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the jobs."""
        session.config.option.tbstyle = "no"
        for number, job in enumerate(self.jobs):
            with modules_restored(job.module, *(name for name, _ in job.needs)):
                self._run(session, number, job)
        self.finished = True
        return True

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the user interrupted."""
        self.interrupted = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Refuse a test file that pytest cannot collect."""
        if report.failed:
            raise Uncollectable(str(report.longrepr))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run one test without a word to those who print: nobody does."""
        runtestprotocol(item, log=False, nextitem=nextitem)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        """Turn an attempt to leave the session into a failure."""
        try:
            return (yield)
        except KeyboardInterrupt as left:
            if self.interruptible:
                raise
            raise Left("KeyboardInterrupt was raised") from left
        except (SystemExit, pytest.exit.Exception) as left:
            name = "pytest.exit" if isinstance(left, pytest.exit.Exception) else "SystemExit"
            raise Left(f"{name} was raised") from left

    pytest_runtest_setup = pytest_runtest_teardown = pytest_pyfunc_call  # fixtures can try it too

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
        """Fold one phase of a test into its outcome."""
        phase = yield
        if self.outcome is not None:
            fold(self.outcome, phase, call, self.filenames)
        return phase

    @pytest.fixture
    def steps(self) -> Callable[[Callable[[], Any]], int]:
        """Return a function that counts the steps which the subject takes while another one runs."""
        if not self.job.ours:
            raise LookupError("only the chapter's own tests can count steps")

        def steps(run: Callable[[], Any]) -> int:
            before = self.subject_meter.total()
            run()
            return self.subject_meter.total() - before

        return steps

    @pytest.fixture
    def figure(self) -> Callable[[str, float], None]:
        """Return a function that notes a figure, as information."""
        if not self.job.ours:
            raise LookupError("only the chapter's own tests can note a figure")
        return self.outcome.figures.__setitem__

    # One job

    def _run(self, session: pytest.Session, number: int, job: Job) -> None:
        self.job = job
        self.filenames = (job.tests.filename, job.subject.co_filename)
        self.subject_meter, self.own_meter = Meter(CALL_STEPS), Meter(CALL_STEPS)
        answered: set[str] = set()

        def answer(outcome: Outcome) -> None:
            answered.add(outcome.name)
            outcome.message = self._with_output(outcome)
            self.report(number, outcome)

        began = time.perf_counter()
        try:
            self.output.fresh()
            with self.output:
                items = self._collect(session, number, job)
        except BaseException as error:  # SystemExit, a spent budget and a skip are no Exceptions
            if isinstance(error, KeyboardInterrupt) and self.interruptible:
                raise
            for name in job.names:
                answer(unloadable(name, error, self.filenames, time.perf_counter() - began))
        else:
            self.own_meter.fresh(OURS_STEPS if job.ours else TEST_STEPS)
            for name, outcome in self._play(items, job):
                if name not in answered:
                    answer(outcome)
            for name in job.names:
                if name not in answered:
                    answer(Outcome(name, "not_run", "the test is not there"))

    def _collect(self, session: pytest.Session, number: int, job: Job) -> dict[str, list[pytest.Item]]:
        """Load the subject, then the tests; return the items of each expected test."""
        for name, code in job.needs:
            sys.modules[name] = load(code, self.subject_meter, name)
        raw = load(job.subject, self.subject_meter, job.module)
        meters = self.subject_meter, self.own_meter
        shown = face_of(job.face).around(raw, *meters, quiet=job.quiet, makes=job.makes)
        sys.modules[job.module] = shown
        self.trace = vars(shown).pop("__trace__")
        path = session.config.rootpath / f"{number}.py"
        module = _Tests.from_parent(session, path=path, nodeid=f"{number}")
        module.job, module.own = job, self.own_meter
        _ = module.obj
        items: dict[str, list[pytest.Item]] = {name: [] for name in job.names}
        for item in session.genitems(module):
            item.location = (job.tests.filename, None, item.name)  # else pytest looks for the file
            item.repr_failure = _in_no_words
            name = getattr(item, "originalname", item.name).removeprefix("test_")
            items.get(name, []).append(item)
        return items

    def _play(self, items: dict[str, list[pytest.Item]], job: Job) -> Iterator[tuple[str, Outcome]]:
        """Run the tests in their order, each on its own; a parametrized test has the worst outcome of its runs."""
        names = order_of(job)
        last: pytest.Item | None = None
        following = [item for name in names for item in items[name]]
        for name in names:
            runs = []
            for item in items[name]:
                following.pop(0)
                last = item
                runs.append(self._one(name, item, following[0] if following else None))
            if runs:
                worst = max(runs, key=lambda outcome: outcome.outcome != "passed")
                worst.ticks = sum(outcome.ticks for outcome in runs)
                worst.duration_s = sum(outcome.duration_s for outcome in runs)
                yield name, worst
        if last is not None:
            last.session._setupstate.teardown_exact(None)

    def _one(self, name: str, item: pytest.Item, following: pytest.Item | None) -> Outcome:
        outcome = self.outcome = Outcome(name, "passed")
        self.subject_meter.fresh()
        self.own_meter.fresh()
        self.output.fresh()
        random.seed(0)
        if self.job.traced:
            self.trace.begin()
        try:
            with self.output:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        finally:
            self.outcome = None
        outcome.ticks = self.subject_meter.total() + self.own_meter.total()
        spent = self.subject_meter.spent or self.own_meter.spent or self.output.spent
        if spent:  # even if the test hid it
            mine = None if self.subject_meter.spent and self.job.quiet else spent
            outcome.outcome, outcome.how = "budget", "budget"
            outcome.message = mine or f"the {self.job.makes} ran past its step budget"
        outcome.trace = self.trace.end()
        return outcome

    def _with_output(self, outcome: Outcome) -> str:
        message = without_addresses(outcome.message)[:MESSAGE]
        printed = self.output.tail()
        if outcome.outcome == "passed" or not printed or self.output.spent:
            return message
        return f"{message}\nprinted: {without_addresses(printed)}"
