"""`ol demo`: a film of a tree, for the projector."""

from pathlib import Path

import click

from radixlab import course
from radixlab.commands.common import stdout, subject_named
from radixlab.course import Chapter

KEYS = "arrow keys step, space plays, Home and End jump, ? lists the rest"


@click.command("demo")
@click.argument("film", required=False)
@click.option("-o", "out", metavar="PATH", default="demo.html", show_default=True, help="Where to write it, see above.")
@click.option("--list", "listed", is_flag=True, help="List the films.")
@click.option("--impl", metavar="PATH|NAME", help="Play it on this file, or on: reference, stub, a bug such as s07.")
@click.option("--force", is_flag=True, help="Overwrite a file that is none of ours.")
def command(film, out, listed, impl, force) -> int | None:
    """Write a FILM of a tree: each call, what it returned, and the tree afterwards. The worked example by default.

    \b
    -o demo.html   a page for the projector, needs no network
    -o demo.svg    all frames on one sheet, for a page or a handout
    -o frames/     a picture a frame in that folder, as SVG and as PNG
    """
    from radixlab.show.picture.render import NoEngine, engine

    if listed:
        return _list()
    chapter, name = _named(film)
    path = _place(out)
    try:
        engine()  # before anything is played
        played = _played(chapter, name, impl)
        return _write(played, path, name, force)
    except NoEngine as error:
        raise click.UsageError(str(error)) from None


def _list() -> None:
    for chapter in course.chapters():
        for name, film in chapter.films.items():
            stdout.print(f"{name:16} {film['look']}", markup=False, soft_wrap=True)
    stdout.print("next: `ol demo` writes the first; `ol demo NAME` another")


def _named(film: str | None) -> tuple[Chapter, str]:
    """Return the chapter of the film called *film*, and its name; without one, the first there is."""
    films = {name: chapter for chapter in course.chapters() for name in chapter.films}
    name = next(iter(films)) if film is None else film
    if name not in films:
        raise click.UsageError(f"there is no film called {name!r}: choose from {', '.join(films)}")
    return films[name], name


def _place(out: str) -> Path:
    """Return where to write: a page, a sheet, or a folder for frames; UsageError when that cannot be."""
    path = Path(out)
    if not path.absolute().parent.is_dir():
        raise click.UsageError(f"{path.parent} does not exist")
    if _is_folder(out):
        if path.exists() and not path.is_dir():
            raise click.UsageError(f"{path} is a file; name a folder for the frames")
        return path
    if path.suffix.lower() not in (".html", ".svg"):
        hint = "; a PNG holds one frame, so name a folder: -o frames/" if path.suffix.lower() == ".png" else ""
        raise click.UsageError(f"-o {out}: name a file that ends in .html or .svg, or a folder, as in frames/{hint}")
    return path


def _is_folder(out: str) -> bool:
    return out.endswith(("/", "\\")) or Path(out).is_dir()


def _played(chapter: Chapter, name: str, impl: str | None):
    """Return the film *name*, played on the tree that *impl* names, the reference when it names none."""
    from radixlab.show import films

    if impl is None:
        return films.film(chapter, name)
    from radixlab.checker.live import loaded
    from radixlab.checker.mutation import public_names

    subject = subject_named(chapter, impl)
    subject.code()  # Unreadable, if it is
    filename = impl if Path(impl).exists() else f"{impl}.py"
    module = loaded(subject.source, filename, public_names(chapter.text("face.pyi")))
    try:
        played = films.film(chapter, name, module)
    except Exception as error:
        raise click.UsageError(f"{impl}: no RadixTree could be made ({type(error).__name__}: {error})") from None
    played.title = f"{played.title}, {impl}"
    return played


def _write(film, path: Path, name: str, force: bool) -> None:
    from radixlab.show import export
    from radixlab.show.sheet import sheet

    paths = [path]
    if path.suffix.lower() not in (".html", ".svg"):
        paths = [file for format in ("svg", "png") for file in export.frame_paths(film, path, format)]
    alien = [file for file in paths if file.exists() and not export.is_ours(file)]
    if alien and not force:
        raise click.UsageError(f"{alien[0]} is there and none of ours: --force overwrites it, -o names another")
    if path.suffix.lower() == ".html":
        path.write_text(export.page([film], film.title), encoding="utf-8")
        stdout.print(f"wrote {path}: {name}, {len(film)} frames", markup=False, soft_wrap=True)
        stdout.print(f"next: open it in a browser; {KEYS}", soft_wrap=True)
        return
    if path.suffix.lower() == ".svg":
        path.write_text(sheet(film), encoding="utf-8")
        stdout.print(f"wrote {path}: {name}, on one sheet", markup=False, soft_wrap=True)
    else:
        for format in ("svg", "png"):
            export.frames(film, path, format)
        what = f"{len(film)} frames, each as SVG and as PNG"
        stdout.print(f"wrote {paths[0]} to {paths[-1]}: {name}, {what}", markup=False, soft_wrap=True)
    stdout.print("next: `ol demo` alone writes a page that plays", soft_wrap=True)
