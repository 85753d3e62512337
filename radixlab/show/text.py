"""A tree as plain text: what an accessor does not tell is said in its place."""

from typing import Any

from radixlab.show.snapshot import MOST, ROOT, Node, Snapshot, shortened, snapshot

DEEP = 40  # levels that are indented; further down the level stands as a number


def tree_text(tree: Any, most: int = MOST, deep: int | None = None) -> str:
    """Return *tree*, or a snapshot of one, as text, a line a node, children by their first token.

    A line holds the label, the values, and in brackets the id, the locks, and the place in the LRU list. At most *most*
    nodes are drawn, and of those below the level *deep*, if that is given, their number. Complexity: linear in them.

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
    seen = tree if isinstance(tree, Snapshot) else snapshot(tree, most)
    lines: list[str] = []
    waiting: list[tuple[int | str, str, str, int]] = [(ROOT, "", "", 0)]
    while waiting:
        node, branch, below, depth = waiting.pop()
        if isinstance(node, str):
            lines.append(branch + node)
            continue
        lines.append(branch + _line(seen.nodes[node]))
        if depth == deep and seen.nodes[node].children:
            lines.append(f"{below}`-- ... {_count_below(seen, node):,} more below")
            continue
        under = [*seen.nodes[node].children, *_under(seen.nodes[node])]
        for place, child in reversed(list(enumerate(under, 1))):
            branch, indent = ("`-- ", "    ") if place == len(under) else ("|-- ", "|   ")
            if depth >= DEEP:
                below, branch, indent = "", f"({depth + 1} levels down) ", ""
            waiting.append((child, below + branch, below + indent, depth + 1))
    return "\n".join([*lines, *seen.problems])


def _line(node: Node) -> str:
    """Return what one node says about itself."""
    if node.id == ROOT:
        return "root"
    badges = [f"node {node.id}"]
    if node.locks != 0:
        badges.append(f"lock {node.locks}" if node.locks is not None else node.problem("lock_count"))
    if node.place is not None:
        badges.append(f"lru {node.place}")
    label = node.problem("key") if node.label is None else shortened(node.label, "tokens")
    values = node.problem("values") if node.values is None else shortened(node.values, "values")
    return f"{label}: {values}  [{', '.join(badges)}]"


def _count_below(seen: Snapshot, node: int) -> int:
    """Return the number of nodes below *node*."""
    waiting = [node]
    for above in waiting:  # grows while it is walked
        waiting += seen.nodes[above].children
    return len(waiting) - 1


def _under(node: Node) -> list[str]:
    """Return what went wrong with the children of *node*."""
    said = [node.problem(accessor) for accessor in ("key", "values", "lock_count")]
    return [problem for problem in node.problems if problem not in said]
