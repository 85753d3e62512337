"""The worker: the engine in a spawned process, watched by the clock.

A process that gives no answer for a while is killed and another one goes on with the rest. What hides from the step
budget (a loop in C, `sleep`, a crash, `os._exit`) ends here, and is never a pass.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from radixlab.checker.job import Job, Outcome, order_of
from radixlab.checker.process import Process, line_in

SILENCE = 5.0  # seconds that a test may take
DEADLINE = 15.0  # seconds that all jobs of one `run` may take
KILLS = 2  # then the rest is not run

Answers = list[dict[str, Outcome]]
Watch = Callable[[int, Outcome], None]


def nobody_watches(number: int, outcome: Outcome) -> None:
    """Do nothing with an outcome that has come."""


class Inline:
    """The engine in this very process: no fork, subprocess, thread or signal, and no watchdog."""

    def run(self, jobs: list[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come; *end* is ignored."""
        from radixlab.checker import engine  # pytest takes its time to load, and `ol` can do without

        answers: Answers = [{} for _ in jobs]

        def report(number: int, outcome: Outcome) -> None:
            answers[number][outcome.name] = outcome
            watch(number, outcome)

        engine.run(jobs, report)
        return answers

    def close(self) -> None:
        """Nothing to end."""


class Worker:
    """A process with the engine in it, started when first needed, and kept for the next `run`.

    *silence* and *deadline*: seconds, for one test and for one `run`.
    """

    def __init__(self, silence: float = SILENCE, deadline: float = DEADLINE) -> None:
        self.silence, self.deadline = silence, deadline
        self._process: Process | None = None

    def run(self, jobs: list[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come.

        *end*: the deadline, on the monotonic clock, when several runs share one.
        A test that gave no answer has the outcome timeout, or no_answer when its process ended. What was not reached
        before the deadline, or after the last kill, is not_run.
        """
        answers: Answers = [{} for _ in jobs]
        end, kills = end or time.monotonic() + self.deadline, 0
        try:
            while kills < KILLS and any(_missing(jobs, answers)):
                stopped = self._pass(jobs, answers, end, watch)
                if stopped == "deadline":
                    break
                if stopped:
                    kills += 1
        except BaseException:
            self.close()
            raise
        why = "the time was used up before its turn came" if kills < KILLS else f"not run after {KILLS} that hung"
        for number, name in _missing(jobs, answers):
            answers[number][name] = Outcome(name, "not_run", why)
            watch(number, answers[number][name])
        return answers

    def start(self) -> "Worker":
        """Start the process now, so that it is ready when it is needed; return the worker itself."""
        self._process = self._process or Process(self.silence)
        return self

    def _pass(self, jobs: list[Job], answers: Answers, end: float, watch: Watch) -> str | None:
        """Run what is missing in one process until all is there or it stops; say how it stopped."""
        todo: dict[int, Job] = {}
        for number, name in _missing(jobs, answers):
            names = todo[number].names if number in todo else ()
            todo[number] = replace(jobs[number], names=(*names, name))
        self.start()
        waiting = [(number, name) for number, job in todo.items() for name in order_of(job)]
        for message in self._process.ask(list(todo.values()), self.silence, end):
            if isinstance(message, str):  # it stopped
                if waiting and message != "deadline":
                    number, name = waiting[0]
                    stack = self._process.stack()
                    answers[number][name] = _unanswered(name, jobs[number], message, self.silence, stack)
                    watch(number, answers[number][name])
                self.close()
                return message
            number, outcome = list(todo)[message[0]], message[1]
            if (number, outcome.name) in waiting:
                waiting.remove((number, outcome.name))
                answers[number][outcome.name] = outcome
                watch(number, outcome)
        if waiting:  # it said that it was done, and was not: nothing more that it says counts
            self.close()
            return "a lie"
        return None

    def close(self) -> None:
        """End the process, and whatever it started."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def __enter__(self) -> "Worker":
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _missing(jobs: list[Job], answers: Answers) -> Iterator[tuple[int, str]]:
    return ((n, name) for n, job in enumerate(jobs) for name in job.names if name not in answers[n])


def _unanswered(name: str, job: Job, stopped: str, silence: float, stack: str) -> Outcome:
    """Return the outcome of a test that was killed or left; *stack*: what its process wrote down last."""
    lines = [line_in(stack, filename) for filename in (job.tests.filename, job.subject.co_filename)]
    lines[1] = None if job.quiet else lines[1]
    if stopped == "silence":
        text = f"no answer for {silence:g} s: it sleeps, or loops outside Python"
        return Outcome(name, "timeout", text, None, *lines, duration_s=silence)
    return Outcome(name, "no_answer", f"it ended the process in the middle of the test ({stopped})", None, *lines)
