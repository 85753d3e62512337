"""Whose submission it is: the learner's name in what a course system calls a folder or a file."""

import re
from typing import NamedTuple

_MOODLE = re.compile(r"(?P<learner>.+?)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)", re.DOTALL)
_CANVAS = re.compile(r"(?P<learner>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_AGAIN = re.compile(r"(?:-\d+| \(\d+\))(?=\.\w+$)")  # handed in, or saved, more than once: `radix-1.py`


class Owner(NamedTuple):
    """*learner*: the name; *file*: what they called it; *key*: the same for all files of one submission.

    *number*: by which a course system knows the learner, "" for none; *system*: whether one wrote the name; *counts*:
    whether it stands for files, and not for a comment.
    """

    learner: str
    file: str
    key: str
    number: str = ""
    system: bool = False
    counts: bool = True


def owner_of(name: str) -> Owner:
    """Return whose the folder or file called *name* is, as far as its name says.

    >>> owner_of("Jane Doe_1234567_assignsubmission_file_").learner
    'Jane Doe'
    >>> owner_of("doejane_LATE_12345_67890_radix-1.py")[:3]
    ('doejane', 'radix.py', 'doejane_12345')
    >>> owner_of("test_jane.py")[:3]
    ('jane', 'test_jane.py', 'jane')
    """
    for pattern in (_MOODLE, _CANVAS):
        if found := pattern.fullmatch(name):
            parts = found.groupdict()
            file = _AGAIN.sub("", parts["file"])
            counts = parts.get("kind", "file") == "file"
            number = parts["number"]
            return Owner(parts["learner"], file, f"{parts['learner']}_{number}", number, True, counts)
    stem, dot, suffix = name.rpartition(".")
    known = dot and suffix.lower() in ("py", "zip")
    learner = (stem.removeprefix("test_") if suffix.lower() == "py" else stem) if known else name
    return Owner(learner, name, learner)
