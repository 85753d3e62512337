"""Films: each operation on a tree with what it returned, and the tree before and after, kept to be scrubbed through."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, wraps
from types import FunctionType
from typing import Any

from radixlab.show.script import OPERATIONS, Script, play
from radixlab.show.snapshot import Node, Snapshot, plain, snapshot

INSIDE = ("_split", "_touch", "_relist")  # the methods whose calls a film of the inside shows
_LONG = 60  # characters of an argument or a result


@dataclass(frozen=True)
class Frame:
    """The tree after a *call*, what that *returned* in words, the *path* walked; and the tree *before*.

    *inner*: the call is one inside an operation, and the tree may be half linked.
    """

    call: str
    returned: str
    tree: Snapshot
    before: Snapshot
    path: tuple[int, ...] = ()
    inner: bool = False

    @cached_property
    def new(self) -> frozenset[int]:
        """Return the nodes that were not there before."""
        return frozenset(self.tree.nodes.keys() - self.before.nodes.keys())

    @cached_property
    def gone(self) -> tuple[Node, ...]:
        """Return the nodes that are no longer there, as they were."""
        return tuple(node for node in self.before.nodes.values() if node.id not in self.tree.nodes)

    @cached_property
    def relocked(self) -> frozenset[int]:
        """Return the nodes whose lock count changed."""
        return frozenset(
            node.id for node in self.tree.nodes.values() if node.locks != getattr(self._was(node), "locks", 0)
        )

    @cached_property
    def moved(self) -> frozenset[int]:
        """Return the nodes that joined the LRU list, or changed their place among those that stayed."""
        matcher = SequenceMatcher(None, self.before.order, self.tree.order, autojunk=False)
        stayed = {n for block in matcher.get_matching_blocks() for n in self.tree.order[block.b : block.b + block.size]}
        return frozenset(node for node in self.tree.order if node not in stayed)

    def _was(self, node: Node) -> Node | None:
        return self.before.nodes.get(node.id)


class Film:
    """The frames of a tree, the first one as it was found; `tree` is that tree, each operation on it recorded.

    >>> from radixlab.chapters.ds07.reference import RadixTree
    >>> film = Film.record(RadixTree(1))
    >>> film.tree.insert([1, 2], "ab")
    (1, [])
    >>> film.tree.match_prefix([1, 9])
    (1, [2])
    >>> for frame in film: print(frame.call, "->", frame.returned)
    RadixTree(1) -> an empty tree
    insert([1, 2], ['a', 'b']) -> (1, [])
    match_prefix([1, 9]) -> (1, [2])
    >>> sorted(film[2].new), film[2].path
    ([2], (2,))
    """

    def __init__(self, tree: Any, title: str = "", *, inside: bool = False) -> None:
        self.title = title
        self._subject = _spied(tree, self._inner) if inside else tree
        self._looking = False
        first = snapshot(tree)
        begun = "an empty tree" if len(first.nodes) <= 1 else f"{len(first.nodes) - 1} nodes"
        self.frames = [Frame(f"RadixTree({first.granule})", begun, first, first)]
        self.tree = Watched(self._subject, self._operate)

    @classmethod
    def record(cls, tree: Any, title: str = "", *, inside: bool = False) -> "Film":
        """Return a film that goes on with each operation on its `tree`; with *inside*, a frame for each inner call."""
        return cls(tree, title, inside=inside)

    @classmethod
    def of(cls, script: Script, tree: Any, title: str = "", *, inside: bool = False) -> "Film":
        """Return the film of *script*, played on *tree*."""
        film = cls(tree, title, inside=inside)
        for _ in play(script, film.tree):
            pass
        return film

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.frames)

    def __getitem__(self, place: int) -> Frame:
        """Return the frame at *place*."""
        return self.frames[place]

    def __iter__(self) -> Iterator[Frame]:
        """Go through the frames."""
        return iter(self.frames)

    @property
    def granule(self) -> int:
        """Return the granule of the tree."""
        return self.frames[0].tree.granule

    def names(self) -> list[dict[int, str]]:
        """Return for each frame a name for each node of it, the same as long as the node lives; ids are reused."""
        lives: dict[int, int] = {}
        names: list[dict[int, str]] = []
        for frame in self.frames:
            alive = names[-1] if names else {}
            for node in frame.tree.nodes:
                if node not in alive:
                    lives[node] = lives.get(node, 0) + 1
            names.append({node: f"n{node}" + "'" * (lives[node] - 1) for node in frame.tree.nodes})
        return names

    def _operate(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Carry out one operation, and add its frame."""
        shown, freed = arguments, []
        if name == "evict":
            shown, arguments = arguments[:1], (arguments[0], _noting(freed, arguments[1:]))
        call, before = _call(name, shown), self.frames[-1].tree
        try:
            returned = getattr(self._subject, name)(*arguments)
        except Exception as error:
            self._add(call, f"raised {type(error).__name__}: {plain(error, _LONG)}", before)
            raise
        words = plain(returned, _LONG) + (f", freed {plain(' '.join(map(plain, freed)), _LONG)}" if freed else "")
        self._add(call, words, before, lambda after: _path(name, arguments, returned, after))
        return returned

    def _inner(self, call: str, words: str) -> None:
        """Add a frame in the middle of an operation; looking at the tree may call the spied methods too."""
        if not self._looking:
            self._add(call, words, self.frames[-1].tree, inner=True)

    def _add(
        self,
        call: str,
        words: str,
        before: Snapshot,
        path: Callable[[Snapshot], tuple[int, ...]] = lambda after: (),
        *,
        inner: bool = False,
    ) -> None:
        self._looking = True
        try:
            after = snapshot(self._subject)
        finally:
            self._looking = False
        self.frames.append(Frame(call, words, after, before, path(after), inner))


class Watched:
    """A tree as it is, but that its operations are told of."""

    def __init__(self, tree: Any, operate: Callable[[str, tuple[Any, ...]], Any]) -> None:
        self._tree, self._operate = tree, operate

    def __getattr__(self, name: str) -> Any:
        """Return an operation that is recorded, or what the tree has."""
        if name in OPERATIONS:
            return lambda *arguments: self._operate(name, arguments)
        return getattr(self._tree, name)

    def __len__(self) -> int:
        """Return the values that the tree stores."""
        return len(self._tree)


def _noting(freed: list[Any], callback: tuple[Any, ...]) -> Callable[[Any], None]:
    def note(value: Any) -> None:
        freed.append(value)
        for f in callback:
            if f is not None:
                f(value)

    return note


def _call(name: str, arguments: tuple[Any, ...]) -> str:
    return f"{name}({', '.join(plain(_listed(argument), _LONG) for argument in arguments)})"


def _listed(argument: Any) -> Any:
    """Return a sequence as a short list, the middle of a long one left out."""
    try:
        row = [str(part) if type(part) is int else repr(part) for part in argument]
    except Exception:
        return argument
    if len(row) > 8:
        row = [*row[:3], "...", *row[-2:]]
    return f"[{', '.join(row)}]"


def _path(name: str, arguments: tuple[Any, ...], returned: Any, after: Snapshot) -> tuple[int, ...]:
    """Return the nodes that an operation walked, as far as the tree tells."""
    try:
        if name == "match_prefix":
            return tuple(node for node in returned[1] if node in after.nodes)
        if name == "evict":
            return ()
        return tuple(after.path(returned[0] if name == "insert" else arguments[0]))
    except Exception:
        return ()


def _spied(tree: Any, tell: Callable[[str, str], None]) -> Any:
    """Make *tree* tell of each call of its inner methods, when it has them, and return it."""

    def spied(name: str, function: FunctionType) -> Callable[..., Any]:
        @wraps(function)
        def call(self: Any, *arguments: Any) -> Any:
            said = _call(name, arguments)
            tell(said, "begins")
            returned = function(self, *arguments)
            tell(said, "done" if returned is None else f"returns {plain(returned, _LONG)}")
            return returned

        return call

    kind = type(tree)
    methods = {name: getattr(kind, name, None) for name in INSIDE}
    spies = {name: spied(name, method) for name, method in methods.items() if isinstance(method, FunctionType)}
    tree.__class__ = type(kind.__name__, (kind,), {"__slots__": (), **spies})
    return tree
