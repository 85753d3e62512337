"""A subject is source text: a sentence says what is wrong with it and where, and it loads as a fresh module."""

import sys

import pytest

from radixlab.checker.asserts import compile_tests
from radixlab.checker.budget import Meter, OutOfSteps
from radixlab.checker.subject import Unreadable, compile_subject, load, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "radix.py"


def test_line_ends_and_byte_order_marks_do_not_matter(path):
    path.write_bytes("\ufeffa = 'é'\r\nb = 1\rc = 2\n".encode())
    assert read(path) == "a = 'é'\nb = 1\nc = 2\n"


def test_what_cannot_be_read_says_why(path, tmp_path):
    with pytest.raises(Unreadable, match="is a folder; a Python file belongs there"):
        read(tmp_path)
    with pytest.raises(Unreadable, match=r"radix\.py does not exist"):
        read(path)
    with pytest.raises(Unreadable, match="cannot be read"):
        read(tmp_path / ("x" * 300))
    path.write_bytes(b"a = 1\nb = '\xe9'\n")
    with pytest.raises(Unreadable, match=r"radix\.py, line 2: not UTF-8 text") as caught:
        read(path)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\ndef f(:\n", 2),
        ("def f():\nreturn 1\n", 2),
        ("x = 1\nx = '\n", 2),
        ("if x:\n\ty = 1\n        z = 1\n", 3),
        ("x = 1\n\0\n", 2),
        ("x = 1\nreturn x\n", 2),
        ("x = 1\nfor i in x:\n    pass\nbreak\n", 4),
        ("def f():\n    x = 1\n    global x\n", 3),
    ],
)
def test_no_python_is_named_by_file_and_line(source, line):
    for compiled in (lambda: compile_subject(source), lambda: compile_tests(source, "radix.py")):
        with pytest.raises(Unreadable, match=rf"^radix\.py, line {line}: ") as caught:
            compiled()
        assert caught.value.line == line


def test_what_is_too_deep_for_python_is_a_sentence_too():
    for source in ("(" * 5_000, "x" + "[0]" * 50_000 + "\n", "-" * 50_000 + "1\n"):
        with pytest.raises(Unreadable, match=r"^radix\.py"):
            compile_subject(source)


def test_every_load_is_a_fresh_module():
    code = compile_subject("seen = []\n")
    first, second = load(code, Meter(10), "radix"), load(code, Meter(10), "radix")
    first.seen.append(1)
    assert (second.seen, first.__name__, first.__file__) == ([], "radix", "radix.py")


@pytest.mark.parametrize("before", [None, "another module"])
def test_loading_leaves_sys_modules_as_it_was(monkeypatch, before):
    if before:
        monkeypatch.setitem(sys.modules, "radix", before)
    load(compile_subject("import sys\nassert sys.modules[__name__].__name__ == 'radix'\n"), Meter(10), "radix")
    assert sys.modules.get("radix") == before
    with pytest.raises(ZeroDivisionError):
        load(compile_subject("1 / 0\n"), Meter(10), "radix")
    assert sys.modules.get("radix") == before


def test_dataclasses_find_their_module():
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Node:\n    a: int\n"
    )
    assert load(compile_subject(source), Meter(10), "radix").Node(1).a == 1


def test_loading_is_under_the_budget():
    with pytest.raises(OutOfSteps, match="the loop at line 2 ran 100 steps"):
        load(compile_subject("x = 1\nwhile x: pass\n"), Meter(100), "radix")


def test_asserts_of_tests_say_what_they_compared():
    module = load(compile_tests("def test_a():\n    x = [1, 2]\n    assert x == [1, 3]\n", "t.py"), Meter(10), "tests")
    with pytest.raises(AssertionError, match=r"assert \[1, 2\] == \[1, 3\]"):
        module.test_a()


def test_asserts_of_tests_cannot_be_switched_off():
    module = load(compile_tests("def test_a():\n    assert 0, 'no'\n", "t.py"), Meter(10), "tests")
    with pytest.raises(AssertionError, match="no"):
        module.test_a()
