"""Where a learner stands: by the checks of each stage, not by what has been typed."""

import pytest

from radixlab import course, splice
from radixlab.checker import standing
from radixlab.checker.job import Outcome
from radixlab.checker.subject import Subject
from radixlab.checker.testfile import test_names

STAGES = ["runs", "new", "insert", "split", "locks", "lru", "evict"]
BUGS = course.chapter("ds.07").bugs
EARLIER = {"s04": "runs"}  # a bug of common_runs, which is checked before anything is split


@pytest.fixture
def stand(chapter, worker):
    return lambda source: standing.stand(chapter, Subject(source, "s"), worker)


@pytest.fixture
def on_official(chapter, worker):
    """Return the outcomes of the official tests on a source."""
    names = [card.name for card in chapter.tests]
    return lambda source: standing.on_tree(chapter, Subject(source, "s"), "official.py", names, worker)


def states(standings) -> list[str]:
    return [each.state for each in standings]


def test_on_the_stub_every_stage_is_unwritten(stand, stub):
    found = stand(stub)
    assert [each.stage.name for each in found] == STAGES
    assert states(found) == ["unwritten"] * 7
    assert all(each.failed is None for each in found)
    assert standing.current(found).stage.name == "runs"


@pytest.mark.parametrize("done", range(1, 8))
def test_a_cut_passes_up_to_its_stage(stand, cut, done):
    found = stand(cut(STAGES[done - 1]))
    assert states(found) == ["passed"] * done + ["unwritten"] * (7 - done)
    here = standing.current(found)
    assert (here.stage.name if here else None) == (STAGES[done] if done < 7 else None)


def test_a_tree_of_another_build_passes_every_stage(stand, chapter):
    for source in chapter.variants.values():
        assert states(stand(source)) == ["passed"] * 7


@pytest.mark.parametrize("bug", BUGS, ids=[bug.id for bug in BUGS])
def test_a_planted_bug_fails_its_stage_and_none_before(stand, reference, bug):
    found = stand(bug.plant(reference))
    failing = {each.stage.name: each.failed for each in found if each.state == "failing"}
    assert bug.stage in failing
    assert standing.current(found).stage.name == EARLIER.get(bug.id, bug.stage)
    for stage, failed in failing.items():
        assert failed.name.startswith(f"{stage}_")
        assert failed.outcome in ("failed", "budget") and failed.message
    assert set(states(found)) <= {"passed", "failing"}


def test_what_is_typed_and_wrong_is_no_progress(stand, cut):
    """A bug in a stage that is written is seen while later ones are not."""
    source = cut("split").replace("        upper.children[lower.label[at : at + self.granule]] = child\n", "")
    assert source != cut("split")
    assert states(stand(source)) == ["passed"] * 3 + ["failing"] + ["unwritten"] * 3


def test_a_stage_half_written_is_unwritten(stand, reference, stub):
    found = stand(splice.cut(reference, stub, ("unlock",)))
    assert (standing.current(found).stage.name, standing.current(found).state) == ("locks", "unwritten")


def test_the_checks_of_a_stage_bear_its_name(chapter):
    names = test_names(chapter.text("stages.py"))
    checks = [standing.stage_tests(stage, names) for stage in chapter.stages]
    assert all(checks)
    assert [name for stage in checks for name in stage] == names


UNLOADABLE = {
    "no python": ("class RadixTree:\n    def __init__(self, granule)\n        pass\n", "radix.py, line 2: "),
    "an import that fails": ("import nothing_of_that_name\n", "ModuleNotFoundError: "),
    "an endless loop": ("while True:\n    pass\n", "the loop at line 1 ran 100,000 steps"),
}


@pytest.mark.parametrize(("source", "said"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_a_file_that_does_not_load_fails_from_the_first_stage_on(stand, on_official, source, said):
    found = stand(source)
    assert states(found) == ["failing"] * 7
    assert standing.current(found).stage.name == "runs"
    assert standing.current(found).failed.message.startswith(said)
    assert standing.broken(on_official(source)).startswith(said)


def test_a_file_that_loads_is_not_broken(on_official, chapter, reference, stub):
    for source in (reference, stub, chapter.bug("s01").plant(reference)):
        assert standing.broken(on_official(source)) is None


def test_tests_that_each_fail_alike_do_not_make_a_file_broken():
    """What a test of its own call failed by, and what only some of them say, is no reason that holds for the file."""
    loop = "the loop at line 3 ran 100,000 steps"
    spent = [Outcome(name, "budget", loop, "budget") for name in "ab"]
    assert standing.broken({o.name: o for o in spent}) is None
    mixed = [Outcome("a", "error", "one"), Outcome("b", "error", "another")]
    assert standing.broken({o.name: o for o in mixed}) is None
    alike = [Outcome(name, "error", "one") for name in "ab"]
    assert standing.broken({o.name: o for o in alike}) == "one"
