"""Which chapter a name in a notebook belongs to: names of stages and of own tests are unique over all chapters."""

from collections.abc import Iterable
from types import FunctionType

from radixlab.course import Chapter, NoSuchChapter
from radixlab.lab.mine import CHAPTER, CHAPTERS, public


def with_stage(name: str) -> Chapter:
    """Return the chapter that has the stage *name*; NoSuchChapter with the stages there are."""
    found = _first(chapter for chapter in CHAPTERS if name in [stage.name for stage in chapter.stages])
    if found is None:
        raise NoSuchChapter(f"there is no stage called {name!r}: choose from {', '.join(stages())}")
    return found


def with_id(name: str) -> Chapter | None:
    """Return the chapter called *name*, such as `L8.4`, None when there is none."""
    return _first(chapter for chapter in CHAPTERS if name == chapter.id)


def of_test(test: FunctionType) -> Chapter:
    """Return the chapter that the own *test* is for: the one that asks for it, else the one whose names it uses."""
    name, used = test.__name__.removeprefix("test_"), set(test.__code__.co_names)
    return (
        _first(chapter for chapter in CHAPTERS if name in chapter.own_tests)
        or _first(chapter for chapter in CHAPTERS if used & public(chapter))
        or CHAPTER
    )


def stages() -> list[str]:
    """Return the names of all stages, those of the main chapter first."""
    return [stage.name for chapter in CHAPTERS for stage in chapter.stages]


def _first(found: Iterable[Chapter]) -> Chapter | None:
    return next(iter(found), None)
