"""`ol pack gradescope`: a zip that Gradescope takes as it is, and what its scripts do in a made-up /autograder."""

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest
from samples.outputs.classes import SAMPLES

from radixlab import __version__, cli
from radixlab.classroom.outputs import autograde, words
from radixlab.commands import pack

WHEEL = f"radixlab-{__version__}-py3-none-any.whl"
SCHEMA = json.loads((SAMPLES / "gradescope.schema.json").read_text(encoding="utf-8"))
on_posix = pytest.mark.skipif(os.name != "posix", reason="the scripts are for Gradescope's Linux")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """The current folder, with something that is called a wheel in it."""
    monkeypatch.chdir(tmp_path)
    Path(WHEEL).write_bytes(b"a wheel")
    return tmp_path


@pytest.fixture
def says(here, capsys):
    """Type a command; return its exit code and what it printed."""

    def says(command: str) -> tuple[int, str]:
        code = cli.main(command.split()[1:])
        out = capsys.readouterr()
        return code, out.out + out.err

    return says


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """A folder as Gradescope's /autograder."""
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    monkeypatch.setenv("AUTOGRADER", str(root))
    return root


def hand_in(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / "submission" / f"{name}.py").write_text(text, encoding="utf-8")


def result(root: Path) -> dict:
    found = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, SCHEMA, jsonschema.Draft202012Validator)
    return found


# The zip --------------------------------------------------------------------------------------------------------------


def test_the_scripts_lie_at_the_root_and_can_be_run(says):
    code, said = says(f"ol pack gradescope -o a.zip --wheel {WHEEL}")
    assert code == 0 and f"wrote a.zip: with {WHEEL} in it" in said and "next: upload it" in said
    with zipfile.ZipFile("a.zip") as packed:
        assert packed.testzip() is None
        assert sorted(packed.namelist()) == [WHEEL, "requirements.txt", "run_autograder", "setup.sh"]
        for name in ("setup.sh", "run_autograder"):
            mode = packed.getinfo(name).external_attr >> 16
            assert stat.S_ISREG(mode) and mode & 0o111 == 0o111
            text = packed.read(name)
            assert text.startswith(b"#!/usr/bin/env bash\n") and b"\r" not in text and text.endswith(b"\n")
        assert packed.read("requirements.txt").decode() == f"./{WHEEL}\n" and packed.read(WHEEL) == b"a wheel"


def test_the_same_wheel_makes_the_same_zip(says):
    for name in ("a.zip", "b.zip"):
        says(f"ol pack gradescope -o {name} --wheel {WHEEL}")
    assert Path("a.zip").read_bytes() == Path("b.zip").read_bytes()


def test_the_chapter_and_the_options_are_those_of_run_autograder(says):
    assert says(f"ol pack gradescope ds.05 --isolation required --timeout 90 --wheel {WHEEL}")[0] == 0
    text = zipfile.ZipFile("autograder-ds05.zip").read("run_autograder").decode()
    assert text.endswith("autograde --chapter ds.05 --isolation required --timeout 90\n")


def test_from_the_package_index_it_is_this_version(says):
    code, said = says("ol pack gradescope -o a.zip --index")
    assert code == 0 and f"radixlab {__version__} from the package index" in said
    packed = zipfile.ZipFile("a.zip")
    assert packed.read("requirements.txt").decode() == f"radixlab=={__version__}\n" and len(packed.namelist()) == 3


def test_in_a_checkout_a_wheel_is_built_and_elsewhere_the_index_serves(says, here, monkeypatch):
    def pip(command, **how):
        assert command[1:4] == ["-m", "pip", "wheel"] and command[-1] == str(here)
        shutil.copy(WHEEL, command[command.index("--wheel-dir") + 1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(pack, "_PLACE", here)
    monkeypatch.setattr(pack.subprocess, "run", pip)
    assert "package index" in says("ol pack gradescope -o a.zip")[1]
    Path("pyproject.toml").touch()
    assert f"with {WHEEL} in it" in says("ol pack gradescope -o b.zip")[1]


def test_a_wheel_that_cannot_be_built_is_exit_3_and_a_sentence(says, here, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "trying\nERROR: no hatchling\n")
    monkeypatch.setattr(pack, "_PLACE", here)
    monkeypatch.setattr(pack.subprocess, "run", lambda *_, **how: failed)
    Path("pyproject.toml").touch()
    code, said = says("ol pack gradescope -o a.zip")
    assert code == 3 and "ERROR: no hatchling" in said and "--wheel" in said and not Path("a.zip").exists()


def test_wrong_usage_is_exit_2_and_writes_nothing(says):
    Path("a.zip").write_text("mine")
    Path("other.whl").touch()
    for options, sentence in (
        (f"-o a.zip --wheel {WHEEL}", "--force"),
        (f"-o b.zip --index --wheel {WHEEL}", "give one of them"),
        ("-o b.zip --wheel other.whl", "no wheel of radixlab"),
        ("-o b.zip --wheel nowhere.whl", "does not exist"),
        ("-o nowhere/b.zip --index", "does not exist"),
        ("ds.99 --index", "there is no chapter"),
    ):
        code, said = says(f"ol pack gradescope {options}")
        assert code == 2 and sentence in said, options
    assert Path("a.zip").read_text() == "mine" and not Path("b.zip").exists()
    assert says(f"ol pack gradescope -o a.zip --wheel {WHEEL} --force")[0] == 0 and zipfile.is_zipfile("a.zip")


# Its scripts ----------------------------------------------------------------------------------------------------------


def program(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o755)


def unpack(chapter, source: Path) -> None:
    for name, data in pack.contents(chapter, None, "auto", 60).items():
        (source / name).write_bytes(data)


@on_posix
@pytest.mark.parametrize("old", [False, True])
def test_setup_installs_python_the_sandbox_and_radixlab(chapter, root, tmp_path, old):
    programs, log = tmp_path / "programs", tmp_path / "log"
    program(programs / "apt-get", f'echo apt-get "$@" >> {log}')
    inside = f"printf '#!/bin/sh\\necho inside \"$@\" >> {log}\\n' > $3/bin/python; chmod +x $3/bin/python"
    for name, fails in (("python3", int(old)), ("python3.11", 0)):
        program(
            programs / name, f'[ "$1" = -c ] && exit {fails}', f"echo {name} $1 $2 >> {log}", "mkdir -p $3/bin", inside
        )
    unpack(chapter, root / "source")
    path = {"PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["bash", root / "source" / "setup.sh"], env=os.environ | path, check=True, capture_output=True)
    python = "python3.11" if old else "python3"
    assert log.read_text().splitlines() == [
        "apt-get update",
        "apt-get install -y bubblewrap python3 python3-venv",
        *(["apt-get install -y python3.11 python3.11-venv"] if old else []),
        f"{python} -m venv",
        "inside -m pip install --no-cache-dir -r requirements.txt",
        "inside -m radixlab --version",
    ]


@on_posix
def test_run_autograder_grades_a_submission(chapter, reference, good_tests, root):
    unpack(chapter, root / "source")
    program(root / "venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
    hand_in(root, radix=reference, test_radix=good_tests)
    done = subprocess.run(["bash", root / "source" / "run_autograder"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = result(root)
    assert found["score"] == 29 and found["extra_data"]["outcome"] == "pass"
    assert len(found["tests"]) == 11 + 6 + 18
    assert done.stdout == f"{found['output']}\n" and "29 of 29 points" in done.stdout, "and of no folder that is gone"


def test_without_a_sandbox_the_log_and_the_result_say_so(stub, root, capsys):
    hand_in(root, radix=stub)
    assert autograde.main(["--chapter", "ds.07", "--isolation", "none"]) == 0
    assert words.OPEN in result(root)["output"] and result(root)["output"] in capsys.readouterr().out


def test_an_empty_submission_has_no_points_and_is_told_why(root, capsys):
    hand_in(root)
    assert autograde.main(["--chapter", "ds.07"]) == 0
    assert result(root)["score"] == 0 and "hand in radix.py and test_radix.py" in result(root)["output"]
    assert capsys.readouterr().out == f"{result(root)['output']}\n"


def test_two_pieces_of_work_are_not_guessed_between(root, stub):
    for name in ("one", "two"):
        (root / "submission" / name).mkdir()
        hand_in(root, **{f"{name}/radix": stub})
    assert autograde.main(["--chapter", "ds.07"]) == 0
    assert result(root)["score"] == 0 and "there are 2 pieces of work here" in result(root)["output"]


@pytest.mark.parametrize(("code", "writes", "returned"), [(3, 0, 3), (2, 0, 2), (0, 0, 3), (3, 1, 3), (0, 2, 3)])
def test_without_one_good_result_there_is_none(root, stub, monkeypatch, capsys, code, writes, returned):
    def grade(argv):
        out = Path(argv[argv.index("--out") + 1])
        for number in range(writes):
            (out / "gradescope" / str(number)).mkdir(parents=True)
            (out / "gradescope" / str(number) / "results.json").write_text("{}")
        return code

    monkeypatch.setattr(cli, "main", grade)
    hand_in(root, radix=stub)
    (root / "results" / "results.json").write_text('{"score": 29}')
    assert autograde.main(["--chapter", "ds.07"]) == returned
    assert not list((root / "results").iterdir()), "not even an old one"
    assert "no results were written" in capsys.readouterr().err
