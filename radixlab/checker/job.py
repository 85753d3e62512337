"""What goes into an engine and what comes out: a job, and an outcome for each of its tests."""

import random
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple


class TestFile(NamedTuple):
    """The source of a test file, and the name under which its lines are reported."""

    __test__ = False  # no test for pytest, whatever its name

    source: str
    filename: str


@dataclass(frozen=True)
class Job:
    """One subject and one test file.

    *names*: the tests expected, without `test_`, each of which gets an outcome; *face*: the text of the `face.pyi`;
    *module*: the name under which the tests import it; *order* seeds the order in which they run, None for the order of
    the file. *quiet*: the subject is one of ours, its texts stay behind. *ours*: the tests are the chapter's, which may
    count steps and note figures. *traced*: what the tests see at the face is written down. *needs*: the modules that
    the subject builds on, name and code, loaded before it; *makes*: what the subject makes, in a word for messages.
    *theirs*: the subject is the learner's.
    """

    subject: CodeType
    tests: TestFile
    names: tuple[str, ...]
    face: str
    module: str = "radix"
    order: int | None = None
    quiet: bool = False
    ours: bool = False
    traced: bool = False
    needs: tuple[tuple[str, CodeType], ...] = ()
    makes: str = "tree"
    theirs: bool = False


@dataclass
class Outcome:
    """What became of one test.

    *outcome*: passed, failed, error (not in the test's own call), budget, timeout, no_answer or not_run; *how* a failed
    one failed: assertion, exception or budget; *test_line* and *subject_line*: where in each file, if there.
    """

    name: str
    outcome: str
    message: str = ""
    how: str | None = None
    test_line: int | None = None
    subject_line: int | None = None
    duration_s: float = 0.0
    ticks: int = 0
    trace: str | None = None
    figures: dict[str, float] = field(default_factory=dict)

    @classmethod
    def from_plain(cls, fields: list) -> "Outcome":
        """Return the outcome that `astuple` took apart; ValueError when it is none: a hostile file may have written it.

        >>> Outcome.from_plain(["a", "passed", "", None, None, None, 0.5, 7, None, {}]).ticks
        7
        """
        outcome = cls(*fields)
        if not (
            all(type(value) in _TYPES[name] for name, value in vars(outcome).items())
            and outcome.outcome in OUTCOMES
            and outcome.how in (None, "assertion", "exception", "budget")
            and all(type(name) is str and type(n) in (int, float) for name, n in outcome.figures.items())
        ):
            raise ValueError("no outcome")
        return outcome


OUTCOMES = ("passed", "failed", "error", "budget", "timeout", "no_answer", "not_run")
_TEXT, _LINE = (str, type(None)), (int, type(None))
_TYPES = {"name": (str,), "outcome": (str,), "message": (str,), "how": _TEXT, "trace": _TEXT, "figures": (dict,)}
_TYPES |= {"test_line": _LINE, "subject_line": _LINE, "duration_s": (int, float), "ticks": (int,)}


def order_of(job: Job) -> list[str]:
    """Return the names of the tests of *job* in the order in which they run."""
    names = list(job.names)
    if job.order is not None:
        random.Random(job.order).shuffle(names)
    return names
