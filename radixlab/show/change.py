"""What changed from one moment of a tree to the next, in a sentence: for a moment in the middle of an operation."""

from collections.abc import Container, Iterator

from radixlab.show.snapshot import ROOT, Node, Snapshot, shortened


def change_words(before: Snapshot, after: Snapshot, known: Container[int] = ()) -> str:
    """Return what is otherwise in *after*, "" for nothing; *known* nodes are not new, but were out of reach.

    >>> before = Snapshot(1, {0: Node(0, children=(1,)), 1: Node(1, (1, 2), ("a", "b"))})
    >>> change_words(before, Snapshot(1, {0: Node(0, children=(1,)), 1: Node(1, (2,), ("a", "b"))}))
    'Node 1 has the label 2 now, and 2 values for 1 run.'
    >>> change_words(before, Snapshot(1, {0: Node(0)}))
    'Node 1 is out of reach.'
    """
    said = "; ".join(_changes(before, after, known))
    return f"{said[0].upper()}{said[1:]}." if said else ""


def _changes(before: Snapshot, after: Snapshot, known: Container[int]) -> Iterator[str]:
    parents, were = after.parents, before.parents
    for node in after.nodes.values():
        was = before.nodes.get(node.id)
        where = f"below {_named(parents[node.id])}" if node.id in parents else ""
        if was is None:
            yield f"{_named(node.id)} is {'in reach again' if node.id in known else 'new'}, {where}"
            continue
        if parents.get(node.id) != were.get(node.id) and where:
            yield f"{_named(node.id)} hangs {where} now"
        yield from _own(was, node, after.granule)
    for node in before.nodes:
        if node not in after.nodes:
            yield f"{_named(node)} is out of reach"
    if before.order != after.order:
        yield f"the LRU list is {shortened(after.order, 'leaves') or 'empty'} now"


def _own(was: Node, node: Node, granule: int) -> Iterator[str]:
    """Tell how *node* itself is otherwise than it *was*."""
    label, values = node.label or (), node.values or ()
    runs = len(label) // granule
    fit = "" if len(values) == runs else f", and {_counted(len(values), 'value')} for {_counted(runs, 'run')}"
    if was.label != node.label:
        yield f"{_named(node.id)} has the label {shortened(label, 'tokens') or '?'} now{fit}"
    elif was.values != node.values:
        yield f"{_named(node.id)} has the values {shortened(values, 'values') or '?'} now{fit}"
    if was.locks != node.locks:
        yield f"{_named(node.id)} has the lock count {'?' if node.locks is None else node.locks} now"


def _named(node: int) -> str:
    return "ROOT" if node == ROOT else f"node {node}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
