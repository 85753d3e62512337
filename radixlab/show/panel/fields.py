"""The pieces of a panel: a field of one line in which Enter acts, a button, a row, a line of text."""

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as widgets


class Entry(widgets.Textarea):
    """A field of one line: *changed* is called when its text changes, *entered* on the Enter key.

    It is a text area, in which the key comes as part of the text: so it cannot overtake what was typed before it, as
    the message that a `Text` sends for it does when one types faster than the kernel answers.
    """

    def __init__(self, name: str, example: str, tooltip: str, entered: Callable[[], None]) -> None:
        super().__init__(
            description=name,
            placeholder=example,
            tooltip=tooltip,
            rows=1,
            style={"description_width": "initial"},
            layout=widgets.Layout(flex="1 1 12em", width="auto", height="auto"),
        )
        self._act = entered
        self._changed: Callable[[], None] = lambda: None
        self.observe(self._typed, "value")

    def on_change(self, changed: Callable[[], None]) -> None:
        """Call *changed* from now on when the text is another."""
        self._changed = changed

    def _typed(self, change: dict[str, Any]) -> None:
        if "\n" in change["new"]:
            self.value = change["new"].replace("\n", "")
            self._act()
        else:
            self._changed()


def choice(name: str, tooltip: str, **options: Any) -> widgets.Dropdown:
    """Return a list to choose from; *options* as for a `Dropdown`."""
    style, layout = {"description_width": "initial"}, options.pop("layout", widgets.Layout(width="auto"))
    return widgets.Dropdown(description=name, tooltip=tooltip, style=style, layout=layout, **options)


def button(name: str, tooltip: str, pressed: Callable[[], None], icon: str = "") -> widgets.Button:
    """Return a button as wide as its name."""
    made = widgets.Button(description=name, tooltip=tooltip, icon=icon, layout=widgets.Layout(width="auto"))
    made.on_click(lambda _: pressed())
    return made


def row(*parts: widgets.Widget) -> widgets.HBox:
    """Return *parts* side by side, below each other where there is no room."""
    return widgets.HBox(parts, layout=widgets.Layout(flex_flow="row wrap", align_items="center"))


def paragraph(words: str, *, wrong: bool = False) -> str:
    """Return a line of text as HTML, which a screen reader tells of."""
    return f'<div class="said{" wrong" if wrong else ""}" aria-live="polite">{escape(words)}</div>'
