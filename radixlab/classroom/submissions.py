"""Paths become submissions: where they lie, and whose they are. Nothing of them is read yet."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from radixlab.classroom.archives import Archive, Refused
from radixlab.classroom.grade import one_line
from radixlab.classroom.names import Owner, owner_of
from radixlab.classroom.reading import NO_WORK, PACKED, Found, listed, others_of, place_of
from radixlab.course import Chapter


class NoSubmission(LookupError):
    """The paths hold no submission; the text says what one looks like."""


def find(paths: Iterable[Path], chapter: Chapter, skip: Path | None = None) -> tuple[list[Found], list[str]]:
    """Return the submissions on *chapter* in *paths*, each with a name of its own, and what was passed over.

    A path is a submission, or a folder of submissions; *skip* is no submission. NoSubmission when one holds none.
    """
    found: list[Found] = []
    passed_over: list[str] = []
    for path in dict.fromkeys(paths):
        if not path.is_dir():
            new = [_of_file(path, chapter)]
        elif holds_work(path, chapter):
            new = [_found(_absolute(path).name, path)]
        else:
            new, over = _of_class(path, chapter, skip)
            passed_over += over
        if not new:
            raise NoSubmission(
                f"{path} holds no submission on {chapter.id}: one is a folder with {chapter.file} in it, or with "
                f"{chapter.folder.name}/{chapter.file}, a zip of it, or a .py; name such a one, or a folder of such"
            )
        found += new
    return _told_apart(found), passed_over


def _absolute(path: Path) -> Path:
    """Return *path* from the root on: what is called after it has the same name wherever one stands."""
    return Path(os.path.abspath(path))


def _found(name: str, root: Path, files: dict[str, Path] | None = None, owner: Owner | None = None) -> Found:
    """Return the submission *name*; its *owner* is who its last part says, unless given."""
    owner = owner or owner_of(name.rpartition("/")[2])
    return Found(name, owner.learner, root, files, owner.number)


def holds_work(folder: Path, chapter: Chapter) -> bool:
    """Return whether *folder* is one submission: what counts lies at its top, or in the chapter's folder."""
    return any(os.path.lexists(folder / place / chapter.file) for place in ("", chapter.folder.name))


def _of_file(path: Path, chapter: Chapter) -> Found:
    """Return the submission whose zip or tree is the file *path*; own tests may lie beside it.

    NoSubmission for a zip of many submissions.
    """
    files, folder = {path.name: path}, _absolute(path).parent
    if path.suffix == ".py" and path.name not in others_of(chapter):
        prefix = path.name.removesuffix(chapter.file) if path.name.endswith(chapter.file) else ""
        beside = path.with_name(f"{prefix}test_{path.name.removeprefix(prefix)}")
        files = {chapter.file: path} | ({chapter.tests_file: beside} if os.path.lexists(beside) else {})
    if _is_export(path):
        raise NoSubmission(f"{path} looks like the export of a whole class: unpack it, then name the folder")
    owner = owner_of(folder.name if path.name == chapter.file else path.name)
    return _found(f"{folder.name}/{path.name}", path.parent, files, owner)


def _is_export(path: Path) -> bool:
    """Return whether *path* is a zip in which a course system wrote several names."""
    if path.suffix.lower() == ".zip":
        with contextlib.suppress(OSError, Refused), Archive(path) as archive:
            return sum(owner_of(top).system for top in {name.split("/")[0] for name in archive.names()}) > 1
    return False


def _of_class(folder: Path, chapter: Chapter, skip: Path | None) -> tuple[list[Found], list[str]]:
    """Return the submissions that lie in *folder*, one a learner, and the names of what is none."""
    found, groups, passed_over, work = [], {}, [], False
    above = _absolute(folder).name
    for path in sorted(folder.iterdir()):
        owner = owner_of(path.name)
        if path.name.startswith(".") or path.name in NO_WORK or (skip and path.resolve() == skip.resolve()):
            continue
        if not owner.counts:
            passed_over.append(str(path))
        elif path.is_dir():
            found.append(_found(f"{above}/{path.name}", path))
            work = work or _has_any(path, chapter)
        elif owner.system or path.suffix.lower() in (".py", *PACKED):
            groups.setdefault(owner.key, []).append((owner, path))
            work = work or path.suffix.lower() in (".py", *PACKED)
        else:
            passed_over.append(str(path))
    for group in groups.values():
        owner, path = next((each for each in group if not each[0].file.startswith("test_")), group[0])
        found.append(_found(f"{above}/{path.name}", folder, _files_of(group, chapter), owner))
    return (sorted(found) if work else []), passed_over


def _has_any(folder: Path, chapter: Chapter) -> bool:
    with contextlib.suppress(OSError, Refused):
        names = listed(folder, chapter)
        return place_of(names, chapter) is not None or any(name.lower().endswith((".py", ".zip")) for name in names)
    return True  # something is there that cannot be read


def _files_of(group: list, chapter: Chapter) -> dict[str, Path]:
    """Return the files of a *group* by the names they go by: those that are no course system's are named by learner."""
    named = [owner.learner for owner, _ in group if not owner.system and owner.file not in others_of(chapter)]
    wanted = {f"{name}.py": chapter.file for name in named} | {f"test_{name}.py": chapter.tests_file for name in named}
    return {wanted.get(owner.file, owner.file): path for owner, path in group}


def _told_apart(found: list[Found]) -> list[Found]:
    """Return *found* without those that are there twice, names printable and all different."""
    names: set[str] = set()
    kept = []
    for each in {(one.root.resolve(), str(one.files)): one for one in found}.values():
        plain = name = one_line(each.name, 250)
        times = 1
        while name in names:
            times += 1
            name = f"{plain} ({times})"
        names.add(name)
        kept.append(each._replace(name=name, learner=one_line(each.learner, 120)))
    return kept
