"""What `ol grade` wrote into a folder, read back."""

import csv
from pathlib import Path

from radixlab.classroom import ledger
from radixlab.classroom.ledger import Ledger


def rows(folder: Path) -> list[dict[str, str]]:
    """Return the rows of the grades."""
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def kept(folder: Path) -> dict[str, str]:
    """Return the text of each grade in the ledger, by the hash of what was handed in; nothing where there is none."""
    if not (folder / ledger.NAME).exists():
        return {}
    with Ledger(folder / ledger.NAME) as there:
        return dict(there._rows.execute("SELECT sha256, grade FROM grades"))
