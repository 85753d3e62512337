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
from radixlab.classroom.outputs import FORMATS, files, plain, write


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


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_makes_a_plain_file_name(name, tmp_path):
    made = plain.file_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*-[a-z2-7]{16}", made) and len(made) <= 80
    assert os.path.basename(made) == made
    (tmp_path / f"{made}.html").write_text("")


@given(st.lists(st.text(), unique=True))
def test_no_two_submissions_share_a_file(names):
    made = [plain.file_name(name).casefold() for name in names]
    assert len(set(made)) == len(made)
    assert made == [plain.file_name(name).casefold() for name in names], "the same each time"


def test_names_that_differ_in_case_or_in_an_ending_alone_have_files_of_their_own(chapter, tmp_path):
    names = ["Ada", "ada", "ada.", "ada ", "ada/", "./ada", "ad\xe4", "ada\u0308"]
    paths = write([replace(grades()[0], submission=name) for name in names], chapter, tmp_path, ["json", "html"])
    assert len({str(path).casefold() for path in paths}) == 2 * len(names)


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
