"""A name in a notebook belongs to one chapter: that of its stage, of its test, or of what its test uses."""

import pytest

from radixlab import lab
from radixlab.course import NoSuchChapter
from radixlab.lab import finding
from radixlab.lab.mine import CHAPTERS


def test_the_tree_comes_first_and_an_appendix_last():
    assert [chapter.id for chapter in CHAPTERS] == ["ds.07", "L8.4", "ds.05"]


@pytest.mark.parametrize(("stage", "chapter"), [("split", "ds.07"), ("pool", "L8.4"), ("steal", "ds.05")])
def test_a_stage_finds_its_chapter(stage, chapter):
    assert finding.with_stage(stage).id == chapter


def test_a_stage_that_is_nowhere_is_answered_by_those_there_are():
    with pytest.raises(NoSuchChapter, match=r"'splat': choose from runs, .*evict, pool, .*, probe"):
        finding.with_stage("splat")


def test_a_test_finds_its_chapter_by_its_name_or_else_by_what_it_uses():
    def test_split_by_hand():
        return PrefixCache  # noqa: F821 - never called

    def test_of_mine():
        return PrefixCache(1, 2)  # noqa: F821 - never called

    def test_of_something():
        return 1

    found = [finding.of_test(test).id for test in (test_split_by_hand, test_of_mine, test_of_something)]
    assert found == ["ds.07", "L8.4", "ds.07"]


def test_a_class_of_any_chapter_comes_from_the_lab():
    assert lab.RadixTree.__module__ == "radix"
    assert lab.PrefixCache.__module__ == "prefix_cache"
    assert lab.RobinHoodMap.__module__ == "robin_hood"
    with pytest.raises(AttributeError, match=r"no 'Splat' in radixlab\.lab, nor in work/ds07/radix\.py"):
        _ = lab.Splat
