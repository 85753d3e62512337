"""`ol pack`: what another system needs to grade with radixlab, as one file to upload."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import click

import radixlab
from radixlab import __version__
from radixlab.commands.common import ChapterName, new_file, stdout
from radixlab.course import Chapter

_PLACE = Path(radixlab.__file__).parent.parent  # of the package: a checkout, or where packages are installed
_STAMP = (1980, 1, 1, 0, 0, 0)  # of every file in the zip, so that the same input makes the same zip


class NoWheel(OSError):
    """A wheel of the checkout could not be built; the text says why."""


@click.group("pack")
def command() -> None:
    """Pack what another system needs to grade with radixlab."""


@command.command("gradescope")
@click.argument("chapter", type=ChapterName(), default="ds.07")
@click.option("-o", "--output", metavar="FILE.zip", help="Where to; autograder-CHAPTER.zip by default.")
@click.option(
    "--wheel", metavar="FILE.whl", type=click.Path(exists=True, dir_okay=False), help="Put this wheel of radixlab in."
)
@click.option("--index", is_flag=True, help="Let Gradescope install this version from the package index.")
@click.option(
    "--isolation",
    type=click.Choice(["auto", "required", "none"]),
    default="auto",
    show_default=True,
    help="As in `ol grade`; each result says what it was.",
)
@click.option("--timeout", type=click.IntRange(1), default=60, show_default=True, help="Seconds for a submission.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def gradescope(
    chapter: Chapter, output: str | None, wheel: str | None, index: bool, isolation: str, timeout: int, force: bool
) -> int:
    """Make the autograder of CHAPTER that Gradescope takes as it is: one zip.

    radixlab comes from --wheel; else, in a checkout, from a wheel that is built of it now; else from the package index.
    """
    if wheel and index:
        raise click.UsageError("--wheel and --index are two answers to one question: give one of them")
    place = Path(new_file(output) or f"autograder-{chapter.folder.name}.zip")
    if place.exists() and not force:
        raise click.UsageError(f"{place} is there: --force overwrites it, -o names another")
    with tempfile.TemporaryDirectory(prefix="radixlab-") as folder:
        carried = _wheel(wheel, index, Path(folder))
        _pack(place, contents(chapter, carried, isolation, timeout))
    brings = f"with {carried.name} in it" if carried else f"it installs radixlab {__version__} from the package index"
    stdout.print(f"wrote {place}: {brings}", markup=False, soft_wrap=True)
    stdout.print(
        "next: upload it to Gradescope under Configure Autograder, and test it with a submission of your own",
        soft_wrap=True,
    )
    return 0


def contents(chapter: Chapter, wheel: Path | None, isolation: str, timeout: int) -> dict[str, bytes]:
    """Return the files of the autograder of *chapter* by their names, with radixlab as a *wheel* or from the index."""
    from radixlab.classroom.outputs.templates import fill

    requirement = f"./{wheel.name}" if wheel else f"radixlab=={__version__}"
    texts = {
        "setup.sh": fill("setup.sh"),
        "run_autograder": fill("run_autograder", chapter=chapter, isolation=isolation, timeout=timeout),
        "requirements.txt": f"{requirement}\n",
    }
    files = {name: text.encode() for name, text in texts.items()}
    return files | ({wheel.name: wheel.read_bytes()} if wheel else {})


def _wheel(named: str | None, index: bool, folder: Path) -> Path | None:
    """Return the wheel to carry: the one *named*, or one built into *folder* from a checkout; None for the index."""
    if named:
        if not Path(named).name.startswith("radixlab-") or not named.endswith(".whl"):
            raise click.UsageError(f"{named} is no wheel of radixlab: `pip wheel --no-deps .` in a checkout makes one")
        return Path(named)
    if index or not (_PLACE / "pyproject.toml").is_file():
        return None
    stdout.print("building a wheel of this checkout")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(_PLACE)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise NoWheel(f"no wheel could be built ({said}); name one by --wheel, or take --index")
    return next(folder.glob("radixlab-*.whl"))


def _pack(place: Path, files: dict[str, bytes]) -> None:
    """Write *files* into a zip, all at its root, the scripts executable."""
    with zipfile.ZipFile(place, "w") as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _STAMP)
            entry.create_system = 3  # Unix, whose file modes these are
            entry.external_attr = (0o100755 if data.startswith(b"#!") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data)
