"""What a learner hands in: one zip of the two files, the report on them, and what made it.

`ol grade` reads the two files and nothing else: the report is for people, and is never believed.
"""

import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from radixlab import __version__
from radixlab.checker.report import UNWRITTEN
from radixlab.checker.subject import Subject, Unreadable, check_syntax
from radixlab.checker.verdict import check
from radixlab.checker.worker import Shells, Watch, nobody_watches
from radixlab.classroom.grading import version_of
from radixlab.classroom.reading import File, Found, Submission, read
from radixlab.classroom.secret import seed_of
from radixlab.course import Chapter
from radixlab.progress import is_untouched
from radixlab.workspace import NotStarted, Workspace, shown

SCHEMA = "radixlab.handin/1"
REPORT, CARD = "report.json", "handin.json"  # beside the two files
_STAMP = (1980, 1, 1, 0, 0, 0)  # of every file in the zip, so that the same content makes the same zip
_KEPT = "handins"  # in the mark of the workspace: the last report of each chapter that was handed in
_NO_ZIP = (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError, EOFError)


class Work(NamedTuple):
    """What there is to hand in: the *files* byte by byte, and the *submission* that a grader will read in them."""

    files: dict[str, bytes]
    submission: Submission


def gather(workspace: Workspace, chapter: Chapter) -> Work:
    """Return the work on *chapter*; NotStarted when nothing was begun, Unreadable when a file cannot be opened."""
    paths = [path for path in (workspace.tree(chapter), workspace.tests(chapter)) if path.is_file()]
    if not paths:
        where = shown(workspace.folder)
        raise NotStarted(f"no work on {chapter.id} in {where}: begin with `ol start {chapter.id}`, then hand in")
    try:
        files = {path.name: path.read_bytes() for path in paths}
    except OSError as error:
        raise Unreadable(f"{shown(Path(error.filename))} cannot be read: {error.strerror}") from None
    work = Work(files, _as_graded(files, chapter))
    if _is_untouched(work, chapter):
        names, them = " and ".join(shown(path) for path in paths), "it" if len(paths) == 1 else "them"
        raise NotStarted(
            f"{names}: still as `ol start` wrote {them}, so there is nothing to hand in yet\n"
            f"next: notebook {chapter.stages[0].notebook}, or `ol hint {chapter.id}`"
        )
    return work


def _as_graded(files: dict[str, bytes], chapter: Chapter) -> Submission:
    """Return *files* as a grader reads them, with the hash that decides the seed."""
    with tempfile.TemporaryDirectory(prefix="radixlab-") as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        return read(Found(chapter.file, "", Path(folder)), chapter)


def _is_untouched(work: Work, chapter: Chapter) -> bool:
    return all(is_untouched(file.source, chapter.text(start)) for _, file, start in _both(work, chapter) if file)


def _both(work: Work, chapter: Chapter) -> list[tuple[str, File | None, str]]:
    """Return the two files, each with its name and what it began as; None for one that is not there."""
    tree, tests = work.submission.tree, work.submission.tests
    rows = (chapter.file, tree, "stub.py"), (chapter.tests_file, tests, "starter.py")
    return [(name, file if name in work.files else None, start) for name, file, start in rows]


def problems(work: Work, chapter: Chapter) -> list[str]:
    """Return what a grader will stumble over, a sentence each: a file that is missing, or is no Python."""
    found = []
    for name, file, _ in _both(work, chapter):
        try:
            if file is None:
                raise Unreadable(f"{name} is missing")
            if file.problem:
                raise Unreadable(file.problem)
            check_syntax(file.source, name)
        except Unreadable as problem:
            found.append(str(problem))
    return found


def fresh_report(work: Work, chapter: Chapter, shells: Shells, watch: Watch = nobody_watches) -> dict[str, Any]:
    """Return the report on *work*, as plain data: the one that `ol grade` will come to, as the seed is the same.

    As there, the chapters below are the references. CheckerFailed when there is none. Complexity: that of `check`.
    """
    tree, tests = work.submission.tree, work.submission.tests
    own = tests or File("", f"{UNWRITTEN}: {chapter.tests_file} was not handed in")
    report = check(
        chapter,
        Subject(tree.source, chapter.file, tree.problem, chapter.file),
        Unreadable(own.problem) if own.problem else own.source,
        shells,
        seed=seed_of(work.submission.sha256),
        watch=watch,
    )
    return report.as_dict()


def kept_report(workspace: Workspace, chapter: Chapter, work: Work) -> dict[str, Any] | None:
    """Return the last report that was handed in, when it is about exactly this *work*; None otherwise."""
    with workspace.state() as state:
        kept = state.get(_KEPT, {}).get(chapter.id, {})
    return kept.get("report") if kept.get("card") == card(work, chapter) else None


def keep_report(workspace: Workspace, chapter: Chapter, work: Work, report: dict[str, Any]) -> None:
    """Remember that *report* is about *work*: handed in again, the same files make the same zip."""
    with workspace.state() as state:
        state.setdefault(_KEPT, {})[chapter.id] = {"card": card(work, chapter), "report": report}


def card(work: Work, chapter: Chapter) -> dict[str, str]:
    """Return what made the zip, and the hash of what counts in it, as `ol grade` takes it."""
    return {
        "schema": SCHEMA,
        "radixlab": __version__,
        "chapter": chapter.id,
        "chapter_version": version_of(chapter),
        "sha256": work.submission.sha256,
    }


def pack(work: Work, chapter: Chapter, report: dict[str, Any] | None) -> bytes:
    """Return the zip: the files at its top, the *report* if there is one, and the card. The same input, the same bytes.

    Nothing is compressed: what a compressor writes depends on its version.
    """
    texts = {REPORT: report, CARD: card(work, chapter)}
    told = {name: (json.dumps(data, indent=1) + "\n").encode() for name, data in texts.items() if data is not None}
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as packed:
        for name, data in (work.files | told).items():
            entry = zipfile.ZipInfo(name, _STAMP)
            entry.create_system = 3  # Unix, whose file modes these are
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, data)
    return into.getvalue()


def is_ours(path: Path, chapter: Chapter) -> bool:
    """Return whether *path* is a zip of *chapter* that was made here, and nothing was put into it since."""
    try:
        with zipfile.ZipFile(path) as packed:
            names, told = packed.namelist(), json.loads(packed.read(CARD))
    except (*_NO_ZIP, OSError):
        return False
    made = isinstance(told, dict) and (told.get("schema"), told.get("chapter")) == (SCHEMA, chapter.id)
    return made and set(names) <= {chapter.file, chapter.tests_file, REPORT, CARD}


def write(path: Path, data: bytes) -> None:
    """Write *data* to *path* at one stroke: whoever reads it finds the old file or the new one, never half of it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with open(fresh, "xb") as file:
            file.write(data)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
