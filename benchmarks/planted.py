"""An operator for cosmic-ray that plants the bugs of the folder `bugs`, each a whole file, and mutates nothing else."""

from pathlib import Path

import parso
from cosmic_ray.operators.operator import Operator


class Planted(Operator):
    """Turn the module into one of the files."""

    bugs = sorted(Path("bugs").absolute().glob("*.py"))

    def mutation_positions(self, node):
        """Return the place of the module once for each bug."""
        return [(node.start_pos, node.end_pos)] * len(self.bugs) if node.type == "file_input" else []

    def mutate(self, node, index):
        """Return the module with bug number *index*."""
        return parso.parse(self.bugs[index].read_text(encoding="utf-8"))

    @classmethod
    def examples(cls):
        """Return none."""
        return ()


class Provider(dict):
    """The operators of this file, by name."""

    def __init__(self):
        super().__init__(bug=Planted)
