"""Makes classes of submissions for tests: honest, half finished, broken and hostile, as course systems export them.

`python tests/classes.py 300 DIR [SEED]` writes one to look at.
"""

import random
import sys
import zipfile
from pathlib import Path

from radixlab import course, splice

CHAPTER = course.chapter("ds.07")
HERE = Path(__file__).parent
GOOD, THIN = ((HERE / "samples/ds07" / f"{name}_tests.py").read_text(encoding="utf-8") for name in ("good", "thin"))
REFERENCE, STUB, STARTER = (CHAPTER.text(f"{name}.py") for name in ("reference", "stub", "starter"))
FIRST = ("Ada", "Grace", "Alan", "Barbara", "Edsger", "Radia", "Donald", "Frances", "Ken", "Jos\u00e9", "Zo\u00eb")
LAST = ("Lovelace", "Hopper", "Turing", "Liskov", "O'Brien", "Perlman", "Knuth", "M\u00fcller", "de la Cruz")
HONEST, HOSTILE = ("complete", "half", "bug", "thin", "stub", "broken"), ("tree", "tests", "zip")
SHAPES = ("moodle", "canvas", "zip", "chapter", "single")


def half(rng: random.Random) -> str:
    """Return a tree that is finished up to some stage."""
    stage = rng.choice(CHAPTER.stages[1:-1])
    return splice.cut(STUB, REFERENCE, [name for each in CHAPTER.stages_up_to(stage.name) for name in each.writes])


def files_of(kind: str, rng: random.Random, number: int) -> dict[str, str]:
    """Return the two files of a submission of a *kind*; *number* makes its content its own."""
    attack = {name: sorted((HERE / "attacks" / name).glob("*.py")) for name in ("trees", "own_tests")}
    tree, tests = {
        "complete": lambda: (REFERENCE, GOOD),
        "half": lambda: (half(rng), GOOD),
        "bug": lambda: (rng.choice(CHAPTER.bugs).plant(REFERENCE), GOOD),
        "thin": lambda: (REFERENCE, THIN),
        "stub": lambda: (STUB, STARTER),
        "broken": lambda: ("def f(:\n", "import nothing_of_that_name\n"),
        "tree": lambda: (rng.choice(attack["trees"]).read_text(encoding="utf-8"), GOOD),
        "tests": lambda: (REFERENCE, rng.choice(attack["own_tests"]).read_text(encoding="utf-8")),
    }[kind]()
    mark = f"\n# {number}\n"
    return {"radix.py": tree + mark, "test_radix.py": tests + mark}


def write_zip(path: Path, files: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in files.items():
            file.writestr(name, text)


def hostile_zip(path: Path, rng: random.Random) -> None:
    """Write a zip that must not be read."""
    name = rng.choice(("../radix.py", "/radix.py", "radix.py/../../radix.py", "ra\ndix.py"))
    rng.choice((lambda: path.write_bytes(rng.randbytes(500)), lambda: write_zip(path, {name: REFERENCE})))()


def hand_in(folder: Path, shape: str, learner: str, number: int, files: dict[str, str]) -> Path:
    """Write *files* of a *learner* into *folder* in the *shape* of some export; return what was written."""
    first, last = learner.split(" ", 1)
    canvas = f"{last}{first}".lower().replace(" ", "").replace("'", "") + f"_{4000 + number}_{9000 + number}"
    place = {
        "moodle": folder / f"{learner}_{7000 + number}_assignsubmission_file_",
        "canvas": folder / f"{canvas}_radix.zip",
        "zip": folder / f"{canvas}_work-1.zip",
        "chapter": folder / f"{learner} {number}",
        "single": folder / f"{canvas}_radix.py",
    }[shape]
    if place.suffix == ".zip":
        write_zip(place, {f"ds07/{name}" if shape == "zip" else name: text for name, text in files.items()})
    elif place.suffix == ".py":
        for name, text in files.items():
            (folder / f"{canvas}_{name}").write_text(text, encoding="utf-8")
    else:
        inner = place / "ds07" if shape == "chapter" else place
        inner.mkdir(parents=True)
        for name, text in files.items():
            (inner / name).write_text(text, encoding="utf-8")
    return place


def make_class(folder: Path, size: int, seed: int = 0, kinds: tuple[str, ...] = ()) -> dict[str, str]:
    """Write *size* submissions into *folder*; return the kind of each by its path, as `ol grade` names it.

    *kinds*: those to take in turn; by default two honest ones to each hostile one, in an order drawn by lot.
    """
    rng, made = random.Random(seed), {}
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [rng.choice(HOSTILE if number % 3 == 2 else HONEST) for number in range(size)]
    rng.shuffle(drawn)
    for number, kind in enumerate([kinds[n % len(kinds)] for n in range(size)] if kinds else drawn):
        learner = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        if kind == "zip":
            path = folder / f"hostile_{4000 + number}_{9000 + number}_radix.zip"
            hostile_zip(path, rng)
        else:
            path = hand_in(folder, rng.choice(SHAPES), learner, number, files_of(kind, rng, number))
        made[str(path)] = kind
    return made


if __name__ == "__main__":
    size, folder, seed = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    made = make_class(folder, size, seed)
    print("\n".join(f"{kind:10} {path}" for path, kind in made.items()))
