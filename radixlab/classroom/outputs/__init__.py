"""Renderers of grades: each turns the grades of a class into files, none decides anything."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import csv, files, gradescope, junit, nbgrader, page, places
from radixlab.course import Chapter

Written = Iterator[tuple[str, str]]  # a file below the folder of all, and the text in it

FORMATS: dict[str, Callable[[Sequence[Grade], Chapter, bool], Written]] = {
    "json": lambda grades, chapter, linked: files.json_files(grades),
    "html": lambda grades, chapter, linked: files.html_files(grades, chapter),
    "csv": lambda grades, chapter, linked: iter([("grades.csv", csv.render(grades))]),
    "page": lambda grades, chapter, linked: iter([("report.html", page.render(grades, chapter, linked=linked))]),
    "gradescope": lambda grades, chapter, linked: gradescope.result_files(grades, chapter),
    "nbgrader": lambda grades, chapter, linked: iter([("nbgrader.csv", nbgrader.render(grades))]),
    "junit": lambda grades, chapter, linked: iter([("junit.xml", junit.render(grades, chapter))]),
}


def write(grades: Sequence[Grade], chapter: Chapter, out: Path, formats: Iterable[str] = tuple(FORMATS)) -> list[Path]:
    """Write *grades* into the folder *out* in each of *formats*, and return the files in the order of writing.

    A file is replaced at one stroke: whoever reads it sees the old text or the new one. Pages of submissions that are
    not among *grades* are removed. ValueError for a format that is not in `FORMATS`, OSError for a folder that cannot
    be written. Complexity: linear in the grades; the class page searches for a counterexample or two the first time.
    """
    wanted = list(dict.fromkeys(formats))
    for name in wanted:
        if name not in FORMATS:
            raise ValueError(f"there is no format {name!r}: choose from {', '.join(FORMATS)}")
    texts = (text for name in wanted for text in FORMATS[name](grades, chapter, "html" in wanted))
    written = [_replace(out / name, text) for name, text in texts]
    places.clear(grades, out)
    return written


def _replace(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8", newline="")  # CSV has line ends of its own
    os.replace(fresh, path)
    return path
