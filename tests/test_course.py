"""What a chapter's folder says."""

import pytest

from radixlab import course
from radixlab.checker.standing import stage_tests
from radixlab.course import Bug, NoSuchChapter


@pytest.mark.parametrize("name", ["ds.07", "ds07", "DS.07"])
def test_a_chapter_is_found_by_its_id_or_its_folder(name):
    assert course.chapter(name).id == "ds.07"
    assert course.chapter(name) in course.chapters()


@pytest.mark.parametrize("name", ["ds.99", "", "..", "ds07/variants"])
def test_an_unknown_chapter_is_refused_with_those_there_are(name):
    with pytest.raises(NoSuchChapter, match=r"choose from .*ds\.07"):
        course.chapter(name)


def test_the_card_holds_what_the_chapter_promises(chapter):
    assert [stage.name for stage in chapter.stages] == ["runs", "new", "insert", "split", "locks", "lru", "evict"]
    assert len(chapter.tests) == 11
    assert [bug.id for bug in chapter.bugs] == [*(f"s{n:02}" for n in range(1, 16)), "m01", "m02", "m03"]
    assert (chapter.needed, chapter.required) == (13, ("s11",))
    assert [bug.id for bug in chapter.seen] == [f"N{number}" for number in range(1, 16)]
    assert all(bug.source for bug in chapter.seen), "a bug seen in production says where"
    assert len(chapter.own_tests) == 6
    assert 380 <= sum(stage.minutes for stage in chapter.stages) <= 480, "the chapter's 6 to 8 hours"


def test_each_bug_is_planted_in_the_stage_that_teaches_it(chapter):
    stages = {"insert": "s05 s15 m01", "split": "s01 s02 s03 s04", "locks": "s10 s13 s14", "lru": "s06 s07 s11 s12"}
    stages["evict"] = "s08 s09 m02 m03"
    planted = {bug.id: bug.stage for bug in chapter.bugs}
    assert planted == {bug: stage for stage, bugs in stages.items() for bug in bugs.split()}


def test_a_pitfall_has_the_words_of_its_bug(chapter):
    (pitfall,) = [pitfall for pitfall in chapter.pitfalls if pitfall.bug == "s03"]
    bug = chapter.bug("s03")
    assert (pitfall.mistake, pitfall.symptom) == (bug.title, bug.symptom)
    assert bug.symptom == "the lower half of the edge disappears"


def test_stages_and_bugs_are_found_by_name(chapter):
    assert chapter.stage("locks").writes[:2] == ("lock", "unlock")
    assert [stage.name for stage in chapter.stages_up_to("insert")] == ["runs", "new", "insert"]
    assert chapter.bug("N8").id == "N8"
    with pytest.raises(NoSuchChapter, match="runs, new, insert, split, locks, lru, evict"):
        chapter.stage("nine")
    with pytest.raises(NoSuchChapter, match="s01, s02"):
        chapter.bug("s99")


def test_variants_are_the_other_correct_trees(chapter):
    assert {"sorted_scan", "objects", "head_tail", "late_calls"} <= set(chapter.variants)
    assert all("class RadixTree" in source for source in chapter.variants.values())


def test_a_stage_has_the_checks_that_begin_with_its_name(chapter):
    assert stage_tests(chapter.stage("lru"), ["lru_a", "lrub", "evict_lru", "lru_c"]) == ["lru_a", "lru_c"]


def bug(*edits: tuple[str, str]) -> Bug:
    return Bug("b", "title", "symptom", "area", "hint", "stage", (), edits)


def test_a_bug_is_planted_by_its_edits_in_turn():
    assert bug(("a = 1", "a = 2"), ("a = 2", "b = 2")).plant("a = 1\nc = 1\n") == "b = 2\nc = 1\n"


@pytest.mark.parametrize(("source", "times"), [("x = 0\n", 0), ("a = 1\na = 1\n", 2)])
def test_an_edit_that_does_not_apply_once_is_refused(source, times):
    with pytest.raises(ValueError, match=f"b: the text to replace occurs {times} times"):
        bug(("a = 1", "a = 2")).plant(source)
