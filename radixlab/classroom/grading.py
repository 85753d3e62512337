"""One submission becomes one grade: the verdict that `ol check` gives, under a seed from its content, with points."""

import hashlib
import time
from dataclasses import replace
from typing import Any

from radixlab import __version__
from radixlab.checker.process import CheckerFailed
from radixlab.checker.report import UNWRITTEN
from radixlab.checker.subject import Subject, Unreadable
from radixlab.checker.verdict import MEDDLES, check
from radixlab.checker.worker import AFTER_KILLS, LATE, Shells
from radixlab.classroom.copies import copied
from radixlab.classroom.grade import SLOW, Grade, one_line
from radixlab.classroom.points import killed_bugs, max_points, passed_tests, points
from radixlab.classroom.reading import File, Submission
from radixlab.classroom.sandbox import NoSandbox
from radixlab.classroom.secret import seed_of
from radixlab.classroom.shell import Place
from radixlab.classroom.wire import Tampered
from radixlab.course import Chapter

OPEN = "graded without isolation: it could read and change what this account can"
_SHARE = 0.75  # of the time of a submission, for its tests: the rest is for starting, ending and a busy machine


def version_of(chapter: Chapter) -> str:
    """Return a short hash of the files of *chapter* and the version of what grades."""
    digest = hashlib.sha256(f"radixlab {__version__} {chapter.id}\n".encode())
    for path in sorted(chapter.folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            digest.update(f"{path.relative_to(chapter.folder).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()[:12]


def grade_one(
    submission: Submission,
    chapter: Chapter,
    place: Place,
    timeout: float,
    version: str | None = None,
    seed: int | None = None,
) -> Grade:
    """Return the grade of *submission*, whatever it does in its *place*.

    *timeout*: seconds until it is ended from outside, most of which the tests get; *version*: of the chapter, and
    *seed*, where they are known. What is not the submission's fault is an `infra_error`.
    """
    began = time.monotonic()
    grade = blank(submission, chapter, version or version_of(chapter), seed)
    if submission.problem:
        return replace(grade, outcome="invalid", message=one_line(submission.problem))
    try:
        with place.entered() as (where, named):
            grade = replace(grade, isolation=named)
            found = _checked(submission, chapter, grade.seed, where, _SHARE * timeout)
    except Tampered as error:
        found = {"outcome": "tampered", "message": one_line(f"what it sent is no answer: {error}")}
    except (CheckerFailed, NoSandbox, OSError) as error:
        found = {"outcome": "infra_error", "message": one_line(f"the checker could not do its job: {error}")}
    notes = (*grade.notes, *found.pop("notes", ()), *([OPEN] if grade.isolation == "none" else []))
    return replace(grade, **found, notes=notes, duration_s=round(time.monotonic() - began, 3))


def blank(submission: Submission, chapter: Chapter, version: str, seed: int | None = None) -> Grade:
    """Return the grade of *submission* as it is before anything ran: no points, no outcome that says anything."""
    sha256 = submission.sha256
    return Grade(
        submission=submission.name,
        learner=submission.learner,
        sha256=sha256,
        chapter=chapter.id,
        chapter_version=version,
        outcome="infra_error",
        points=0.0,
        max_points=max_points(chapter),
        tests_passed=0,
        tests=len(chapter.tests),
        bugs_killed=0,
        bugs=len(chapter.bugs),
        isolation="none",
        seed=seed_of(sha256) if seed is None else seed,
        message="not graded yet",
        notes=submission.notes,
    )


def _checked(submission: Submission, chapter: Chapter, seed: int, where: Shells, deadline: float) -> dict[str, Any]:
    """Return the fields of the grade that the report on *submission* decides."""
    tree = Subject(submission.tree.source, chapter.file, submission.tree.problem, chapter.file)
    report = check(chapter, tree, _tests(submission.tests, chapter), where, seed=seed, deadline=deadline).as_dict()
    outcome, why = outcome_of(report)
    notes = copied(chapter, submission)
    if any(test["message"].startswith(LATE) for test in (*report["tests"], *report["own_tests"])):
        notes = (*notes, SLOW)
    return {
        "outcome": outcome,
        "points": 0.0 if outcome == "tampered" else points(chapter, report),
        "tests_passed": passed_tests(report),
        "bugs_killed": killed_bugs(report),
        "message": one_line(why or report["next"]),
        "notes": notes,
        "report": report,
    }


def _tests(file: File | None, chapter: Chapter) -> str | Unreadable:
    """Return the source of the own tests, or why there is none: nobody passes without."""
    if file is None:
        return Unreadable(f"{UNWRITTEN}: {chapter.tests_file} was not handed in")
    return Unreadable(file.problem) if file.problem else file.source


def outcome_of(report: dict[str, Any]) -> tuple[str, str]:
    """Return the outcome that *report* comes to, and why when that is not its verdict.

    A fail has a cause when most official tests went down with the process (crash) or hung (timeout), or when nothing
    but time was lacking (timeout).
    """
    tests = report["tests"]
    if report["verdict"] != "fail":
        return report["verdict"], ""
    if all(MEDDLES in test["message"] for test in tests):
        return "tampered", tests[0]["message"]
    for cause, name, what in (("no_answer", "crash", "ended the process"), ("timeout", "timeout", "hung")):
        own = [test for test in tests if test["outcome"] == cause]
        left = [test for test in tests if test["message"].startswith(AFTER_KILLS)]
        if own and 2 * (len(own) + len(left)) > len(tests):
            then = f", then {len(left)} of {len(tests)} were not run" if left else ""
            return name, f"{own[0]['name']} {what}{then}: {own[0]['message']}"
    late = [test for test in tests if test["message"].startswith(LATE)]
    if late and all(test["outcome"] == "passed" or test in late for test in tests):
        return "timeout", f"{len(late)} of {len(tests)} tests were not run for want of time: it is slow, or the machine"
    return "fail", ""
