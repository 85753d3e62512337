"""The shortest script on which a planted bug and the reference part, searched once and kept on disk."""

import contextlib
import hashlib
import os
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import platformdirs

from radixlab import __version__
from radixlab.checker.live import loaded
from radixlab.course import Bug, Chapter
from radixlab.show.script import Script

if TYPE_CHECKING:
    from radixlab.show.divergence.diverge import Divergence, Duel


def counterexample(bug: Bug, chapter: Chapter) -> "Divergence | None":
    """Return where *bug* and the reference of *chapter* part; None when none is found, or when it makes no trees.

    Complexity: a search of about 1,000 scripts the first time, the play of one script from then on.
    """
    if chapter.makes != "tree":
        return None
    from radixlab.show.divergence.diverge import Duel

    names, titles = (f"in {bug.id}", "in the reference"), (f"with {bug.id}", "the reference")
    sources = chapter.source(bug.id), chapter.text("reference.py")
    duel = Duel(*(_tree(source, name) for source, name in zip(sources, (bug.id, "reference"), strict=True)))
    script = _kept(sources, duel)
    return None if script is None else duel.divergence(script, names, titles)


def _tree(source: str, name: str) -> ModuleType:
    return loaded(source, f"{name}.py", {"RadixTree"})


def _kept(sources: tuple[str, str], duel: "Duel") -> Script | None:
    """Return the script for *sources* from disk; if there is none on which the two part, search and keep it.

    Where nothing can be written, nothing is kept.
    """
    key = hashlib.sha256(repr((__version__, sources)).encode()).hexdigest()
    path = platformdirs.user_cache_path("radixlab") / "counterexamples" / f"{key}.json"
    with contextlib.suppress(OSError, ValueError):  # a BadScript is a ValueError
        script = Script.from_json(path.read_text(encoding="utf-8"))
        if duel.parts_at(script) is not None:
            return script
    script = duel.search(seed=0)
    if script is not None:
        with contextlib.suppress(OSError):
            _keep(path, script)
    return script


def _keep(path: Path, script: Script) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(script.to_json(), encoding="utf-8")
    os.replace(fresh, path)
