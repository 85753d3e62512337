"""A class: what has no grade yet goes to the executor, and what comes goes into the ledger, at once and for good."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from radixlab.classroom import alone
from radixlab.classroom.copies import shared
from radixlab.classroom.executor import Executor, Task
from radixlab.classroom.grade import Grade
from radixlab.classroom.grading import version_of
from radixlab.classroom.ledger import Entry, Ledger
from radixlab.classroom.reading import Found, read
from radixlab.classroom.sandbox import NoSandbox, Sandbox
from radixlab.classroom.secret import seed_of
from radixlab.classroom.shell import shells
from radixlab.course import Chapter

Watch = Callable[[int, int], None]  # how many are graded, of how many


def isolation_here(isolation: str) -> str:
    """Return what *isolation* comes to on this machine, `required` or `none`, by starting a sandbox.

    NoSandbox when it is required and does not start.
    """
    try:
        _, named = shells(isolation)
        if named == "none":
            return "none"
        sandbox = Sandbox()
        try:
            sandbox.wait()
        finally:
            sandbox.close()
    except NoSandbox:
        if isolation == "required":
            raise
        return "none"
    return "required"


class Run:
    """The grading of a class of submissions on *chapter*, kept in *ledger*; *timeout*: seconds for one submission.

    *isolation*: required or none. What the ledger has already is not graded again, but an `infra_error`, what was
    graded without the sandbox where it is required, and what ran out of less time than there is now.
    """

    def __init__(
        self, found: Sequence[Found], chapter: Chapter, ledger: Ledger, isolation: str, timeout: float = alone.TIMEOUT
    ) -> None:
        self.found, self.chapter, self.ledger = found, chapter, ledger
        self.isolation, self.timeout = isolation, timeout
        self.version = version_of(chapter)
        self._entries: dict[str, Entry] = {}
        for each in found:
            self._note(each)
        ledger.enrol(self._entries.values())
        self.missing = [name for name in self._first_of_each() if self._is_missing(name)]

    def grade(self, executor: Executor, watch: Watch = lambda done, all: None) -> None:
        """Grade what is missing; *watch* learns of each grade. Whatever ends this, the executor is cancelled.

        NoExecutor and LedgerFailed pass through: what was graded until then is in the ledger.
        """
        all = len(self.missing)
        watch(0, all)
        try:
            for done, grade in enumerate(executor.grades(self._tasks()), 1):
                self.ledger.add(Grade.from_dict(grade), self.timeout)
                watch(done, all)
        finally:
            executor.cancel()

    def grades(self) -> list[Grade]:
        """Return the grades in the ledger, one a submission, by name: also of runs before."""
        return shared(self.ledger.grades(self.version))

    def _note(self, found: Found):
        """Read *found*, and note what it holds."""
        submission = read(found, self.chapter)
        self._entries[found.name] = Entry(
            found.name, submission.learner, submission.sha256, submission.notes, found.number
        )
        return submission

    def _first_of_each(self) -> list[str]:
        """Return the names of the submissions, one for each content."""
        first = {entry.sha256: entry.name for entry in reversed(self._entries.values())}
        return [name for name in self._entries if first[self._entries[name].sha256] == name]

    def _is_missing(self, name: str) -> bool:
        key = self._entries[name].sha256, self.version
        grade = self.ledger.find(*key)
        if grade is None or not grade.final or (self.isolation == "required" and grade.isolation == "none"):
            return True
        return grade.ran_out_of_time and self.timeout > self.ledger.time_given(*key)

    def _tasks(self) -> Iterator[Task]:
        """Give the task of each missing submission, read anew when its turn comes: a class need not fit into memory."""
        places = {each.name: each for each in self.found}
        for name in self.missing:
            before = self._entries[name].sha256
            submission = self._note(places[name])
            if submission.sha256 != before:  # it was changed meanwhile: it is graded as it is now
                self.ledger.enrol(self._entries.values())
            plain = replace(submission, notes=()).as_dict()
            seed = seed_of(self._entries[name].sha256)
            yield alone.task(plain, self.chapter.id, self.version, self.isolation, self.timeout, seed)
