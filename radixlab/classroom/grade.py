"""What grading one submission found, as data: the ledger keeps it, every renderer shows it, none decides anything."""

import types
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

SCHEMA = "radixlab.grade/1"
# From timeout on they say why there is no verdict: three are a fail with a cause, `infra_error` is not the learner's.
OUTCOMES = ("pass", "fail", "invalid", "not_attempted", "timeout", "crash", "tampered", "infra_error")
ISOLATIONS = ("bubblewrap", "none")
SLOW = "some tests were not run for want of time"  # a note


@dataclass(frozen=True)
class Grade:
    """The grade of one submission.

    *submission*: how it was found, unique in a run; *learner*: the name in the folder or file name; *sha256*: of the
    files that count; *chapter_version*: a hash of the chapter and of what grades it. *message*: one line, what is next
    or why; *notes*: remarks for the lecturer; *report*: as `Report.as_dict` gives it, None when there is none.

    Names and messages come from learners: whoever shows them escapes them.
    """

    submission: str
    learner: str
    sha256: str
    chapter: str
    chapter_version: str
    outcome: str
    points: float
    max_points: float
    tests_passed: int
    tests: int
    bugs_killed: int
    bugs: int
    isolation: str
    seed: int
    message: str
    notes: tuple[str, ...] = ()
    report: dict[str, Any] | None = None
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the verdict is a pass."""
        return self.outcome == "pass"

    @property
    def final(self) -> bool:
        """Whether it says something of the submission: an `infra_error` does not, and is graded again."""
        return self.outcome != "infra_error"

    @property
    def ran_out_of_time(self) -> bool:
        """Whether more time could make another grade of it."""
        return self.outcome == "timeout" or SLOW in self.notes

    def as_dict(self) -> dict[str, Any]:
        """Return the grade as plain data, ready for JSON.

        >>> Grade.from_dict(EXAMPLE).as_dict() == EXAMPLE
        True
        """
        return {"schema": SCHEMA, **asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Grade":
        """Return the grade in plain *data*; ValueError, with the field, when it is none of this schema.

        >>> Grade.from_dict(EXAMPLE | {"tests": "11"})
        Traceback (most recent call last):
        ...
        ValueError: no grade: 'tests' is str, not int
        """
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"no grade: its schema is not {SCHEMA}")
        names = {field.name for field in fields(cls)}
        if wrong := names.symmetric_difference(data.keys() - {"schema"}):
            raise ValueError(f"no grade: {min(wrong)!r} is missing or unknown")
        for field in fields(cls):
            _check(field.name, data[field.name], field.type)
        for name, known in (("outcome", OUTCOMES), ("isolation", ISOLATIONS)):
            if data[name] not in known:
                raise ValueError(f"no grade: {name!r} is {data[name]!r}, not one of {', '.join(known)}")
        values = {name: data[name] for name in names}
        return cls(**{**values, "notes": tuple(data["notes"])})


def one_line(text: str, most: int = 300) -> str:
    """Return *text* on one line, of at most *most* characters, each printable: learners' texts are shown to lecturers.

    >>> one_line("a\\n\\x1b[31mred  \\u202e")
    'a ?[31mred ?'
    """
    line = "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 3] + "..."


def _check(name: str, value: Any, kind: Any) -> None:
    """Raise ValueError unless *value* is of the *kind* that the field *name* is annotated with."""
    if name == "notes":
        if not isinstance(value, list) or any(type(note) is not str for note in value):
            raise ValueError(f"no grade: {name!r} is no list of texts")
        return
    known = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    kinds = tuple(getattr(each, "__origin__", each) for each in known)
    if type(value) not in (*kinds, *((int,) if float in kinds else ())):
        raise ValueError(f"no grade: {name!r} is {type(value).__name__}, not {kinds[0].__name__}")


EXAMPLE = {
    "schema": SCHEMA,
    "submission": "doejane_12345_67890_radix.zip",
    "learner": "doejane",
    "sha256": "0" * 64,
    "chapter": "ds.07",
    "chapter_version": "1f2e3d4c5b6a",
    "outcome": "fail",
    "points": 26.0,
    "max_points": 29.0,
    "tests_passed": 11,
    "tests": 11,
    "bugs_killed": 15,
    "bugs": 18,
    "isolation": "none",
    "seed": 123,
    "message": "one test of yours is not written yet",
    "notes": ["graded without isolation"],
    "report": None,
    "duration_s": 1.5,
}
