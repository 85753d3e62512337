"""A chapter stands on the learner's own work on the chapters below it, once that passes; never on less, unasked."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from radixlab import course
from radixlab.checker.standing import on_tree
from radixlab.checker.subject import Subject
from radixlab.checker.worker import Inline
from radixlab.cli import main
from radixlab.needs import NotBuilt, own_work_below
from radixlab.reports import json as as_json

TREE, CACHE = course.chapter("ds.07"), course.chapter("L8.4")
SCHEMA = json.loads((Path(as_json.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
SENTENCE = "needs ds.07: build it, or pass --ref-deps"


def built(workspace, source):
    workspace.start(TREE)
    workspace.save(workspace.tree(TREE), source)


@pytest.fixture
def ol(capsys):
    """Type a command of `ol`; return its exit code and what it printed."""

    def types(command: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(command.split())
        out = capsys.readouterr()
        return code, " ".join((out.out + out.err).split())

    return types


def test_what_stands_on_nothing_needs_nothing(workspace):
    assert own_work_below(TREE, workspace, Inline()) == ()


def test_work_that_passes_is_what_the_next_chapter_stands_on(workspace, reference):
    mine = reference.replace('"""A radix tree', '"""My radix tree', 1)
    built(workspace, mine)
    assert own_work_below(CACHE, workspace, Inline()) == (("radix", mine),)


@pytest.mark.parametrize("bug", ["s11", "N3"])
def test_work_that_does_not_pass_is_not_stood_on(workspace, bug):
    caught = TREE.bug(bug).caught_by
    built(workspace, TREE.source(bug))
    if caught:
        with pytest.raises(NotBuilt, match=SENTENCE):
            own_work_below(CACHE, workspace, Inline())
    else:
        assert own_work_below(CACHE, workspace, Inline())


@pytest.mark.parametrize("source", [None, "stub", "def f(:\n"])
def test_work_not_begun_or_not_done_or_broken_is_not_stood_on(workspace, source):
    if source is not None:
        built(workspace, TREE.source("stub") if source == "stub" else source)
    with pytest.raises(NotBuilt, match=SENTENCE):
        own_work_below(CACHE, workspace, Inline())


def test_check_stops_until_the_tree_is_built(workspace, ol, reference):
    code, said = ol("check L8.4")
    assert code == 1 and SENTENCE in said
    workspace.start(CACHE)
    assert SENTENCE in ol("check L8.4 --stage pool")[1]
    built(workspace, reference)
    code, said = ol("check L8.4")
    assert code == 1 and SENTENCE not in said and "0 of 9 pass" in said


def test_check_can_stand_on_the_references(workspace, ol):
    workspace.start(CACHE, solved=tuple(name for stage in CACHE.stages for name in stage.writes))
    code, said = ol("check L8.4 --ref-deps --no-mutation")
    assert code == 0 and "9 of 9 pass" in said


def test_a_file_of_anybody_stands_on_the_tree_of_the_learner_and_ours_on_ours(workspace, ol, tmp_path):
    path = tmp_path / "prefix_cache.py"
    path.write_text(CACHE.text("reference.py"), encoding="utf-8")
    assert SENTENCE in ol(f"check L8.4 --impl {path} --no-mutation")[1]
    assert ol(f"check L8.4 --impl {path} --no-mutation --ref-deps")[0] == 0
    assert ol("check L8.4 --impl reference --no-mutation")[0] == 0


def test_the_report_of_what_was_stopped_is_a_report(workspace, capsys):
    assert main(["check", "L8.4", "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    assert report["verdict"] == "not_attempted" and SENTENCE in report["next"]


def test_the_cache_really_runs_on_the_tree_that_is_named(shells, reference):
    deaf = reference.replace(
        "        self._node(node)\n        while node != ROOT:\n            self._nodes[node].locks += 1",
        "        while False:\n            self._nodes[node].locks += 1",
    )
    assert deaf != reference
    cache = Subject(CACHE.text("reference.py"), "cache", filename=CACHE.file)
    names = [card.name for card in CACHE.tests]
    good = on_tree(CACHE, replace(cache, needs=(("radix", reference),)), "official.py", names, shells.tree)
    bad = on_tree(CACHE, replace(cache, needs=(("radix", deaf),)), "official.py", names, shells.tree)
    assert {outcome.outcome for outcome in good.values()} == {"passed"}
    assert "failed" in {outcome.outcome for outcome in bad.values()}


def test_lab_says_when_the_reference_stands_in(workspace, capsys):
    from radixlab.lab import mine

    mine._below.cache_clear()
    assert dict(mine.below(CACHE))["radix"] == TREE.text("reference.py")
    assert "the reference stands in" in capsys.readouterr().out
    assert mine.below(CACHE) and not capsys.readouterr().out, "it is said once"
