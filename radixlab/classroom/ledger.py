"""The ledger of a class: one row for each content and version of the chapter, in one SQLite file.

A row is there whole or not at all, whatever ends the process that writes it, and a final one is never replaced by
another of the same worth. So a run can be killed anywhere, and the next one grades what is missing, and only that.
"""

import contextlib
import json
import math
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from radixlab.classroom.grade import Grade

NAME = "ledger.sqlite"
_PATIENCE = 30.0  # seconds that another process may hold it
_TABLES = """
CREATE TABLE IF NOT EXISTS grades (
    sha256 TEXT NOT NULL, chapter_version TEXT NOT NULL, grade TEXT NOT NULL, timeout_s REAL NOT NULL,
    PRIMARY KEY (sha256, chapter_version)
);
CREATE TABLE IF NOT EXISTS submissions (
    name TEXT PRIMARY KEY, learner TEXT NOT NULL, number TEXT NOT NULL, sha256 TEXT NOT NULL, notes TEXT NOT NULL
);
"""


class LedgerFailed(OSError):
    """The ledger cannot be read or written; the text says why, and what was written stays."""


class Entry(NamedTuple):
    """A submission, and the hash of its content, which another may have too.

    *number*: by which a course system knows the learner, "" where there is none.
    """

    name: str
    learner: str
    sha256: str
    notes: tuple[str, ...] = ()
    number: str = ""


class Ledger:
    """The ledger in the file *path*, made when it is not there; one connection, for one thread.

    Every method raises LedgerFailed when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._told():
            self._rows = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            with self._told():
                self._rows.execute("PRAGMA journal_mode = WAL")
                self._rows.execute("PRAGMA synchronous = FULL")
                self._rows.executescript(_TABLES)
        except LedgerFailed:
            self._rows.close()
            raise

    def enrol(self, entries: Iterable[Entry]) -> None:
        """Note submissions, each in place of the one of that name; those of earlier runs stay."""
        rows = [(each.name, each.learner, each.number, each.sha256, json.dumps(each.notes)) for each in entries]
        with self._told(), self._transaction():
            self._rows.executemany("INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?)", rows)

    def add(self, grade: Grade, timeout_s: float = 0.0) -> bool:
        """Keep *grade*, unless there is one as good for the same content; return whether it was kept.

        A final one is better than an `infra_error`, one from the sandbox better than one without, and one that had
        time enough, or at least more of it (*timeout_s*), better than one that had not.
        """
        row = grade.sha256, grade.chapter_version, json.dumps(grade.as_dict()), timeout_s
        with self._told(), self._transaction():
            old = self._find(grade.sha256, grade.chapter_version)
            if old is not None and old[0].final and _worth(*old) >= _worth(grade, timeout_s):
                return False
            self._rows.execute("INSERT OR REPLACE INTO grades VALUES (?, ?, ?, ?)", row)
            return True

    def find(self, sha256: str, chapter_version: str) -> Grade | None:
        """Return the grade of a content, None when there is none."""
        with self._told():
            return (self._find(sha256, chapter_version) or (None,))[0]

    def time_given(self, sha256: str, chapter_version: str) -> float:
        """Return how many seconds the submission had whose grade is kept, 0 when there is none."""
        with self._told():
            return (self._find(sha256, chapter_version) or (None, 0.0))[1]

    def grades(self, chapter_version: str) -> Iterator[Grade]:
        """Give the grade of each submission that has one, by name, with its own name and notes.

        Learners of one name are told apart by their numbers.
        """
        query = """
            SELECT name, notes, grade, learner || CASE WHEN learner IN (
                SELECT learner FROM submissions GROUP BY learner HAVING COUNT(DISTINCT number) > 1
            ) AND number != '' THEN ' ' || number ELSE '' END
            FROM submissions JOIN grades USING (sha256) WHERE chapter_version = ? ORDER BY name
        """
        with self._told():
            for name, notes, text, learner in self._rows.execute(query, (chapter_version,)):
                grade = _grade(text)
                own = (*json.loads(notes), *grade.notes)
                yield replace(grade, submission=name, learner=learner, notes=own)

    def ungraded(self, chapter_version: str) -> list[str]:
        """Return the names of the submissions that have no grade."""
        query = "SELECT name FROM submissions WHERE sha256 NOT IN (SELECT sha256 FROM grades WHERE chapter_version = ?)"
        with self._told():
            return [name for (name,) in self._rows.execute(query, (chapter_version,))]

    def chapter(self) -> str | None:
        """Return the chapter of which there are grades here, None when there is none."""
        with self._told():
            row = self._rows.execute("SELECT grade FROM grades LIMIT 1").fetchone()
            return _grade(row[0]).chapter if row else None

    def close(self) -> None:
        """Close the file."""
        with self._told():
            self._rows.close()

    def __enter__(self) -> "Ledger":
        """Return the ledger itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _find(self, sha256: str, chapter_version: str) -> tuple[Grade, float] | None:
        query = "SELECT grade, timeout_s FROM grades WHERE sha256 = ? AND chapter_version = ?"
        row = self._rows.execute(query, (sha256, chapter_version)).fetchone()
        return (_grade(row[0]), row[1]) if row else None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all or nothing."""
        self._rows.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._rows.execute("COMMIT")
        finally:
            if self._rows.in_transaction:
                self._rows.execute("ROLLBACK")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what SQLite, or the content of the file, raises into a sentence."""
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            raise LedgerFailed(f"the ledger {self.path} cannot be used: {error}") from error


def _grade(text: str) -> Grade:
    return Grade.from_dict(json.loads(text))


def _worth(grade: Grade, timeout_s: float) -> tuple[bool, bool, float]:
    return grade.final, grade.isolation != "none", timeout_s if grade.ran_out_of_time else math.inf
