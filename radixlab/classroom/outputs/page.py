"""A class as one page to look at: points, what most miss, and why; names only once they are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import places, plain, tally, words
from radixlab.classroom.outputs.counterexamples import counterexample
from radixlab.classroom.outputs.templates import fill, script
from radixlab.course import Chapter
from radixlab.reports import notebook

SHOWN = 3  # counterexamples, at most
_WIDE, _HIGH, _TOP, _LEFT = 640, 200, 24, 12  # of the histogram, and what is kept free in it for words


def render(grades: Sequence[Grade], chapter: Chapter, *, linked: bool = False) -> str:
    """Return the class page of *grades*, with nothing in it from elsewhere; *linked*: with a link to each page."""
    text, allowed = script("class.js")
    missed = tally.most_missed(grades, chapter, SHOWN)
    matrix = tally.matrix(grades, chapter)
    numbers = {row.submission: row.number for row in matrix}
    return fill(
        "class.html",
        chapter=chapter,
        script=Markup(text),  # ours, and escaped it would not run
        allowed=allowed,
        framed=Markup(f"<style>{notebook.STYLE}</style>"),
        count=len(grades),
        outcomes=tally.outcomes(grades),
        median=tally.median(grades),
        most=max((grade.max_points for grade in grades), default=0),
        unisolated=sum(map(words.is_open, grades)),
        bars=bars(tally.histogram(grades)),
        size=(_WIDE, _HIGH + _TOP),
        bugs=tally.kills(grades, chapter),
        matrix=matrix,
        others=len(grades) - len(matrix),
        official=tally.official(grades, chapter),
        pitfalls=tally.pitfalls(grades, chapter),
        missed=[(count, _two_trees(count.name, chapter)) for count in missed],
        rows=[
            (plain.washed(grade), numbers.get(grade.submission, ""), places.page(grade, "html") if linked else "")
            for grade in grades
        ],
        number=words.number,
        counted=words.counted,
        isolation=words.isolation,
    )


def _two_trees(bug: str, chapter: Chapter) -> Markup | None:
    """Return where *bug* and the reference part, as markup of ours; None when that is not known."""
    found = counterexample(chapter.bug(bug), chapter)
    return Markup(notebook.two_trees(found)) if found else None


@dataclass(frozen=True)
class Bar:
    """A bar of the histogram, in the units of its picture: *x* and *width*, the height of each of its two parts."""

    bin: tally.Bin
    x: float
    width: float
    passed: float
    others: float

    @property
    def many(self) -> int:
        """How many submissions it stands for."""
        return self.bin.passed + self.bin.others

    @property
    def top(self) -> float:
        """Where it ends above."""
        return self.floor - self.passed - self.others

    @property
    def floor(self) -> float:
        """Where it stands."""
        return _HIGH


def bars(bins: Sequence[tally.Bin]) -> list[Bar]:
    """Return *bins* as bars, the highest as high as there is room for."""
    width = (_WIDE - 2 * _LEFT) / len(bins)
    unit = (_HIGH - _TOP) / max(1, *(each.passed + each.others for each in bins))
    return [
        Bar(each, _LEFT + place * width, width, each.passed * unit, each.others * unit)
        for place, each in enumerate(bins)
    ]
