"""The secret of a grader: kept, shared where it is named, and in every seed."""

import pytest

from radixlab.classroom import secret


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.delenv(secret.KEY, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    secret.key.cache_clear()
    yield
    secret.key.cache_clear()


def test_it_is_made_once_and_read_by_nobody_else(tmp_path):
    first = secret.key()
    secret.key.cache_clear()
    assert secret.key() == first and len(first) == 64
    (path,) = (tmp_path / "data" / "radixlab").iterdir()
    assert path.stat().st_mode & 0o077 == 0


def test_machines_can_share_one(monkeypatch):
    monkeypatch.setenv(secret.KEY, "of our course")
    assert secret.key() == b"of our course"


def test_where_none_can_be_kept_there_is_one_all_the_same(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/proc/nowhere")
    assert len(secret.key()) == 32


def test_seeds_cannot_be_told_from_the_content_alone(monkeypatch):
    seeds = set()
    for name in ("one", "other"):
        monkeypatch.setenv(secret.KEY, name)
        secret.key.cache_clear()
        seeds.add(secret.seed_of("0" * 64))
    assert len(seeds) == 2
