"""Films and the playground, on the learner's tree as it is now."""

from types import ModuleType, SimpleNamespace
from typing import Any

from radixlab.lab.mine import CHAPTER, CHAPTERS, now
from radixlab.show import films
from radixlab.show.film import Film


def film(name: str, tree: ModuleType | type | None = None) -> Film:
    """Return the film *name* that a chapter ships, played on the reference, or on *tree*: a class, or a module.

    NoSuchFilm, with the names there are. What a tree has not written yet, the film shows as raised.
    """
    subject = SimpleNamespace(RadixTree=tree) if isinstance(tree, type) else tree
    chapter = next((chapter for chapter in CHAPTERS if name in chapter.films), CHAPTER)
    return films.film(chapter, name, subject)


def playground(tree: ModuleType | type | None = None, granule: int = 1) -> Any:
    """Return a panel to play with *tree*, a module such as `subject("s07")`; without one, with the learner's file."""
    from radixlab.show.panel.playground import playground  # widgets take their time to load

    return playground(_Mine() if tree is None else tree, granule)


class _Mine:
    """The learner's file as it is now, at each use."""

    def __getattr__(self, name: str) -> Any:
        """Return what the file calls *name*."""
        return now(name)
