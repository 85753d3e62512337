"""What holds of the project itself: its files agree with each other, and a wheel carries all that a learner needs."""

import importlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from radixlab.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def ranges(requirements: list[str]) -> dict[str, str]:
    """Return name -> range of *requirements*, spaces dropped."""
    split = [re.match(r"(-e|[A-Za-z0-9_.-]+)(?:\[.*\])?(.*)", line.replace(" ", "")) for line in requirements]
    return {match[1].lower(): match[2] for match in split}


def environment() -> tuple[dict[str, str], dict[str, str]]:
    """Return name -> range of what environment.yml asks of conda, and of pip."""
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    parts = re.split(r"  - pip:.*\n", text.split("dependencies:\n")[1])
    lines = [[line.split("#")[0].strip().removeprefix("- ") for line in part.splitlines()] for part in parts]
    return tuple(ranges([line for line in part if line]) for part in lines)


def test_the_conda_environment_asks_for_what_the_project_asks_for():
    extras = PROJECT["project"]["optional-dependencies"]
    asked = ranges([*PROJECT["project"]["dependencies"], *extras["lab"], *extras["test"]])
    conda, pip = environment()
    assert conda.pop("python") == PROJECT["project"]["requires-python"]
    for name in ("pip", "graphviz", "python-graphviz"):  # the programs, and what conda calls the module
        assert name in conda
        del conda[name]
    assert pip.pop("-e") == "."
    for name in ("hatchling", "graphviz", "graphviz-pure"):  # pip brings them with the project
        del asked[name]
    assert conda | pip == asked


def test_the_readme_fits_a_screen_and_names_only_commands_that_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 70
    for command in re.findall(r"\bol ([a-z]+)", text):
        assert command in COMMANDS, command
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"^make ([a-z]+)", text, re.MULTILINE):
        assert target in targets


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_a_module_of_its_name(name):
    assert importlib.import_module(f"radixlab.commands.{name}").command.name == name


def test_python_is_promised_alike_everywhere():
    floor = PROJECT["project"]["requires-python"].removeprefix(">=")
    versions = [c.rsplit(" ", 1)[1] for c in PROJECT["project"]["classifiers"] if c.startswith("Programming Language")]
    assert floor == versions[0]
    assert f"(3, {floor.split('.')[1]})" in (ROOT / "Makefile").read_text(encoding="utf-8")
    ran = re.search(r"for version in (.*); do", (ROOT / ".ci/run").read_text(encoding="utf-8"))[1].split()
    assert sorted(ran) == sorted(versions)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build a wheel from a copy of what the project is, without what lies around."""
    source, out = tmp_path_factory.mktemp("source") / "p", tmp_path_factory.mktemp("wheel")
    around = shutil.ignore_patterns(".*", "__pycache__", "work", "build", "dist", "*.egg-info")
    shutil.copytree(ROOT, source, ignore=around)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", out, source]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_a_wheel_carries_the_chapters_and_the_notebooks(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = [*(ROOT / "radixlab").rglob("*"), *(ROOT / "notebooks").glob("*.ipynb")]
    wanted = {path.relative_to(ROOT) for path in inside if path.is_file() and "__pycache__" not in path.parts}
    for path in wanted:
        inside_package = path.as_posix() if path.parts[0] == "radixlab" else f"radixlab/{path.as_posix()}"
        assert inside_package in names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_an_installed_wheel_checks(wheel, tmp_path):
    """From the wheel alone, in another place than the project: the package and its data are found, and work."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    command = "import sys; sys.path.insert(0, 'site'); from radixlab.cli import main; import radixlab;"
    command += "print(radixlab.__file__); sys.exit(main('check ds.07 --impl reference --no-mutation'.split()))"
    done = subprocess.run([sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(tmp_path) in done.stdout and "11 of 11 pass" in done.stdout
