"""What learners wrote, made harmless before it is shown: no control characters, no endless texts."""

import re
from dataclasses import replace
from typing import Any

from radixlab.classroom.grade import Grade

MOST, MOST_OF_A_NAME = 4_000, 200  # characters

# What a terminal obeys, a reader does not see, XML forbids or UTF-8 cannot carry: C0 and C1 but for tab and newline,
# zero-width space, marks that turn the direction, line separators, byte order mark, tags, surrogates, U+FFFE, U+FFFF.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def text(words: str, most: int = MOST) -> str:
    r"""Return *words* with each harmful character written out, cut to *most* characters.

    >>> text("\x1b[31mred\x00\r\nnext line")
    '\\x1b[31mred\\x00\nnext line'
    """
    if len(words) > most:
        words = f"{words[:most]} ... ({len(words) - most:,} more characters)"
    return _HARMFUL.sub(lambda found: repr(found[0])[1:-1], re.sub("\r\n?", "\n", words))


def line(words: str, most: int = MOST) -> str:
    r"""Return *words* as one harmless line.

    >>> line("  two\n\tlines ")
    'two lines'
    """
    return " ".join(text(words, most).split())


def washed(grade: Grade) -> Grade:
    """Return *grade* with every text in it harmless, names and message one line each."""
    return replace(
        grade,
        submission=line(grade.submission, MOST_OF_A_NAME),
        learner=line(grade.learner, MOST_OF_A_NAME),
        message=line(grade.message),
        notes=tuple(map(line, grade.notes)),
        report=_washed(grade.report),
    )


def _washed(data: Any) -> Any:
    if isinstance(data, str):
        return text(data)
    if isinstance(data, dict):
        return {text(str(key)): _washed(value) for key, value in data.items()}
    return [_washed(each) for each in data] if isinstance(data, list | tuple) else data
