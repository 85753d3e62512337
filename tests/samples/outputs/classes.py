"""A class of nine, one of each kind, and the same with hostile words in all places where a learner's words stand."""

import json
from dataclasses import replace
from pathlib import Path

from radixlab.classroom.grade import Grade

SAMPLES = Path(__file__).parent
HOSTILE = "\x1b[31m</script><script>alert(1)</script>]]>\x00\ud800\u202e=cmd|' /C calc'!A0 &amp; <b>\ufffe"


def grades() -> list[Grade]:
    """One grade of each kind, as real reports gave them."""
    return [Grade.from_dict(data) for data in json.loads((SAMPLES / "grades.json").read_text(encoding="utf-8"))]


def hostile(grade: Grade, words: str = HOSTILE) -> Grade:
    """Return *grade* with *words* wherever a learner's words may stand."""
    report = grade.report and json.loads(json.dumps(grade.report))
    for test in report["own_tests"] if report else []:
        test["name"], test["message"] = f"{words}_{test['name']}", f"line 1\r\n{words}"
    for test in report["tests"] if report else []:
        test["message"] = f"{words}\n{test['message']}"
    for bug in report["mutation"]["bugs"] if report and report["mutation"] else []:
        bug["by"] = [f"{words}_{name}" for name in bug["by"]]
    if report:
        report["next"] = report["subject"] = words
    names = {"submission": f"{grade.submission}{words}", "learner": words, "message": words, "notes": (words,)}
    return replace(grade, report=report, **names)
