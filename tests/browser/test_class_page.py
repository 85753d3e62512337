"""The class page in a browser: from a file, in both themes, all at home; its tables sort; hostile words stay words."""

import re
from dataclasses import replace

import pytest
from samples.outputs.classes import grades, hostile

from browser.lab import THEMES
from radixlab.classroom.outputs import write
from radixlab.course import chapter

CHAPTER = chapter("ds.07")


@pytest.fixture
def opened(page, tmp_path):
    """Open the class page of some grades; return it."""

    def opened(of):
        write(of, CHAPTER, tmp_path, ["html", "page"])
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield opened
    page.seen.nothing()


def column(page, number, table="submissions"):
    return [each.strip() for each in page.locator(f"#{table} tbody td:nth-child({number})").all_inner_texts()]


def press(page, number, table="submissions"):
    page.locator(f"#{table} thead th:nth-child({number}) button").click()


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_the_page_is_seen_in_the_theme(opened, theme, shot):
    page = opened(grades())
    red, green, blue = page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (min(red, green, blue) > 200) if theme == "light" else (max(red, green, blue) < 60)
    box = page.locator(".histogram").bounding_box()
    assert box["width"] > 600 and box["y"] + box["height"] < 900, "the points are on the first screen"
    assert page.locator(".missed").count() == 3
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    shot(page)


def test_a_button_turns_the_theme(opened):
    page = opened(grades())
    before = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != before
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == before


def test_the_submissions_sort_by_each_column_both_ways(opened):
    page = opened(grades())
    assert not page.locator("#submissions").is_visible(), "names are behind a click"
    page.locator("summary").click()
    press(page, 4)
    points = column(page, 4)
    assert points == ["0", "0", "0", "8", "14", "20", "26", "29", ""], "as numbers; what is empty comes last"
    press(page, 4)
    assert column(page, 4) == ["29", "26", "20", "14", "8", "0", "0", "0", ""]
    assert page.locator("#submissions th:nth-child(4)").get_attribute("aria-sort") == "descending"
    press(page, 3)
    outcomes = column(page, 3)
    assert outcomes == sorted(outcomes) and page.locator("#submissions th[aria-sort]").count() == 1
    press(page, 1)
    assert column(page, 1) == ["ada", "bob", "cem", "dora", "eve", "fay", "gil", "hal", "ida"]


def test_the_bugs_sort_by_who_caught_them(opened):
    page = opened(grades())
    press(page, 3, "bugs")
    shares = [int(re.match(r"\d+", each)[0]) for each in column(page, 3, "bugs")]
    assert shares == sorted(shares) and shares[0] < shares[-1]
    press(page, 1, "bugs")
    names = column(page, 1, "bugs")
    assert names == sorted(names)


def luminance(cell) -> float:
    """Return how bright the ground of *cell* is, from 0 to 1, as WCAG reckons it."""
    parts = cell.evaluate("cell => getComputedStyle(cell).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
    red, green, blue = ((part / 255 / 12.92) if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_the_matrix_of_a_large_class_is_small_and_clear(opened, theme, shot):
    page = opened([replace(grades()[number % 4], submission=f"class/{number}.zip") for number in range(300)])
    rows = page.locator("#matrix tbody tr")
    assert rows.count() == 300 and all(rows.nth(number).bounding_box()["height"] <= 10 for number in (0, 150, 299))
    hit, empty = page.locator("#matrix td.hit").first, page.locator("#matrix td:not(.hit)").first
    darker, brighter = sorted((luminance(hit), luminance(empty)))
    assert (brighter + 0.05) / (darker + 0.05) > 3
    assert page.get_by_role("rowheader").count() == 300
    assert page.get_by_role("cell", name="caught", exact=True).count() == page.locator("#matrix td.hit").count() > 0
    rows.nth(150).scroll_into_view_if_needed()
    head = page.locator("#matrix thead th").last.bounding_box()
    assert -1 <= head["y"] < 900, "the names of the bugs stay in sight"
    shot(page)


def test_a_row_leads_to_the_page_of_the_submission(opened):
    page = opened(grades())
    page.locator("summary").click()
    page.locator("#submissions a").nth(1).click()
    page.get_by_role("heading", name="bob: 20 of 29 points").wait_for()
    assert page.locator("table.matrix tr").count() == 19


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_hostile_words_run_nothing_and_break_nothing(opened, shot):
    page = opened([hostile(grade) for grade in grades()])
    ran = []
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    page.locator("summary").click()
    press(page, 1)
    assert len(column(page, 1)) == len(grades()) and all("alert(1)" in each for each in column(page, 1))
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    shot(page, "class")
    page.locator("#submissions a").nth(3).click()
    page.get_by_role("heading", name="points").wait_for()
    assert "alert(1)" in page.locator("h1").inner_text()
    assert not ran, "no script of a learner's ran"
    shot(page, "submission")


def test_on_paper_it_is_black_on_white_whatever_the_theme(opened):
    page = opened(grades())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#theme").is_visible()


def test_without_scripts_all_can_be_read(chromium, tmp_path):
    write(grades(), CHAPTER, tmp_path, ["page"])
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("summary").click()
    assert len(column(page, 1)) == len(grades()) and page.locator("#theme button").count() == 0
    assert page.locator("#matrix td.hit").first.is_visible()
    context.close()


def test_even_markup_that_came_through_would_run_no_script(chromium, tmp_path):
    (path,) = write(grades(), CHAPTER, tmp_path, ["page"])
    html = path.read_text(encoding="utf-8")
    attack = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"
    path.write_text(html.replace("<h2>Points</h2>", attack, 1), encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.title() == "ds.07: 9 submissions" and page.locator("img").count() == 1
    assert page.locator("#theme button").count() == 1, "ours ran"
    context.close()
