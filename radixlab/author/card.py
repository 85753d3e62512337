"""What the card of a chapter must say: the same things as the files beside it, and nothing twice."""

import ast
from collections import Counter
from collections.abc import Iterator

from radixlab import course, splice
from radixlab.checker.standing import stage_tests
from radixlab.checker.testfile import test_names
from radixlab.course import Chapter
from radixlab.progress import unwritten


def card_problems(chapter: Chapter) -> Iterator[str]:
    """Yield what the card says of things that are not there, and what it does not say of those that are."""
    stages = [stage.name for stage in chapter.stages]
    tests = {card.name for card in chapter.tests}
    checks = test_names(chapter.text("stages.py"))
    if set(test_names(chapter.text("official.py"))) != tests:
        yield "the tests of the card are not those of official.py"
    if test_names(chapter.text("starter.py")) != list(chapter.own_tests):
        yield "the own tests of the card are not those of starter.py"
    for name in checks:
        if name.split("_")[0] not in stages:
            yield f"stages.py: test_{name} belongs to no stage"
    for stage in chapter.stages:
        if not stage_tests(stage, checks):
            yield f"stage {stage.name} has no check"
        for name in stage.writes:
            for file in ("stub.py", "reference.py"):
                if name not in splice.pieces(chapter.text(file)):
                    yield f"stage {stage.name} writes {name}, which {file} does not have"
        for late in unwritten(chapter, chapter.text("reference.py")):
            if late is stage:
                yield f"stage {stage.name}: the reference leaves something as the stub has it"
    for other in (other for other in course.chapters() if other.id != chapter.id):
        for name in set(stages) & {stage.name for stage in other.stages}:
            yield f"stage {name} is called like one of {other.id}: a notebook finds a chapter by its stages"
        for name in set(chapter.own_tests) & set(other.own_tests):
            yield f"own test {name} is called like one of {other.id}: a notebook finds a chapter by its tests"
    for name in _hidden(chapter.text("reference.py")):
        if any(name in stage.writes for stage in chapter.stages):
            yield f"{name} is there twice: a cell is put into the last class that has it"
    for card in chapter.tests:
        if card.stage not in stages:
            yield f"{card.name} turns green in {card.stage}, which is no stage"
    ids = [bug.id for bug in (*chapter.bugs, *chapter.seen)]
    if len(set(ids)) != len(ids):
        yield "two bugs have the same id"
    for bug in (*chapter.bugs, *chapter.seen):
        if bug.stage not in stages:
            yield f"{bug.id} belongs to {bug.stage}, which is no stage"
        for name in set(bug.caught_by) - tests:
            yield f"{bug.id} is caught by {name}, which is no official test"
    pitfalls = [pitfall.bug for pitfall in chapter.pitfalls if pitfall.bug]
    if sorted(pitfalls) != sorted(bug.id for bug in chapter.bugs):
        yield "the planted bugs are not those of the pitfalls, once each"
    if [rule.number for rule in chapter.rules] != list(range(1, len(chapter.rules) + 1)):
        yield "the rules are not numbered one by one"


def _hidden(source: str) -> set[str]:
    """Return the names of methods that another class of *source* has too, `__init__` left out: the last one has it.

    >>> _hidden("class A:\\n    def f(self): ...\\nclass B:\\n    def f(self): ...\\n    def g(self): ...")
    {'f'}
    """
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    methods = [{m.name for m in each.body if isinstance(m, ast.FunctionDef)} for each in classes]
    names = Counter(name for each in methods for name in each)
    return {name for name, times in names.items() if times > 1 and name != "__init__"}


def hint_problems(chapter: Chapter) -> Iterator[str]:
    """Yield the stages whose hints are not a question, an invariant and pseudocode, and bugs that lack words."""
    docstrings = {
        ast.get_docstring(node)
        for node in ast.walk(ast.parse(chapter.text("stub.py")))
        if isinstance(node, ast.FunctionDef)
    }
    for stage in chapter.stages:
        if len(stage.hints) != 3:
            yield f"stage {stage.name} has {len(stage.hints)} hints, not 3"
        elif "?" not in stage.hints[0]:
            yield f"stage {stage.name}: the first hint asks no question"
        if docstrings.intersection(stage.hints):
            yield f"stage {stage.name}: a hint repeats a docstring"
    for bug in (*chapter.bugs, *chapter.seen):
        if not all((bug.title, bug.symptom, bug.area, bug.hint)):
            yield f"{bug.id} lacks a title, a symptom, an area or a hint"
