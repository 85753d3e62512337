"""The exported page plays the worked example from a file, with the keyboard alone, in both themes, all at home."""

import pytest

from browser.lab import THEMES
from radixlab.checker.live import loaded
from radixlab.course import chapter
from radixlab.show.divergence.beside import beside
from radixlab.show.divergence.diverge import diverge
from radixlab.show.export import page as page_of
from radixlab.show.films import film

CHAPTER = chapter("ds.07")
FILM = film(CHAPTER, "worked-example")
NOW = "section.now"


@pytest.fixture
def opened(page, tmp_path):
    """Open the page of some films, at a place in its address; return it."""

    def opened(films=(FILM,), at=""):
        file = tmp_path / "page.html"
        file.write_text(page_of(list(films), films[0].title), encoding="utf-8")
        page.goto(file.as_uri() + at)
        return page

    return opened


def picture(page):
    return page.locator(f"{NOW} figure").first.inner_html()


def call(page):
    return page.locator(f"{NOW} .call").first.inner_text()


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_the_arrow_keys_play_the_worked_example(opened, shot):
    page, seen = opened(), []
    for frame in FILM:
        assert call(page) == frame.call
        assert page.locator(f"{NOW} .returned").inner_text().endswith(frame.returned)
        seen.append(picture(page))
        shot(page, f"frame {len(seen)}")
        page.keyboard.press("ArrowRight")
    assert len(set(seen)) == len(FILM)
    assert all("<svg" in each for each in seen)
    for each in reversed(seen[:-1]):
        page.keyboard.press("ArrowLeft")
        assert picture(page) == each


def test_one_frame_is_seen_and_it_fits_the_window(opened):
    page = opened(at="#4")
    assert page.locator("section:visible").count() == 1
    box = page.locator(f"{NOW} svg").bounding_box()
    assert 200 < box["width"] <= 1280 and 200 < box["height"] <= 900
    assert box["y"] >= 0 and box["y"] + box["height"] <= 900
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_home_end_and_the_number_in_the_address_lead_to_a_frame(opened):
    page = opened(at="#3")
    assert call(page) == FILM[2].call
    page.keyboard.press("End")
    assert call(page) == FILM[len(FILM) - 1].call and page.url.endswith(f"#{len(FILM)}")
    page.keyboard.press("ArrowRight")
    assert call(page) == FILM[len(FILM) - 1].call
    page.keyboard.press("Home")
    assert call(page) == FILM[0].call and page.url.endswith("#1")
    page.keyboard.press("ArrowLeft")
    assert call(page) == FILM[0].call
    page.evaluate("() => { location.hash = '5' }")
    page.wait_for_function("call => document.querySelector('section.now .call').innerText === call", arg=FILM[4].call)
    page.go_back()


def test_it_plays_by_itself_and_stops_at_the_end(opened):
    page = opened(at=f"#{len(FILM) - 1}")
    page.keyboard.press("Space")
    page.locator("button[aria-label=Pause]").wait_for()
    page.locator("button[aria-label=Play]").wait_for()
    assert call(page) == FILM[len(FILM) - 1].call


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_the_background_is_that_of_the_theme(opened, theme):
    red, green, blue = opened().evaluate(
        "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    )
    assert (min(red, green, blue) > 200) if theme == "light" else (max(red, green, blue) < 60)


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_two_films_stand_side_by_side(opened, shot):
    page = opened([FILM, film(CHAPTER, "inside-a-split")], at="#3")
    left, right = (page.locator(f"{NOW} figure").nth(place).bounding_box() for place in (0, 1))
    assert left["x"] + left["width"] <= right["x"] and abs(left["y"] - right["y"]) < 2
    shot(page)


def test_where_two_trees_part_is_told_when_it_is_seen(page, tmp_path):
    bug, reference = (loaded(CHAPTER.source(name), f"{name}.py", {"RadixTree"}) for name in ("s06", "reference"))
    (tmp_path / "page.html").write_text(beside(diverge(bug, reference), "a title"), encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    told = []
    for _ in range(5):
        told.append(page.locator(f"{NOW} .caption").inner_text())
        assert page.get_by_text("In what will the two trees part?").is_visible()
        page.keyboard.press("ArrowRight")
    assert told[:4] == [""] * 4 and told[4].startswith("After step 4 lru_order() is")


def test_without_scripts_all_frames_can_be_read(chromium, tmp_path):
    (tmp_path / "page.html").write_text(page_of([FILM], FILM.title), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("section:visible").count() == len(FILM)
    context.close()
