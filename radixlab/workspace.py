"""The learner's folder: where it is, what is in it, and how a file in it is replaced without losing the old one."""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radixlab import splice
from radixlab.course import Chapter, Stage

MARK = ".radixlab"  # hints seen, who wrote what, the last report: deleting it loses no code
HISTORY = ".history"


class NotStarted(LookupError):
    """There is no workspace, or no such chapter in it; the text says how to start."""


class AlreadyThere(FileExistsError):
    """`start` found work that it will not overwrite; the text says how to keep it and start anew."""


def home() -> Path:
    """Return the workspace folder that counts here, whether it exists or not.

    `$RADIXLAB_WORK`; else the nearest `work` that holds a mark, in the current folder or above; else `work` in the
    current folder, or beside it when that is called `notebooks`.
    """
    if named := os.environ.get("RADIXLAB_WORK"):
        return Path(named).expanduser().absolute()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "work" / MARK).is_file():
            return folder / "work"
    return (here.parent if here.name == "notebooks" else here) / "work"


@dataclass(frozen=True)
class Workspace:
    """A workspace folder.

    >>> from radixlab import course
    >>> Workspace(Path("work")).tree(course.chapter("ds.07")).as_posix()
    'work/ds07/radix.py'
    """

    folder: Path

    def tree(self, chapter: Chapter) -> Path:
        """Return the path of what the learner writes in *chapter*: of their tree, in ds.07."""
        return self.folder / chapter.folder.name / chapter.file

    def tests(self, chapter: Chapter) -> Path:
        """Return the path of the learner's own tests of *chapter*."""
        return self.folder / chapter.folder.name / chapter.tests_file

    def started(self, chapter: Chapter) -> "Workspace":
        """Return the workspace itself; NotStarted when *chapter* has not been begun in it."""
        if not (self.folder / chapter.folder.name).exists():
            raise NotStarted(f"no work on {chapter.id} in {shown(self.folder)}: begin with `ol start {chapter.id}`")
        return self

    def start(self, chapter: Chapter, *, solved: tuple[str, ...] = (), force: bool = False) -> tuple[Path, Path]:
        """Write the two files of *chapter* and return their paths; the functions called *solved* are the reference's.

        AlreadyThere when one exists, unless *force*, which moves the old ones into the history.
        """
        paths = self.tree(chapter), self.tests(chapter)
        there = [path for path in paths if path.exists()]
        if there and not force:
            names = " and ".join(shown(path) for path in there)
            raise AlreadyThere(f"{names}: already there, nothing was changed; `--force` starts anew and keeps the old")
        tree = splice.cut(chapter.text("stub.py"), chapter.text("reference.py"), solved)
        for path, text in zip(paths, (tree, chapter.text("starter.py")), strict=True):
            self.save(path, text)
        with self.state():
            pass
        return paths

    def reset(self, chapter: Chapter, stage: Stage) -> Path | None:
        """Put the functions that *stage* is the first to write back to the stub's; return where the file was kept."""
        path = self.tree(chapter)
        text = path.read_text(encoding="utf-8")
        return self.save(path, splice.cut(text, chapter.text("stub.py"), chapter.own_names(stage)))

    def save(self, path: Path, text: str) -> Path | None:
        """Replace *path* by *text* at one stroke; return where the old version was kept, None when there was none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = self.keep(path) if path.exists() else None
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(text, encoding="utf-8", newline="\n")
        os.replace(fresh, path)
        return kept

    def keep(self, path: Path) -> Path:
        """Move *path*, a file or a folder, into the history under its name and the time; return its new place."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        folder = self.folder / HISTORY / path.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        times, kept = 1, folder / f"{path.stem}-{stamp}{path.suffix}"
        while kept.exists():
            times += 1
            kept = folder / f"{path.stem}-{stamp}-{times}{path.suffix}"
        shutil.move(path, kept)
        return kept

    def next_hint(self, chapter: Chapter, stage: Stage) -> int:
        """Return the level of the next hint of *stage*, counted from 1, and remember it; the last one stays."""
        with self.state() as state:
            seen = state.setdefault("hints", {}).setdefault(chapter.id, {})
            seen[stage.name] = min(seen.get(stage.name, 0) + 1, len(stage.hints))
            return seen[stage.name]

    def remember(self, report: dict[str, Any]) -> None:
        """Keep *report*, as plain data, as the last one of its chapter, if own tests were graded in it."""
        if report["mutation"] is not None:
            with self.state() as state:
                state.setdefault("reports", {})[report["chapter"]] = report

    def last_report(self, chapter: Chapter) -> dict[str, Any] | None:
        """Return the last report on *chapter* in which own tests were graded, None when there is none."""
        if not self.folder.exists():  # asking for the state would make it
            return None
        with self.state() as state:
            return state.get("reports", {}).get(chapter.id)

    @contextlib.contextmanager
    def state(self) -> Iterator[dict[str, Any]]:
        """Give what the mark remembers, to be read or changed; changes are written at the end.

        A mark that cannot be read counts as empty: nothing in it is irreplaceable.
        """
        path = self.folder / MARK
        try:
            remembered = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            remembered = None
        state = remembered if isinstance(remembered, dict) else {}
        before = json.dumps(state)
        yield state
        if remembered is None or json.dumps(state) != before:
            self.folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(MARK + ".new")
            fresh.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
            os.replace(fresh, path)


def shown(path: Path) -> str:
    """Return *path* as a person would type it here: relative to the current folder where it lies below it."""
    with contextlib.suppress(ValueError):
        return path.absolute().relative_to(Path.cwd()).as_posix()
    return str(path)
