"""A zip that nobody trusts: screened whole before a byte of it is unpacked, and then read in memory only."""

import lzma
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from radixlab.classroom.grade import one_line

MOST_BYTES = 5_000_000  # of an archive, packed
MOST_UNPACKED = 50_000_000
MOST_ENTRIES = 2_000
MOST_RATIO = 100  # unpacked to packed, of an entry above a megabyte
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may ask for gigabytes to unpack a byte
_BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OverflowError)
_BROKEN += (struct.error, zlib.error, lzma.LZMAError, MemoryError)


class Refused(ValueError):
    """An archive, or a file, is not read; the text is a clause that says why."""


class Archive:
    """A screened zip: its names, and the bytes of a file in it.

    Refused when it cannot be read, or holds what an honest one does not. Complexity: linear in the entries.
    """

    def __init__(self, path: Path) -> None:
        try:
            if (size := path.stat().st_size) > MOST_BYTES:
                raise Refused(
                    f"the zip has {size:,} bytes, and {MOST_BYTES:,} is the most: hand in the two files alone"
                )
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise Refused(f"the zip cannot be read: {error.strerror or error}") from None
        except _BROKEN as error:
            raise Refused(f"the zip cannot be read: {error}") from None
        try:
            self._entries = screened(self._zip.infolist())
        except Refused:
            self.close()
            raise

    def names(self) -> list[str]:
        """Return the names of the files in it, `/` between the parts."""
        return list(self._entries)

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of the file called *name*; Refused when they are damaged, or more than *most*."""
        entry = self._entries[name]
        if entry.compress_type not in _METHODS:
            raise Refused(f"{one_line(name)} is packed in a way that is not read here: make the zip anew")
        try:
            with self._zip.open(entry) as file:
                data = file.read(most + 1)
        except (*_BROKEN, OSError) as error:
            raise Refused(f"the zip is damaged: {one_line(str(error))}") from None
        if len(data) > most:
            raise Refused(f"{one_line(name)} has more than {most:,} bytes")
        return data

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def __enter__(self) -> "Archive":
        """Return the archive itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def screened(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the files among *entries* by their names; Refused when one entry is none that an honest zip has."""
    if len(entries) > MOST_ENTRIES:
        raise Refused(f"the zip holds {len(entries):,} entries, and {MOST_ENTRIES:,} is the most")
    if (total := sum(entry.file_size for entry in entries)) > MOST_UNPACKED:
        raise Refused(f"the zip unpacks to {total:,} bytes, and {MOST_UNPACKED:,} is the most")
    files: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = _plain(entry.orig_filename)
        if wrong := _wrong_with(name, entry):
            raise Refused(f"the zip holds {one_line(name, 80)!r}: {wrong}")
        if entry.is_dir() or name.endswith("/"):
            continue
        if name in files:
            raise Refused(f"the zip holds {one_line(name, 80)!r} twice")
        files[name] = entry
    return files


def _plain(name: str) -> str:
    """Return *name* with `/` where some programs write a backslash, and without the `./` that some begin with."""
    return "/".join(part for part in name.replace("\\", "/").split("/") if part != ".")


def _wrong_with(name: str, entry: zipfile.ZipInfo) -> str | None:
    """Return what is wrong with *entry*, called *name*; None when nothing is."""
    parts = name.removesuffix("/").split("/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith("/") or name[1:2] == ":":
        return "an absolute path"
    if ".." in parts:
        return "a path that leads out of it"
    if not name.isprintable() or len(name) > 255 or not all(part.strip() for part in parts):
        return "no name for a file"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a link" if kind == stat.S_IFLNK else "no regular file"
    if entry.flag_bits & 1:
        return "it is encrypted; make the zip without a password"
    if entry.file_size > 1_000_000 and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
        return "it unpacks to more than a hundred times its size"
    return None
