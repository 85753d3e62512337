"""Submissions are found wherever a course system puts them, under the learner's name, and nothing else is."""

import os
import zipfile
from pathlib import Path

import pytest

from radixlab.classroom.reading import File, Submission, read
from radixlab.classroom.submissions import NoSubmission, find


@pytest.fixture
def make(tmp_path):
    """Write files below the folder of this test; return the folder, or what is named."""

    def make(*names, at=None):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {path.name}\n")
        return tmp_path / (at or "")

    return make


@pytest.fixture
def packed(tmp_path):
    def packed(path, *names):
        path = tmp_path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w") as file:
            for name in names:
                file.writestr(name, f"# {name.split('/')[-1]}\n")
        return path

    return packed


@pytest.fixture
def handed_in(chapter):
    """Return the submissions in paths, read."""
    return lambda *paths: [read(found, chapter) for found in find(paths, chapter)[0]]


def whole(submission):
    """Say whether both files were read."""
    return (submission.tree.source, submission.tests and submission.tests.source, submission.problem) == (
        "# radix.py\n",
        "# test_radix.py\n",
        None,
    )


@pytest.mark.parametrize("place", ["", "ds07/", "work/", "work/ds07/"])
def test_a_zip_is_a_submission_wherever_the_files_lie_in_it(packed, handed_in, place):
    (one,) = handed_in(packed("jane.zip", f"{place}radix.py", f"{place}test_radix.py", f"{place}more/other.txt"))
    assert whole(one) and one.learner == "jane"


@pytest.mark.parametrize("place", ["", "ds07/"])
def test_a_folder_is_a_submission_whatever_lies_beside_the_files(make, handed_in, place):
    folder = make(f"jane/{place}radix.py", f"jane/{place}test_radix.py", "jane/a.zip", "jane/b/radix.py", at="jane")
    (one,) = handed_in(folder)
    assert whole(one) and one.learner == "jane"


@pytest.mark.parametrize("place", ["", "ds07/", "attempt/", "work/ds07/"])
def test_a_folder_of_a_class_may_have_them_one_folder_down(make, handed_in, place):
    (one,) = handed_in(make(f"class/jane/{place}radix.py", f"class/jane/{place}test_radix.py", at="class"))
    assert whole(one) and one.learner == "jane"


def test_what_is_nearest_to_the_top_counts(make, handed_in):
    (one,) = handed_in(make("class/j/old/radix.py", "class/j/ds07/radix.py", "class/j/ds07/test_radix.py", at="class"))
    assert whole(one)


def test_a_file_is_a_submission_with_the_tests_beside_it(make, handed_in):
    folder = make("radix.py", "test_radix.py", "alone/solution.py", "c/doejane_1_2_radix.py", "c/doejane_1_3_other.py")
    (one,) = handed_in(folder / "radix.py")
    assert whole(one)
    (two,) = handed_in(folder / "alone/solution.py")
    assert (two.tree.source, two.tests, two.learner) == ("# solution.py\n", None, "solution")
    make("c/doejane_1_2_test_radix.py")
    (three,) = handed_in(folder / "c/doejane_1_2_radix.py")
    assert three.tests.source == "# doejane_1_2_test_radix.py\n" and three.learner == "doejane"


def test_what_moodle_exports_is_a_class(make, packed, handed_in):
    folder = make(
        "Jane Doe_11_assignsubmission_file_/radix.py",
        "Jane Doe_11_assignsubmission_file_/test_radix.py",
        "Jane Doe_11_assignsubmission_onlinetext_/onlinetext.html",
        "Max M\u00fcller_13_assignsubmission_file_radix.py",
        "Max M\u00fcller_13_assignsubmission_file_test_radix.py",
    )
    packed("Ada de la Cruz_12_assignsubmission_file_/work.zip", "ds07/radix.py", "ds07/test_radix.py")
    found = handed_in(folder)
    assert [one.learner for one in found] == ["Ada de la Cruz", "Jane Doe", "Max M\u00fcller"]
    assert all(one.tests for one in found) and whole(found[0]) and whole(found[1])


def test_what_canvas_exports_is_a_class(make, packed, handed_in):
    folder = make(
        "class/doejane_12_99_radix-1.py", "class/doejane_12_98_test_radix-2.py", "class/li_14_97_notes.pdf", at="class"
    )
    packed("class/doejohn_LATE_13_96_radix.zip", "radix.py", "test_radix.py")
    jane, john, li = handed_in(folder)
    assert [one.learner for one in (jane, john, li)] == ["doejane", "doejohn", "li"]
    assert jane.tree.source.startswith("# doejane_12_99") and jane.tests.source.startswith("# doejane_12_98")
    assert whole(john)
    assert "no radix.py" in li.problem and "notes.pdf" in li.problem


def test_files_of_a_class_go_in_pairs(make, handed_in):
    jane, max_ = handed_in(make("jane.py", "test_jane.py", "max.py"))
    assert (jane.learner, jane.tests.source, jane.tree.source) == ("jane", "# test_jane.py\n", "# jane.py\n")
    assert (max_.learner, max_.tests) == ("max", None)


def test_what_is_no_submission_is_passed_over(make, chapter, tmp_path):
    make("class/jane/radix.py", "class/.git/radix.py", "class/__MACOSX/radix.py", "class/grades.csv", "class/out/a")
    found, over = find([tmp_path / "class"], chapter, skip=tmp_path / "class/out")
    assert [one.learner for one in found] == ["jane"]
    assert over == [str(tmp_path / "class/grades.csv")]


def test_a_learner_whose_folder_holds_nothing_is_told_so(make, handed_in):
    empty, jane = handed_in(make("class/an_empty/Radix.PY", "class/jane/radix.py", at="class"))
    assert "there is no radix.py" in empty.problem and "Radix.PY" in empty.problem
    assert jane.problem is None


def test_nothing_to_grade_is_said(make, chapter, tmp_path):
    for folder in (make("notes/a.txt", "other/sub/b.txt", at="notes"), tmp_path / "other", tmp_path):
        with pytest.raises(NoSubmission, match=r"radix\.py"):
            find([folder], chapter)


def test_names_are_unique_and_nothing_is_found_twice(make, chapter, tmp_path):
    make("a/jane/radix.py", "b/jane/radix.py", "a/x\nx/radix.py", "a/x\tx/radix.py")
    found, _ = find([tmp_path / "a", tmp_path / "b", tmp_path / "a", tmp_path / "a/jane"], chapter)
    names = [one.name for one in found]
    assert len(names) == len(set(names)) == 4 and all(name.isprintable() for name in names)


def test_a_link_out_of_the_submission_is_not_followed(make, handed_in, tmp_path):
    make("secret.py", "class/jane/test_radix.py", "class/max/radix.py")
    (tmp_path / "class/jane/radix.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "class/max/test_radix.py").symlink_to("radix.py")
    jane, max_ = handed_in(tmp_path / "class")
    assert "leads out" in jane.tree.problem and jane.tree.source == "" and jane.tests.source
    assert max_.tests == File("# radix.py\n"), "a link within it is"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_or_a_folder_or_a_circle_for_a_file_is_a_problem(make, handed_in, tmp_path):
    make("class/a/test_radix.py", "class/b/test_radix.py", "class/c/test_radix.py")
    os.mkfifo(tmp_path / "class/a/radix.py")
    (tmp_path / "class/b/radix.py").mkdir()
    (tmp_path / "class/c/radix.py").symlink_to("radix.py")
    for one in handed_in(tmp_path / "class"):
        assert one.tree.problem and one.tests.source


def test_a_file_that_is_too_large_or_no_text_is_a_problem(make, handed_in, tmp_path):
    folder = make("j/radix.py", "j/test_radix.py", at="j")
    (folder / "radix.py").write_bytes(b"x" * 1_000_001)
    (folder / "test_radix.py").write_bytes(b"caf\xe9")
    (one,) = handed_in(folder)
    assert "1,000,000" in one.tree.problem and "UTF-8" in one.tests.problem


def test_a_missing_tree_leaves_the_tests(make, handed_in):
    make("class/jane/radix.py")
    jane, tests = handed_in(make("class/only_tests/test_radix.py", at="class"))
    assert tests.tree == File("", "radix.py is missing") and tests.tests and not tests.problem and jane.tests is None


def test_several_that_could_count_are_a_problem(packed, handed_in):
    (one,) = handed_in(packed("jane.zip", "first/radix.py", "second/radix.py"))
    assert "hand in one" in one.problem and "first/radix.py" in one.problem


def test_the_only_python_file_counts_with_a_note(packed, handed_in):
    (one,) = handed_in(packed("jane.zip", "my tree.py"))
    assert one.tree.source == "# my tree.py\n" and one.notes == ("my tree.py was taken for radix.py",)


def test_an_archive_that_is_no_zip_is_a_problem(make, handed_in):
    one, two = handed_in(make("class/jane.tar", "class/max.zip", at="class"))
    assert "make it a zip" in one.problem and "cannot be read" in two.problem


def test_the_hash_is_of_what_counts(make, packed, handed_in, tmp_path):
    make("a/jane/radix.py", "a/jane/test_radix.py", "a/jane/more.txt", "a/max/radix.py")
    packed("a/zed.zip", "ds07/radix.py", "ds07/test_radix.py")
    jane, max_, zed = handed_in(tmp_path / "a")
    assert jane.sha256 == zed.sha256 != max_.sha256
    assert Submission.from_dict(jane.as_dict()) == jane


def test_a_line_end_of_any_system_is_the_same(make, handed_in, tmp_path):
    folder = make("j/radix.py", at="j")
    before = handed_in(folder)[0].sha256
    (folder / "radix.py").write_bytes(b"\xef\xbb\xbf# radix.py\r\n")
    assert handed_in(folder)[0].sha256 == before


def test_a_submission_has_the_same_name_wherever_one_stands(make, chapter, tmp_path, monkeypatch):
    make("class/doe_41_7_radix.py", "class/jane/radix.py", "class/max.zip")
    for where, path in ((tmp_path, tmp_path / "class"), (tmp_path, Path("class")), (tmp_path / "class", Path())):
        monkeypatch.chdir(where)
        names = [one.name for one in find([path], chapter)[0]]
        assert names == ["class/doe_41_7_radix.py", "class/jane", "class/max.zip"]


def test_a_tree_by_its_own_name_is_of_whom_its_folder_is_called_after(make, chapter):
    folder = make("jane/radix.py", "jane/max.py")
    (jane,), (max_,) = (find([folder / f"jane/{name}"], chapter)[0] for name in ("radix.py", "max.py"))
    assert (jane.learner, jane.name) == ("jane", "jane/radix.py") and (max_.learner, max_.name) == (
        "max",
        "jane/max.py",
    )


def test_the_zip_of_a_whole_class_is_no_submission(packed, chapter):
    path = packed("export.zip", "doe_41_7_radix.py", "roe_42_8_radix.py")
    with pytest.raises(NoSubmission, match="export of a whole class: unpack it"):
        find([path], chapter)


def test_a_file_of_another_chapter_is_said(make, handed_in):
    (one,) = handed_in(make("jane/prefix_cache.py", at="jane/prefix_cache.py"))
    (two,) = handed_in(make("max/prefix_cache.py", at="max"))
    for each in (one, two):
        assert each.problem == "prefix_cache.py is for L8.4, and this is graded as ds.07: --chapter L8.4 grades it"
