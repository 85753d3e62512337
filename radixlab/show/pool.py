"""The blocks of a prefix cache by number: each free, cached or held, the requests that name it, the tokens in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import graphviz

from radixlab.show.draw import Drawing, Reel
from radixlab.show.picture import markup
from radixlab.show.picture.markup import GREY, ORANGE, PALE, SKY, SMALL, TEXT, VERMILION, cell, font, middle, run_text
from radixlab.show.picture.strip import Cell, Strip
from radixlab.show.snapshot import plain, snapshot

MOST_BLOCKS = 48  # that are drawn
_ROW = 8  # blocks in a row
_NODES = 2_000  # of the tree that are looked at


@dataclass(frozen=True)
class Block:
    """One block: the *tokens* in it, whether it is *cached*, and the requests whose tables *name* it.

    *doubtful*: nobody names it, and yet the cache does not count it as free.
    """

    number: int
    tokens: tuple[Any, ...] = ()
    cached: bool = False
    names: tuple[str, ...] = ()
    doubtful: bool = False

    @property
    def place(self) -> str:
        """Return where the block is, and who names it."""
        if not self.cached and not self.names:
            return "?" if self.doubtful else "free"
        where = "cached" if self.cached else "held"
        return f"{where}: {' '.join(self.names)}{' !' if self.wrong else ''}" if self.names else where

    @property
    def wrong(self) -> bool:
        """Return whether two requests hold the block, each as its own."""
        return not self.cached and len(self.names) > 1

    def cell(self) -> Cell:
        """Return the block as a cell; a free one is an outline."""
        fill = ORANGE if self.names else ""
        if self.cached:
            fill = SKY if self.names else PALE
        lines = f"block {self.number}", run_text(self.tokens), middle(self.place, 24)
        return Cell(lines, VERMILION if self.wrong else fill)

    def text(self) -> str:
        """Return the block as a line of text."""
        tokens = f"{run_text(self.tokens)}, " if self.tokens else ""
        return f"block {self.number}: {tokens}{self.place}"


@dataclass
class _Seen:
    """What a cache tells: its *blocks* by number, a table for each request, its *counts*; *problems*: what is amiss."""

    blocks: dict[int, Block]
    tables: dict[str, list[Any]]
    counts: dict[str, int]
    remarks: list[str]
    problems: list[str]

    def note(self, number: Any, **seen: Any) -> None:
        """Add what was *seen* of a block; a *name* joins those who name it."""
        if type(number) is not int or number not in self.blocks:
            self.problems.append(f"{plain(number)} is named, and is no block")
            return
        name = seen.pop("name", None)
        before = self.blocks[number]
        names = (*before.names, name) if name and name not in before.names else before.names
        self.blocks[number] = replace(before, names=names, **seen)


def blocks(cache: Any, **requests: Any) -> Drawing:
    """Return a drawing of the blocks of *cache*, a `PrefixCache`, half-written or wrong ones too.

    *requests*: a name for each that runs, as in `blocks(cache, A=first)`. Or *cache* is a `BlockPool`, and each name
    has a list of blocks. What the cache raises is written into the drawing; TypeError for what is neither. Complexity:
    linear in the blocks and in the tree; the first 48 blocks are drawn.

    >>> from radixlab.lab import subject
    >>> cache = subject("reference", "L8.4").PrefixCache(2, 4)
    >>> first, _ = cache.start([1, 2, 3])
    >>> cache.prefilled(first)
    >>> blocks(cache, A=first)
    block 0: free
    block 1: free
    block 2: 3, held: A
    block 3: 1 2, cached: A
    table of A: 3 2
    2 free + 1 cached + 1 held = 4 of 4 blocks
    """
    seen = _seen(cache, requests)
    said, drawn = _said(seen), list(seen.blocks.values())[:MOST_BLOCKS]
    text = "\n".join([*(block.text() for block in drawn), *said, *seen.problems])
    return Drawing(text, Reel([_dot(drawn, said, seen.problems)]))


def _said(seen: _Seen) -> list[str]:
    """Return the tables, the counts and the remarks as lines."""
    total, counts = len(seen.blocks), seen.counts
    lines = [f"table of {name}: {' '.join(map(plain, table))}" for name, table in seen.tables.items()]
    sum_of = " + ".join(f"{count:,} {place}" for place, count in counts.items())
    if sum_of:
        added = f" = {sum(counts.values()):,}" if len(counts) > 1 else ""
        lines.append(f"{sum_of}{added} of {total:,} blocks")
    return lines + seen.remarks


def _seen(cache: Any, requests: dict[str, Any]) -> _Seen:
    """Return what *cache* tells of its blocks and of *requests*."""
    whole = hasattr(cache, "table")
    pool = getattr(cache, "pool", None) if whole else cache
    if isinstance(cache, type) or type(getattr(pool, "blocks", None)) is not int:
        raise TypeError(f"{plain(cache)!r} is no prefix cache; make one, as in PrefixCache(2, 8)")
    seen = _Seen({number: Block(number) for number in range(pool.blocks)}, {}, {}, [], [])
    if whole:
        _note_tree(seen, cache.tree)
    for name, request in requests.items():
        _note_request(seen, cache, name, request)
    asked = ("free_blocks", "cached_blocks", "held_blocks") if whole else ("free_count",)
    for method in asked:
        count = _ask(seen, method, getattr(cache, method))
        if type(count) is int:
            seen.counts[method.partition("_")[0]] = count
    _compare(seen)
    return seen


def _note_tree(seen: _Seen, tree: Any) -> None:
    """Note which blocks the tree stores, and for which tokens."""
    known = snapshot(tree, _NODES)
    for node in known.nodes.values():
        for place, value in enumerate(node.values or ()):
            tokens = (node.label or ())[place * known.granule : (place + 1) * known.granule]
            seen.note(int(value) if value.isdecimal() else value, cached=True, tokens=tokens)


def _note_request(seen: _Seen, cache: Any, name: str, request: Any) -> None:
    """Note which blocks a request names, and what it writes into those that it holds."""
    listed = isinstance(request, Sequence)
    table = list(request) if listed else _ask(seen, name, cache.table, request)
    if table is None:
        return
    if not listed:
        seen.tables[name] = table
    tokens, size = ((), 1) if listed else (_ask(seen, name, cache.tokens, request) or (), cache.block_size)
    for place, number in enumerate(table):
        seen.note(number, name=name)
        if type(number) is int and number in seen.blocks and not seen.blocks[number].cached:
            seen.note(number, tokens=tuple(tokens[place * size : (place + 1) * size]))


def _ask(seen: _Seen, what: str, call: Any, *arguments: Any) -> Any:
    """Return what the call gives; None, with a line that says why, when it raises."""
    try:
        return call(*arguments)
    except NotImplementedError:  # the normal case for half of the chapter: no alarm
        seen.remarks.append(f"{what}: not written yet")
    except LookupError:
        seen.problems.append(f"{what}: no running request")
    except Exception as error:
        seen.problems.append(f"{what}: {type(error).__name__}")
    return None


def _compare(seen: _Seen) -> None:
    """Note where what the cache counts is not what is seen of it."""
    total, counts = len(seen.blocks), seen.counts
    if total > MOST_BLOCKS:
        seen.remarks.append(f"only {MOST_BLOCKS} of {total:,} blocks are drawn")
    if len(counts) == 3 and sum(counts.values()) != total:
        seen.problems.append(f"the three counts make {sum(counts.values()):,}, and there are {total:,} blocks")
    idle = [block.number for block in seen.blocks.values() if block.place == "free"]
    free = counts.get("free", len(idle))
    if free > len(idle):
        seen.problems.append(f"{free:,} blocks count as free, and {free - len(idle):,} of them are in use")
    elif free < len(idle):
        for number in idle:
            seen.note(number, doubtful=True)
        held = sum(not block.cached and bool(block.names) for block in seen.blocks.values())
        where = f"{free:,} of the {len(idle):,} blocks with a ? are free, the others are"
        if counts.get("held") == held:
            seen.problems.append(f"{where} lost")
        else:
            seen.remarks.append(f"{where} in use by somebody who is not named here")


def _dot(drawn: list[Block], lines: list[str], problems: list[str]) -> str:
    """Return the blocks as a graph of one node."""
    cells = [block.cell() for block in drawn]
    rows = tuple(tuple(cells[at : at + _ROW]) for at in range(0, len(cells), _ROW)) or ((),)
    strip = Strip(rows, problems=tuple(middle(problem, 80) for problem in problems))
    attributes = {"shape": "plain", "fontsize": str(SMALL)} | TEXT
    graph = graphviz.Digraph("blocks", graph_attr={"bgcolor": "transparent"}, node_attr=attributes)
    below = [[cell(font(middle(line, 80), None, GREY), ALIGN="LEFT")] for line in lines]
    grid = [[cell(strip.html(*strip.size())[1:-1])], *below]
    graph.node("the blocks", f"<{markup.table(grid, BORDER=0, CELLSPACING=0)}>")
    return graph.source
