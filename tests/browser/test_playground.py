"""A lecturer types at the playground in JupyterLab, with the keyboard alone, and sees the tree change."""

import pytest

from browser.lab import THEMES

CELL = """
from radixlab.show.panel.playground import playground
playground()
"""


@pytest.mark.parametrize("theme", THEMES, indirect=True)
def test_a_lesson_is_typed_and_seen(run, shot):
    page = run(CELL)
    panel = page.locator(".radixlab-playground")
    panel.wait_for()

    def shown(*texts):
        """Wait until the panel shows all the texts."""
        page.wait_for_function(
            "texts => texts.every(text => document.querySelector('.radixlab-playground').innerText.includes(text))",
            arg=list(texts),
        )
        return panel.locator(".tree svg").inner_html()

    def press(name):
        panel.get_by_role("button", name=name, exact=True).first.click()

    panel.get_by_label("tokens").focus()
    page.keyboard.type("1 2 3\n")
    one = shown("insert([1, 2, 3], ['a', 'b', 'c'])", "(1, [])")
    shot(page, "one prompt")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("1 2 4 5\n")
    two = shown("insert([1, 2, 4, 5], ['d', 'e', 'f', 'g'])", "(3, ['d', 'e'])")
    assert two != one
    shot(page, "two prompts")

    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("1 2 x\n")
    assert shown("Not done: x is no token", "insert([1, 2, 4, 5]") == two
    shot(page, "no token")

    press("Lock")
    panel.get_by_label("node").select_option("1 2 > 3 (node 1)")
    panel.get_by_role("button", name="Lock", exact=True).last.click()
    locked = shown("lock(1)", "None")
    assert locked != two
    shot(page, "locked")

    press("Evict")
    panel.get_by_label("values to free").fill("9\n")
    assert shown("evict(9)", "2, freed f g") != locked
    shot(page, "evicted")
    panel.get_by_role("button", name="Undo").click()
    assert shown("lock(1)") == locked
    panel.get_by_role("button", name="Redo").click()
    shown("evict(9)")
    press("Unlock")
    panel.get_by_role("button", name="Unlock", exact=True).last.click()
    panel.get_by_label("node").select_option("root (node 0)")

    panel.get_by_role("button", name="Large type").click()
    page.wait_for_selector(".radixlab-large")
    large = panel.locator(".did").evaluate("said => parseFloat(getComputedStyle(said).fontSize)")
    assert large >= 24
    shot(page, "large type")
    assert page.locator(".jp-OutputArea-output .jp-OutputArea").count() == 0  # an Output widget would flicker
