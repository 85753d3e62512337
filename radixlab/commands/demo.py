"""`ol demo`: a film of a tree, for the projector."""

from pathlib import Path

import click

from radixlab import course
from radixlab.commands.apart import Tell, apart
from radixlab.commands.common import able_to_draw, spare_others_files, stdout, subject_named
from radixlab.course import Chapter

_FILE = "name a file that ends in .html or .svg"
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
    if listed:
        return _list()
    chapter, name = _named(film)
    path = _place(out)
    able_to_draw()
    return _write(_played(chapter, name, impl), path, name, force)


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
    if not out.strip():
        raise click.UsageError(f"-o names nothing: {_FILE}, or a folder, as in frames/")
    path = Path(out)
    if not path.absolute().parent.is_dir():
        raise click.UsageError(f"{path.parent} does not exist")
    if _is_folder(out):
        if path.exists() and not path.is_dir():
            raise click.UsageError(f"{path} is a file; name a folder for the frames")
        return path
    if path.suffix.lower() not in (".html", ".svg"):
        why = " a PNG holds one frame;" if path.suffix.lower() == ".png" else ""
        folder = out if not path.suffix else "frames"
        raise click.UsageError(f"-o {out}:{why} {_FILE}; for a folder of frames end it in /, as in {folder}/")
    return path


def _is_folder(out: str) -> bool:
    return out.endswith(("/", "\\")) or Path(out).is_dir()


def _played(chapter: Chapter, name: str, impl: str | None):
    """Return the film *name*, played on the tree that *impl* names, the reference when it names none."""
    from radixlab.show import films

    played = films.film(chapter, name)
    if impl is None:
        return played
    subject = subject_named(chapter, impl)
    subject.code()  # Unreadable, if it is
    filename = impl if Path(impl).exists() else f"{impl}.py"
    played.frames = list(apart(_frames_on, chapter.id, name, subject.source, filename, file=filename))
    played.title = f"{played.title}, {impl}"
    return played


def _frames_on(tell: Tell, chapter_name: str, name: str, source: str, filename: str) -> tuple:
    """Return the frames of the film *name*, played on the tree that *source* makes; UsageError when it makes none."""
    from radixlab.checker.live import loaded
    from radixlab.checker.mutation import public_names
    from radixlab.show import films

    chapter = course.chapter(chapter_name)
    module = loaded(source, filename, public_names(chapter.text("face.pyi")))
    try:
        return tuple(films.film(chapter, name, module))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise click.UsageError(f"{filename}: no RadixTree could be made ({why})") from None


def _write(film, path: Path, name: str, force: bool) -> None:
    from radixlab.show import export
    from radixlab.show.sheet import sheet

    paths = [path]
    if path.suffix.lower() not in (".html", ".svg"):
        paths = [file for format in ("svg", "png") for file in export.frame_paths(film, path, format)]
    spare_others_files(paths, force)
    if path.suffix.lower() == ".html":
        path.write_text(export.page([film], film.title, as_text=False), encoding="utf-8")
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
