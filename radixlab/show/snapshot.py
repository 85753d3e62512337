"""What the public face tells of a tree at one moment; what an accessor does not tell is a sentence in its place."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from types import ModuleType
from typing import Any

ROOT = 0
MOST = 200  # nodes that are looked at
LONG = 8  # tokens or values that are written out
_ACCESSORS = ("children", "lru_order")  # what has neither is no tree
_WIDE = 24  # characters of one value
_ENDLESS = 100_000  # things that one accessor may give


@dataclass(frozen=True)
class Node:
    """One node: its *label* and *values*, *children* by their first token, *locks*, its *place* in the LRU list.

    *label*, *values* and *locks* are None when the accessor did not tell; why is among the *problems*, sentences that
    begin with the call.
    """

    id: int
    label: tuple[Any, ...] | None = ()
    values: tuple[str, ...] | None = ()
    children: tuple[int, ...] = ()
    locks: int | None = 0
    place: int | None = None
    problems: tuple[str, ...] = ()

    def problem(self, accessor: str) -> str:
        """Return what went wrong with *accessor*, "" when nothing did."""
        return next((problem for problem in self.problems if problem.startswith(f"{accessor}(")), "")


@dataclass(frozen=True)
class Snapshot:
    """A tree at one moment: its *nodes* from ROOT down, each parent before its children, and its LRU list.

    *parents* names the parent of each node but ROOT, as the children of nodes tell it.
    """

    granule: int = 1
    nodes: dict[int, Node] = field(default_factory=dict)
    order: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def parents(self) -> dict[int, int]:
        """Return the parent of each node."""
        return {child: node.id for node in self.nodes.values() for child in node.children}

    def path(self, node: int) -> list[int]:
        """Return the nodes from below ROOT down to *node*; nothing when it is not there."""
        parents, path = self.parents, []
        while node in parents:
            path.append(node)
            node = parents[node]
        return path[::-1]


def tree_or_error(tree: Any) -> Any:
    """Return *tree*; TypeError, with what to write instead, when it is nothing that could be one."""
    if isinstance(tree, type | ModuleType):
        raise TypeError(f"{tree.__name__} makes trees; make one first, as in RadixTree(1)")
    if not any(_has(tree, name) for name in _ACCESSORS):
        raise TypeError(f"{plain(tree)!r} is no tree; make one, as in RadixTree(1)")
    return tree


def _has(tree: Any, name: str) -> bool:
    try:
        return hasattr(tree, name)
    except Exception:
        return True  # it answers, though not well


def snapshot(tree: Any, most: int = MOST) -> Snapshot:
    """Return what *tree* tells of itself: at most *most* nodes, each reached once.

    Whatever an accessor raises or returns, nothing is raised here. Complexity: linear in what is looked at.

    >>> from radixlab.chapters.ds07.reference import RadixTree
    >>> tree = RadixTree(1)
    >>> _ = tree.insert([1, 2, 3], "abc")
    >>> snapshot(tree).nodes[1]
    Node(id=1, label=(1, 2, 3), values=('a', 'b', 'c'), children=(), locks=0, place=1, problems=())
    """
    order, problem = _ask(tree, "lru_order")
    problems = [problem] if problem else []
    places = {node: place for place, node in reversed(list(enumerate(order, 1))) if type(node) is int}
    nodes: dict[int, Node] = {}
    seen = {ROOT}
    waiting = [ROOT]  # a stack, not recursion: a chain may be deeper than Python's own stack
    while waiting:
        if len(nodes) == most:
            problems.append(f"only {most:,} nodes are drawn")
            break
        node = _node(tree, waiting.pop(), places, seen)
        nodes[node.id] = node
        waiting += reversed(node.children)
    for node in nodes.values():
        kept = tuple(child for child in node.children if child in nodes)
        object.__setattr__(node, "children", kept)
    listed = tuple(node if type(node) is int else plain(node) for node in order)
    return Snapshot(_granule(tree), nodes, listed, tuple(problems))


def _granule(tree: Any) -> int:
    """Return the granule that *tree* tells, 1 when it tells none."""
    try:
        granule = tree.granule
    except Exception:
        return 1
    return granule if type(granule) is int and granule > 0 else 1


def _node(tree: Any, node: int, places: dict[int, int], seen: set[int]) -> Node:
    """Return what *tree* tells of one node; its children are *seen* from then on."""
    label, no_label = _ask(tree, "key", node) if node != ROOT else ((), "")
    values, no_values = _ask(tree, "values", node) if node != ROOT else ((), "")
    locks, no_locks = _ask(tree, "lock_count", node, listed=False) if node != ROOT else (0, "")
    if not no_locks and type(locks) is not int:
        no_locks = f"lock_count({node}) returned {plain(locks)}, which is no count"
    children, no_children = _ask(tree, "children", node)
    problems = [problem for problem in (no_label, no_values, no_locks, no_children) if problem]
    own: list[int] = []
    for child in children:
        if type(child) is not int:
            problems.append(f"{plain(child)} stands among the children, and is no id")
        elif child in seen:
            problems.append(f"node {child} once more: it is drawn elsewhere")
        else:
            seen.add(child)
            own.append(child)
    return Node(
        id=node,
        label=None if no_label else tuple(token if type(token) is int else plain(token) for token in label),
        values=None if no_values else tuple(map(plain, values)),
        children=tuple(sorted(own, key=lambda child: _first_token(tree, child))),
        locks=None if no_locks else locks,
        place=places.get(node),
        problems=tuple(problems),
    )


def _first_token(tree: Any, child: int) -> tuple[bool, int]:
    """Return the first token of *child*, to sort by; who does not tell it comes last."""
    label = _ask(tree, "key", child)[0]
    known = bool(label) and type(label[0]) is int
    return not known, label[0] if known else 0


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
        return [], f"{call} returned {plain(given)}, which is no list"


def plain(thing: Any, wide: int = _WIDE) -> str:
    """Return *thing* in one short line of printable characters, whatever its `str` does.

    >>> plain("two\\nlines"), plain("x" * 30)
    ("'two\\\\nlines'", 'xxxxxxxxxxxxxxxxxxxxx...')
    """
    try:
        text = str(thing)
    except Exception:
        text = f"a {type(thing).__name__}"
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= wide else f"{text[: wide - 3]}..."


def shortened(things: Iterable[Any], unit: str, long: int = LONG) -> str:
    """Return *things* in a row, the middle of a long row left out and the number of all its *unit* said.

    >>> shortened(tuple(range(1, 2001)), "tokens")
    '1 2 3 ... 1999 2000 (2,000 tokens)'
    """
    row = list(things)
    if len(row) <= long:
        return " ".join(map(str, row))
    return " ".join([*map(str, row[:3]), "...", *map(str, row[-2:]), f"({len(row):,} {unit})"])
