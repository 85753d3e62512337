"""All frames of a film on one sheet, an SVG for a page of text or a handout: a panel each, its words above the tree."""

import re
import textwrap
from html import escape

from radixlab.show.draw import Drawing, film_drawings
from radixlab.show.export import signed, size
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
    f".tree{{font-family:{_MONO_FACES}}}"
    ".panel{fill:#fff;stroke:#c4c9cf}"  # opaque, so that it can be read on any ground
)

Words = list[tuple[str, str]]


def sheet(film: Film) -> str:
    """Return one SVG with all frames of *film* in rows of three, an empty tree at the start left out.

    NoEngine where there is no Graphviz. Complexity: one process of Graphviz.
    """
    shown = [pair for pair in zip(film, film_drawings(film), strict=True) if pair[0].tree.nodes.keys() - {ROOT}]
    shown = shown or [(film[0], film_drawings(film)[0])]
    pictures = [_picture(drawing) for _, drawing in shown]
    width = max(LEAST, *(size(picture)[0] for picture in pictures))
    words = [_words(frame, number, width) for number, (frame, _) in enumerate(shown, 1)]
    head = _PAD + _LINE * max(map(len, words))
    high = head + max(size(picture)[1] for picture in pictures) + _PAD
    wide = width + 2 * _PAD
    columns = min(COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    panels = [
        _panel(at % columns * (wide + _GAP), at // columns * (high + _GAP), wide, high, head, said, picture)
        for at, (said, picture) in enumerate(zip(words, pictures, strict=True))
    ]
    all_wide, all_high = columns * (wide + _GAP) - _GAP, rows * (high + _GAP) - _GAP
    return signed(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {all_wide + 2:g} {all_high + 2:g}"'
        f' width="{all_wide + 2:g}" height="{all_high + 2:g}" role="img">\n<title>{escape(film.title)}</title>\n'
        f"<style>{_STYLE}</style>\n" + "\n".join(panels) + "\n</svg>"
    )


def _picture(drawing: Drawing) -> str:
    if drawing.svg is None:
        raise NoEngine(drawing.advice)
    return drawing.svg


def _words(frame: Frame, number: int, width: float) -> Words:
    """Return the lines above a picture, each with its kind."""
    call = textwrap.wrap(f"{number}. {frame.call}", int(width / _MONO), subsequent_indent="   ")
    returned = textwrap.wrap(f"-> {frame.returned}", int(width / _MONO), subsequent_indent="   ")
    caption = textwrap.wrap(frame.caption, int(width / _SANS))
    return [
        *(("call", line) for line in call),
        *(("returned", line) for line in returned),
        *(("caption", line) for line in caption),
    ]


def _panel(x: float, y: float, wide: float, high: float, head: float, words: Words, picture: str) -> str:
    """Return one panel with its upper left corner at *x*, *y*: the words in its *head*, the picture below."""
    text = "\n".join(
        f'<text x="{_PAD}" y="{_PAD + _LINE * line - 5}" class="{kind}" xml:space="preserve">{escape(said)}</text>'
        for line, (kind, said) in enumerate(words, 1)
    )
    picture_wide, picture_high = size(picture)
    at = f'x="{(wide - picture_wide) / 2:g}" y="{head:g}" width="{picture_wide:g}" height="{picture_high:g}"'
    nested = re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf'<svg class="tree" {at} \1>', picture, count=1, flags=re.DOTALL
    )
    panel = f'<rect class="panel" width="{wide:g}" height="{high:g}" rx="8"/>'
    return f'<g transform="translate({x:g} {y:g})">\n{panel}\n{text}\n{nested}\n</g>'
