"""Two films on one page: in one scale, with a mark on the node at which the trees differ."""

import re

import pytest

from radixlab import course
from radixlab.checker.live import loaded
from radixlab.show.divergence.beside import beside, node_at
from radixlab.show.divergence.diverge import diverge
from radixlab.show.snapshot import Node, Snapshot

CHAPTER = course.chapter("ds.07")


@pytest.fixture(scope="module")
def page_of():
    def page_of(bug: str, lead: str = "") -> str:
        mine, theirs = (loaded(CHAPTER.source(name), f"{name}.py", {"RadixTree"}) for name in (bug, "reference"))
        return beside(diverge(mine, theirs), "a title", lead)

    return page_of


def test_the_node_that_differs_is_marked_in_the_last_frame_of_both(page_of):
    page = page_of("s01")
    assert len(re.findall(r">!= its values differ<", page)) == 2
    last = page[page.index('<section id="3"') :]
    assert len(re.findall(r">!= its values differ<", last)) == 2


def test_a_node_that_only_one_tree_has_is_marked_there(page_of):
    page = page_of("s03")
    assert len(re.findall(r">only in this tree<", page)) == 1 and "!= " not in page


def test_a_difference_that_is_about_no_node_marks_none(page_of):
    page = page_of("m01")
    assert "!= " not in page and "only in this tree" not in page


def test_both_films_have_one_scale(page_of):
    pictures = re.findall(r'<svg role="img"[^>]*>', page_of("s03"))
    assert len(pictures) == 6
    boxes = [re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', picture).groups() for picture in pictures]
    assert len({box[2:] for box in boxes}) == 1 and len({box[0] for box in boxes}) == 2
    assert all(picture.count("viewBox=") == picture.count(" width=") == 1 for picture in pictures)


def test_the_words_are_told_in_the_last_frame_and_not_before(page_of):
    page = page_of("s06")
    words = "After step 4 lru_order() is 9, then 1 here, and 1, then 9 in the reference"
    assert page.count(words) == 1
    assert page.index('<section id="5"') < page.index(f'<p class="caption">{words}</p>')
    before = page[: page.index('<section id="5"')]
    assert "lru_order()" not in before and before.count('<p class="caption"></p>') == 4


def test_the_lead_says_which_bug_it_is_and_that_the_trees_part(page_of):
    asks = "In what will the two trees part?</p>"
    assert f'<p class="lead">m01: Not counting. {asks}' in page_of("m01", "m01: Not counting")
    assert f'<p class="lead">{asks}' in page_of("m01")


def test_a_node_is_found_by_the_tokens_that_lead_to_it():
    nodes = {0: Node(0, children=(1,)), 1: Node(1, (1, 2), children=(2,)), 2: Node(2, (3,)), 7: Node(7, ())}
    tree = Snapshot(1, nodes)
    assert [node_at(tree, path) for path in ((), (1, 2), (1, 2, 3), (1,), (3,))] == [0, 1, 2, None, None]
