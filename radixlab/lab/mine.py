"""From the file to the notebook: what the learner's file holds, as it is now; and the other trees there are."""

import atexit
import contextlib
import functools
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from radixlab import course
from radixlab.checker.live import loaded
from radixlab.checker.mutation import public_names
from radixlab.checker.subject import Unreadable, read
from radixlab.checker.worker import Shells
from radixlab.lab.saying import say
from radixlab.workspace import home

CHAPTER = course.chapter("ds.07")
STARTS = {"radix.py": "stub.py", "test_radix.py": "starter.py"}  # a file of the learner's -> what it begins as
shells = Shells()  # the processes that check, kept warm from cell to cell
atexit.register(shells.close)
_PUBLIC = public_names(CHAPTER.text("face.pyi"))


def path_of(file: str) -> Path:
    """Return where the learner's *file* is, or will be."""
    return home() / CHAPTER.folder.name / file


def called(path: Path) -> str:
    """Return how to speak of *path*, a file of the learner's, wherever the notebook lies: `work/ds07/radix.py`."""
    return path.relative_to(home().parent).as_posix()


def source_of(file: str) -> str:
    """Return the learner's *file*, what it begins as when there is none; Unreadable when it cannot be read."""
    path = path_of(file)
    return read(path) if path.exists() else CHAPTER.text(STARTS[file])


def subject(name: str) -> ModuleType:
    """Return another tree as a module: `reference`, `stub`, a variant, or a planted bug such as `s07`.

    NoSuchChapter, with the names there are, for any other.
    """
    return _module(CHAPTER.source(name), f"{name}.py")


def now(name: str) -> Any:
    """Return what the learner's file calls *name*: a class of it always means the file as it is at each use.

    AttributeError when neither the file nor the stub has it. What a file that does not load defines says why, once it
    is called.
    """
    if not name.startswith("_"):
        with contextlib.suppress(Unreadable, AttributeError):
            return _alive(name, _file())
        with contextlib.suppress(AttributeError):
            return _alive(name, _module(CHAPTER.text("stub.py"), "stub.py"))
    raise AttributeError(f"there is no {name!r} in radixlab.lab, nor in {called(path_of('radix.py'))}")


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
        try:
            return getattr(_file(), cls.__name__)
        except Unreadable as error:
            raise RuntimeError(str(error)) from None
        except AttributeError:
            raise RuntimeError(f"{called(path_of('radix.py'))} has no {cls.__name__}") from None


def _alive(name: str, module: ModuleType) -> Any:
    """Return what *module* calls *name*, but a class of the face as the learner's file has it at each use."""
    thing = getattr(module, name)
    if isinstance(thing, type) and name in _PUBLIC and thing.__module__ == module.__name__:
        return _Live(name, (), {"__module__": CHAPTER.module, "__doc__": thing.__doc__})
    return thing


def _file() -> ModuleType:
    """Return the learner's file as a module; Unreadable."""
    return _module(source_of("radix.py"), str(path_of("radix.py")))


@functools.lru_cache(maxsize=16)
def _module(source: str, filename: str) -> ModuleType:
    """Return *source* as a module under its step budget: the same one while the text stays the same."""
    return loaded(source, filename, _PUBLIC)
