"""Films to take away: one HTML page for the projector, and a picture a frame."""

import re
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template

from radixlab.show.draw import Drawing, film_drawings
from radixlab.show.film import Film
from radixlab.show.frame import Frame
from radixlab.show.picture.dot import film_dots
from radixlab.show.picture.render import NoEngine, render_alike

MADE = "radixlab"  # the generator that our files name
_FONT = "var(--jp-code-font-family, ui-monospace, monospace)"  # JupyterLab's own, where there is one
_LONG = 44  # characters of a call in large type
_TALL = 1.5  # a picture that is less wide than this, measured by its height, has its words beside it
_ARGUMENTS = re.compile(r"(?<=\],) (?=\[)")
_BREAKS = re.compile(r"(?<=[\w\])])(?=\.[A-Za-z_])|(?<=\w\[)(?=[A-Za-z_])")
_IN_LABEL = re.compile(r"(?<=\b\w) (?=\w\b)|(?<=\d) (?=\d)|(?<=\b[Nn]ode) (?=\d)")


def page(films: Sequence[Film], title: str, lead: str = "", *, parts: int | None = None, as_text: bool = True) -> str:
    """Return one self-contained HTML page that plays *films*, two of them side by side, frame by frame.

    *lead*: a paragraph above them. *parts*: the frame, counted from 1, at which two films part. Where nothing can draw
    the trees are text, or without *as_text* it is NoEngine. Complexity: one process of Graphviz a film.
    """
    drawings = [film_drawings(film) for film in films]
    advice = next((drawn[0].advice for drawn in drawings if drawn[0].advice), "")
    if advice and not as_text:
        raise NoEngine(advice)
    last = max(map(len, films))
    template = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(
        title=escape(title),
        lead=f'<p class="lead">{escape(lead)}</p>' if lead else "",
        shape=("tall" if len(films) == 1 and _is_tall(drawings[0][-1]) else "wide") + _type_size(films),
        columns=len(films),
        frames="\n".join(_section(films, drawings, place) for place in range(last)),
        line="\n".join(_link(films, place, parts) for place in range(last)),
    )


def _section(films: Sequence[Film], drawings: Sequence[list[Drawing]], place: int) -> str:
    """Return one frame of the page: what each film shows at *place*."""
    longest = max(films, key=len)
    caption = longest[place].caption or (longest.look if place == 0 else "")
    articles = "\n".join(
        _article(film, drawn, place, len(films) > 1) for film, drawn in zip(films, drawings, strict=True)
    )
    return (
        f'<section id="{place + 1}" aria-label="Frame {place + 1}">\n<p class="caption">{_sentence(caption)}</p>\n'
        f'<div class="films">\n{articles}\n</div>\n</section>'
    )


def _article(film: Film, drawn: list[Drawing], place: int, titled: bool) -> str:
    """Return one film at *place*; one that has ended stays at its last frame."""
    over = place >= len(film)
    frame, drawing = film[min(place, len(film) - 1)], drawn[min(place, len(film) - 1)]
    heading = f"<h2>{escape(film.title)}{' (has ended)' if over else ''}</h2>\n" if titled else ""
    raised = " raised" if frame.answer.startswith("raised ") else ""
    return (
        f'<article{" class=over" if over else ""}>\n<div class="said">{heading}'
        f'<p class="call"><code>{_code(frame.call)}</code></p>\n'
        f'<p class="returned{raised}"><code>{_code(frame.answer)}</code>{_freed(frame)}</p></div>\n'
        f'<figure role="img" aria-label="{escape(_tree(drawing))}">{_inline(drawing)}</figure>\n</article>'
    )


def _link(films: Sequence[Film], place: int, parts: int | None) -> str:
    frame = max(films, key=len)[place]
    words = escape(f"Frame {place + 1}: {frame.call}")
    here = " class=parts" if place + 1 == parts else ""
    return f'<li><a href="#{place + 1}"{here} aria-label="{words}" title="{words}"></a></li>'


def _freed(frame: Frame) -> str:
    """Return what an eviction handed to its function, beside what it returned."""
    return (
        f' <span class="freed" style="margin-left:1em">freed <code>{escape(frame.freed)}</code></span>'
        if frame.freed
        else ""
    )


def _code(text: str) -> str:
    """Return code as HTML that is broken between arguments before within them, and within a name never.

    >>> _code("f([1, 2], [3])"), _code("here.label = 1")
    ('<span>f([1, 2],</span> <span>[3])</span>', '<span>here<wbr>.label</span> = 1')
    """
    arguments = [" ".join(map(_word, argument.split(" "))) for argument in _ARGUMENTS.split(text)]
    return " ".join(f"<span>{argument}</span>" for argument in arguments) if len(arguments) > 1 else arguments[0]


def _word(word: str) -> str:
    """Return a word of code as HTML: if it fits no line it is broken before an attribute or within an index."""
    parts = [escape(part) for part in _BREAKS.split(word)]
    return f"<span>{'<wbr>'.join(parts)}</span>" if len(parts) > 1 else parts[0]


def _sentence(caption: str) -> str:
    """Return a caption as HTML, a label such as 1 2 in it never broken."""
    return escape(unbroken(caption))


def _tree(drawing: Drawing) -> str:
    """Return the text of a drawing of a frame without its first line, which is the call."""
    return drawing.text.partition("\n")[2]


def _inline(drawing: Drawing) -> str:
    """Return a drawing for the page, the text where there is no picture; the font is the page's affair."""
    if drawing.svg is None:
        return f"<pre>{escape(_tree(drawing))}</pre>"
    return re.sub(r' font-family="[^"]*"', "", drawing.svg)


def _type_size(films: Sequence[Film]) -> str:
    """Return the class of films with long calls: all calls of a page are of one size."""
    return " long" if any(frame.inner or len(frame.call) > _LONG for film in films for frame in film) else ""


def unbroken(caption: str) -> str:
    r"""Return a caption with a no-break space between the tokens or values of a label, and after the word node.

    >>> print(unbroken("after 1 2, a b stay").replace("\N{NO-BREAK SPACE}", "_"))
    after 1_2, a_b stay
    """
    return _IN_LABEL.sub("\N{NO-BREAK SPACE}", caption)


def _is_tall(drawing: Drawing) -> bool:
    if drawing.svg is None:
        return False
    width, height = size(drawing.svg)
    return width < _TALL * height


def size(svg: str) -> tuple[float, float]:
    """Return the width and height of an SVG, in its own units."""
    numbers = re.search(r'viewBox="([^"]*)"', svg)[1].split()
    return float(numbers[2]), float(numbers[3])


def frames(film: Film, folder: Path, format: str = "svg") -> list[Path]:
    """Write a picture of each frame into *folder*, "svg" or "png", as `frame-01.svg` and so on; return the files.

    The folder is made if need be. NoEngine where there is no Graphviz, OSError. Complexity: one process of Graphviz.
    """
    pictures = render_alike(film_dots(film), format)
    folder.mkdir(parents=True, exist_ok=True)
    paths = frame_paths(film, folder, format)
    for path, picture in zip(paths, pictures, strict=True):
        path.write_bytes(signed(picture.decode()).encode() if format == "svg" else picture)
    return paths


def frame_paths(film: Film, folder: Path, format: str) -> list[Path]:
    """Return the files that `frames` writes."""
    return [folder / f"frame-{number:02}.{format}" for number in range(1, len(film) + 1)]


def signed(svg: str) -> str:
    """Return a picture as a file of ours."""
    return f"<!-- {MADE} -->\n{svg}\n"


def is_ours(path: Path) -> bool:
    """Return whether *path* is a page, a sheet or a frame that this module wrote; of a PNG its SVG tells."""
    if path.suffix == ".png":
        path = path.with_suffix(".svg")
    try:
        with path.open("rb") as file:
            begin = file.read(1000)
    except OSError:
        return False
    return f'content="{MADE}"'.encode() in begin or f"<!-- {MADE} -->".encode() in begin


def static(film: Film) -> str:
    """Return all frames below each other, as HTML for a notebook without widgets."""
    drawings = film_drawings(film)
    return "<hr>".join(frame_html(film, drawings, place) for place in range(len(film)))


def frame_html(film: Film, drawings: Sequence[Drawing], place: int, *, large: bool = False) -> str:
    """Return frame *place* of *film* as HTML: the call, what it returned, where we are, the picture."""
    frame, drawing = film[place], drawings[place]
    size = "1.6em" if large else "1.1em"
    title = f"<b>{escape(film.title)}</b> &middot; " if film.title else ""
    caption = frame.caption or (film.look if place == 0 else "")
    zoom = "zoom:1.6;" if large else ""
    return (
        f'<div style="line-height:1.4"><div>{title}frame {place + 1} of {len(film)}</div>'
        f'<div style="font:{size} {_FONT};overflow-wrap:anywhere"><b>{_code(frame.call)}</b>'
        f" &rarr; {_code(frame.answer)}{_freed(frame)}</div>"
        f'<div style="font-size:{size};min-height:1.4em">{_sentence(caption)}</div>'
        f'<div style="{zoom}overflow-x:auto">{drawing._repr_html_()}</div></div>'
    )
