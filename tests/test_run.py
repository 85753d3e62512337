"""A run grades what is missing, once, and keeps every grade as it comes."""

import random
from pathlib import Path

import pytest
from classes import files_of, make_class

from radixlab.classroom import alone, run
from radixlab.classroom.executor import NoExecutor
from radixlab.classroom.grade import Grade
from radixlab.classroom.ledger import Ledger
from radixlab.classroom.run import Run, isolation_here
from radixlab.classroom.sandbox import NoSandbox
from radixlab.classroom.submissions import find


class Played:
    """An executor that runs nothing: every submission gets the *outcome*, those called *ill* an infra_error.

    After *most* grades it does what *then* says, or is gone.
    """

    def __init__(self, outcome="fail", most=1_000, then=None, ill=()):
        self.outcome, self.most, self.then, self.ill = outcome, most, then, ill
        self.tasks, self.cancelled = [], False

    def grades(self, tasks):
        for task in tasks:
            if len(self.tasks) == self.most:
                if self.then:
                    raise self.then
                raise NoExecutor("the scheduler is gone")
            self.tasks.append(task)
            ill = Path(task["submission"]["name"]).name in self.ill
            yield alone.without(task, "infra_error" if ill else self.outcome, "played")

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


@pytest.fixture
def begun(chapter, ledger, tmp_path):
    """Return a run on the folder `class`."""
    return lambda isolation="none": Run(find([tmp_path / "class"], chapter)[0], chapter, ledger, isolation)


@pytest.fixture
def hand_in(tmp_path):
    """Write what learners hand in: a tree by the learner's name."""

    def hand_in(**trees):
        for name, tree in trees.items():
            path = tmp_path / "class" / name / "radix.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(tree)

    return hand_in


def names(grades):
    return [Path(grade.submission).name for grade in grades]


def test_every_submission_gets_a_grade_of_its_own(hand_in, begun):
    hand_in(jane="a = 1", max="b = 1", zed="a = 1")
    this, executor, seen = begun(), Played(), []
    this.grade(executor, lambda done, all: seen.append((done, all)))
    grades = this.grades()
    assert names(grades) == [grade.learner for grade in grades] == ["jane", "max", "zed"]
    assert len(executor.tasks) == 2, "the same content is graded once"
    assert grades[0].sha256 == grades[2].sha256 != grades[1].sha256
    assert seen == [(0, 2), (1, 2), (2, 2)] and executor.cancelled


@pytest.mark.parametrize("then", [KeyboardInterrupt(), None])
def test_what_came_before_the_end_is_kept_and_the_rest_is_graded_next_time(hand_in, begun, then):
    hand_in(**{f"learner{number}": f"a = {number}" for number in range(6)})
    first, this = Played("fail", 4, then), begun()
    with pytest.raises(type(then) if then else NoExecutor):
        this.grade(first)
    assert first.cancelled and len(this.grades()) == 4
    second, this = Played("crash"), begun()
    assert len(this.missing) == 2
    this.grade(second)
    outcomes = [grade.outcome for grade in this.grades()]
    assert sorted(outcomes) == ["crash"] * 2 + ["fail"] * 4, "nothing is lost, nothing is graded twice"
    assert begun().missing == []


def test_what_came_late_or_was_changed_is_graded_next_time(hand_in, begun):
    hand_in(jane="a = 1", max="b = 1")
    begun().grade(Played())
    hand_in(max="b = 2", zed="c = 1")
    this, executor = begun(), Played("crash")
    this.grade(executor)
    assert [grade.outcome for grade in this.grades()] == ["fail", "crash", "crash"]


def test_what_ran_out_of_time_is_graded_again_when_there_is_more(hand_in, begun, ledger, chapter, tmp_path):
    hand_in(jane="a", max="b")
    begun().grade(Played("timeout"))
    assert begun().missing == []
    longer = Run(find([tmp_path / "class"], chapter)[0], chapter, ledger, "none", 2 * alone.TIMEOUT)
    assert [Path(name).name for name in longer.missing] == ["jane", "max"]
    longer.grade(Played("fail"))
    assert [grade.outcome for grade in longer.grades()] == ["fail", "fail"]


def test_an_infra_error_is_graded_again(hand_in, begun):
    hand_in(jane="a = 1", max="b = 1")
    this = begun()
    this.grade(Played(ill=("jane",)))
    assert [grade.outcome for grade in this.grades()] == ["infra_error", "fail"]
    this = begun()
    assert [Path(name).name for name in this.missing] == ["jane"]
    this.grade(Played("pass"))
    assert [grade.outcome for grade in this.grades()] == ["pass", "fail"]


def test_what_was_graded_without_the_sandbox_does_not_count_where_it_is_required(hand_in, begun):
    hand_in(jane="a = 1")
    begun("none").grade(Played())
    assert begun("none").missing == []
    this = begun("required")
    assert len(this.missing) == 1
    this.grade(Played("pass"))
    assert this.grades()[0].isolation == "bubblewrap"
    assert begun("none").missing == [] == begun("required").missing


def test_a_submission_that_changes_while_the_class_is_graded_is_graded_as_it_is_then(hand_in, begun):
    hand_in(jane="a = 1", max="b = 1")
    this = begun()
    hand_in(max="b = 2")
    executor = Played()
    this.grade(executor)
    assert [task["submission"]["tree"][0] for task in executor.tasks] == ["a = 1", "b = 2"]
    assert len(this.grades()) == 2 and begun().missing == []


def test_a_note_is_of_the_submission_and_not_of_its_content(tmp_path, hand_in, begun):
    hand_in(jane="a = 1")
    (tmp_path / "class/max").mkdir()
    (tmp_path / "class/max/tree.py").write_text("a = 1")
    this = begun()
    this.grade(Played())
    jane, max_ = this.grades()
    assert jane.sha256 == max_.sha256
    own = [[note for note in one.notes if "taken for" in note] for one in (jane, max_)]
    assert own == [[], ["tree.py was taken for radix.py"]]


def test_the_very_files_of_another_are_named_in_a_note(hand_in, begun):
    hand_in(jane="a", max="a", zed="a", ann="b")
    first = begun()
    first.grade(Played("fail"))
    notes = {Path(grade.submission).name: grade.notes[-1:] for grade in first.grades()}
    assert notes["jane"] == ("the same files as class/max and 1 more",)
    assert not any("same files" in note for note in notes["ann"])


def test_the_isolation_that_there_is_gets_settled_before_anything_runs(monkeypatch):
    def none(isolation):
        if isolation == "required":
            raise NoSandbox("bubblewrap is not installed")
        return None, "none"

    monkeypatch.setattr(run, "shells", none)
    assert isolation_here("none") == isolation_here("auto") == "none"
    with pytest.raises(NoSandbox):
        isolation_here("required")


def test_a_made_class_is_the_same_under_the_same_seed(tmp_path, chapter):
    one, two, three = (make_class(tmp_path / name, 30, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))

    def told(made):
        return [(Path(path).name, kind) for path, kind in made.items()]

    assert told(one) == told(two) != told(three)
    found, over = find([tmp_path / "a"], chapter)
    assert sorted(each.name for each in found) == sorted(f"a/{Path(path).name}" for path in one) and over == []
    hostile = [kind for kind in one.values() if kind in ("tree", "tests", "zip")]
    assert len(hostile) == 10


def test_a_made_submission_has_a_content_of_its_own():
    one, two = (files_of("complete", random.Random(1), number) for number in (1, 2))
    assert one.keys() == {"radix.py", "test_radix.py"} and one != two


def test_a_played_grade_is_a_grade(hand_in, begun):
    hand_in(jane="a = 1")
    executor = Played()
    begun().grade(executor)
    grade = Grade.from_dict(alone.without(executor.tasks[0], "timeout", "late"))
    assert (grade.outcome, grade.duration_s, grade.points) == ("timeout", alone.TIMEOUT, 0.0)
