"""Jobs of a chapter: its face, its module, and the modules that it builds on."""

from collections.abc import Iterable
from functools import lru_cache
from types import CodeType

from radixlab.checker.job import Job, TestFile
from radixlab.checker.subject import compile_subject
from radixlab.course import Chapter


def job_of(
    chapter: Chapter,
    subject: CodeType,
    tests: TestFile,
    names: Iterable[str],
    *,
    needs: tuple[tuple[str, str], ...] = (),
    **options,
) -> Job:
    """Return the job of the *tests* called *names* on *subject*, a subject of *chapter*; *options* are those of `Job`.

    *needs*: modules that it builds on, name and source, in place of the references of those chapters.
    """
    modules = tuple((name, _code(source, f"{name}.py")) for name, source in sources_below(chapter, needs))
    options |= {"needs": modules, "makes": chapter.makes}
    return Job(subject, tests, tuple(names), chapter.text("face.pyi"), chapter.module, **options)


def sources_below(chapter: Chapter, needs: tuple[tuple[str, str], ...] = ()) -> tuple[tuple[str, str], ...]:
    """Return the modules that *chapter* builds on, name and source, the deepest first: references, or those of *needs*.

    >>> from radixlab import course
    >>> sources_below(course.chapter("ds.07"))
    ()
    """
    given = dict(needs)
    return tuple((below.module, given.get(below.module) or below.text("reference.py")) for below in chapter.below)


@lru_cache(maxsize=8)
def _code(source: str, filename: str) -> CodeType:
    return compile_subject(source, filename)
