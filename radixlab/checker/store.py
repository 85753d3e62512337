"""Code that is dear to make, kept on disk for the next time, as Python keeps that of its modules."""

import contextlib
import hashlib
import importlib.util
import marshal
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import platformdirs

from radixlab import __version__

_KEPT = 64  # files


def kept(made_from: tuple[str, ...], make: Callable[[], CodeType]) -> CodeType:
    """Return the code that *make* makes, from disk when it was made from the very same texts before.

    Another Python or another radixlab makes it anew. Where nothing can be written, nothing is kept.
    """
    texts = repr((importlib.util.MAGIC_NUMBER, __version__, made_from))
    path = platformdirs.user_cache_path("radixlab") / "code" / hashlib.sha256(texts.encode()).hexdigest()
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        return marshal.loads(path.read_bytes())
    code = make()
    with contextlib.suppress(OSError):
        _write(path, marshal.dumps(code))
    return code


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_bytes(data)
    os.replace(fresh, path)
    for old in sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
        old.unlink(missing_ok=True)
