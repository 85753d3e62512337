"""A submission is read into memory: screened first; nothing of it is run, unpacked to disk, or followed out of it.

Two files count, such as `radix.py` and `test_radix.py`: at the top of a folder or a zip, in the chapter's folder
(`ds07/`), or one folder further down.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from radixlab.classroom.archives import Archive, Refused
from radixlab.classroom.grade import one_line
from radixlab.course import Chapter, chapters

MOST_BYTES = 1_000_000  # of a file
_MOST_NAMES = 2_000  # of a folder
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
NO_WORK = ("__MACOSX", "__pycache__")


class File(NamedTuple):
    """A file as it was read: its *source*, or the *problem* for which it could not be."""

    source: str
    problem: str | None = None


@dataclass(frozen=True)
class Submission:
    """What one learner handed in; *tests* is None when there are none, *problem* says why nothing could be read."""

    name: str
    learner: str
    tree: File
    tests: File | None = None
    problem: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of what counts: the two files, or why there are none."""
        return hashlib.sha256(json.dumps([self.tree, self.tests, self.problem]).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, for a process or a machine that grades it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Submission":
        """Return the submission that `as_dict` took apart, JSON between them or not."""
        files = {name: File(*data[name]) if data[name] else None for name in ("tree", "tests")}
        return cls(**{**data, **files, "notes": tuple(data["notes"])})


class Found(NamedTuple):
    """Where a submission lies: the files by the names that they go by, None for those of the folder *root*.

    No file outside *root* is read. *number*: by which a course system knows the learner.
    """

    name: str
    learner: str
    root: Path
    files: dict[str, Path] | None = None
    number: str = ""


def read(found: Found, chapter: Chapter) -> Submission:
    """Return the submission *found*, with a `problem` when nothing in it can be read: never an error."""
    try:
        with _opened(found, chapter) as place:
            return _chosen(found, place, chapter)
    except Refused as problem:
        return Submission(found.name, found.learner, File(""), problem=str(problem))
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or type(error).__name__}"
        return Submission(found.name, found.learner, File(""), problem=reason)


class _Files:
    """Files on disk by the names they go by; what leads out of *root* is not followed."""

    def __init__(self, paths: dict[str, Path], root: Path) -> None:
        self.paths, self.root = paths, root.resolve()

    def names(self) -> list[str]:
        return list(self.paths)

    def read(self, name: str, most: int) -> bytes:
        try:
            path = self.paths[name].resolve()
            state = path.stat()
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
            raise Refused(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        if not path.is_relative_to(self.root):
            raise Refused(f"{name} is a link that leads out of the submission")
        if not stat.S_ISREG(state.st_mode):
            raise Refused(f"{name} is no regular file")
        if state.st_size > most:
            raise Refused(f"{name} has more than {most:,} bytes")
        with path.open("rb") as file:
            return file.read(most)


@contextlib.contextmanager
def _opened(found: Found, chapter: Chapter) -> Iterator[_Files | Archive]:
    """Give what the submission lies in: its files, or a zip when that is all there is."""
    paths = listed(found.root, chapter) if found.files is None else found.files
    files = _Files(paths, found.root)
    packed = [name for name in paths if name.lower().endswith(PACKED)]
    if place_of(paths, chapter) is not None or len(packed) != 1:
        yield files
        return
    path = paths[packed[0]].resolve()
    if not path.is_relative_to(files.root):
        raise Refused(f"{one_line(packed[0])} is a link that leads out of the submission")
    if path.suffix.lower() != ".zip":
        raise Refused(f"a {path.suffix} is not read here: make it a zip")
    with Archive(path) as archive:
        yield archive


def listed(folder: Path, chapter: Chapter) -> dict[str, Path]:
    """Return the files at the top of *folder*, and those below that count, by name. Complexity: linear in its top."""
    found: dict[str, Path] = {}
    with os.scandir(folder) as entries:
        top = list(islice(entries, _MOST_NAMES))
    for entry in top:
        if not entry.is_dir(follow_symlinks=False):
            found[entry.name] = folder / entry.name
            continue
        for below in ("", f"{chapter.folder.name}/"):
            for file in (chapter.file, chapter.tests_file):
                if os.path.lexists(path := folder / entry.name / below / file):
                    found[f"{entry.name}/{below}{file}"] = path
    return found


def place_of(names: Iterable[str], chapter: Chapter) -> str | None:
    """Return the folder, "" for the top, in which the files that count lie among *names*; None when in none.

    Refused when several would do.

    >>> from radixlab import course
    >>> place_of(["notes.txt", "work/ds07/radix.py"], course.chapter("ds.07"))
    'work/ds07/'
    """
    names = [name for name in names if not name.startswith((".", *NO_WORK))]
    for file in (chapter.file, chapter.tests_file):
        places: dict[int, list[str]] = {}
        for name in names:
            folders = name.split("/")[:-1]
            if name.split("/")[-1] == file and (len(folders) < 2 or folders[1:] == [chapter.folder.name]):
                depth = 2 * len(folders) - (folders[-1:] == [chapter.folder.name])
                places.setdefault(depth, []).append(name.removesuffix(file))
        if places:
            best = places[min(places)]
            if len(best) > 1:
                where = ", ".join(one_line(place + file, 60) for place in sorted(best)[:3])
                raise Refused(f"{len(best)} files could be the one that counts ({where}): hand in one")
            return best[0]
    return None


def _chosen(found: Found, place: _Files | Archive, chapter: Chapter) -> Submission:
    """Return the submission in *place*; Refused when nothing in it counts."""
    names, notes = place.names(), ()
    where = place_of(names, chapter)
    if where is not None:
        tree, tests = where + chapter.file, where + chapter.tests_file
    else:
        tree, tests = _only_file(names, chapter), ""
        notes = (f"{one_line(tree)} was taken for {chapter.file}",)
    read = {name: _text(place, name) for name in (tree, tests) if name in names}
    missing = File("", f"{chapter.file} is missing")
    return Submission(found.name, found.learner, read.get(tree, missing), read.get(tests), notes=notes)


def _only_file(names: list[str], chapter: Chapter) -> str:
    """Return the only Python file among *names*; Refused when there are several or none."""
    files = [name for name in names if name.endswith(".py") and "/" not in name and not name.startswith("test_")]
    if len(files) != 1:
        there = ", ".join(one_line(name, 40) for name in sorted(names)[:4]) or "nothing"
        where = f"at the top, in {chapter.folder.name}/ or one folder down"
        raise Refused(f"there is no {chapter.file} {where}; there is: {there}")
    if other := others_of(chapter).get(files[0]):
        raise Refused(f"{files[0]} is for {other}, and this is graded as {chapter.id}: --chapter {other} grades it")
    return files[0]


def others_of(chapter: Chapter) -> dict[str, str]:
    """Return the names of the files that other chapters ask for, and of which chapter each is."""
    return {each.file: each.id for each in chapters() if each.file != chapter.file}


def _text(place: _Files | Archive, name: str) -> File:
    """Return the file called *name* as a text, a line end of any system as a newline."""
    base = one_line(name.split("/")[-1])
    try:
        text = place.read(name, MOST_BYTES).decode("utf-8-sig")
    except Refused as problem:
        return File("", str(problem))
    except UnicodeDecodeError:
        return File("", f"{base}: not UTF-8 text; save the file as UTF-8")
    return File(text.replace("\r\n", "\n").replace("\r", "\n"))
