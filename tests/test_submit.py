"""`ol submit`: what is in the zip, that it is what `ol grade` takes, and whose files it leaves alone."""

import io
import json
import os
import zipfile
from pathlib import Path

import jsonschema
import pytest

from radixlab import course, splice
from radixlab.checker.process import CheckerFailed
from radixlab.classroom import handin
from radixlab.classroom.alone import TIMEOUT
from radixlab.classroom.grading import grade_one, version_of
from radixlab.classroom.reading import read
from radixlab.classroom.shell import Place
from radixlab.classroom.submissions import find
from radixlab.cli import main
from radixlab.reports import json as as_json

CHAPTER = course.chapter("ds.07")
SAMPLES = Path(__file__).parent / "samples"
GOOD = (SAMPLES / "ds07/good_tests.py").read_text(encoding="utf-8")
SCHEMA = json.loads((Path(as_json.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
BROKEN = b"class RadixTree:\n    def insert(:\n"


class Learner:
    """Someone at a terminal, in a folder of their own."""

    def __init__(self, folder: Path, capsys) -> None:
        self.folder, self.capsys = folder, capsys
        self.tree, self.tests = folder / "work/ds07/radix.py", folder / "work/ds07/test_radix.py"
        self.zip = folder / "handin-ds07.zip"

    def writes(self, tree: str | bytes, tests: str | None = GOOD) -> None:
        self.tree.parent.mkdir(parents=True, exist_ok=True)
        self.tree.write_bytes(tree if isinstance(tree, bytes) else tree.encode())
        if tests is not None:
            self.tests.write_text(tests, encoding="utf-8", newline="\n")

    def submits(self, options: str = "", chapter: str = "ds.07") -> tuple[int, str]:
        """Type the command; return its exit code and all that it printed, on one line."""
        self.capsys.readouterr()
        code = main(["submit", chapter, *options.split()])
        out = self.capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return code, " ".join((out.out + out.err).split())


@pytest.fixture
def learner(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RADIXLAB_WORK", raising=False)
    return Learner(tmp_path, capsys)


def held(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def graded(path: Path, chapter: course.Chapter = CHAPTER):
    """Return the grade of the one submission that *path* is."""
    (found,), passed_over = find([path], chapter)
    assert not passed_over
    return grade_one(read(found, chapter), chapter, Place("none"), TIMEOUT)


def without_times(report: dict) -> dict:
    tests = [{**test, "duration_s": 0} for test in report["tests"]]
    return {**report, "duration_s": 0, "tests": tests}


@pytest.fixture
def made(learner, monkeypatch):
    """A learner who is quick: the report is made up, and counted."""
    reports = []

    def fresh(work, chapter, shells, watch):
        reports.append({"verdict": "fail", "tests": [], "mutation": None, "next": "go on", "number": len(reports)})
        return reports[-1]

    monkeypatch.setattr(handin, "fresh_report", fresh)
    learner.reports = reports
    return learner


# What is in it -----------------------------------------------------------------------------------------------------


def test_the_zip_is_what_grade_takes_and_its_report_is_the_one_that_grade_makes(learner):
    learner.writes(CHAPTER.text("reference.py"))
    code, said = learner.submits()
    assert code == 0 and "wrote handin-ds07.zip: radix.py, test_radix.py, report.json" in said
    assert "pass; 11 of 11 official tests pass, 18 of 18 planted bugs are caught" in said
    assert "next: hand in this one file" in said and "to go on" not in said

    grade = graded(learner.zip)
    assert grade.outcome == "pass" and grade.points == grade.max_points
    report, card = (json.loads(held(learner.zip)[name]) for name in (handin.REPORT, handin.CARD))
    jsonschema.validate(report, SCHEMA)
    assert without_times(report) == without_times(grade.report)
    assert card == {
        "schema": "radixlab.handin/1",
        "radixlab": handin.__version__,
        "chapter": "ds.07",
        "chapter_version": version_of(CHAPTER),
        "sha256": grade.sha256,
    }


def test_the_two_files_lie_at_its_top_byte_for_byte(made):
    tree = ("\ufeff" + CHAPTER.text("reference.py").replace("\n", "\r\n")).encode()
    made.writes(tree)
    made.submits()
    inside = held(made.zip)
    assert list(inside) == ["radix.py", "test_radix.py", "report.json", "handin.json"]
    assert inside["radix.py"] == tree and inside["test_radix.py"] == made.tests.read_bytes()


def test_a_class_as_a_course_system_exports_it_is_found_with_its_names(made, tmp_path):
    folder = tmp_path / "export"
    for name in ("Jane Doe_1234567_assignsubmission_file_", "John Roe_7654321_assignsubmission_file_"):
        made.writes(f"# {name}\n{CHAPTER.text('reference.py')}")
        (folder / name).mkdir(parents=True)
        assert made.submits(f"-o {made.folder / 'x.zip'}")[0] == 0
        os.replace(made.folder / "x.zip", folder / name / "handin-ds07.zip")
    found, passed_over = find([folder], CHAPTER)
    submissions = [read(each, CHAPTER) for each in found]
    assert [each.learner for each in submissions] == ["Jane Doe", "John Roe"] and not passed_over
    assert all(each.tree.source and each.tests and not each.problem for each in submissions)


def test_nothing_in_it_says_whose_machine_made_it(learner):
    learner.writes(CHAPTER.text("stub.py").replace("stage runs", "not yet"))
    learner.submits()
    inside = held(learner.zip)
    assert not any(str(learner.folder).encode() in data for data in inside.values())
    assert json.loads(inside["report.json"])["subject"] == "radix.py"


def test_another_chapter_is_handed_in_alike_on_the_references_of_those_below(learner):
    chapter = course.chapter("L8.4")
    tree, tests = learner.folder / "work/l84/prefix_cache.py", learner.folder / "work/l84/test_prefix_cache.py"
    tree.parent.mkdir(parents=True)
    tree.write_text(chapter.text("reference.py"), encoding="utf-8")
    tests.write_text((SAMPLES / "l84/good_tests.py").read_text(encoding="utf-8"), encoding="utf-8")
    assert learner.submits(chapter="L8.4")[0] == 0
    path = learner.folder / "handin-l84.zip"
    assert list(held(path))[:2] == ["prefix_cache.py", "test_prefix_cache.py"]
    grade = graded(path, chapter)
    assert grade.outcome == "pass"
    assert without_times(json.loads(held(path)["report.json"])) == without_times(grade.report)


# The same files, the same zip -------------------------------------------------------------------------------------


def test_the_same_files_make_the_same_bytes(made, tmp_path):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    first = made.zip.read_bytes()
    os.utime(made.tree, (0, 0))
    (tmp_path / "other").mkdir()
    assert made.submits(f"-o {tmp_path / 'other' / 'mine.zip'}")[0] == 0
    assert (tmp_path / "other" / "mine.zip").read_bytes() == first
    assert len(made.reports) == 1, "the last report is about these files: they were checked once more"


def test_a_report_on_other_files_is_never_handed_in(made):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    first = held(made.zip)
    made.tests.write_text(GOOD + "\n\n# one line more\n", encoding="utf-8")
    made.submits()
    second = held(made.zip)
    assert json.loads(second["report.json"])["number"] == 1
    assert json.loads(second["handin.json"])["sha256"] != json.loads(first["handin.json"])["sha256"]


def test_a_report_of_an_older_version_is_never_handed_in(made, monkeypatch):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    monkeypatch.setattr(handin, "version_of", lambda chapter: "other")
    made.submits()
    assert len(made.reports) == 2 and json.loads(held(made.zip)["handin.json"])["chapter_version"] == "other"


def test_a_damaged_mark_costs_nothing_but_a_check(made):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    (made.folder / "work/.radixlab").write_text("{")
    assert made.submits()[0] == 0 and len(made.reports) == 2


def test_packing_depends_on_nothing_but_its_input():
    work = handin.Work({"radix.py": b"x = 1\n"}, handin._as_graded({"radix.py": b"x = 1\n"}, CHAPTER))
    one, other = (handin.pack(work, CHAPTER, {"tests": []}) for _ in range(2))
    assert one == other
    with zipfile.ZipFile(io.BytesIO(one)) as packed:
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in packed.infolist()} == {zipfile.ZIP_STORED}


# What is not ready ------------------------------------------------------------------------------------------------


def test_where_nothing_was_begun_nothing_is_written(learner):
    code, said = learner.submits()
    assert code == 2 and "`ol start ds.07`" in said
    assert list(learner.folder.iterdir()) == []
    learner.tree.parent.mkdir(parents=True)
    assert learner.submits()[0] == 2 and not learner.zip.exists()


def test_what_start_wrote_and_nobody_touched_is_no_hand_in(learner):
    main(["start", "ds.07"])
    code, said = learner.submits()
    assert code == 2 and "00-why" in said and not learner.zip.exists()
    assert "radix.py and " in said and "test_radix.py: still as `ol start` wrote them" in said
    learner.tests.unlink()
    code, said = learner.submits()
    assert code == 2 and "radix.py: still as `ol start` wrote it, so" in said and not learner.zip.exists()


@pytest.mark.parametrize("what", ["tree", "tests"])
def test_a_change_in_one_of_the_two_is_a_hand_in(made, what):
    main(["start", "ds.07"])
    path = getattr(made, what)
    path.write_text(path.read_text(encoding="utf-8") + "\nx = 1\n", encoding="utf-8")
    assert made.submits()[0] == 0 and made.zip.exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (BROKEN, "radix.py, line 2: invalid syntax"),
        (b"return 1\n", "radix.py, line 1: 'return' outside function"),
        (b"name = '\xe4'\n", "radix.py: not UTF-8 text"),
        (b"x = 1\0\n", "radix.py, line 1: a null byte"),
    ],
)
def test_a_file_that_does_not_parse_is_said_to_and_handed_in(learner, data, sentence):
    learner.writes(data)
    code, said = learner.submits()
    assert code == 0 and sentence in said and "handed in as it is" in said
    assert held(learner.zip)["radix.py"] == data
    grade = graded(learner.zip)
    assert grade.outcome == "fail" and grade.bugs_killed == 18, "the tests count all the same"
    assert json.loads(held(learner.zip)["report.json"])["next"] == grade.report["next"]


def test_tests_that_do_not_parse_are_said_to_and_handed_in(learner):
    learner.writes(CHAPTER.text("reference.py"), "def test_x(:\n")
    code, said = learner.submits()
    assert code == 0 and "test_radix.py, line 1: invalid syntax" in said
    assert graded(learner.zip).tests_passed == 11


def test_half_finished_work_is_handed_in_with_what_is_next(learner):
    solved = [name for stage in CHAPTER.stages[:3] for name in stage.writes]
    learner.writes(splice.cut(CHAPTER.text("stub.py"), CHAPTER.text("reference.py"), tuple(solved)))
    code, said = learner.submits()
    assert code == 0 and "not there yet; 2 of 11 official tests pass" in said and "03-split-matching" in said
    assert graded(learner.zip).tests_passed == 2


def test_a_missing_file_is_said_to_be_missing(made):
    made.writes(CHAPTER.text("reference.py"), None)
    code, said = made.submits()
    assert code == 0 and "test_radix.py is missing" in said and "test_radix.py" not in held(made.zip)
    made.tests.write_text(GOOD, encoding="utf-8")
    made.tree.unlink()
    code, said = made.submits()
    assert code == 0 and "- radix.py is missing" in said and "radix.py" not in held(made.zip)


def test_without_a_checker_the_files_are_handed_in_without_a_report(learner, monkeypatch):
    def fails(*_):
        raise CheckerFailed("no worker starts")

    monkeypatch.setattr(handin, "fresh_report", fails)
    learner.writes(CHAPTER.text("reference.py"))
    code, said = learner.submits()
    assert code == 0 and "no report: the checker could not do its job: no worker starts" in said
    assert list(held(learner.zip)) == ["radix.py", "test_radix.py", "handin.json"]


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_work_that_is_kept_elsewhere_and_linked_is_handed_in(made, tmp_path):
    (tmp_path / "elsewhere.py").write_text(CHAPTER.text("reference.py"), encoding="utf-8")
    made.tree.parent.mkdir(parents=True)
    made.tree.symlink_to(tmp_path / "elsewhere.py")
    made.tests.write_text(GOOD, encoding="utf-8")
    assert made.submits()[0] == 0
    assert held(made.zip)["radix.py"] == (tmp_path / "elsewhere.py").read_bytes()


# Whose files it leaves alone --------------------------------------------------------------------------------------


def zip_of(**files: str) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as packed:
        for name, text in files.items():
            packed.writestr(name.replace("__", "."), text)
    return into.getvalue()


OURS = json.dumps({"schema": handin.SCHEMA, "chapter": "ds.07"})
ALIEN = {
    "no zip": b"my notes\n",
    "an empty file": b"",
    "a zip of their own": zip_of(radix__py="x = 1\n"),
    "of another chapter": zip_of(handin__json=json.dumps({"schema": handin.SCHEMA, "chapter": "L8.4"})),
    "with a file that was added": zip_of(handin__json=OURS, notes__txt="keep me"),
    "with a card that is no object": zip_of(handin__json="[]"),
    "with a card that is no JSON": zip_of(handin__json="{"),
}


@pytest.mark.parametrize("data", ALIEN.values(), ids=ALIEN)
def test_what_is_not_ours_is_never_overwritten_unless_forced(made, data):
    made.writes(CHAPTER.text("reference.py"))
    made.zip.write_bytes(data)
    code, said = made.submits()
    assert code == 2 and "--force overwrites it" in said
    assert made.zip.read_bytes() == data and not made.reports, "it was checked before it was refused"
    assert made.submits("--force")[0] == 0 and "radix.py" in held(made.zip)


def test_an_older_hand_in_of_ours_is_replaced(made):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    made.writes(BROKEN)
    assert made.submits()[0] == 0 and held(made.zip)["radix.py"] == BROKEN
    assert sorted(path.name for path in made.folder.iterdir()) == ["handin-ds07.zip", "work"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("mine.tar", "ends in .zip"),
        ("-", "ends in .zip"),
        ("work/ds07/radix.py", "ends in .zip"),
        ("nowhere/mine.zip", "nowhere does not exist"),
        ("folder.zip", "is a folder"),
    ],
)
def test_a_place_that_will_not_do_is_refused_before_anything_runs(made, name, sentence):
    made.writes(CHAPTER.text("reference.py"))
    (made.folder / "folder.zip").mkdir()
    code, said = made.submits(f"-o {name} --force")
    assert code == 2 and sentence in said and not made.reports
    assert made.tree.read_text(encoding="utf-8") == CHAPTER.text("reference.py")


def test_a_disk_that_is_full_is_a_sentence_and_the_old_file_stays(made, monkeypatch):
    made.writes(CHAPTER.text("reference.py"))
    made.submits()
    before = made.zip.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(handin.os, "replace", full)
    monkeypatch.setattr(handin, "keep_report", lambda *_: None)
    made.writes(BROKEN)
    code, said = made.submits()
    assert code == 2 and "No space left on device" in said and "-o names another place" in said
    assert made.zip.read_bytes() == before
    assert sorted(path.name for path in made.folder.iterdir()) == ["handin-ds07.zip", "work"]
