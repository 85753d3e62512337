"""What is played apart can end or hang its process, and takes nothing with it; nothing of it is left."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import click
import pytest

from radixlab.checker.subject import Unreadable
from radixlab.commands import apart
from radixlab.commands.apart import apart as played


def doubles(tell, number):
    for part in range(number):
        tell(part)
    return number * 2


def raises(tell, error):
    raise error


def says_where(tell):
    print("nobody hears this")
    return os.getcwd(), os.getpid()


def leaves(tell, code):
    os._exit(code)


def sleeps(tell, pids=None):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    if pids:
        Path(pids).write_text(f"{os.getpid()} {child.pid}")
    time.sleep(100)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # one that is dead, and waits for whoever started it, counts as gone
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_answer_comes_back_and_so_does_what_is_told():
    told = []
    assert played(doubles, 3, file="radix.py", watch=told.append) == 6
    assert told == [0, 1, 2]


@pytest.mark.parametrize("error", [Unreadable("radix.py, line 3: no", 3), click.UsageError("so not")])
def test_what_is_raised_is_raised_here(error):
    with pytest.raises(type(error)) as raised:
        played(raises, error, file="radix.py")
    assert str(raised.value) == str(error) and getattr(raised.value, "line", None) == getattr(error, "line", None)


def test_it_works_in_the_same_folder_and_is_not_heard(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    folder, pid = played(says_where, file="radix.py")
    assert Path(folder) == tmp_path and pid != os.getpid()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("code", [0, 3])
def test_a_file_that_ends_the_program_ends_its_process_only(code):
    with pytest.raises(
        Unreadable, match=rf"test_apart.py ended the program with exit code {code} \(line \d+, in leaves"
    ):
        played(leaves, code, file=__file__)


@pytest.mark.skipif(os.name != "posix", reason="process groups are a matter of POSIX")
def test_a_file_that_hangs_is_ended_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(apart, "SILENCE", 2)
    pids = tmp_path / "pids"
    with pytest.raises(Unreadable, match=r"test_apart.py gave no answer for 2 s \(line \d+, in sleeps\)"):
        played(sleeps, str(pids), file=__file__)
    assert_gone(pids)


@pytest.mark.skipif(os.name != "posix", reason="process groups are a matter of POSIX")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    pids = tmp_path / "pids"

    def press():
        while not (pids.exists() and pids.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs us in the background has it ignored
    try:
        threading.Thread(target=press, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            played(sleeps, str(pids), file=__file__)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert_gone(pids)


def assert_gone(pids: Path) -> None:
    end = time.monotonic() + 10
    left = [int(pid) for pid in pids.read_text().split()]
    while any(map(lives, left)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(lives, left))
