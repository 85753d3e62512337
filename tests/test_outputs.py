"""Grades become files: all formats, each submission under a name of its own, and nothing hostile comes through."""

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.outputs.classes import SAMPLES, grades, hostile

from radixlab.classroom.grade import Grade
from radixlab.classroom.outputs import FORMATS, files, places, plain, write
from radixlab.classroom.outputs.words import is_open, isolation, reckoning


@pytest.fixture(scope="module")
def written(chapter, tmp_path_factory) -> Path:
    """The files of a hostile class, in all formats."""
    out = tmp_path_factory.mktemp("out")
    write([hostile(grade) for grade in grades()], chapter, out)
    return out


def test_every_format_is_written_and_only_those_asked_for(chapter, tmp_path):
    paths = write(grades(), chapter, tmp_path / "all")
    assert len(set(paths)) == len(paths) and all(path.is_file() for path in paths)
    assert set(paths) == {path for path in (tmp_path / "all").rglob("*") if path.is_file()}, "and nothing is left over"
    by_name = [path.relative_to(tmp_path / "all").as_posix() for path in paths]
    assert {"grades.csv", "report.html", "nbgrader.csv", "junit.xml"} < set(by_name)
    count = len(grades())
    assert sum(name.startswith("submissions/") for name in by_name) == 2 * count
    assert sum(re.fullmatch(r"gradescope/[^/]+/results\.json", name) is not None for name in by_name) == count - 1
    for name in FORMATS:
        alone = write(grades(), chapter, tmp_path / name, [name])
        assert {path.relative_to(tmp_path / name) for path in alone} < {
            path.relative_to(tmp_path / "all") for path in paths
        }


@pytest.mark.parametrize("name", ["grades.csv", "nbgrader.csv", "junit.xml", "results.json"])
def test_a_file_is_as_it_was_when_somebody_read_it(name, chapter, tmp_path):
    """What other programs read changes on purpose only; the class page and the others are for eyes."""
    formats = {"grades.csv": "csv", "nbgrader.csv": "nbgrader", "junit.xml": "junit", "results.json": "gradescope"}
    few = [grade for grade in grades() if grade.learner in ("bob", "hal", "ida")]
    path = write(few, chapter, tmp_path, [formats[name]])[0]
    assert path.read_bytes() == (SAMPLES / "golden" / name).read_bytes()


def test_an_unknown_format_writes_nothing(chapter, tmp_path):
    with pytest.raises(ValueError, match="'pdf': choose from json, html, csv, page"):
        write(grades(), chapter, tmp_path, ["csv", "pdf"])
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_replaced_keeps_its_old_text(chapter, tmp_path, monkeypatch):
    path = write(grades(), chapter, tmp_path, ["csv"])[0]
    before = path.read_bytes()

    def full(self, text, **how):
        with self.open("w") as file:
            file.write(text[:10])
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space"):
        write(grades()[:1], chapter, tmp_path, ["csv"])
    assert path.read_bytes() == before


def test_the_json_of_a_submission_is_its_grade_exactly(chapter, tmp_path):
    every = grades() + [hostile(grade) for grade in grades()]
    paths = write(every, chapter, tmp_path, ["json"])
    for grade, path in zip(every, paths, strict=True):
        text = path.read_bytes()
        assert max(text) < 128 and min(text) >= 10, "no byte that a terminal obeys"
        assert Grade.from_dict(json.loads(text)) == grade


def test_the_page_of_a_submission_says_what_the_learner_needs(chapter):
    ada, bob, cem, dora, eve, fay, gil, hal, ida = (files.html(grade, chapter) for grade in grades())
    assert "29 of 29 points" in ada and "11 of 11 pass" in ada and "18 of 18 caught" in ada
    assert "9 of 18 caught, 13 needed" in bob and "s11 (required)" in bob
    assert chapter.bug("s07").hint in text_of(cem)
    failing = [test for test in grades()[3].report["tests"] if test["outcome"] == "failed"]
    assert len(failing) > 2
    for test in failing:
        assert test["name"] in dora and test["message"].splitlines()[0] in text_of(dora)
    assert "not attempted" in eve and "not written yet" in eve
    assert "8 of 29 points" in fay and "No score yet" in fay
    assert "0 of 29 points" in gil and "timeout" in gil and "no answer within 60 s" in gil
    assert "no honest host sends" in hal and grades()[7].notes[0] not in hal, "notes are for the lecturer"
    assert "not graded" in ida and "of 29 points" not in ida


def said_of_points(grade, chapter):
    """Return the line under the headline of the page of *grade*."""
    return text_of(files.html(grade, chapter)).split("points\n", 1)[1].splitlines()[0]


def test_a_page_says_under_its_headline_how_the_points_come_about(chapter):
    ada, bob, _, _, eve, fay, gil, hal, ida = grades()
    own = "own tests that pass on your tree and catch at least 13 bugs, s11 among them"
    wanted = f"To pass: all official tests, and {own}."
    assert said_of_points(ada, chapter) == "29 of 29 points: 11 of 11 official tests, 18 of 18 bugs caught."
    assert said_of_points(bob, chapter) == f"20 of 29 points: 11 of 11 official tests, 9 of 18 bugs caught. {wanted}"
    unscored = "and no bugs while an own test is not written or not valid"
    assert said_of_points(eve, chapter) == f"0 of 29 points: 0 of 11 official tests, {unscored}. {wanted}"
    assert said_of_points(fay, chapter) == f"8 of 29 points: 8 of 11 official tests, {unscored}. {wanted}"
    assert said_of_points(gil, chapter) == f"0 of 29 points: there is no verdict on it. {wanted}"
    assert reckoning(ida, chapter) == ""
    hal = replace(hal, report=bob.report, bugs_killed=9)
    assert said_of_points(hal, chapter) == f"0 of 29 points: there are none for what meddles with its grading. {wanted}"


def test_the_line_on_points_takes_its_figures_from_the_card(chapter):
    other = replace(chapter, points={"tests": 2, "bugs": 0.5}, needed=1, required=(), makes="map")
    assert reckoning(replace(grades()[1], points=26.5, max_points=31.0), other) == (
        "26.5 of 31 points: 11 of 11 official tests at 2 each, 9 of 18 bugs caught at 0.5 each. "
        "To pass: all official tests, and own tests that pass on your map and catch at least 1 bug."
    )
    assert reckoning(grades()[1], replace(chapter, required=("s11", "m01"))).endswith("s11 and m01 among them.")


def test_what_could_not_be_read_is_not_run(chapter):
    unread = replace(grades()[6], outcome="invalid", isolation="none")
    assert "isolation: not run" in files.html(unread, chapter)
    assert "isolation: bubblewrap" in files.html(grades()[6], chapter)
    judged = replace(grades()[5], outcome="invalid", isolation="none")
    assert [isolation(grade) for grade in (unread, judged)] == ["not run", "none"]
    assert [is_open(grade) for grade in (unread, judged, grades()[-1])] == [False, True, False]


def test_one_submission_is_singular(chapter, tmp_path):
    for grade in grades():
        for path in write([grade], chapter, tmp_path):
            assert not re.search(r"\b1 submissions", path.read_text(encoding="utf-8")), path.name


def test_a_survivors_title_is_not_in_the_page_of_the_learner(chapter):
    alive = [bug for bug in grades()[1].report["mutation"]["bugs"] if not bug["killed"]]
    html = text_of(files.html(grades()[1], chapter))
    assert alive and not any(bug["title"] in html for bug in alive)


class _Markup(HTMLParser):
    """What a page is made of: the elements with their attributes, and the words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def text_of(html: str) -> str:
    return "".join(_Markup(html).words)


def test_no_hostile_word_becomes_markup_in_a_page(written, chapter, tmp_path):
    calm = tmp_path / "calm"
    write([hostile(grade, "calm") for grade in grades()], chapter, calm)
    for name in ("report.html", *(path.relative_to(written) for path in sorted(written.glob("submissions/*.html")))):
        html = (written / name).read_text(encoding="utf-8")
        found = _Markup(html)
        assert found.tags.count("script") == (1 if name == "report.html" else 0), name
        assert "alert(1)" in "".join(found.words), "it is there, as words"
        assert not any(key.startswith("on") for key, _ in found.attributes)
    tags = _Markup((written / "report.html").read_text(encoding="utf-8")).tags
    assert tags == _Markup((calm / "report.html").read_text(encoding="utf-8")).tags


def test_no_file_holds_a_character_that_a_terminal_or_xml_cannot_bear(written):
    for path in written.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]", text
        )


def test_the_pages_load_nothing_and_allow_no_script_but_ours(written):
    for path in written.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        found = dict.fromkeys(key for key, _ in _Markup(html).attributes)
        assert "src" not in found and "srcset" not in found and "@import" not in html and "url(" not in html
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
        assert policy.startswith("default-src 'none'") and "'unsafe-inline'; script" in policy + "; script"
        scripts = re.findall(r"script-src (\S+)", policy.replace("&#39;", "'"))
        assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", each) for each in scripts)


# Names ----------------------------------------------------------------------------------------------------------------

ODD = [
    "../../etc/passwd",
    "/abs/olute",
    "a\\..\\b",
    "",
    ".",
    "..",
    "con",
    "NUL.txt",
    "x" * 400,
    "a\x00b",
    "\ud800",
    ".ssh",
]


def named(submission: str, learner: str = "") -> str:
    return places.file_name(submission, learner)


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_makes_a_plain_file_name(name, tmp_path):
    made = named(name)
    assert re.fullmatch(r"\w[\w.-]*-[0-9a-f]{20}", made) and len(made) <= 80
    assert os.path.basename(made) == made
    (tmp_path / f"{made}.html").write_text("")


@given(st.lists(st.tuples(st.text(), st.text()), unique_by=lambda each: each[0]))
def test_no_two_submissions_share_a_file(names):
    made = [named(*each).casefold() for each in names]
    assert len(set(made)) == len(made)
    assert made == [named(*each).casefold() for each in names], "the same each time"


@given(st.text(), st.text())
def test_no_file_name_is_a_path_or_too_long_for_a_disk(submission, learner):
    made = named(submission, learner)
    assert not set(made) & set('/\\:*?"<>|') and made.isprintable() and not made.startswith((".", "-"))
    assert len(made.encode()) <= 230


@pytest.mark.parametrize(
    ("submission", "learner", "begins"),
    [
        ("export/hopper_4003_9003_radix.zip", "hopper", "hopper_4003_9003_radix.zip"),
        ("/home/me/course/export/hopper_4003_9003_radix.zip", "hopper 4003", "hopper_4003_9003_radix.zip"),
        ("C:\\course\\export\\hopper_4003_9003_radix.zip", "hopper", "hopper_4003_9003_radix.zip"),
        (
            "export/Zo\xeb L\xf6w_7035_assignsubmission_file_",
            "Zo\xeb L\xf6w",
            "Zo\xeb-L\xf6w_7035_assignsubmission_file",
        ),
        ("export/Zoe\u0308 1", "Zoe\u0308 1", "Zo\xeb-1"),
        ("export/\u05d3\u05d5\u05d3_1_2_radix.py", "\u05d3\u05d5\u05d3", "\u05d3\u05d5\u05d3_1_2_radix.py"),
        ("export/\u0938\u0940\u0924\u093e.zip", "\u0938\u0940\u0924\u093e", "\u0938\u0940\u0924\u093e.zip"),
        ("ada/radix.py", "ada", "ada-radix.py"),
        ("export/" + "x" * 60 + "_4003_9003_radix.zip", "x" * 60, "x" * 48),
    ],
)
def test_a_file_name_begins_with_what_names_the_learner(submission, learner, begins):
    assert re.sub("-[0-9a-f]{20}$", "", named(submission, learner)) == begins


def test_names_that_differ_in_case_or_in_an_ending_alone_have_files_of_their_own(chapter, tmp_path):
    names = ["Ada", "ada", "ada.", "ada ", "ada/", "./ada", "ad\xe4", "ada\u0308"]
    paths = write([replace(grades()[0], submission=name) for name in names], chapter, tmp_path, ["json", "html"])
    assert len({str(path).casefold() for path in paths}) == 2 * len(names)


# What an earlier run left ---------------------------------------------------------------------------------------------


def there(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}


def test_what_an_earlier_run_wrote_for_no_row_of_this_one_is_removed(chapter, tmp_path):
    write(grades()[:4], chapter, tmp_path / "again")
    for out in ("again", "anew"):
        write(grades()[2:], chapter, tmp_path / out)
    assert there(tmp_path / "again") == there(tmp_path / "anew")
    assert len(list((tmp_path / "again/gradescope").iterdir())) == len(grades()[2:]) - 1, "nor is an empty folder left"


def test_a_row_keeps_its_pages_when_another_format_is_written(chapter, tmp_path):
    write(grades(), chapter, tmp_path)
    before = there(tmp_path)
    write(grades(), chapter, tmp_path, ["csv"])
    assert there(tmp_path) == before
    write(grades()[:1], chapter, tmp_path, ["csv"])
    assert sum(name.startswith(("submissions/", "gradescope/")) for name in there(tmp_path)) == 3


def test_what_is_not_ours_is_left_alone(chapter, tmp_path):
    ours, theirs = "ada-" + "0" * 20, "ada-responsibilities"
    left = [
        f"{ours}.html",
        f"submissions/{theirs}.html",
        f"submissions/{ours}.txt",
        f"submissions/{ours}.html.bak",
        f"submissions/{ours}.html/note.txt",
        f"submissions/remarks/{ours}.html",
        f"gradescope/{theirs}/results.json",
        f"gradescope/{ours}/note.txt",
    ]
    for name in (*left, f"gradescope/{ours}/results.json", f"submissions/{ours}.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    write(grades()[:1], chapter, tmp_path, ["csv"])
    assert there(tmp_path) == {*left, "grades.csv"}


def test_results_of_what_could_not_be_graded_this_time_are_removed(chapter, tmp_path):
    write(grades()[:1], chapter, tmp_path, ["html", "gradescope"])
    write([replace(grades()[0], outcome="infra_error")], chapter, tmp_path, ["csv"])
    assert [name.split("/")[0] for name in sorted(there(tmp_path))] == ["grades.csv", "submissions"]


# Words ----------------------------------------------------------------------------------------------------------------


@given(st.text())
def test_a_text_that_was_made_harmless_stays_as_it_is(words):
    once = plain.text(words)
    assert plain.text(once) == once or len(words) > plain.MOST
    once.encode("utf-8")  # raises for a surrogate


def test_honest_words_are_left_alone_and_endless_ones_are_cut():
    for words in (
        "Zo\xeb M\xfcller",
        "\u05d3\u05d5\u05d3",
        "\U0001f600",
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "a\n  b\tc",
    ):
        assert plain.text(words) == words
    cut = plain.text("x" * 10**6)
    assert len(cut) < 5_000 and cut.endswith("(996,000 more characters)")
