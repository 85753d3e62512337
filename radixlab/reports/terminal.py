"""A report in the terminal: what holds, what does not, what to do next."""

import io

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from radixlab.checker.report import UNWRITTEN, BugResult, Mutation, OwnTest, Report, TestResult

_MARKS = {"passed": ("+", "green"), "not_run": (".", "dim")}
_VERDICTS = {"pass": "bold green", "fail": "bold red", "invalid": "bold red", "not_attempted": "bold yellow"}
_SAYS = {
    "pass": "pass",
    "fail": "not there yet",
    "invalid": "not there yet: a test of yours is invalid",
    "not_attempted": "not attempted yet",
    "error": "the checker could not do its job",
}


def show(report: Report, console: Console) -> None:
    """Print *report*: the tests, the first failure, the kills, the verdict, the next step."""
    if not report.tests:
        console.print(Text(report.next, "bold red"))
        return
    what = f"stage {report.stage}" if report.stage else "official tests"
    passed = sum(test.outcome == "passed" for test in report.tests)
    console.print(Text.assemble((report.chapter, "bold"), f" · {report.subject}"))
    console.print()
    console.print(f"{what}: {passed} of {len(report.tests)} pass")
    console.print(_tests(report.tests))
    _first_failure(report.tests, console)
    if report.own_tests is not None:
        _own_tests(report.own_tests, report.mutation, console)
    for name, number in report.figures.items():
        console.print(f"for information: {name}: {number:,.0f}", style="dim")
    console.print()
    said = Text.assemble((_SAYS[report.verdict], _VERDICTS.get(report.verdict, "bold red")))
    console.print(said + Text(f"   ({report.duration_s:.1f} s, seed {report.seed})", "dim"))
    console.print(Text.assemble(("next: ", "bold"), report.next))


def text(report: Report) -> str:
    """Return what `show` prints of *report*, without colours."""
    console = Console(width=100, color_system=None, force_jupyter=False, force_terminal=False, file=io.StringIO())
    show(report, console)
    return console.file.getvalue().rstrip()


def mark(outcome: str) -> Text:
    """Return the mark of *outcome*: a sign and a colour, so that neither is needed alone."""
    sign, style = _MARKS.get(outcome, ("x", "red"))
    return Text(sign, style)


def _tests(tests: list[TestResult]) -> Table:
    table = _rows()
    for test in tests:
        note = "" if test.outcome == "passed" else test.outcome if test.outcome != "not_run" else test.message
        table.add_row(mark(test.outcome), test.name, Text(note.splitlines()[0] if note else "", "dim"))
    return table


def _rows() -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(width=3, justify="right")
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    return table


def _first_failure(tests: list[TestResult], console: Console) -> None:
    failed = next((test for test in tests if test.outcome not in ("passed", "not_run")), None)
    if failed is not None:
        console.print()
        console.print(Text(f"{failed.name}:", "bold"))
        console.print(Padding(Text(failed.message), (0, 0, 0, 4)))


def _own_tests(tests: list[OwnTest], mutation: Mutation | None, console: Console) -> None:
    console.print()
    console.print("your own tests, run on what has a planted bug and on what is right")
    table = _rows()
    for test in tests:
        if test.unwritten:
            table.add_row(Text(".", "dim"), test.name, Text(UNWRITTEN, "dim"))
        elif not test.valid:
            table.add_row(Text("x", "red"), test.name, Text(test.message.splitlines()[0]))
        elif test.outcome != "passed":
            said = (test.message or test.outcome).splitlines()[0]
            note = said if said.startswith("your file") else f"fails on your file: {said}"
            table.add_row(mark(test.outcome), test.name, Text(note))
        elif mutation is None:
            table.add_row(mark(test.outcome), test.name, Text("valid", "dim"))
        else:
            kills = ", ".join(test.kills) or "catches nothing"
            kills += f"; {test.message}" if test.message else ""
            table.add_row(mark(test.outcome), test.name, Text(kills, "dim" if test.kills else "yellow"))
    console.print(table)
    if mutation is None:
        console.print("no score yet: every test must be written and valid")
        return
    required = [bug for bug in mutation.bugs if bug.id in mutation.required]
    caught = ", ".join(f"{bug.id} (required) {'caught' if bug.killed else 'not caught'}" for bug in required)
    console.print(f"planted bugs: {mutation.killed} of {mutation.total} caught, {mutation.needed} needed; {caught}")
    alive = [bug for bug in mutation.bugs if not bug.killed]
    if alive:
        console.print(f"still alive: {_areas(alive)}")


def _areas(bugs: list[BugResult]) -> str:
    areas: dict[str, list[str]] = {}
    for bug in bugs:
        areas.setdefault(bug.area, []).append(bug.id)
    return "; ".join(f"{area} ({', '.join(ids)})" for area, ids in areas.items())


def matrix(own_tests: list[dict], bugs: list[dict], required: list[str]) -> Group:
    """Return the kill matrix, a row a bug and a column a test; what a survivor is about is kept back to its area."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("bug")
    for number, _ in enumerate(own_tests, 1):
        table.add_column(str(number), justify="center")
    table.add_column("what", overflow="fold")
    for bug in bugs:
        cells = [Text("x", "green") if test["name"] in bug["by"] else Text("·", "dim") for test in own_tests]
        what = bug["title"] if bug["killed"] else f"alive: {bug['area']}"
        note = " (required)" if bug["id"] in required else ""
        table.add_row(bug["id"], *cells, Text(what + note, "" if bug["killed"] else "yellow"))
    names = Text("\n".join(f"{n:>3}  {test['name']}" for n, test in enumerate(own_tests, 1)))
    return Group(table, "", names)
