"""The player shows the worked example in JupyterLab, and the arrow keys move through it, in both themes."""

import pytest

from browser.lab import THEMES
from radixlab.course import chapter
from radixlab.show.films import film

FILM = film(chapter("ds.07"), "worked-example")
CELL = """
from radixlab import course
from radixlab.show import films, player
player.player(films.film(course.chapter("ds.07"), "worked-example"))
"""


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_the_arrow_keys_play_the_worked_example(run, shot):
    page, pictures = run(CELL), []

    def at(place):
        """Wait for frame *place*, counted from 0, and return its picture."""
        page.get_by_text(f"frame {place + 1} of {len(FILM)}").wait_for()
        page.get_by_text(FILM[place].call).first.wait_for()
        return page.locator(".jp-OutputArea svg[role=img]").inner_html()

    at(0)
    page.locator(".widget-slider .noUi-handle, .widget-slider [role=slider]").first.focus()
    for place in range(len(FILM)):
        pictures.append(at(place))
        shot(page, f"frame {place + 1}")
        page.keyboard.press("ArrowRight")
    assert len(set(pictures)) == len(FILM)
    page.keyboard.press("ArrowLeft")
    assert at(len(FILM) - 2) == pictures[-2]
    page.keyboard.press("Home")
    assert at(0) == pictures[0]
    page.keyboard.press("End")
    assert at(len(FILM) - 1) == pictures[-1]
    page.get_by_title("One frame back").click()
    assert at(len(FILM) - 2) == pictures[-2]
    assert page.locator(".jp-OutputArea-output .jp-OutputArea").count() == 0  # an Output widget would flicker
