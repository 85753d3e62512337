"""A subject is source text: read, compiled with a step budget, and loaded as a fresh module."""

import ast
import contextlib
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

from radixlab.checker.budget import TICK, Meter, with_ticks
from radixlab.syntax import syntax_tree


class Unreadable(ValueError):
    """A file cannot be read or parsed; the text is a sentence that names file and line."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.line = line


def read(path: Path) -> str:
    """Return the text of the Python file *path*; Unreadable when there is none, or it is not UTF-8.

    A line end of any system reads as a newline, and a byte order mark is dropped.
    """
    try:
        if path.is_dir():
            raise Unreadable(f"{path} is a folder; a Python file belongs there")
        data = path.read_bytes()
    except FileNotFoundError:
        raise Unreadable(f"{path} does not exist") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Unreadable(f"{path.name}, line {line}: not UTF-8 text; save the file as UTF-8", line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(source: str, filename: str) -> ast.Module:
    """Return the syntax tree of *source*; Unreadable, with the line, when it is no Python.

    >>> parse("def f(:", "radix.py")
    Traceback (most recent call last):
    ...
    radixlab.checker.subject.Unreadable: radix.py, line 1: invalid syntax, at "def f(:"
    """
    if "\0" in source:
        line = source[: source.index("\0")].count("\n") + 1
        raise Unreadable(f"{filename}, line {line}: a null byte stands there, which Python cannot read", line)
    try:
        return syntax_tree(source, filename)
    except SyntaxError as error:
        line = error.lineno or 1
        lines = source.splitlines()
        text = lines[line - 1].strip() if line <= len(lines) else ""
        at = f', at "{textwrap.shorten(text, 80, placeholder=" ...")}"' if text else ""
        raise Unreadable(f"{filename}, line {line}: {error.msg}{at}", line) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"{filename}: Python cannot parse it ({error or type(error).__name__})") from None


def compile_subject(source: str | ast.Module, filename: str = "radix.py") -> CodeType:
    """Return the code of a subject, with ticks in it. Complexity: linear in the source."""
    tree = parse(source, filename) if isinstance(source, str) else source
    return compiled(with_ticks(tree), filename)


def check_syntax(source: str, filename: str) -> None:
    """Raise Unreadable when *source* is no Python."""
    compiled(parse(source, filename), filename)


def compiled(tree: ast.Module, filename: str) -> CodeType:
    """Return the code of *tree*; Unreadable when the compiler refuses it."""
    try:
        return compile(tree, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:  # what the parser lets pass: `return` outside a function
        line = getattr(error, "lineno", None)
        at = f", line {line}" if line else ""
        raise Unreadable(f"{filename}{at}: {getattr(error, 'msg', error)}", line) from None


@dataclass(frozen=True)
class Subject:
    """What a learner wrote: its source, the name under which reports speak of it, and why it cannot be read, if so.

    *filename*: the name of its lines; *needs*: the modules of the learner's own that it builds on, name and source,
    in place of the references.
    """

    source: str
    name: str
    problem: str | None = None
    filename: str = "radix.py"
    needs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, path: Path, name: str, filename: str = "radix.py") -> "Subject":
        """Return the subject in the file *path*; one that cannot be read has a *problem*, and fails every test."""
        try:
            return cls(read(path), name, filename=filename)
        except Unreadable as error:
            return cls("", name, str(error), filename)

    def code(self) -> CodeType:
        """Return the code; Unreadable when there is none."""
        if self.problem:
            raise Unreadable(self.problem)
        return compile_subject(self.source, self.filename)


def load(code: CodeType, meter: Meter, name: str) -> ModuleType:
    """Run *code* as a fresh module called *name*, its ticks counted by *meter*; what it raises passes through."""
    module = ModuleType(name)
    vars(module).update({TICK: meter.tick, "__file__": code.co_filename})
    with modules_restored(name):
        sys.modules[name] = module  # dataclasses and typing look their module up while it is being made
        exec(code, vars(module))
    return module


@contextlib.contextmanager
def importable(needs: Iterable[tuple[str, CodeType]], meter: Meter) -> Iterator[None]:
    """Let the modules *needs*, name and code, be imported for a while, their steps counted by *meter*."""
    needs = list(needs)
    with modules_restored(*(name for name, _ in needs)):
        for name, code in needs:
            sys.modules[name] = load(code, meter, name)
        yield


@contextlib.contextmanager
def modules_restored(*names: str) -> Iterator[None]:
    """Put back in the end what stood in `sys.modules` under *names*."""
    before = {name: sys.modules.get(name) for name in names}
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
