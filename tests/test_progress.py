"""How far a learner has come, read off their file."""

import pytest

from radixlab import progress, splice

STAGES = ["runs", "new", "insert", "split", "locks", "lru", "evict"]


def names(stages) -> list[str]:
    return [stage.name for stage in stages]


def test_on_the_stub_all_is_unwritten(chapter, stub):
    assert names(progress.unwritten(chapter, stub)) == STAGES
    assert progress.next_stage(chapter, stub).name == "runs"


@pytest.mark.parametrize("done", range(1, 8))
def test_a_cut_is_written_up_to_its_stage(chapter, cut, done):
    source = cut(STAGES[done - 1])
    assert names(progress.unwritten(chapter, source)) == STAGES[done:]
    following = progress.next_stage(chapter, source)
    assert (following.name if following else None) == (STAGES[done] if done < 7 else None)


def test_correct_trees_of_another_build_are_written(chapter, reference):
    for source in (reference, *chapter.variants.values()):
        assert progress.unwritten(chapter, source) == []


def test_comments_layout_and_docstrings_write_nothing(chapter, stub):
    changed = stub.replace('        """Pin *node* and every ancestor; ROOT needs no pin."""\n', "        # later\n\n")
    assert changed != stub
    assert names(progress.unwritten(chapter, changed)) == STAGES
    assert not progress.is_untouched(changed, stub), "a docstring is code"
    assert progress.is_untouched(stub.replace("\n\n\n", "\n\n# mine\n\n"), stub)


def test_one_function_left_leaves_its_stage_unwritten(chapter, reference, stub):
    source = splice.put(reference, "unlock", splice.piece(stub, "unlock"))
    assert names(progress.unwritten(chapter, source)) == ["locks"]
    assert not progress.is_untouched(source, stub)


def test_a_missing_function_counts_as_written(chapter, stub):
    source = splice.put(stub, "common_runs", "runs = None\n")
    assert names(progress.unwritten(chapter, source)) == STAGES[1:]


@pytest.mark.parametrize("source", ["def f(:", "x = '"])
def test_no_python_is_neither_unwritten_nor_untouched(chapter, stub, source):
    assert progress.unwritten(chapter, source) == []
    assert not progress.is_untouched(source, stub)


def test_a_stage_waits_for_the_first_missing_one_that_it_needs(chapter):
    missing = [chapter.stage("insert"), chapter.stage("lru")]
    assert progress.waits_for(chapter, "new", missing) is None
    assert progress.waits_for(chapter, "insert", missing).name == "insert"
    assert progress.waits_for(chapter, "evict", missing).name == "insert"
    assert progress.waits_for(chapter, "evict", missing[1:]).name == "lru"


def test_missing_are_the_functions_that_are_still_the_stub_s(chapter, reference, stub):
    locks = chapter.stage("locks")
    assert progress.missing_names(chapter, stub, locks) == locks.writes == ("lock", "unlock", "_split")
    assert progress.missing_names(chapter, splice.cut(stub, reference, ("_split",)), locks) == ("lock", "unlock")
    assert progress.missing_names(chapter, splice.cut(stub, reference, ("lock",)), locks) == ("unlock", "_split")
    assert progress.missing_names(chapter, reference, locks) == ()
    assert progress.missing_names(chapter, "def f(:", locks) == ()


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_begun_by_a_function_of_its_own(chapter, reference, stub, stage):
    here = chapter.stage(stage)
    assert not progress.is_begun(chapter, stub, here)
    assert not progress.is_begun(chapter, splice.cut(reference, stub, chapter.own_names(here)), here)
    for name in chapter.own_names(here):
        assert progress.is_begun(chapter, splice.cut(stub, reference, (name,)), here)


def test_what_an_earlier_stage_writes_begins_nothing(chapter, cut):
    source = cut("split")
    assert progress.missing_names(chapter, source, chapter.stage("locks")) == ("lock", "unlock")
    assert not progress.is_begun(chapter, source, chapter.stage("locks"))


def test_what_is_left_to_write_is_said_in_words(chapter, cut, reference, stub):
    assert progress.to_write(chapter, stub, chapter.stage("runs")) == "write common_runs"
    assert progress.to_write(chapter, cut("split"), chapter.stage("locks")) == "write lock, unlock; extend _split"
    half = splice.cut(cut("split"), reference, ("lock",))
    assert progress.to_write(chapter, half, chapter.stage("locks")) == "write unlock; extend _split"
    assert progress.to_write(chapter, cut("lru"), chapter.stage("evict")) == "write evict, _remove_leaf, _alloc"
