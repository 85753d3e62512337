"""What pytest says of a test, as an outcome: how it failed, in which words, and where."""

import re

import pytest

from radixlab.checker.budget import OutOfSteps
from radixlab.checker.job import Outcome
from radixlab.checker.output import OutOfOutput


class Left(Exception):
    """The test, or the subject, tried to leave: SystemExit, KeyboardInterrupt or pytest.exit."""


class Uncollectable(Exception):
    """pytest cannot collect the test file."""


def fold(outcome: Outcome, phase: pytest.TestReport, call: pytest.CallInfo, filenames: tuple[str, str]) -> None:
    """Fold the report of one phase (setup, call, teardown) into *outcome*; the first that is no pass counts.

    *filenames*: of the test file and of the subject. Only the test's own call judges the subject: an assertion there,
    `pytest.raises` included, or an exception; what goes wrong around it is an error.
    """
    outcome.duration_s += call.duration
    if outcome.outcome != "passed":
        return
    if phase.skipped:
        outcome.outcome, outcome.message = "not_run", "the test was skipped, or expects to fail"
    elif phase.failed:
        in_call = call.when == "call"
        outcome.outcome = "failed" if in_call else "error"
        if call.excinfo is None:  # a strict xfail that passed
            outcome.message = "the test expects to fail"
            outcome.outcome = "not_run"
            return
        error = call.excinfo.value
        outcome.message = message_of(error)
        outcome.test_line, outcome.subject_line = lines_of(error, filenames)
        if in_call:
            judged = isinstance(error, AssertionError | pytest.fail.Exception)
            outcome.how = "assertion" if judged and not hasattr(error, "__crossed__") else "exception"
    elif hasattr(phase, "wasxfail"):
        outcome.outcome, outcome.message = "not_run", "the test expects to fail"


def unloadable(name: str, error: BaseException, filenames: tuple[str, str], duration: float) -> Outcome:
    """Return the outcome of a test whose subject or test file does not load."""
    test_line, subject_line = lines_of(error, filenames)
    outcome = "budget" if isinstance(error, OutOfSteps | OutOfOutput) else "error"
    return Outcome(name, outcome, message_of(error), None, test_line, subject_line, duration)


def message_of(error: BaseException) -> str:
    """Return what *error* says, its class in front unless it is an assertion.

    >>> message_of(AssertionError("two, not 3")), message_of(KeyError(3))
    ('two, not 3', 'KeyError: 3')
    """
    if isinstance(error, pytest.FixtureLookupError):
        return f"there is no fixture {error.argname!r}"
    try:
        said = error.args[0] if isinstance(error, KeyError) and hasattr(error, "__crossed__") else error
        text = re.sub(r"\n\s*(Use -v to get more diff|Full diff.*)$", "", str(said))
    except Exception:  # its own `__str__` fails
        text = ""
    if isinstance(error, pytest.fail.Exception | OutOfSteps | OutOfOutput | Left | Uncollectable):
        return text
    if type(error) is Exception and hasattr(error, "__crossed__"):
        return text
    if isinstance(error, SystemExit):
        return "SystemExit was raised: the file must not end the program"
    if isinstance(error, AssertionError):
        return text or "an assertion does not hold"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def lines_of(error: BaseException | None, filenames: tuple[str, str]) -> tuple[int | None, int | None]:
    """Return the innermost lines of *error*, and of what caused it, in the test file and in the subject."""
    lines: dict[str, int] = {}
    while error is not None:
        frame = error.__traceback__
        while frame is not None:
            lines[frame.tb_frame.f_code.co_filename] = frame.tb_lineno
            frame = frame.tb_next
        error = error.__cause__
    return lines.get(filenames[0]), lines.get(filenames[1])
