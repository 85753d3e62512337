"""The secret of a grader, which goes into every seed: whoever hands in must not foresee what is drawn by lot.

A learner who knew the seed could work out which run meets which planted bug, and tell the runs apart by that.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
from functools import cache

import platformdirs

KEY = "RADIXLAB_KEY"  # the environment variable that names the secret, where several machines share one


@cache
def key() -> bytes:
    """Return the secret: that of the environment, else one that is made once for this user and kept in a file.

    Where no file can be kept it is new for each process, and a submission graded again gets another seed.
    """
    if given := os.environ.get(KEY):
        return given.encode()
    path = platformdirs.user_data_path("radixlab") / "grading.key"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            fresh = path.with_name(f"{path.name}.{os.getpid()}")
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)  # whoever comes first: nobody reads half a secret
            fresh.unlink()
        return path.read_bytes()
    return secrets.token_bytes(32)


def seed_of(sha256: str) -> int:
    """Return the seed of the submission with this content, below 2**32: always the same under the same secret.

    >>> seed_of("0" * 64) == seed_of("0" * 64) != seed_of("1" * 64)
    True
    """
    return int.from_bytes(hmac.digest(key(), sha256.encode(), hashlib.sha256)[:4])
