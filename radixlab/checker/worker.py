"""The worker: the engine in a spawned process, watched by the clock.

A process that gives no answer for a while is killed and another one goes on with the rest. What hides from the step
budget (a loop in C, `sleep`, a crash, `os._exit`) ends here, and is never a pass.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from radixlab.checker.job import Job, Outcome, order_of
from radixlab.checker.process import CheckerFailed, Process

SILENCE = 5.0  # seconds that a test may take
DEADLINE = 15.0  # seconds that all jobs of one `run` may take
KILLS = 2  # then the rest is not run

LATE = "the time was used up before its turn came"
AFTER_KILLS = "not run after"

Answers = list[dict[str, Outcome]]
Watch = Callable[[int, Outcome], None]


def nobody_watches(number: int, outcome: Outcome) -> None:
    """Do nothing with an outcome that has come."""


class Inline:
    """The engine in this very process: no fork, subprocess, thread or signal, and no watchdog."""

    def run(self, jobs: Iterable[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come; *end* is ignored."""
        from radixlab.checker import engine  # pytest takes its time to load, and `ol` can do without

        answers: Answers = []

        def noted() -> Iterator[Job]:
            for job in jobs:
                answers.append({})
                yield job

        def report(number: int, outcome: Outcome) -> None:
            answers[number][outcome.name] = outcome
            watch(number, outcome)

        engine.run(noted(), report)
        return answers

    def start(self) -> "Inline":
        """Return the shell itself: there is nothing to start."""
        return self

    def close(self) -> None:
        """Nothing to end."""

    renew = close


class Worker:
    """A process with the engine in it, started when first needed, and kept for the next `run`.

    *silence* and *deadline*: seconds, for one test and for one `run`; *process* starts a process, given the silence.
    """

    def __init__(
        self, silence: float = SILENCE, deadline: float = DEADLINE, process: Callable[[float], Process] = Process
    ) -> None:
        self.silence, self.deadline, self._new_process = silence, deadline, process
        self._process: Process | None = None
        self.stopped = False

    def run(self, jobs: Iterable[Job], watch: Watch = nobody_watches, end: float | None = None) -> Answers:
        """Return, for each job, the outcome of each expected test; *watch* sees each one come.

        Each job is handed over as soon as *jobs* yields it, so that the next ones can be made while it runs. *end*: the
        deadline, on the monotonic clock, when several runs share one. A test that gave no answer has the outcome
        timeout, or no_answer when its process ended. What was not reached before the deadline, or after the last kill,
        is not_run.
        """
        course = _Course(iter(jobs), watch)
        end, kills = end or time.monotonic() + self.deadline, 0
        try:
            while kills < KILLS:
                stopped = course.follow(self.start()._process, self.silence, end)
                if stopped:
                    self.close()
                if stopped in (None, "deadline"):
                    break
                kills += 1
        except BaseException:
            self.close()
            raise
        course.give_up(LATE if kills < KILLS else f"{AFTER_KILLS} {KILLS} that hung")
        return course.answers

    def start(self) -> "Worker":
        """Start the process now, so that it is ready when it is needed; return the worker itself."""
        self._process = self._process or self._new_process(self.silence)
        if self.stopped:  # meanwhile
            self.close()
            raise CheckerFailed("the worker was stopped")
        return self

    def close(self) -> None:
        """End the process, and whatever it started."""
        process, self._process = self._process, None  # first, so that a run in another thread sees that it is over
        if process is not None:
            process.kill()

    def renew(self) -> None:
        """Become as if nothing had run yet: with another process, unless this one can be renewed."""
        if self._process is not None and not self._process.renew():
            self.close()

    def stop(self) -> None:
        """Close, and refuse to start again while `stopped`: a run under way in another thread raises."""
        self.stopped = True
        self.close()

    def __enter__(self) -> "Worker":
        """Return the worker itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


@dataclass
class Shells:
    """Where a check runs: one shell for the learner's tree, another for their tests, at the same time if they can."""

    tree: Inline | Worker = field(default_factory=Worker)
    tests: Inline | Worker = field(default_factory=Worker)

    @classmethod
    def inline(cls) -> "Shells":
        """Return shells that run everything in this process, one after the other."""
        return cls(Inline(), Inline())

    def start(self) -> None:
        """Start their processes now, so that they load while there is other work."""
        self.tree.start()
        self.tests.start()

    def close(self) -> None:
        """End their processes."""
        self.tree.close()
        self.tests.close()

    def renew(self) -> None:
        """Become as if nothing had run yet."""
        self.tree.renew()
        self.tests.renew()

    def both(self, on_tree, on_tests) -> tuple:
        """Run both functions, side by side where there are processes to run them in, and return their results."""
        if isinstance(self.tree, Inline):
            return on_tree(), on_tests()
        pool = ThreadPoolExecutor(2)
        try:
            futures = [pool.submit(on_tree), pool.submit(on_tests)]
            return tuple(future.result() for future in futures)
        except BaseException:
            self.tree.stop()
            self.tests.stop()
            raise
        finally:
            pool.shutdown()
            self.tree.stopped = self.tests.stopped = False


class _Course:
    """The course of one run: the jobs so far, and what has been answered, whatever happens to processes."""

    def __init__(self, jobs: Iterator[Job], watch: Watch) -> None:
        self.coming, self.watch = jobs, watch
        self.jobs: list[Job] = []
        self.answers: Answers = []

    def follow(self, process: Process, silence: float, end: float) -> str | None:
        """Hand over what is missing and take the answers until all are there; else say how *process* stopped."""
        numbers: dict[int, int] = {}  # of the process -> of the job
        waiting: list[tuple[int, str]] = []  # in the order of the answers to come

        def send(number: int) -> None:
            job = replace(self.jobs[number], names=self.missing(number))
            if job.names:
                numbers[process.send(job)] = number
                waiting.extend((number, name) for name in order_of(job))

        for number in range(len(self.jobs)):
            send(number)
        for job in self.coming:
            self.jobs.append(job)
            self.answers.append({})
            send(len(self.jobs) - 1)
        last = time.monotonic()
        while waiting:
            message = process.answer(last + silence, end)
            if message == "ready":
                last = time.monotonic()
                continue
            if message == "deadline":
                return message
            if isinstance(message, str):
                number, name = waiting[0]
                self.take(number, _unanswered(name, self.jobs[number], message, silence, process))
                return message
            number, outcome = numbers.get(message[0]), message[1]
            if (number, outcome.name) in waiting:
                waiting.remove((number, outcome.name))
                last = time.monotonic()
                self.take(number, outcome)
        return None

    def missing(self, number: int) -> tuple[str, ...]:
        """Return the tests of a job that have no outcome yet."""
        return tuple(name for name in self.jobs[number].names if name not in self.answers[number])

    def take(self, number: int, outcome: Outcome) -> None:
        """Note an outcome."""
        self.answers[number][outcome.name] = outcome
        self.watch(number, outcome)

    def give_up(self, why: str) -> None:
        """Give every test that has no outcome yet the outcome not_run."""
        for job in self.coming:
            self.jobs.append(job)
            self.answers.append({})
        for number in range(len(self.jobs)):
            for name in self.missing(number):
                self.take(number, Outcome(name, "not_run", why))


def _unanswered(name: str, job: Job, stopped: str, silence: float, process: Process) -> Outcome:
    """Return the outcome of a test that was killed or left, with the lines where *process* last was."""
    test_line = process.line_in(job.tests.filename)
    subject_line = None if job.quiet else process.line_in(job.subject.co_filename)
    if stopped == "silence":
        text = f"no answer for {silence:g} s: it sleeps, or loops outside Python"
        return Outcome(name, "timeout", text, None, test_line, subject_line, duration_s=silence)
    text = f"it ended the process in the middle of the test ({stopped})"
    return Outcome(name, "no_answer", text, None, test_line, subject_line)
