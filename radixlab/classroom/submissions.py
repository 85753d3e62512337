"""Paths become submissions: where they lie, and whose they are. Nothing of them is read yet."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from radixlab.classroom.archives import Refused
from radixlab.classroom.grade import one_line
from radixlab.classroom.names import owner_of
from radixlab.classroom.reading import NO_WORK, PACKED, Found, listed, place_of
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
            new = [Found(str(path), owner_of(path.resolve().name).learner, path)]
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


def holds_work(folder: Path, chapter: Chapter) -> bool:
    """Return whether *folder* is one submission: what counts lies at its top, or in the chapter's folder."""
    return any(os.path.lexists(folder / place / chapter.file) for place in ("", chapter.folder.name))


def _of_file(path: Path, chapter: Chapter) -> Found:
    """Return the submission whose zip or tree is the file *path*; own tests may lie beside it."""
    files = {path.name: path}
    if path.suffix == ".py":
        prefix = path.name.removesuffix(chapter.file) if path.name.endswith(chapter.file) else ""
        beside = path.with_name(f"{prefix}test_{path.name.removeprefix(prefix)}")
        files = {chapter.file: path} | ({chapter.tests_file: beside} if os.path.lexists(beside) else {})
    return Found(str(path), owner_of(path.name).learner, path.parent, files)


def _of_class(folder: Path, chapter: Chapter, skip: Path | None) -> tuple[list[Found], list[str]]:
    """Return the submissions that lie in *folder*, one a learner, and the names of what is none."""
    found, groups, passed_over, work = [], {}, [], False
    for path in sorted(folder.iterdir()):
        owner = owner_of(path.name)
        if path.name.startswith(".") or path.name in NO_WORK or (skip and path.resolve() == skip.resolve()):
            continue
        if not owner.counts:
            passed_over.append(str(path))
        elif path.is_dir():
            found.append(Found(str(path), owner.learner, path))
            work = work or _has_any(path, chapter)
        elif owner.system or path.suffix.lower() in (".py", *PACKED):
            groups.setdefault(owner.key, []).append((owner, path))
            work = work or path.suffix.lower() in (".py", *PACKED)
        else:
            passed_over.append(str(path))
    for group in groups.values():
        owner, path = next((each for each in group if not each[0].file.startswith("test_")), group[0])
        found.append(Found(str(path), owner.learner, folder, _files_of(group, chapter)))
    return (sorted(found) if work else []), passed_over


def _has_any(folder: Path, chapter: Chapter) -> bool:
    with contextlib.suppress(OSError, Refused):
        names = listed(folder, chapter)
        return place_of(names, chapter) is not None or any(name.lower().endswith((".py", ".zip")) for name in names)
    return True  # something is there that cannot be read


def _files_of(group: list, chapter: Chapter) -> dict[str, Path]:
    """Return the files of a *group* by the names they go by: those that are no course system's are named by learner."""
    wanted = {f"{owner.learner}.py": chapter.file for owner, _ in group if not owner.system}
    wanted |= {f"test_{owner.learner}.py": chapter.tests_file for owner, _ in group if not owner.system}
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
