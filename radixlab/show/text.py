"""A tree as plain text, as far as its public face tells: what an accessor does not tell is said in its place."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

ROOT = 0
MOST = 200  # nodes that are drawn
DEEP = 40  # levels that are indented; further down the level stands as a number
LONG = 8  # tokens or values that are written out
_WIDE = 24  # characters of one value
_ENDLESS = 100_000  # things that one accessor may give


def tree_text(tree: Any, most: int = MOST) -> str:
    """Return *tree* as text, a line a node, children by their first token; at most *most* nodes.

    A line holds the label, the values, and in brackets the id, the locks, and the place in the LRU list. Complexity:
    linear in the nodes that are drawn.

    >>> from radixlab.chapters.ds07.reference import RadixTree
    >>> tree = RadixTree(1)
    >>> for key, values in (([1, 2, 3], "abc"), ([1, 2, 4, 5], "xyde")):
    ...     _ = tree.insert(key, values)
    >>> print(tree_text(tree))
    root
    `-- 1 2: a b  [node 2]
        |-- 3: c  [node 1, lru 1]
        `-- 4 5: d e  [node 3, lru 2]
    """
    order, problem = _ask(tree, "lru_order")
    places = {node: place for place, node in reversed(list(enumerate(order, 1))) if type(node) is int}
    lines: list[str] = []
    drawn: set[int] = set()
    waiting = [(ROOT, "", "", 0)]  # a stack, not recursion: a chain may be deeper than Python's own stack
    while waiting:
        node, branch, below, depth = waiting.pop()
        if type(node) is not int:
            lines.append(f"{branch}{_plain(node)} stands among the children, and is no id")
            continue
        if node in drawn:
            lines.append(f"{branch}node {node} once more: it is drawn above")
            continue
        if len(drawn) == most:
            lines.append(f"... only {most:,} nodes are drawn")
            break
        drawn.add(node)
        lines.append(branch + _line(tree, node, places))
        children, trouble = _children(tree, node)
        if trouble:
            lines.append(f"{below}`-- {trouble}")
        for place, child in reversed(list(enumerate(children, 1))):
            branch, indent = ("`-- ", "    ") if place == len(children) else ("|-- ", "|   ")
            if depth >= DEEP:
                below, branch, indent = "", f"({depth + 1} levels down) ", ""
            waiting.append((child, below + branch, below + indent, depth + 1))
    if problem:
        lines.append(problem)
    return "\n".join(lines)


def short(things: Iterable[Any], unit: str) -> str:
    """Return *things* in a row, the middle of a long row left out and the number of all its *unit* said.

    >>> short(range(1, 2001), "tokens")
    '1 2 3 ... 1999 2000 (2,000 tokens)'
    """
    row = list(things)
    if len(row) <= LONG:
        return " ".join(map(_plain, row))
    return " ".join([*map(_plain, row[:3]), "...", *map(_plain, row[-2:]), f"({len(row):,} {unit})"])


def _line(tree: Any, node: int, places: dict[int, int]) -> str:
    """Return what one node says about itself."""
    if node == ROOT:
        return "root"
    label, no_label = _ask(tree, "key", node)
    values, no_values = _ask(tree, "values", node)
    locks, no_locks = _ask(tree, "lock_count", node, listed=False)
    badges = [f"node {node}"]
    if no_locks or locks:
        badges.append(no_locks or f"lock {_plain(locks)}")
    if node in places:
        badges.append(f"lru {places[node]}")
    text = f"{no_label or short(label, 'tokens')}: {no_values or short(values, 'values')}"
    return f"{text}  [{', '.join(badges)}]"


def _children(tree: Any, node: int) -> tuple[list[Any], str]:
    """Return the children by the first token of their labels; those that do not tell it come last."""
    children, problem = _ask(tree, "children", node)

    def first_token(child: Any) -> tuple[bool, int]:
        label = _ask(tree, "key", child)[0] if type(child) is int else []
        known = bool(label) and type(label[0]) is int
        return not known, label[0] if known else 0

    return sorted(children, key=first_token), problem


def _ask(tree: Any, name: str, *arguments: int, listed: bool = True) -> tuple[Any, str]:
    """Return what an accessor gives, and "", or nothing and a sentence that says why."""
    call = f"{name}({', '.join(map(str, arguments))})"
    try:
        given = getattr(tree, name)(*arguments)
    except Exception as error:
        return [], f"{call} raised {type(error).__name__}"
    try:
        return (list(islice(given, _ENDLESS)) if listed else given), ""
    except Exception:
        return [], f"{call} returned {_plain(given)}, which is no list"


def _plain(thing: Any) -> str:
    """Return *thing* in one short line, whatever its `str` does."""
    try:
        text = str(thing)
    except Exception:
        text = f"a {type(thing).__name__}"
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."
