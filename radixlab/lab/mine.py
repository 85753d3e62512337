"""From the file to the notebook: what the learner's files hold, as they are now; and the other subjects there are."""

import ast
import atexit
import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from radixlab import course
from radixlab.cells import bound
from radixlab.checker.jobs import sources_below
from radixlab.checker.live import loaded
from radixlab.checker.mutation import public_names
from radixlab.checker.subject import Unreadable, read
from radixlab.checker.worker import Shells
from radixlab.course import Chapter
from radixlab.lab.saying import say
from radixlab.needs import NotBuilt, own_work_below
from radixlab.syntax import syntax_tree
from radixlab.workspace import Workspace, home

CHAPTERS = tuple(course.chapters())
CHAPTER = CHAPTERS[0]  # what it is all about: the tree
shells = Shells()  # the processes that check, kept warm from cell to cell
atexit.register(shells.close)


@dataclass(frozen=True)
class File:
    """One of the learner's two files of a chapter: what is written in it, or the own *tests*."""

    chapter: Chapter
    tests: bool = False

    @property
    def path(self) -> Path:
        """Where it is, or will be."""
        workspace = Workspace(home())
        return workspace.tests(self.chapter) if self.tests else workspace.tree(self.chapter)

    @property
    def called(self) -> str:
        """How to speak of it, wherever the notebook lies: `work/ds07/radix.py`."""
        return called(self.path)

    @property
    def start(self) -> str:
        """What it begins as."""
        return self.chapter.text("starter.py" if self.tests else "stub.py")

    def source(self) -> str:
        """Return what it holds, what it begins as when there is none; Unreadable when it cannot be read."""
        path = self.path
        return read(path) if path.exists() else self.start


def called(path: Path) -> str:
    """Return how to speak of *path*, in the workspace, wherever the notebook lies."""
    return path.relative_to(home().parent).as_posix()


def subject(name: str, chapter: str = CHAPTER.id) -> ModuleType:
    """Return another tree as a module: `reference`, `stub`, a variant, or a planted bug such as `s07`.

    Or another subject of *chapter*, such as `L8.4`. NoSuchChapter, with the names there are, for any other name.
    """
    home_of = CHAPTER if chapter == CHAPTER.id else course.chapter(chapter)
    return _module(home_of, home_of.source(name), f"{name}.py", sources_below(home_of))


def below(chapter: Chapter) -> tuple[tuple[str, str], ...]:
    """Return the modules that the learner's file of *chapter* builds on, name and source.

    Their own work where it passes; else the references stand in, and it is said.
    """
    return _below(chapter, tuple(_text(File(each)) for each in chapter.below))


def _text(file: File) -> str | None:
    """Return what *file* holds, None when it is not there or cannot be read."""
    with contextlib.suppress(Unreadable):
        return file.source() if file.path.exists() else None


@functools.lru_cache(maxsize=8)
def _below(chapter: Chapter, texts: tuple[str | None, ...]) -> tuple[tuple[str, str], ...]:
    try:
        return own_work_below(chapter, Workspace(home()), shells.tree)
    except NotBuilt:
        say(stands_in(chapter))
        return sources_below(chapter)


def stands_in(chapter: Chapter) -> str:
    """Say on whose work the learner's file of *chapter* stands while theirs does not pass."""
    names = " and ".join(each.id for each in chapter.below)
    return f"{chapter.id} stands on {names}: until yours passes its official tests, the reference stands in"


def now(name: str) -> Any:
    """Return what a file of the learner's calls *name*: a class always means the file as it is at each use.

    AttributeError when neither a file nor a stub has it. What a file that does not load defines says why, once it is
    called.
    """
    for chapter in CHAPTERS if not name.startswith("_") else ():
        with contextlib.suppress(Unreadable, SyntaxError):
            if name in _defined(File(chapter).source()):
                with contextlib.suppress(Unreadable, AttributeError):
                    return _alive(chapter, name, _file(chapter))
        if name in _defined(chapter.text("stub.py")):
            return _alive(chapter, name, _module(chapter, chapter.text("stub.py"), "stub.py", sources_below(chapter)))
    files = " or ".join(
        File(chapter).called for chapter in CHAPTERS if File(chapter).path.exists() or chapter is CHAPTER
    )
    raise AttributeError(f"there is no {name!r} in radixlab.lab, nor in {files}")


@functools.lru_cache(maxsize=16)
def _defined(source: str) -> frozenset[str]:
    """Return the names that *source* defines for those who import from it."""
    body = syntax_tree(source).body
    return frozenset(name for node in body if not isinstance(node, ast.Import | ast.ImportFrom) for name in bound(node))


@contextlib.contextmanager
def once_written() -> Iterator[None]:
    """Say in one line, instead of a traceback, that what the code in the block calls is not written yet."""
    try:
        yield
    except NotImplementedError as waiting:
        say(f"not written yet: {waiting}")


class _Live(type):
    """A class of the learner's file, as the file is at each use; what derives from it, derives from it as it is now."""

    def __new__(meta, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
        if any(isinstance(base, _Live) for base in bases):
            return type(name, tuple(base._now() if isinstance(base, _Live) else base for base in bases), space)
        return super().__new__(meta, name, bases, space)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        return cls._now()(*arguments, **named)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls._now(), name)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls._now())

    def _now(cls) -> type:
        """Return the class; RuntimeError, which says why, when the file does not load or has it no more."""
        __tracebackhide__ = True  # what is shown is the learner's cell, and the sentence
        chapter = cls._chapter
        try:
            return getattr(_file(chapter), cls.__name__)
        except Unreadable as error:
            raise RuntimeError(str(error)) from None
        except AttributeError:
            raise RuntimeError(f"{File(chapter).called} has no {cls.__name__}") from None


def _alive(chapter: Chapter, name: str, module: ModuleType) -> Any:
    """Return what *module* calls *name*, but a class of the face as the learner's file has it at each use."""
    thing = getattr(module, name)
    if isinstance(thing, type) and name in public(chapter) and thing.__module__ == module.__name__:
        return _Live(name, (), {"__module__": chapter.module, "__doc__": thing.__doc__, "_chapter": chapter})
    return thing


def _file(chapter: Chapter) -> ModuleType:
    """Return the learner's file of *chapter* as a module; Unreadable."""
    file = File(chapter)
    return _module(chapter, file.source(), str(file.path), below(chapter))


@functools.lru_cache(maxsize=8)
def public(chapter: Chapter) -> set[str]:
    """Return every name that the face of *chapter* mentions."""
    return public_names(chapter.text("face.pyi"))


@functools.lru_cache(maxsize=24)
def _module(chapter: Chapter, source: str, filename: str, needs: tuple[tuple[str, str], ...]) -> ModuleType:
    """Return *source* as a module under its step budget: the same one while the text stays the same."""
    return loaded(source, filename, public(chapter), needs)
