"""What a test started, and whether anything of it is left: processes are known by a marker in their environment."""

import time
from pathlib import Path

MARK = "RADIXLAB_ATTACK"  # the name of the variable


def left_behind(marker: str) -> list[int]:
    """Return the processes that were started with *marker* in their environment; none where there is no /proc."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
        except OSError:  # it ended meanwhile, or is not ours
            continue
    return found


def none_left(marker: str, within: float = 5.0) -> bool:
    """Say whether all of them are gone, *within* so many seconds."""
    end = time.monotonic() + within
    while left_behind(marker) and time.monotonic() < end:
        time.sleep(0.05)
    return not left_behind(marker)
