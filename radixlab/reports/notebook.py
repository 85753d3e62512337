"""A report in a notebook: HTML that follows JupyterLab's theme, and says in words all that a colour says."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from radixlab.checker.report import UNWRITTEN, BugResult, Mutation, OwnTest, Report, TestResult
from radixlab.course import Bug

if TYPE_CHECKING:
    from radixlab.show.divergence.diverge import Divergence

_TONES = {"passed": "good", "failed": "bad", "error in your code": "bad", "invalid": "bad", "not attempted": "open"}
_SIGNS = {"good": "+", "bad": "x", "open": "."}
_VERDICTS = {
    "pass": ("good", "pass"),
    "fail": ("bad", "not there yet"),
    "invalid": ("bad", "not there yet: a test of yours is invalid"),
    "not_attempted": ("open", "not attempted yet"),
    "error": ("bad", "the checker could not do its job"),
}
STYLE = """
.radixlab { border-left: 4px solid var(--tone, #808080); padding: 2px 0 2px 12px; margin: 4px 0; max-width: 62em;
  --good: #009e73; --bad: #d55e00; line-height: 1.5 }
.radixlab.good { --tone: var(--good) } .radixlab.bad { --tone: var(--bad) } .radixlab.open { border-left-style: dashed }
.radixlab p { margin: 2px 0 } .radixlab .head { font-weight: 600; font-size: 110% }
.radixlab .why { white-space: pre-wrap } .radixlab .next { margin-top: 6px } .radixlab .dim { opacity: .75 }
.radixlab .trees { display: flex; flex-wrap: wrap; gap: 12px 40px } .radixlab h4 { margin: 6px 0 2px; font-size: 100% }
.radixlab pre { margin: 4px 0; font-family: var(--jp-code-font-family, monospace); background: none }
.radixlab table { border-collapse: collapse; margin: 6px 0; font-size: 95% }
.radixlab.radixlab td, .radixlab.radixlab th { padding: 1px 7px; text-align: left; border: none; background: none }
.radixlab.radixlab td.mark, .radixlab.radixlab th.mark { text-align: center;
  font-family: var(--jp-code-font-family, monospace) }
.radixlab .good-text, .radixlab .bad-text { color: var(--tone); font-weight: 700 }
.radixlab .good-text { --tone: var(--good) } .radixlab .bad-text { --tone: var(--bad) }
.radixlab code { font-family: var(--jp-code-font-family, monospace); background: none; padding: 0 }
"""


def framed(html: str) -> str:
    """Return *html*, a piece of ours, with the style that it needs."""
    return f"<style>{STYLE}</style>{html}"


def stage(name: str, state: str, test: str, message: str, steps: Sequence[str], why: str) -> str:
    """Return the verdict on the stage *name*: its *state*, the *test* that fails, its *message*, the next *steps*."""
    tone = _tone(state)
    body = [_head(tone, f"{name}: {state}", test.replace("_", " "))]
    if message:
        symptom, *rest = message.split("\n")
        body += [f'<p class="why"><b>{_code(symptom)}</b></p>'] + [f'<p class="why">{_code(line)}</p>' for line in rest]
    if why:
        body.append(f"<p>Why it matters: {_code(why)}.</p>")
    body += [f'<p class="next"><b>next:</b> {_code(step)}</p>' for step in steps]
    return _box(tone, body)


def own_test(name: str, state: str, message: str) -> str:
    """Return the verdict on an own test that is not valid, or not written."""
    tone = _tone(state)
    return _box(tone, [_head(tone, f"test_{name}: {state}"), f'<p class="why">{_code(message)}</p>'])


def kills(name: str, among: str, bugs: Sequence[Bug], caught: Mapping[str, Sequence[str]]) -> str:
    """Return which of *bugs*, those *among* a stage, the valid own test *name* catches, and which another one does.

    *caught*: a bug's id -> the learner's tests that catch it.
    """
    rows = "".join(
        f"<tr>{_mark(name in caught[bug.id], open=bool(caught[bug.id]))}<td><code>{bug.id}</code></td>"
        f"<td>{escape(_by(name, caught[bug.id]))}</td>"
        f"<td>{_code(bug.title) if caught[bug.id] else f'something about {escape(bug.area)}'}</td></tr>"
        for bug in bugs
    )
    head = _head("good", f"test_{name}: valid", "it passes on whatever is correct")
    many = sum(name in caught[bug.id] for bug in bugs)
    counted = f"<p>It catches {many} of the {len(bugs)} planted bugs of {escape(among)}:</p>"
    return _box("good", [head, counted, f"<table>{rows}</table>"])


def _by(name: str, tests: Sequence[str]) -> str:
    if name in tests:
        return "caught"
    return f"caught by test_{tests[0]}" if tests else "still alive"


def hint(level: int, levels: int, stage: str, text: str) -> str:
    """Return a hint, the last of which is pseudocode."""
    body = f"<pre>{escape(text)}</pre>" if "\n" in text else f"<p>{_code(text)}</p>"
    return _box("", [_head("", f"Hint {level} of {levels} for {stage}"), body])


def pitfall(text: str) -> str:
    """Return a question that leads to the pitfall a tree has fallen into."""
    return _box("bad", [f'<p class="why">{_code(text)}</p>'])


def two_trees(found: "Divergence") -> str:
    """Return where two trees part: the sentence, both trees at that step, and the script that leads there."""
    from radixlab.show.draw import draw

    trees = "".join(f"<div><h4>{escape(film.title)}</h4>{draw(film[-1])._repr_html_()}</div>" for film in found.films)
    sentence = found.words[:1].upper() + found.words[1:]
    body = [
        _head("bad", "The first difference", f"after {found.step} step{'' if found.step == 1 else 's'}"),
        f'<p class="why">{_code(sentence)}</p>',
        f'<div class="trees">{trees}</div>',
        f"<pre>{escape(str(found.script))}</pre>",
    ]
    return _box("bad", body)


def answer(name: str, state: str, lines: Sequence[str]) -> str:
    """Return what came of a prediction."""
    tone = {"right": "good", "not so": "bad"}.get(state, "open")
    return _box(tone, [_head(tone, f"{name}: {state}")] + [f'<p class="why">{_code(line)}</p>' for line in lines])


def gallery(pictures: Sequence[tuple[str, str]]) -> str:
    """Return *pictures* beside each other, each a letter and its HTML."""
    shown = "".join(f"<div><h4>{letter}</h4>{picture}</div>" for letter, picture in pictures)
    return _box("", [f'<div class="trees">{shown}</div>'])


def whole(report: Report) -> str:
    """Return a whole *report*: the official tests, the own tests, the kill matrix, the verdict, the next step."""
    tone, words = _VERDICTS[report.verdict]
    passed = sum(test.outcome == "passed" for test in report.tests)
    body = [_head(tone, words, f"{report.subject}, {report.duration_s:.1f} s, seed {report.seed}")]
    if report.verdict == "error":
        return _box(tone, [*body, f"<p>{_code(report.next)}</p>"])
    body.append(f'<p class="next"><b>next:</b> {_code(report.next)}</p>')
    body.append(f"<h4>Official tests: {passed} of {len(report.tests)} pass</h4>{_official(report.tests)}")
    failed = next((test for test in report.tests if test.outcome not in ("passed", "not_run")), None)
    if failed:
        body.append(f'<p class="why"><b>{escape(failed.name)}:</b> {_code(failed.message)}</p>')
    if report.own_tests is not None:
        body.append(f"<h4>Your own tests</h4>{_own(report.own_tests, report.mutation)}")
    if report.mutation is not None:
        body.append(_matrix(report.own_tests or [], report.mutation))
    body += [f'<p class="dim">For information: {escape(n)}: {v:,.0f}</p>' for n, v in report.figures.items()]
    return _box(tone, body)


def _official(tests: Sequence[TestResult]) -> str:
    rows = "".join(
        f"<tr>{_mark(test.outcome == 'passed', open=test.outcome == 'not_run')}<td>{escape(test.name)}</td>"
        f'<td class="dim">{escape(_note(test))}</td></tr>'
        for test in tests
    )
    return f"<table>{rows}</table>"


def _note(test: TestResult) -> str:
    if test.outcome == "passed":
        return ""
    return (test.message.splitlines() or [""])[0] if test.outcome == "not_run" else test.outcome


def _own(tests: Sequence[OwnTest], mutation: Mutation | None) -> str:
    rows = "".join(
        f"<tr>{_mark(test.valid and test.outcome == 'passed', open=test.unwritten)}"
        f'<td>{number}</td><td>{escape(test.name)}</td><td class="dim">{_code(_said(test, mutation))}</td></tr>'
        for number, test in enumerate(tests, 1)
    )
    note = "" if mutation else "<p>No score yet: every test must be written and valid.</p>"
    return f"<table>{rows}</table>{note}"


def _said(test: OwnTest, mutation: Mutation | None) -> str:
    if test.unwritten:
        return UNWRITTEN
    if not test.valid:
        return (test.message.splitlines() or [""])[0]
    if test.outcome != "passed":
        return f"fails on your file: {(test.message or test.outcome).splitlines()[0]}"
    return "valid" if mutation is None else ", ".join(test.kills) or "catches nothing"


def _matrix(tests: Sequence[OwnTest], mutation: Mutation) -> str:
    """Return the kill matrix, a row a bug and a column a test; of a survivor no more than its area."""
    columns = "".join(f'<th class="mark" title="{escape(t.name)}">{n}</th>' for n, t in enumerate(tests, 1))
    rows = "".join(_bug_row(bug, tests, mutation.required) for bug in mutation.bugs)
    required = [bug for bug in mutation.bugs if bug.id in mutation.required]
    told = ", ".join(f"{bug.id} (required) {'caught' if bug.killed else 'not caught'}" for bug in required)
    return (
        f"<h4>Planted bugs: {mutation.killed} of {mutation.total} caught, {mutation.needed} needed; {told}</h4>"
        f'<table class="matrix"><tr><th></th><th>bug</th>{columns}<th>what</th></tr>{rows}</table>'
    )


def _bug_row(bug: BugResult, tests: Sequence[OwnTest], required: Sequence[str]) -> str:
    cells = "".join(f'<td class="mark">{"x" if test.name in bug.by else "&middot;"}</td>' for test in tests)
    what = bug.title if bug.killed else f"alive: {bug.area}"
    note = " (required)" if bug.id in required else ""
    return f"<tr>{_mark(bug.killed)}<td><code>{bug.id}</code></td>{cells}<td>{escape(what + note)}</td></tr>"


def _tone(state: str) -> str:
    return next((tone for word, tone in _TONES.items() if state.startswith(word)), "")


def _box(tone: str, body: Sequence[str]) -> str:
    return f'<div class="radixlab {tone}">{"".join(body)}</div>'


def _head(tone: str, words: str, aside: str = "") -> str:
    sign = f'<span class="{tone}-text">{_SIGNS[tone]}</span> ' if tone in _SIGNS else ""
    more = f' <span class="dim" style="font-weight: 400">{escape(aside)}</span>' if aside else ""
    return f'<p class="head">{sign}{escape(words)}{more}</p>'


def _mark(good: bool, *, open: bool = False) -> str:
    tone = "good" if good else "open" if open else "bad"
    return f'<td class="mark {tone}-text">{_SIGNS[tone]}</td>'


def _code(text: str) -> str:
    """Return *text* as HTML; what stands between backquotes is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
