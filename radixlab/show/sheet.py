"""All frames of a film on one sheet, an SVG for a page of text or a handout: a panel each, its words above the tree."""

import re
import textwrap
from collections.abc import Sequence
from html import escape

from radixlab.show.draw import Drawing, film_drawings
from radixlab.show.export import signed, size, unbroken
from radixlab.show.film import Film, Frame
from radixlab.show.picture.render import NoEngine
from radixlab.show.snapshot import ROOT

COLUMNS = 3
LEAST = 300  # units that a panel is wide at least, so that its words have room
_PAD, _GAP, _LINE = 14, 12, 18  # around the inside of a panel, between panels, from line to line
_MONO, _SANS = 8.1, 7.2  # units that a letter of a call and of a caption takes, at most
_MONO_FACES = "ui-monospace,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace"
_STYLE = (  # our own words alone: a rule for all texts would win over what the pictures say of theirs
    ".caption{font:13px system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:#1b1f24}"
    f".call{{font:bold 13px {_MONO_FACES};fill:#1b1f24}}"
    f".returned{{font:13px {_MONO_FACES};fill:#0060a0}}"
    ".title{font:bold 15px system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:#1b1f24}"
    f".tree{{font-family:{_MONO_FACES}}}"
    ".panel{fill:#fff;stroke:#c4c9cf}.ground{fill:#f6f7f8}"  # opaque, so that it can be read on any ground
)

Words = list[tuple[str, str]]


def sheet(film: Film) -> str:
    """Return one SVG with all frames of *film* in rows of three, below its title and what to look for.

    Frames are numbered as they are in the film; an empty tree at the start is told of in words alone. NoEngine where
    there is no Graphviz. Complexity: one process of Graphviz.
    """
    shown = [*enumerate(zip(film, film_drawings(film), strict=True), 1)]
    empty = len(shown) > 1 and not film[0].tree.nodes.keys() - {ROOT}
    begin, shown = (film[0], shown[1:]) if empty else (None, shown)
    pictures = [_picture(drawing) for _, (_, drawing) in shown]
    width = max(LEAST, *(size(picture)[0] for picture in pictures))
    words = [_words(frame, number, width) for number, (frame, _) in shown]
    head = _PAD + _LINE * max(map(len, words))
    high = head + max(size(picture)[1] for picture in pictures) + _PAD
    wide = width + 2 * _PAD
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    across = columns * (wide + _GAP) - _GAP
    title = _title(film, begin, across)
    top = _LINE * len(title) + _GAP
    panels = [
        _panel(at % columns * (wide + _GAP), top + at // columns * (high + _GAP), wide, high, head, said, picture)
        for at, (said, picture) in enumerate(zip(words, pictures, strict=True))
    ]
    return _svg(film.title, across, top + rows * (high + _GAP) - _GAP, [_lines(title, 0), *panels])


def _svg(title: str, wide: float, high: float, parts: Sequence[str]) -> str:
    """Return *parts* on a ground of that size, and a little more on all sides."""
    wide, high = wide + 2 * _GAP, high + 2 * _GAP
    return signed(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_GAP} {-_GAP} {wide:g} {high:g}"'
        f' width="{wide:g}" height="{high:g}" role="img">\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n'
        f'<rect class="ground" x="{-_GAP}" y="{-_GAP}" width="{wide:g}" height="{high:g}"/>\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def _title(film: Film, begin: Frame | None, width: float) -> Words:
    """Return the lines above all panels, each with its kind; *begin* is a first frame without a panel."""
    look = textwrap.wrap(unbroken(film.look), int(width / _SANS))
    lines = [("title", f"{film.title}, granule {film.granule}" if film.title else f"granule {film.granule}")]
    lines += [("caption", line) for line in look]
    return [*lines, *([("call", f"1. {begin.call} -> {begin.answer}")] if begin else ())]


def _picture(drawing: Drawing) -> str:
    if drawing.svg is None:
        raise NoEngine(drawing.advice)
    return drawing.svg


def _words(frame: Frame, number: int, width: float) -> Words:
    """Return the lines above a picture, each with its kind."""
    call = textwrap.wrap(f"{number}. {frame.call}", int(width / _MONO), subsequent_indent="   ")
    returned = textwrap.wrap(f"-> {frame.answer}", int(width / _MONO), subsequent_indent="   ")
    freed = [f"freed {frame.freed}"] if frame.freed else []
    caption = textwrap.wrap(unbroken(frame.caption), int(width / _SANS))
    return [
        *(("call", line) for line in call),
        *(("returned", line) for line in returned),
        *(("caption", line) for line in [*freed, *caption]),
    ]


def _panel(x: float, y: float, wide: float, high: float, head: float, words: Words, picture: str) -> str:
    """Return one panel with its upper left corner at *x*, *y*: the words in its *head*, the picture below."""
    picture_wide, picture_high = size(picture)
    at = f'x="{(wide - picture_wide) / 2:g}" y="{head:g}" width="{picture_wide:g}" height="{picture_high:g}"'
    nested = re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf'<svg class="tree" {at} \1>', picture, count=1, flags=re.DOTALL
    )
    panel = f'<rect class="panel" width="{wide:g}" height="{high:g}" rx="8"/>'
    return f'<g transform="translate({x:g} {y:g})">\n{panel}\n{_lines(words, _PAD)}\n{nested}\n</g>'


def _lines(words: Words, pad: float) -> str:
    """Return lines of text below each other, *pad* units from the left and the top."""
    return "\n".join(
        f'<text x="{pad}" y="{pad + _LINE * line - 5}" class="{kind}" xml:space="preserve">{escape(said)}</text>'
        for line, (kind, said) in enumerate(words, 1)
    )
