"""An archive is screened whole before anything in it is read."""

import io
import os
import random
import stat
import struct
import zipfile

import pytest

from radixlab.classroom.archives import MOST_ENTRIES, Archive, Refused


@pytest.fixture
def packed(tmp_path):
    """Write a zip of names and contents, or of prepared entries; return its path."""

    def packed(*entries, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w", method) as file:
            for name, content in entries:
                file.writestr(name, content)
        return path

    return packed


def entry(name="radix.py", mode=0, system=3):
    info = zipfile.ZipInfo(name)
    info.external_attr, info.create_system = mode << 16, system
    return info


def patched(path, at, value):
    """Change what every entry's header says at an offset: of the central directory and of the local one."""
    data = bytearray(path.read_bytes())
    for mark, where in ((b"PK\1\2", at), (b"PK\3\4", at - 2)):
        spot = -1
        while (spot := data.find(mark, spot + 1)) >= 0:
            data[spot + where : spot + where + len(value)] = value
    path.write_bytes(data)
    return path


def test_an_honest_zip_is_read(packed):
    with Archive(packed(("ds07/radix.py", "x = 1"), ("ds07/", ""), ("notes/b c.txt", "b"))) as archive:
        assert sorted(archive.names()) == ["ds07/radix.py", "notes/b c.txt"]
        assert archive.read("ds07/radix.py", 5) == b"x = 1"


def test_names_as_some_programs_write_them_are_read(packed):
    with Archive(packed(("ds07\\radix.py", "x"), ("./test_radix.py", "y"))) as archive:
        assert archive.names() == ["ds07/radix.py", "test_radix.py"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../radix.py", "leads out"),
        ("a/../../radix.py", "leads out"),
        ("..\\radix.py", "leads out"),
        ("/radix.py", "absolute"),
        ("C:\\radix.py", "absolute"),
        ("a\nb.py", "no name"),
        ("a\x1b[31m.py", "no name"),
        ("a//radix.py", "no name"),
        ("\u202eyp.xidar", "no name"),
        ("x" * 300, "no name"),
    ],
)
def test_an_odd_name_is_refused(packed, name, reason):
    with pytest.raises(Refused, match=reason):
        Archive(packed(("radix.py", "x"), (name, "y")))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_a_link_or_device_is_refused(packed, kind):
    with pytest.raises(Refused, match=r"link|no regular"):
        Archive(packed((entry(mode=kind | 0o777), "/etc/passwd")))


def test_a_name_that_is_there_twice_is_refused(packed):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = packed(("radix.py", "x"), ("radix.py", "y"))
    with pytest.raises(Refused, match="twice"):
        Archive(path)


def test_an_encrypted_zip_is_refused(packed):
    with pytest.raises(Refused, match="password"):
        Archive(patched(packed(("radix.py", "x")), 8, b"\1\0"))


def test_a_bomb_is_refused(packed):
    with pytest.raises(Refused, match="hundred times"):
        Archive(packed(("radix.py", b"\0" * 2_000_000)))
    with pytest.raises(Refused, match="unpacks to"):
        Archive(packed(*((f"{n}.bin", b"\0" * 900_000) for n in range(60))))
    with pytest.raises(Refused, match="entries"):
        Archive(packed(*((str(n), "") for n in range(MOST_ENTRIES + 1))))


def test_a_bomb_that_lies_about_its_size_fills_no_memory(packed):
    path = patched(packed(("radix.py", b"\0" * 3_000_000)), 24, struct.pack("<L", 100))
    with Archive(path) as archive:
        try:
            assert len(archive.read("radix.py", 1_000)) <= 1_000
        except Refused as error:
            assert "damaged" in str(error) or "more than" in str(error)


def test_a_file_that_is_too_large_is_refused(packed):
    with Archive(packed(("radix.py", os.urandom(2_000)))) as archive, pytest.raises(Refused, match="more than 1,000"):
        archive.read("radix.py", 1_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_may_ask_for_any_memory_to_unpack_is_refused(packed, method):
    with Archive(packed(("radix.py", "x"), method=method)) as archive, pytest.raises(Refused, match="anew"):
        archive.read("radix.py", 1_000)


def test_what_is_no_zip_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    for data in (b"", b"PK", b"PK\5\6" + b"\xff" * 18, b"x" * 100):
        path.write_bytes(data)
        with pytest.raises(Refused, match="cannot be read"):
            Archive(path)
    path.write_bytes(b"\0" * 5_000_001)
    with pytest.raises(Refused, match="the most"):
        Archive(path)
    with pytest.raises(Refused, match="cannot be read"):
        Archive(tmp_path / "none.zip")


def test_a_damaged_zip_is_read_or_refused_and_nothing_else(tmp_path):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ds07/radix.py", "def f():\n    return 1\n" * 40)
        file.writestr("ds07/test_radix.py", "def test_f(): pass\n")
    rng, path, refused = random.Random(5), tmp_path / "a.zip", 0
    for _ in range(400):
        data = bytearray(whole.getvalue())
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])
        try:
            with Archive(path) as archive:
                for name in archive.names():
                    archive.read(name, 100_000)
        except Refused:
            refused += 1
    assert refused > 100
