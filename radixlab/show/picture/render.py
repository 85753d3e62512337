"""Graphs become pictures: all of them by one process of Graphviz, whichever is there."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from radixlab.show.picture.pieces import Pieces

PURE = "graphviz-pure"
SECONDS = 60  # that an engine may take
FACES = "ui-monospace,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace"
_ADVICE = "Set RADIXLAB_DOT to the dot of another Graphviz."
_PNG = b"\x89PNG\r\n\x1a\n"  # each picture begins so


class NoEngine(RuntimeError):
    """Nothing here can draw; the text is one sentence that says why and what to do."""


def engine() -> str:
    """Return the program that draws: `$RADIXLAB_DOT`, else `dot` on the PATH, else `graphviz-pure`; NoEngine if none.

    An empty variable counts as none. `graphviz-pure` is a program that comes with a package of that name, and is looked
    for beside Python as well: the PATH of a notebook's kernel need not have it.
    """
    named = os.environ.get("RADIXLAB_DOT")
    found = _found(named) if named else _found("dot") or _found(PURE)
    if found is None and named:
        raise NoEngine(f"RADIXLAB_DOT names {named}, which is no program here: unset it, or name a dot of Graphviz.")
    if found is None:
        raise NoEngine(f"There is no Graphviz here, so trees are drawn as text: pip install {PURE}")
    return found


def render(dots: Sequence[str], format: str = "svg") -> list[bytes]:
    """Return a picture, "svg" or "png", of each graph in *dots*, all made by one process; NoEngine when it fails.

    An SVG is made to stand in a page beside others: without prolog and ids, in fonts that browsers have, never wider
    than the page.
    """
    return _rendered(dots, format) if dots else []


def render_alike(dots: Sequence[str], format: str = "svg") -> list[bytes]:
    """Return a picture of each graph, as `render` does; graphs of the same nodes are laid out once, as the first is.

    Laying out takes half of the time, and what is not laid out again cannot move. What a graph holds unseen is left out
    of it then, but for the corners. What several frames show alike is drawn once, in an SVG.
    """
    if len({frozenset(_STATEMENT.findall(dot)) for dot in dots}) != 1 or len(dots) == 1:
        return render(dots, format)
    places = _places(dots[0])
    corners = "".join(
        f'\t"corner {side}" [label="" style=invis width=0 height=0 pos="{x:.2f},{y:.2f}!"]\n'
        for side, (x, y) in {"low": _corner(places, -1), "high": _corner(places, 1)}.items()
    )

    def pinned(statement: re.Match) -> str:
        place = places.get(statement[1])
        return f'{statement[0]}pos="{place.x:.2f},{place.y:.2f}!" ' if place else statement[0]

    seen = [_STATEMENT.sub(pinned, _without_unseen(dot)).rstrip().removesuffix("}") for dot in dots]
    if format != "svg":
        return _rendered([f"{dot}{corners}}}" for dot in seen], format, "-Kneato", "-n2")
    pieces = Pieces(seen, corners)
    svgs = [svg.decode() for svg in _rendered(pieces.dots, format, "-Kneato", "-n2")]
    try:
        return [svg.encode() for svg in pieces.together(svgs)]
    except KeyError as error:
        raise NoEngine(f"{engine()} left {error} out of its pictures. {_ADVICE}") from error


class _Place(NamedTuple):
    """Where the middle of a node is, and its size, in points."""

    x: float
    y: float
    wide: float
    high: float


def _places(dot: str) -> dict[str, _Place]:
    """Return where an engine puts each node of a graph; the names as they stand in the graph."""
    plain = _run([dot], "-Tplain").stdout.decode(errors="replace")
    places = {name: _Place(*(float(number) * 72 for number in numbers)) for name, *numbers in _NODE.findall(plain)}
    if not places:
        raise NoEngine(f"{engine()} laid out nothing. {_ADVICE}")
    return places


def _without_unseen(dot: str) -> str:
    """Return DOT text without the nodes and edges that it holds unseen, each a line of its own."""
    return "\n".join(line for line in dot.split("\n") if not (line.startswith("\t") and "style=invis" in line))


def _corner(places: Mapping[str, _Place], side: int) -> tuple[float, float]:
    """Return the lower (*side* -1) or the upper (1) corner of all that is placed."""
    furthest = max if side > 0 else min
    return (
        furthest(place.x + side * place.wide / 2 for place in places.values()),
        furthest(place.y + side * place.high / 2 for place in places.values()),
    )


_STATEMENT = re.compile(r'^\t("[^"]*"|\w+) \[', re.MULTILINE)  # of a node, in DOT text
_NODE = re.compile(r'^node ("[^"]*"|\w+) (\S+) (\S+) (\S+) (\S+) ', re.MULTILINE)  # in a plain layout


def _run(dots: Sequence[str], *flags: str) -> subprocess.CompletedProcess:
    """Hand graphs to an engine; NoEngine when it cannot be run."""
    program = engine()
    try:
        return subprocess.run(
            [program, "-q", *flags],  # no warnings: nobody reads them, and they cost
            input="\n".join(dots).encode(),
            capture_output=True,
            timeout=SECONDS,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoEngine(f"{program} could not be run ({type(error).__name__}). {_ADVICE}") from error


def _rendered(dots: Sequence[str], format: str, *flags: str) -> list[bytes]:
    done = _run(dots, f"-T{format}", *flags)
    pictures = _pictures(done.stdout, format)
    if done.returncode or len(pictures) != len(dots):
        said = (done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"])[0][:120]
        counted = f"{len(pictures)} of {len(dots)} pictures, exit code {done.returncode}"
        raise NoEngine(f"{engine()} failed ({counted}) and said: {said}. {_ADVICE}")
    return pictures


def _found(name: str) -> str | None:
    """Return the program called *name*, on the PATH or beside Python."""
    beside = [str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(beside))


def _pictures(output: bytes, format: str) -> list[bytes]:
    """Return the pictures that an engine wrote, one after the other."""
    if format == "png":
        return [_PNG + rest for rest in output.split(_PNG)[1:]]
    pages = output.decode(errors="replace").split("</svg>")[:-1]
    return [_clean(page[page.index("<svg") :] + "</svg>") for page in pages if "<svg" in page]


def _clean(svg: str) -> bytes:
    """Return an SVG without what would clash with others in one page: where no ids are, no two are the same.

    Attributes go that all texts share: each starts at its x, in one font, its spaces kept.
    """
    root = f'<svg role="img" xml:space="preserve" font-family="{FACES}" style="max-width:100%;height:auto"'
    for shared in _SHARED:
        svg = svg.replace(shared, "")
    return _CLUTTER.sub("", svg).replace("<svg", root, 1).encode()


_SHARED = (' text-anchor="start"', ' text-anchor="middle"', ' xml:space="preserve"', ' font-family="Courier,monospace"')
_CLUTTER = re.compile(r'<!--[^>]*-->\n?| id="[^"]*"')
