"""The class page: what is counted on it, and that it says so; the shortest scripts come from disk the second time."""

import json
import random
import re
from dataclasses import replace

import pytest
from samples.outputs.classes import grades, hostile

from radixlab import course
from radixlab.classroom.outputs import counterexamples, page, tally
from radixlab.classroom.outputs.counterexamples import counterexample


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """A cache of this file's own, which fills once."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setattr(counterexamples.platformdirs, "user_cache_path", lambda name: folder)
        yield


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of this test's own, empty."""
    monkeypatch.setattr(counterexamples.platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    return tmp_path / "cache" / "counterexamples"


def test_points_are_counted_in_bins_of_one_whole_width():
    bins = tally.histogram(grades())
    assert [(each.low, each.high) for each in bins] == [(n, n + 3) for n in range(0, 30, 3)]
    assert sum(each.passed for each in bins) == 1 and sum(each.others for each in bins) == 7, "no infra_error"
    assert bins[-1].passed == 1 and bins[0].others == 3 and bins[2].others == 1


def test_every_grade_is_in_the_bin_of_its_points():
    rng = random.Random(5)
    for most in (1, 4, 29, 36.5, 250):
        drawn = [rng.choice([0, most, most * rng.random()]) for _ in range(50)]
        some = [replace(grades()[1], points=points, max_points=most) for points in drawn]
        bins = tally.histogram(some)
        assert len(bins) <= tally.BINS and bins[0].low == 0 and bins[-1].high >= most
        for place, each in enumerate(bins):
            inside = [grade for grade in some if each.low <= grade.points < each.high]
            full = [grade for grade in some if grade.points == each.high and place == len(bins) - 1]
            assert each.passed + each.others == len(inside) + len(full)


def test_a_class_of_none_and_one_of_failed_gradings_alone_are_pages_too(chapter):
    for few in ([], grades()[-1:]):
        html = page.render(few, chapter)
        assert f"{len(few)} submission" in html and "<h2>Points</h2>" in html and "median" not in html


def test_a_bug_counts_as_caught_only_by_tests_that_are_valid(chapter):
    counts = {count.name: count for count in tally.kills(grades(), chapter)}
    assert list(counts) == [bug.id for bug in chapter.bugs]
    graded = [grade.report["mutation"] for grade in grades() if grade.report and grade.report["mutation"]]
    assert len(graded) == 4
    for name, count in counts.items():
        caught = [any(bug["killed"] for bug in mutation["bugs"] if bug["id"] == name) for mutation in graded]
        assert (count.many, count.of) == (sum(caught), 4)
    assert counts["s11"].note == "required"


def test_what_most_miss_comes_first(chapter):
    missed = tally.most_missed(grades(), chapter, 3)
    assert len(missed) == 3 and all(count.many == 2 for count in missed)
    assert tally.most_missed(grades()[:1], chapter, 3) == []


def test_the_official_tests_are_counted_over_those_with_a_report(chapter):
    counts = {count.name: (count.many, count.of) for count in tally.official(grades(), chapter)}
    assert counts["hand_example_split_and_match"] == (4, 6) and counts["lru_order_follows_last_use"] == (2, 6)


def test_the_pitfall_is_the_one_that_the_diagnosis_names(chapter):
    assert [tally.pitfall(grade, chapter) and tally.pitfall(grade, chapter).id for grade in grades()[:6]] == [
        *(None, None, "s07", "s03", None, "s07")
    ]
    first, second = tally.pitfalls(grades(), chapter)
    assert (first.name, first.many, first.of) == ("s07", 2, 4) and (second.name, second.many) == ("s03", 1)
    assert first.note == chapter.bug("s07").symptom


def test_a_pitfall_without_a_bug_is_known_by_its_symptom(chapter):
    pit = next(each for each in chapter.pitfalls if each.bug is None)
    data = json.loads(json.dumps(grades()[3].as_dict()["report"]))
    for test in data["tests"]:
        test["message"] = f"before: {pit.symptom}, after"
    grade = replace(grades()[3], report=data)
    assert tally.pitfall(grade, chapter) == pit
    assert tally.pitfalls([grade], chapter)[0].words == pit.mistake


def test_the_page_says_what_was_counted(chapter):
    html = page.render(grades(), chapter, linked=True)
    assert "9 submissions" in html and "<b>11</b> of 29 points" in html and "<b>1</b> infra error" in html
    assert "The most frequent, in 2 of the 4" in html and chapter.bug("s07").title in html
    rows = re.findall(r"<tr><td><code>(\w+)</code></td>.*?(\d+) of (\d+)</td>", html, re.DOTALL)
    assert ("s01", "4", "4") in rows and ("m02", "2", "4") in rows
    assert html.count('<a href="submissions/') == 9 and page.render(grades(), chapter).count("<a ") == 0
    assert grades()[7].notes[0] in html, "a note is for the lecturer"


# The matrix -----------------------------------------------------------------------------------------------------------


def cells(html: str) -> list[list[bool]]:
    """Return the matrix on a page, a list a row: whether each cell is filled."""
    table = html.split('<table id="matrix">')[1].split("</table>")[0]
    rows = [re.findall("<td[^>]*></td>", row) for row in table.split("<tr ")[1:]]
    return [[' class="hit" aria-label="caught"' in cell for cell in row] for row in rows]


def test_the_matrix_has_a_row_for_each_submission_whose_own_tests_are_valid(chapter):
    valid = [grade for grade in grades() if grade.report and grade.report["mutation"]]
    rows = tally.matrix(grades(), chapter)
    assert {row.submission for row in rows} == {grade.submission for grade in valid}
    assert [row.number for row in rows] == [1, 2, 3, 4] and [row.many for row in rows] == [18, 18, 9, 9]
    for row in rows:
        (bugs,) = (grade.report["mutation"]["bugs"] for grade in valid if grade.submission == row.submission)
        assert dict(zip([bug.id for bug in chapter.bugs], row.caught, strict=True)) == {
            bug["id"]: bug["killed"] for bug in bugs
        }


def test_the_matrix_is_drawn_as_it_was_counted_and_its_columns_are_the_bars(chapter):
    html = page.render(grades(), chapter)
    assert cells(html) == [list(row.caught) for row in tally.matrix(grades(), chapter)]
    assert [sum(column) for column in zip(*cells(html), strict=True)] == [
        count.many for count in tally.kills(grades(), chapter)
    ]
    assert html.count('<th scope="row">') == 4 and "5 of 9 have no row" in html
    for bug in chapter.bugs:
        assert re.search(rf'<th scope="col" title="[^"]+">{bug.id}</th>', html)


def test_a_row_of_the_matrix_leads_to_a_name_in_the_folded_part_alone(chapter):
    before, after = page.render(grades(), chapter).split("<details>")
    assert "Names are folded at the end" in before.split("<h2>")[0]
    assert '<th scope="col" class="n">row</th>' in after
    for row in tally.matrix(grades(), chapter):
        line = next(line for line in after.split("<tr>") if row.submission in line)
        assert f'<td class="n">{row.number}</td><td class="word">bubblewrap</td>' in line
        assert row.submission not in before


def test_without_valid_tests_there_is_a_sentence_and_no_matrix(chapter):
    html = page.render(grades()[6:], chapter)
    assert '<table id="matrix">' not in html and "No submission has own tests that are all valid" in html


def test_the_matrix_of_a_large_class_is_small(chapter):
    many = [replace(grades()[n % 4], submission=f"class/{n}.zip") for n in range(300)]
    table = page.render(many, chapter).split('<table id="matrix">')[1].split("</table>")[0]
    assert table.count("<tr ") == 300 and len(table) < 300_000


# Names ----------------------------------------------------------------------------------------------------------------


def test_names_are_behind_a_click(chapter):
    before, after = page.render(grades(), chapter).split("<details>")
    for grade in grades():
        assert f"<td>{grade.learner}</td>" in after and grade.submission not in before


def test_grading_without_isolation_is_told_at_the_top(chapter):
    assert "without isolation" not in page.render(grades(), chapter)
    some = [replace(grade, isolation="none") for grade in grades()[:2]] + grades()[2:]
    assert "2 of 9 were graded without isolation" in page.render(some, chapter)
    assert "1 of 9 was graded without isolation" in page.render(some[:1] + grades()[1:], chapter)


def test_what_never_ran_was_not_without_isolation(chapter):
    unread = replace(grades()[6], outcome="invalid", isolation="none")
    html = page.render([unread], chapter)
    assert "without isolation" not in html and '<td class="word">not run</td>' in html


def test_what_most_miss_is_shown_as_two_trees(chapter):
    html = page.render(grades(), chapter)
    shown = re.findall(r"<h3><code>(\w+)</code>", html)
    assert shown == [count.name for count in tally.most_missed(grades(), chapter, page.SHOWN)]
    assert html.count("tree = RadixTree(") == html.count("The first difference") == len(shown)
    assert html.count('<svg role="img"') >= 2 * len(shown) or "<pre>" in html


def test_a_chapter_that_makes_no_trees_has_no_counterexamples():
    other = course.chapter("ds.05")
    assert other.makes != "tree" and counterexample(other.bugs[0], other) is None
    assert "0 submissions" in page.render([], other)


def test_a_script_is_searched_once(chapter, cache, monkeypatch):
    bug = chapter.bug("s01")
    first = counterexample(bug, chapter)
    (file,) = cache.iterdir()
    monkeypatch.setattr(
        "radixlab.show.divergence.diverge.Duel.search", lambda self, seed: pytest.fail("searched again")
    )
    again = counterexample(bug, chapter)
    assert str(again.script) == str(first.script) and again.words == first.words
    assert "in s01" in first.words and [film.title for film in first.films] == ["with s01", "the reference"]
    assert file.suffix == ".json"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"granule": 1, "steps": []}', '{"granule": 1, "steps": [{"evict": 1}]}']
)
def test_a_kept_script_that_tells_nothing_apart_is_searched_anew(chapter, cache, text):
    bug = chapter.bug("s01")
    good = counterexample(bug, chapter)
    (file,) = cache.iterdir()
    file.write_text(text)
    assert str(counterexample(bug, chapter).script) == str(good.script)
    assert file.read_text() == good.script.to_json()


def test_where_nothing_can_be_kept_it_is_found_all_the_same(chapter, cache, tmp_path):
    (tmp_path / "cache").write_text("a file, where a folder should be")
    assert counterexample(chapter.bug("s01"), chapter) is not None


def test_a_hostile_class_is_counted_like_any_other(chapter):
    bad = [hostile(grade) for grade in grades()]
    assert tally.kills(bad, chapter) == tally.kills(grades(), chapter)
    assert tally.official(bad, chapter) == tally.official(grades(), chapter)
    assert tally.pitfalls(bad, chapter) == tally.pitfalls(grades(), chapter)
