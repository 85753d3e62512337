"""Own tests in a notebook: is a test valid on every correct tree, and which planted bugs does it catch?"""

from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType

from radixlab.checker import mutation, verdict
from radixlab.checker.jobs import job_of
from radixlab.checker.subject import Unreadable, compile_subject
from radixlab.course import Bug
from radixlab.lab.finding import of_test
from radixlab.lab.mine import File, shells
from radixlab.lab.saying import say
from radixlab.progress import missing_functions
from radixlab.reports import notebook


def judge_test(file: File, name: str, among: str, bugs: Sequence[Bug]) -> None:
    """Say whether the own test *name*, as *file* has it, is valid, and which of the *bugs* *among* it catches."""
    try:
        whole = mutation.suite(file.chapter, file.source())
    except Unreadable as error:
        say(f"test_{name}: {error}")
        return
    if name not in whole.names:
        todo = "write it, and run the cell again: it is not in the file yet"
        say(f"test_{name}: not attempted; {todo}", notebook.own_test(name, "not attempted", todo))
        return
    if name in whole.twice:
        grades = mutation.grade(file.chapter, replace(whole, names=(name,), missing=()), shells.tests, 0)
    else:
        grades = _graded(file, whole, name)
    test = next(test for test in grades.own_tests if test.name == name)
    if not test.valid:
        todo = test.message.removeprefix("not written yet: ")
        state = "invalid" if todo == test.message else "not attempted"
        between = ": " if state == "invalid" else "; "
        say(f"test_{name}: {state}{between}{todo}", notebook.own_test(name, state, todo))
        return
    caught = {bug.id: [other.name for other in grades.own_tests if bug.id in other.kills] for bug in bugs}
    mine = [bug.id for bug in bugs if bug.id in test.kills]
    others = [f"{bug.id} (by test_{caught[bug.id][0]})" for bug in bugs if caught[bug.id] and bug.id not in mine]
    alive = [f"{bug.id} ({bug.area})" for bug in bugs if not caught[bug.id]]
    text = (
        f"test_{name}: valid, it passes on every correct {file.chapter.makes}\n"
        f"bugs of {among}: caught {', '.join([*mine, *others]) or 'none'}; still alive {', '.join(alive) or 'none'}"
    )
    say(text, notebook.kills(name, among, bugs, caught))


def _graded(file: File, whole: mutation.Suite, name: str) -> mutation.Grades:
    """Return the grades of the own test *name*, beside the others that are written, if those are valid."""
    unwritten_ones = missing_functions(file.source(), file.start)
    written = [other for other in whole.names if f"test_{other}" not in unwritten_ones and other not in whole.twice]
    for names in ({*written, name}, {name}):
        tests = replace(whole, names=tuple(n for n in whole.names if n in names), missing=(), twice=())
        grades = mutation.grade(file.chapter, tests, shells.tests, verdict.fresh_seed())
        if grades.mutation is not None:
            break
    return grades


def outcome(test: FunctionType, tree: str) -> str:
    """Return what comes of an own *test*, as the file has it, on the *tree* of that name: passes, or why it fails.

    *tree*: `reference`, a variant, a planted bug such as `s07`, or one seen in production, such as `N3`. The test runs
    in a process of its own, so it may hang. NoSuchChapter for a name that is not there.
    """
    name, file = test.__name__.removeprefix("test_"), File(of_test(test), tests=True)
    chapter = file.chapter
    try:
        whole = mutation.suite(chapter, file.source())
    except Unreadable as error:
        return str(error)
    if name not in whole.names:
        return "not written yet"
    code = compile_subject(chapter.source(tree), chapter.file)
    job = job_of(chapter, code, whole.file, (name,), quiet=True)
    came = shells.tests.run([job])[0][name]
    if came.outcome == "passed":
        return "passes"
    at = f", line {came.test_line}" if came.test_line else ""
    return f"fails{at}: {came.message.splitlines()[0] if came.message else came.outcome}"
