"""What a chapter's folder says: its card, its stages, its tests, its planted bugs."""

import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

CHAPTERS = Path(__file__).parent / "chapters"


class NoSuchChapter(LookupError):
    """There is no chapter, stage or bug of that name; the text says which there are."""


@dataclass(frozen=True)
class Stage:
    """One stage: the names it *writes* into the learner's file, and its *hints*, from a question to pseudocode.

    *why*: what depends on it downstream; *own_tests*: those of the learner's own tests that it begins with.
    """

    name: str
    notebook: str
    title: str
    minutes: int
    goal: str
    writes: tuple[str, ...]
    hints: tuple[str, ...]
    why: str
    own_tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class TestCard:
    """One official test: its *kind*, the *stage* in which it turns green, what it *checks*, and *why* it matters."""

    __test__ = False  # no test for pytest, whatever its name

    name: str
    kind: str
    stage: str
    checks: str
    why: str


@dataclass(frozen=True)
class Bug:
    """One planted bug: *edits* of the reference, each a text that occurs exactly once and what stands there instead.

    *caught_by*: the official tests that catch it, none for some of those *seen* in production (*source*: where).
    """

    id: str
    title: str
    symptom: str
    area: str
    hint: str
    stage: str
    caught_by: tuple[str, ...]
    edits: tuple[tuple[str, str], ...]
    source: str | None = None
    exempt: str | None = None

    def plant(self, source: str) -> str:
        """Return *source* with the bug in it; ValueError when an edit does not apply exactly once."""
        for find, replace in self.edits:
            if (times := source.count(find)) != 1:
                raise ValueError(f"{self.id}: the text to replace occurs {times} times, not once: {find!r}")
            source = source.replace(find, replace)
        return source


@dataclass(frozen=True)
class Pitfall:
    """A mistake and the *symptom* by which it shows; *bug* is its planted bug, if it has one."""

    stage: str
    mistake: str
    symptom: str
    bug: str | None = None


@dataclass(frozen=True)
class Rule:
    """A rule of the interface, and the *cell*, by its id, of the *notebook* in which a learner meets it."""

    number: int
    says: str
    notebook: str
    cell: str


@dataclass(frozen=True)
class Chapter:
    """A chapter: the folder, and what its card says."""

    folder: Path
    id: str
    title: str
    module: str
    hours: str
    needs: tuple[str, ...]
    needed: int
    required: tuple[str, ...]
    own_tests: tuple[str, ...]
    most_own_tests: int
    stages: tuple[Stage, ...]
    tests: tuple[TestCard, ...]
    pitfalls: tuple[Pitfall, ...]
    rules: tuple[Rule, ...]
    bugs: tuple[Bug, ...]
    seen: tuple[Bug, ...]
    tests_notebook: str  # where the own tests are sharpened
    makes: str = "tree"  # what a learner writes, in a word
    appendix: bool = False  # nobody has to do it
    points: dict[str, float] = field(default_factory=lambda: {"tests": 1, "bugs": 1}, compare=False)  # in a class
    reading: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def file(self) -> str:
        """The name of the file that a learner writes, such as `radix.py`."""
        return f"{self.module}.py"

    @property
    def tests_file(self) -> str:
        """The name of the file of the learner's own tests, such as `test_radix.py`."""
        return f"test_{self.module}.py"

    @cached_property
    def below(self) -> tuple["Chapter", ...]:
        """The chapters that this one builds on, the deepest first."""
        needed = [chapter(name) for name in self.needs]
        return tuple(dict.fromkeys(each for one in needed for each in (*one.below, one)))

    def text(self, name: str) -> str:
        """Return the text of the chapter's file *name*, such as `stub.py`."""
        if name not in self.files:
            self.files[name] = (self.folder / name).read_text(encoding="utf-8")
        return self.files[name]

    @cached_property
    def variants(self) -> dict[str, str]:
        """The other correct subjects: name -> source."""
        return {path.stem: self.text(f"variants/{path.name}") for path in sorted(self.folder.glob("variants/*.py"))}

    @cached_property
    def films(self) -> dict[str, dict]:
        """The chapter's films as data, by name, in a learner's order; none when it has no `films.toml`."""
        if not (self.folder / "films.toml").exists():
            return {}
        return {film.pop("name"): film for film in tomllib.loads(self.text("films.toml"))["films"]}

    @cached_property
    def predictions(self) -> dict[str, dict]:
        """What a learner is asked to foresee, as data, by name; none when there is no `predictions.toml`."""
        if not (self.folder / "predictions.toml").exists():
            return {}
        return {row.pop("name"): row for row in tomllib.loads(self.text("predictions.toml"))["predictions"]}

    def source(self, name: str) -> str:
        """Return the source of a subject of ours: reference, stub, a variant, or the reference with a bug in it."""
        sources = {file: self.text(f"{file}.py") for file in ("reference", "stub")} | self.variants
        bugs = {bug.id: bug for bug in (*self.bugs, *self.seen)}
        found = _found(name, {**sources, **bugs}, f"subject of {self.id}")
        return found.plant(sources["reference"]) if isinstance(found, Bug) else found

    def stage(self, name: str) -> Stage:
        """Return the stage called *name*; NoSuchChapter with the names there are."""
        return _found(name, {stage.name: stage for stage in self.stages}, f"stage of {self.id}")

    def bug(self, name: str) -> Bug:
        """Return the planted bug *name*, of either bank; NoSuchChapter with the names there are."""
        return _found(name, {bug.id: bug for bug in (*self.bugs, *self.seen)}, f"bug of {self.id}")

    def own_names(self, stage: Stage) -> tuple[str, ...]:
        """Return the functions that *stage* is the first to write."""
        earlier = {name for other in self.stages[: self.stages.index(stage)] for name in other.writes}
        return tuple(name for name in stage.writes if name not in earlier)

    def stages_up_to(self, name: str) -> tuple[Stage, ...]:
        """Return the stages up to the one called *name*, that one included."""
        return self.stages[: self.stages.index(self.stage(name)) + 1]


def _found(name: str, table: dict, what: str):
    if name not in table:
        raise NoSuchChapter(f"there is no {what} called {name!r}: choose from {', '.join(table)}")
    return table[name]


def chapters() -> list[Chapter]:
    """Return every chapter there is: each after those that it builds on, the appendices last."""
    found = [_read(card.parent) for card in sorted(CHAPTERS.glob("*/chapter.toml"))]
    return sorted(found, key=lambda each: (each.appendix, len(each.below)))


def chapter(name: str) -> Chapter:
    """Return the chapter called *name*, `ds.07` or `ds07`; NoSuchChapter with the names there are.

    >>> chapter("ds.07").required
    ('s11',)
    """
    folders = {card.parent.name: card.parent for card in sorted(CHAPTERS.glob("*/chapter.toml"))}
    plain = name.lower().replace(".", "")
    if plain not in folders:
        ids = ", ".join(_read(folder).id for folder in folders.values())
        raise NoSuchChapter(f"there is no chapter {name!r}: choose from {ids}")
    return _read(folders[plain])


def _read(folder: Path) -> Chapter:
    card = tomllib.loads((folder / "chapter.toml").read_text(encoding="utf-8"))
    bank = tomllib.loads((folder / "bugs.toml").read_text(encoding="utf-8"))
    bugs = {name: tuple(_bug(row) for row in bank[name]) for name in ("bugs", "seen")}
    by_id = {bug.id: bug for bug in bugs["bugs"]}
    card["stages"] = tuple(Stage(**_frozen(row)) for row in card["stages"])
    card["tests"] = tuple(TestCard(**row) for row in card["tests"])
    card["pitfalls"] = tuple(_pitfall(row, by_id) for row in card["pitfalls"])
    card["rules"] = tuple(Rule(**row) for row in card["rules"])
    return Chapter(folder=folder, **_frozen(card), **bugs)


def _frozen(row: dict) -> dict:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def _bug(row: dict) -> Bug:
    edits = tuple((edit["find"], edit["replace"]) for edit in row["edits"])
    return Bug(**{**_frozen(row), "edits": edits})


def _pitfall(row: dict, bugs: dict[str, Bug]) -> Pitfall:
    """A pitfall with a planted bug has the bug's words."""
    if bug := bugs.get(row.get("bug")):
        return Pitfall(row["stage"], bug.title, bug.symptom, bug.id)
    return Pitfall(**row)
