"""Where the files of a submission lie, under a name that no other one has; what lies there of none is cleared away."""

import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from radixlab.classroom.grade import Grade

PAGES, RESULTS, RESULT = "submissions", "gradescope", "results.json"
_LONGEST = 48  # characters of a file name before its hash
_OURS = re.compile(rf"(?:{PAGES}|{RESULTS})/.+-([0-9a-f]{{20}})(?:\.html|\.json|/{re.escape(RESULT)})", re.DOTALL)


def page(grade: Grade, ending: str) -> str:
    """Return where the page of *grade* with this *ending* is, below the folder of all."""
    return f"{PAGES}/{file_name(grade.submission, grade.learner)}.{ending}"


def result(grade: Grade) -> str:
    """Return where Gradescope's results of *grade* are, below the folder of all."""
    return f"{RESULTS}/{file_name(grade.submission, grade.learner)}/{RESULT}"


def file_name(submission: str, learner: str) -> str:
    """Return a file name for *submission*, without its ending: it names the *learner*, and is the same each time.

    It ends with 80 bits of a hash of the whole name, so no two share one, not where case does not count either.

    >>> file_name("/home/me/export/dürer_4003_9003_radix.zip", "dürer")
    'dürer_4003_9003_radix.zip-961669d4e6f06fdacee5'
    >>> file_name("ada/radix.py", "ada")
    'ada-radix.py-668ee627596917f00cfc'
    """
    last = re.split(r"[/\\]", submission.rstrip("/\\"))[-1]
    named = last if set(_words(learner)) <= set(_words(last)) else f"{learner} {last}"
    signs = (sign if _is_plain(sign) else "-" for sign in unicodedata.normalize("NFC", named))
    slug = re.sub("-+", "-", "".join(signs)).strip("-.")[:_LONGEST].rstrip("-._")
    return f"{slug or 'submission'}-{_hash(submission)}"


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name)


def _is_plain(sign: str) -> bool:
    """Return whether *sign* is a letter of any language, a mark on one, a digit, or one of a few others."""
    return sign in "._" or unicodedata.category(sign)[0] in "LMN"


def _hash(submission: str) -> str:
    return hashlib.sha256(submission.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def clear(grades: Sequence[Grade], out: Path) -> None:
    """Remove from the folder *out* what an earlier run wrote for a submission that is not among *grades*.

    It is known by the hash in its name: whatever else lies there is somebody's.
    """
    rows = {_hash(grade.submission) for grade in grades}
    results = {_hash(grade.submission) for grade in grades if grade.final}
    for pattern, kept in ((f"{PAGES}/*", rows), (f"{RESULTS}/*/{RESULT}", results)):
        for path in list(out.glob(pattern)):
            ours = _OURS.fullmatch(path.relative_to(out).as_posix())
            if ours and ours[1] not in kept and path.is_file():
                path.unlink()
                with contextlib.suppress(OSError):  # it holds something else, or other pages
                    path.parent.rmdir()
