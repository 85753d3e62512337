"""The first difference between two trees: which one it is, and how to say it in one plain sentence."""

from dataclasses import replace
from typing import Any

from radixlab.show.divergence.observe import Ids
from radixlab.show.divergence.seen import NOWHERE, Facts, Path, Raised
from radixlab.show.script import Script
from radixlab.show.snapshot import shortened

_ORDER = (  # what tells most comes first; all that follows from it comes later
    *("made", "returned", "freed", "values", "label", "lock_count", "len", "is_empty", "node_count", "lru_order"),
    *("children", "parent", "child_count", "increasing", "granule", "stranger", "gone", "ids"),
)
_NONE = object()  # stands where there is no such fact
_VERBS = {
    "made": "made",
    "returned": "returned",
    "freed": "freed",
    "stranger": "returned",
    "gone": "returned",
    "values": "has the values",
    "label": "has the label",
    "lock_count": "has the lock count",
    "child_count": "has the child count",
    "children": "has the children",
    "parent": "has the parent",
    "increasing": "has its children",
}
_CALLS = ("made", "returned", "freed", "stranger", "gone")
_ACCESSORS = {"label": "key", "increasing": "children"}
_ROWS = ("values", "label", "children")


def first_fact(mine: Facts, theirs: Facts) -> tuple[str, Path]:
    """Return the fact that tells most of those in which the two differ."""

    def rank(fact: tuple[str, Path]) -> tuple[Any, ...]:
        untold = any(isinstance(facts.get(fact), Raised) for facts in (mine, theirs))
        hides_nodes = untold and fact[0] in ("children", "label")
        return not hides_nodes, _ORDER.index(fact[0]), len(fact[1]), str(fact[1])

    differing = [fact for fact in {**theirs, **mine} if mine.get(fact, _NONE) != theirs.get(fact, _NONE)]
    return min(differing, key=rank)


def sentence(
    fact: tuple[str, Path], mine: Facts, theirs: Facts, names: tuple[str, str], number: int, script: Script | None
) -> str:
    """Return in words how *fact* differs after step *number* of *script*; *names*: how to speak of the two trees.

    Of an exception the message and the line are those of the first tree: the other is right to raise.

    >>> fact = ("values", (1, 2))
    >>> sentence(fact, {fact: ("c",)}, {fact: ("a", "b")}, ("here", "in the reference"), 3, None)
    'after step 3 the node of 1 2 has the values c here, and a b in the reference'
    """
    kind, at = fact
    one, other = mine.get(fact, _NONE), theirs.get(fact, _NONE)
    if isinstance(other, Raised):
        other = replace(other, text="", where="")
    when = f"after step {number}" if number else "in a new tree"
    if one is _NONE or other is _NONE:
        there, name, without = (one, *names) if other is _NONE else (other, *reversed(names))
        return f"{when} {_lone(kind, at, there)} {name}, and none {without}"
    about = f"{when} {_about(kind, at, one, other)}"
    if kind in ("made", "returned", "freed"):
        about = f"in step {number} {_call(script, number)}" if script and number else f"RadixTree({at[0]})"
    operation = script.steps[number - 1].operation if script and number else ""
    verbs = [_verb(kind, value) for value in (one, other)]
    said = [_rest(kind, value, at, operation) for value in (one, other)]
    verb = verbs[1] if verbs[0] != verbs[1] else ""
    return " ".join(filter(None, [about, verbs[0], said[0], f"{names[0]}, and", verb, said[1], names[1]]))


def _lone(kind: str, at: Path, value: Any) -> str:
    """Return in words a node that only one of the trees has."""
    if isinstance(value, Raised):
        return f"{_node(at[:-1])} has a child whose {_ACCESSORS.get(kind, kind)}() raised {_told(value)}"
    return f"there is a node of {_spelled(at)} with the values {_rest(kind, value)}"


def _about(kind: str, at: Path, one: Any, other: Any) -> str:
    """Return the grammatical subject of the sentence."""
    if kind == "stranger":
        return f"{at[0]}({at[1]})"
    if kind == "gone":
        return f"key() of the node of {_spelled(at)}, which is evicted,"
    if kind == "ids":
        return f"the largest id ever given, with at most {_counted(max(one.most, other.most), 'node')} alive at once,"
    if kind in _VERBS:
        return _node(at)
    return {"len": "len(tree)", "granule": "granule"}.get(kind, f"{kind}()")


def _verb(kind: str, value: Any) -> str:
    if isinstance(value, Raised):
        return "raised"
    return f"has no {kind}" if value == () and kind in _ROWS else _VERBS.get(kind, "is")


def _rest(kind: str, value: Any, at: Path = (), operation: str = "") -> str:
    """Return what *value* is, in words; *operation*: the one that returned it."""
    if isinstance(value, Raised):
        asked = f"when asked for {_ACCESSORS.get(kind, kind)}()" if kind in _VERBS and kind not in _CALLS else ""
        return _told(value, asked)
    if isinstance(value, Ids):
        return str(value.largest)
    if kind == "returned" and operation and not isinstance(value, str):
        return _returned(operation, value)
    if kind == "increasing":
        return "by increasing ids" if value else "not by increasing ids"
    if kind == "parent":
        return _node(value)
    if not isinstance(value, tuple):
        return str(value)
    if kind in ("children", "lru_order"):
        return (", then " if kind == "lru_order" else ", ").join(map(_spelled, value)) or _empty(kind)
    return shortened(value, "values") or _empty(kind)


def _empty(kind: str) -> str:
    return "" if kind in _ROWS else "empty" if kind == "lru_order" else "nothing"


def _returned(operation: str, value: Any) -> str:
    if operation == "insert":
        node, back = value
        return f"{_node(node)} and {shortened(back, 'values') or 'no values'}"
    if operation == "match_prefix":
        tokens, path = value
        return f"{tokens} and {'the path ' + ', then '.join(map(_spelled, path)) if path else 'an empty path'}"
    return str(value)


def _told(raised: Raised, asked: str = "") -> str:
    """Return what was raised in words, after the verb; *asked*: by what call, where that is not said already."""
    said = f"{raised.name} {asked}".strip() + (f": {raised.text}" if raised.text else "")
    if raised.where:
        return f"{said} ({raised.where})"
    return f"{said}," if raised.text and not said.endswith(")") else said  # where a message ends must be seen


def _call(script: Script, number: int) -> str:
    """Return the call that a step is, as the script prints it."""
    until = Script(script.granule, script.steps[:number])
    return str(until).splitlines()[-1].removeprefix("tree.")


def _node(path: Path | None) -> str:
    """Return the node of *path* in words."""
    if path is None:
        return "None"
    if path == NOWHERE:
        return "a node that is not in the tree"
    return f"the node of {_spelled(path)}" if path else "ROOT"


def _spelled(path: Path | None) -> str:
    return "None" if path is None else shortened(path, "tokens") or "ROOT"


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"
