"""What a check found, as data: every renderer shows it, none decides anything."""

from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = "radixlab.report/1"
UNWRITTEN = "not written yet"
EXIT_CODES = {"pass": 0, "fail": 1, "invalid": 1, "not_attempted": 1, "error": 3}


@dataclass
class TestResult:
    """One official test, or one check of a stage, on the learner's tree."""

    __test__ = False  # no test for pytest, whatever its name

    name: str
    kind: str
    outcome: str
    message: str = ""
    duration_s: float = 0.0
    ticks: int = 0


@dataclass
class OwnTest:
    """One of the learner's own tests: its outcome on their tree, whether it is valid, and the bugs it kills.

    *rejects*: the kind of correct tree on which it fails (reference, variant, decoy), None when it is valid.
    """

    name: str
    outcome: str
    valid: bool
    rejects: str | None = None
    message: str = ""
    kills: list[str] = field(default_factory=list)

    @property
    def unwritten(self) -> bool:
        """Whether it is still the starter's, or missing."""
        return not self.valid and self.rejects is None and self.message.startswith(UNWRITTEN)

    @property
    def invalid(self) -> bool:
        """Whether it was read and refused: it rejects a correct tree, is there twice, or is not deterministic."""
        return not self.valid and not self.unwritten and (self.rejects is not None or self.outcome != "error")


@dataclass
class BugResult:
    """One planted bug: whether a test killed it, which ones did, and how."""

    id: str
    killed: bool
    by: list[str]
    how: str | None
    area: str
    title: str


@dataclass
class Mutation:
    """The kills of the learner's own tests."""

    total: int
    killed: int
    needed: int
    required: list[str]
    score: float
    passed: bool
    bugs: list[BugResult]


@dataclass
class Report:
    """The verdict on a learner's tree and tests; *figures* are information and decide nothing."""

    chapter: str
    subject: str
    verdict: str
    seed: int
    duration_s: float
    tests: list[TestResult]
    own_tests: list[OwnTest] | None
    mutation: Mutation | None
    next: str
    figures: dict[str, float] = field(default_factory=dict)
    stage: str | None = None

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for not there yet, 3 when the checker could not do its job."""
        return EXIT_CODES[self.verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data, as `report.schema.json` describes it."""
        fields = asdict(self)
        return {
            "schema": SCHEMA,
            **{name: fields[name] for name in ("chapter", "stage", "subject", "verdict")},
            "exit_code": self.exit_code,
            **{name: fields[name] for name in ("seed", "duration_s", "tests", "own_tests", "mutation")},
            **{name: fields[name] for name in ("figures", "next")},
        }
