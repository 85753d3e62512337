"""Public trace files: where they are, how to know that they are whole, and how to get them once."""

import hashlib
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

FOLDER = "RADIXLAB_DATA"  # the environment variable that names a folder with the files


class NoTrace(Exception):
    """A trace cannot be read; the message says where, why, and what to do."""


@dataclass(frozen=True)
class PublicFile:
    """A file of a public repository on GitHub, at one commit."""

    name: str  # what the file is called in a folder of one's own
    repository: str
    commit: str
    path: str
    sha256: str  # of the file's bytes, decompressed
    licence: str

    @property
    def address(self) -> str:
        """Return where to download the file."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


def read(file: PublicFile) -> tuple[bytes, str]:
    """Return the bytes of *file*, whose sha256 is right, and where they are from, for messages.

    A folder that ``$RADIXLAB_DATA`` names comes first, with the file as it is or compressed, NAME or NAME.xz; then the
    cache of this user; then a download into that cache. NoTrace when the file is in neither and cannot be fetched, or
    is not what was published.
    """
    path = _own_copy(file) or _fetched(file)
    data = path.read_bytes() if path.suffix != ".xz" else _decompressed(path)
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise NoTrace(
            f"{path} is not the file that {file.repository} published: its sha256 is {found[:12]}..., and should be "
            f"{file.sha256[:12]}...\nnext: take it away, or put the right one there"
        )
    return data, str(path)


def _own_copy(file: PublicFile) -> Path | None:
    """Return where *file* is in the folder that the environment names, None where it is not."""
    named = os.environ.get(FOLDER)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise NoTrace(f"${FOLDER} is {named}, which is no folder\nnext: let it name one, or unset it")
    paths = (folder / file.name, folder / f"{file.name}.xz")
    return next((path for path in paths if path.is_file()), None)


def _decompressed(path: Path) -> bytes:
    try:
        return lzma.decompress(path.read_bytes())
    except lzma.LZMAError as error:
        raise NoTrace(f"{path} cannot be decompressed: {error}\nnext: put a whole copy there") from None


def _fetched(file: PublicFile) -> Path:
    """Return where *file* is in this user's cache, after a download if it was not there."""
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")  # the bar says what is going on
    folder = pooch.os_cache("radixlab")
    try:
        with _bar(file.name) as bar:
            fetch = pooch.HTTPDownloader(progressbar=bar, timeout=20)
            return Path(pooch.retrieve(file.address, file.sha256, file.name, folder, downloader=fetch))
    except requests.HTTPError as error:
        why = f"the server answered {error.response.status_code}"
    except requests.RequestException:
        why = "no connection"
    except ValueError:  # what pooch raises for another sha256
        why = "what came is not the file that was published"
    except OSError as error:
        why = f"{folder} cannot be written: {error.strerror}"
    named = os.environ.get(FOLDER)
    lacks = f"${FOLDER} is {named}, which has no {file.name} (nor .xz)\n" if named else ""
    raise NoTrace(
        f"{lacks}{file.name} could not be fetched from {file.address}: {why}\n"
        f"next: put it under that name into a folder that ${FOLDER} names, or try `ol replay chat`, which needs no "
        "network"
    )


class _Bar:
    """A bar of rich, with the face of a bar that pooch knows."""

    total = 0  # bytes; pooch sets it

    def __init__(self, progress, task: int) -> None:
        self.progress, self.task = progress, task

    def update(self, more: int) -> None:
        """Show that *more* bytes have come."""
        self.progress.update(self.task, total=self.total or None, advance=more)

    def reset(self) -> None:
        """Begin again at nothing."""
        self.progress.reset(self.task)

    def close(self) -> None:
        """Leave the bar alone: it goes with its display."""


@contextmanager
def _bar(name: str) -> Iterator[_Bar]:
    """Show a bar on standard error for a while, for the download of the file called *name*."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns, console = (TextColumn("{task.description}"), BarColumn(), DownloadColumn()), Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Bar(progress, progress.add_task(f"fetching {name}", total=None))
