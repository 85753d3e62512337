"""The drawing of a prefix cache: where each block is, who names it, what is in it; half-written and wrong ones too."""

import pytest

from radixlab.lab import subject
from radixlab.show.picture.markup import ORANGE, PALE, SKY, VERMILION
from radixlab.show.pool import MOST_BLOCKS, Block, blocks


def module(name="reference"):
    return subject(name, "L8.4")


def two(name="reference"):
    """Return a cache in which two requests have computed the same four tokens, and one more each."""
    cache = module(name).PrefixCache(2, 8)
    first, _ = cache.start([1, 2, 3, 4, 5])
    second, _ = cache.start([1, 2, 3, 4, 6])
    cache.prefilled(first)
    cache.prefilled(second)
    return cache, first, second


def lines(drawing):
    return str(drawing).splitlines()


def test_each_block_is_a_line_with_its_tokens_its_place_and_who_names_it():
    cache, first, second = two()
    assert lines(blocks(cache, A=first, B=second)) == [
        "block 0: free",
        "block 1: free",
        "block 2: 6, held: B",
        "block 3: free",
        "block 4: free",
        "block 5: 5, held: A",
        "block 6: 3 4, cached: A B",
        "block 7: 1 2, cached: A B",
        "table of A: 7 6 5",
        "table of B: 7 6 2",
        "4 free + 2 cached + 2 held = 8 of 8 blocks",
    ]


def test_what_nobody_reads_is_cached_for_all():
    cache, first, second = two()
    cache.abort(first)
    cache.abort(second)
    assert lines(blocks(cache))[6:] == [
        "block 6: 3 4, cached",
        "block 7: 1 2, cached",
        "6 free + 2 cached + 0 held = 8 of 8 blocks",
    ]


def test_a_block_that_two_requests_hold_is_marked():
    cache, first, second = two("c05")
    assert lines(blocks(cache, A=first, B=second))[-1] == "4 blocks count as free, and 2 of them are in use"
    third, _ = cache.start([7, 8, 9, 10])
    drawing = blocks(cache, A=first, B=second, C=third)
    assert lines(drawing)[3:5] == ["block 3: 7 8, held: B C !", "block 4: 9 10, held: B C !"]
    assert VERMILION in drawing.dot and VERMILION not in blocks(cache, A=first).dot


def test_lost_blocks_are_counted():
    cache, first, second = two("c13")
    cache.preempt(first)
    drawn = lines(blocks(cache, B=second))
    assert drawn.count("block 5: ?") == 1
    assert drawn[-2:] == [
        "the three counts make 7, and there are 8 blocks",
        "4 of the 5 blocks with a ? are free, the others are lost",
    ]


def test_a_request_that_is_not_named_holds_what_is_doubtful():
    cache, first, _ = two()
    assert lines(blocks(cache, A=first))[-1] == (
        "4 of the 5 blocks with a ? are free, the others are in use by somebody who is not named here"
    )


def test_a_request_that_runs_no_more_is_said():
    cache, first, second = two()
    cache.abort(first)
    assert lines(blocks(cache, A=first, B=second))[-1] == "A: no running request"


def test_a_pool_is_drawn_with_lists_of_blocks():
    pool = module().BlockPool(3)
    taken = pool.allocate(2)
    assert lines(blocks(pool, mine=taken)) == [
        "block 0: free",
        "block 1: held: mine",
        "block 2: held: mine",
        "1 free of 3 blocks",
    ]
    assert lines(blocks(pool, mine=taken, yours=taken[:1]))[2] == "block 2: held: mine yours !"


def test_a_stub_is_drawn_all_the_same():
    stub = module("stub")
    assert lines(blocks(stub.BlockPool(1))) == ["block 0: free", "free_count: not written yet"]
    assert lines(blocks(stub.PrefixCache(2, 1), A=0)) == [
        "block 0: free",
        "0 cached of 1 blocks",
        "A: not written yet",
        "free_blocks: not written yet",
        "held_blocks: not written yet",
    ]


def test_what_a_method_raises_is_said(monkeypatch):
    cache, _, _ = two()
    monkeypatch.setattr(type(cache), "held_blocks", lambda self: 1 / 0)
    assert lines(blocks(cache))[-1] == "held_blocks: ZeroDivisionError"


def test_what_is_no_block_is_said():
    pool = module().BlockPool(2)
    pool.allocate(2)
    assert lines(blocks(pool, mine=[0, None, 7, True]))[-3:] == [
        "None is named, and is no block",
        "7 is named, and is no block",
        "True is named, and is no block",
    ]


def test_the_colour_says_the_place():
    fills = [Block(1), Block(1, cached=True), Block(1, cached=True, names=("A", "B")), Block(1, names=("A",))]
    assert [block.cell().fill for block in fills] == ["", PALE, SKY, ORANGE]
    assert Block(1, names=("A", "B")).cell().fill == VERMILION


def test_a_notebook_gets_a_picture():
    cache, first, second = two()
    drawing = blocks(cache, A=first, B=second)
    assert drawing.svg.startswith("<svg ")
    for words in ("block 6", "cached: A B", "table of B: 7 6 2", "4 free + 2 cached + 2 held"):
        assert words in drawing.svg
    assert drawing._repr_mimebundle_()["text/plain"] == str(drawing)


def test_a_large_pool_is_drawn_in_part():
    drawn = lines(blocks(module().BlockPool(1_000)))
    assert drawn[MOST_BLOCKS:] == ["1,000 free of 1,000 blocks", f"only {MOST_BLOCKS} of 1,000 blocks are drawn"]


@pytest.mark.parametrize("stranger", [{}, 3, None, module().PrefixCache, module().BlockPool])
def test_what_is_no_cache_is_refused(stranger):
    with pytest.raises(TypeError, match=r"no prefix cache; make one, as in PrefixCache\(2, 8\)"):
        blocks(stranger)
