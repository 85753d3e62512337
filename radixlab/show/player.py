"""The player of a film in a notebook: a slider, a button to play, steps back and forward, the picture."""

from typing import Any

import ipywidgets as widgets

from radixlab.show.draw import film_drawings
from radixlab.show.export import frame_html
from radixlab.show.film import Film

SECONDS = 1.5  # that a frame stands while the film plays


class Player(widgets.VBox):
    """A film to be scrubbed through; its `place` is the frame on show, counted from 0.

    The slider and the buttons can be reached with the Tab key; on the slider the arrow keys, Home and End work.
    """

    def __init__(self, film: Film) -> None:
        self.film = film
        self._drawings = film_drawings(film)  # all of them are rendered by one process, at first sight
        last = len(film) - 1
        self._slider = widgets.IntSlider(
            0, 0, last, continuous_update=True, readout=False, layout=widgets.Layout(flex="1 1 8em", min_width="6em")
        )
        self._play = widgets.Play(min=0, max=last, interval=int(SECONDS * 1000), show_repeat=False)
        self._back = _button("step-backward", "One frame back", lambda _: self._go(self.place - 1))
        self._forward = _button("step-forward", "One frame forward", lambda _: self._go(self.place + 1))
        self._large = widgets.ToggleButton(
            description="Large type", tooltip="For a projector", layout=widgets.Layout(width="auto")
        )
        self._screen = widgets.HTML()
        widgets.link((self._play, "value"), (self._slider, "value"))
        self._slider.observe(lambda _: self._show(), "value")
        self._large.observe(lambda _: self._show(), "value")
        bar = widgets.HBox([self._play, self._back, self._forward, self._slider, self._large])
        super().__init__([bar, self._screen])
        self._show()

    @property
    def place(self) -> int:
        """Return the number of the frame on show, from 0."""
        return self._slider.value

    @place.setter
    def place(self, place: int) -> None:
        self._go(place)

    def _go(self, place: int) -> None:
        self._slider.value = min(max(place, 0), len(self.film) - 1)

    def _show(self) -> None:
        self._back.disabled, self._forward.disabled = self.place == 0, self.place == len(self.film) - 1
        self._screen.value = frame_html(self.film, self._drawings, self.place, large=self._large.value)


def player(film: Film) -> Player:
    """Return a widget that plays *film*."""
    return Player(film)


def _button(icon: str, tooltip: str, pressed: Any) -> widgets.Button:
    button = widgets.Button(icon=icon, tooltip=tooltip, layout=widgets.Layout(width="3em"))
    button.on_click(pressed)
    return button
