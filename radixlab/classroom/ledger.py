"""The ledger of a class: one row for each content and version of the chapter, in one SQLite file.

A row is there whole or not at all, whatever ends the process that writes it, and a final one is never replaced by
another of the same worth. So a run can be killed anywhere, and the next one grades what is missing, and only that.
"""

import contextlib
import json
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
    sha256 TEXT NOT NULL, chapter_version TEXT NOT NULL, grade TEXT NOT NULL, PRIMARY KEY (sha256, chapter_version)
);
CREATE TABLE IF NOT EXISTS submissions (
    name TEXT PRIMARY KEY, learner TEXT NOT NULL, sha256 TEXT NOT NULL, notes TEXT NOT NULL
);
"""


class LedgerFailed(OSError):
    """The ledger cannot be read or written; the text says why, and what was written stays."""


class Entry(NamedTuple):
    """A submission of a run, and the hash of its content; two may have the same."""

    name: str
    learner: str
    sha256: str
    notes: tuple[str, ...] = ()


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
        """Note the submissions of this run, in place of those of the run before."""
        rows = [(each.name, each.learner, each.sha256, json.dumps(each.notes)) for each in entries]
        with self._told(), self._transaction():
            self._rows.execute("DELETE FROM submissions")
            self._rows.executemany("INSERT INTO submissions VALUES (?, ?, ?, ?)", rows)

    def add(self, grade: Grade) -> bool:
        """Keep *grade*, unless there is one as good for the same content; return whether it was kept.

        A final one is better than an `infra_error`, and one from the sandbox better than one without.
        """
        row = grade.sha256, grade.chapter_version, json.dumps(grade.as_dict())
        with self._told(), self._transaction():
            old = self._find(grade.sha256, grade.chapter_version)
            if old is not None and _worth(old) >= _worth(grade) and old.final:
                return False
            self._rows.execute("INSERT OR REPLACE INTO grades VALUES (?, ?, ?)", row)
            return True

    def find(self, sha256: str, chapter_version: str) -> Grade | None:
        """Return the grade of a content, None when there is none."""
        with self._told():
            return self._find(sha256, chapter_version)

    def grades(self, chapter_version: str) -> Iterator[Grade]:
        """Give the grade of each submission of this run that has one, by name, with its own name and notes."""
        query = """
            SELECT name, learner, notes, grade FROM submissions JOIN grades USING (sha256)
            WHERE chapter_version = ? ORDER BY name
        """
        with self._told():
            for name, learner, notes, text in self._rows.execute(query, (chapter_version,)):
                grade = _grade(text)
                own = (*json.loads(notes), *grade.notes)
                yield replace(grade, submission=name, learner=learner, notes=own)

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

    def _find(self, sha256: str, chapter_version: str) -> Grade | None:
        query = "SELECT grade FROM grades WHERE sha256 = ? AND chapter_version = ?"
        row = self._rows.execute(query, (sha256, chapter_version)).fetchone()
        return _grade(row[0]) if row else None

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


def _worth(grade: Grade) -> tuple[bool, bool]:
    return grade.final, grade.isolation != "none"
