"""The films that a chapter ships: scripts with a title and a sentence for each step, played on any tree."""

import importlib
from types import ModuleType
from typing import Any

from radixlab.course import Chapter
from radixlab.show.film import Film
from radixlab.show.script import BadScript, Script


class NoSuchFilm(LookupError):
    """There is no film of that name; the text says which there are."""


def names(chapter: Chapter) -> list[str]:
    """Return the names of the films of *chapter*, in a learner's order.

    >>> from radixlab import course
    >>> names(course.chapter("ds.07"))[0]
    'worked-example'
    """
    return list(chapter.films)


def film(chapter: Chapter, name: str, subject_module: ModuleType | None = None) -> Film:
    """Return the film *name*, played on the tree of *subject_module*, the reference when that is None.

    NoSuchFilm, BadScript when the chapter's data are wrong, and whatever `RadixTree(granule)` raises.
    """
    data = _data(chapter, name)
    script, captions = _script(name, data)
    if subject_module is None:
        subject_module = importlib.import_module(f"radixlab.chapters.{chapter.folder.name}.reference")
    return Film.of(
        script,
        subject_module.RadixTree(script.granule),
        data["title"],
        inside=data.get("inside", False),
        look=data["look"],
        captions=captions,
        notes=data.get("notes", {}),
    )


def script(chapter: Chapter, name: str) -> Script:
    """Return the script of the film *name*; NoSuchFilm, BadScript."""
    return _script(name, _data(chapter, name))[0]


def _data(chapter: Chapter, name: str) -> dict[str, Any]:
    if name not in chapter.films:
        raise NoSuchFilm(f"there is no film called {name!r}: choose from {', '.join(names(chapter))}")
    return chapter.films[name]


def _script(name: str, data: dict[str, Any]) -> tuple[Script, list[str]]:
    """Return the script in the *data* of a film, and a caption for each step."""
    try:
        script = Script.from_data(data)
    except BadScript as error:
        raise BadScript(f"film {name}: {error}") from None
    return script, [step.get("say", "") for step in data["steps"]]
