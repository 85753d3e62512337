"""Films: each operation on a tree with what it returned, and the tree before and after, kept to be scrubbed through."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from radixlab.show.change import change_words
from radixlab.show.frame import Frame
from radixlab.show.inside import BY_LINE, spied
from radixlab.show.script import OPERATIONS, Script, play
from radixlab.show.snapshot import Snapshot, plain, snapshot, tree_or_error
from radixlab.show.stretches import shortened_at_gaps
from radixlab.show.words import LINE, LONG, call_words, error_words, result_words


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

    def __init__(self, tree: Any, title: str = "", *, inside: bool = False, look: str = "") -> None:
        self.title, self.look = title, look  # the look: what the audience should look for
        self._subject = spied(tree, self._inner_begin, self._inner_call, self._inner_line) if inside else tree
        self._looking = False
        self._within = inside  # whether calls inside of operations are told of, now
        self._notes: Mapping[str, str] = {}
        self._call = ""  # the operation under way
        self._alive: frozenset[int] = frozenset()
        first = snapshot(tree)
        begun = "an empty tree" if len(first.nodes) <= 1 else f"{len(first.nodes) - 1} nodes"
        self.frames = [Frame(f"RadixTree({first.granule})", begun, first, first)]
        self.tree = Watched(self._subject, self._operate)

    @classmethod
    def record(cls, tree: Any, title: str = "", *, inside: bool = False) -> "Film":
        """Return a film that goes on with each operation on its `tree`; with *inside*, a frame for each inner call.

        TypeError for what is no tree.
        """
        return cls(tree_or_error(tree), title, inside=inside)

    @classmethod
    def of(
        cls,
        script: Script,
        tree: Any,
        title: str = "",
        *,
        inside: bool | Container[int] = False,
        look: str = "",
        captions: Sequence[str] = (),
        notes: Mapping[str, str] | None = None,
    ) -> "Film":
        """Return the film of *script*, played on *tree*.

        *inside*: show the inside of all steps, or of those with these numbers. *captions*: a sentence a step, "" for
        none; a step that raises has no use for its own. *notes*: a sentence for the calls of each inner method, by its
        name.
        """
        within = (lambda number: inside) if isinstance(inside, bool) else inside.__contains__
        film = cls(tree, title, inside=inside is not False, look=look)
        film._notes = notes or {}
        film._within = within(1)
        for step in play(script, film.tree):
            if captions and step.error is None:
                film.frames[-1] = replace(film.frames[-1], caption=captions[step.number - 1])
            film._within = within(step.number + 1)
        film._within = inside is True
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

    def __str__(self) -> str:
        """Return a line a frame: the call, and what it returned."""
        return "\n".join(f"{frame.call} -> {frame.returned}" for frame in self.frames)

    @property
    def granule(self) -> int:
        """Return the granule of the tree."""
        return self.frames[0].tree.granule

    def names(self) -> list[dict[int, str]]:
        """Return for each frame a name for each node of it, the same as long as the node lives; ids are reused.

        In the middle of an operation those that are out of reach have one as well.
        """
        lives: dict[int, int] = {}
        names: list[dict[int, str]] = []
        for frame in self.frames:
            alive = names[-1] if names else {}
            for node in frame.tree.nodes:
                if node not in alive:
                    lives[node] = lives.get(node, 0) + 1
            named = [*frame.tree.nodes, *(frame.alive if frame.inner else ())]
            names.append({node: f"n{node}" + "'" * (lives[node] - 1) for node in named})
        return names

    def _operate(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Carry out one operation, and add its frame."""
        shown, freed = arguments, []
        self._alive = frozenset(self.frames[-1].tree.nodes) if self._within else frozenset()
        if name == "evict":
            shown, arguments = arguments[:1], (arguments[0], _noting(freed, arguments[1:]))
        self._call = call_words(name, tuple(map(shortened_at_gaps, shown)))
        try:
            returned = getattr(self._subject, name)(*arguments)
        except Exception as error:
            self._add(self._call, error_words(error), self._look())
            raise
        after = self._look()
        path = _path(name, arguments, returned, after)
        self._add(self._call, result_words(returned), after, path=path, freed=plain(" ".join(map(plain, freed)), LONG))
        return returned

    def _inner_begin(self) -> None:
        """Add a frame of what the operation itself did before it makes an inner call, if that can be seen."""
        if self._telling:
            self._add_inner(self._call, "not done yet")

    def _inner_call(self, name: str, arguments: tuple[Any, ...], returned: Any, error: BaseException | None) -> None:
        """Add the frame of a call inside of an operation, if there is anything new to see or to say."""
        if self._telling:
            words = "done" if returned is None else result_words(returned)
            if error is not None:
                words = error_words(error)
            told = error is not None or name in BY_LINE  # the end of what was shown line by line
            self._add_inner(call_words(name, arguments), words, self._notes.get(name, ""), always=told)

    def _inner_line(self, name: str, line: str, number: int) -> None:
        """Add the frame of a line, if the tree looks otherwise since."""
        if self._telling:
            self._add_inner(plain(line, LINE) or f"line {number}", f"line {number}, in {name}")

    @property
    def _telling(self) -> bool:
        """Whether to tell of the inside, now; looking at the tree may call its inner methods too."""
        return self._within and not self._looking

    def _add_inner(self, call: str, answer: str, note: str = "", *, always: bool = False) -> None:
        """Add a frame in the middle of an operation if the tree looks otherwise since the last one, or *always*."""
        before, after = self.frames[-1].tree, self._look()
        if always or after != before:
            self._add(call, answer, after, inner=True, caption=note or change_words(before, after, self._alive))

    def _add(self, call: str, answer: str, after: Snapshot, **more: Any) -> None:
        self.frames.append(Frame(call, answer, after, self.frames[-1].tree, alive=self._alive, **more))
        if self._within:
            self._alive |= after.nodes.keys()

    def _look(self) -> Snapshot:
        self._looking = True
        try:
            return snapshot(self._subject)
        finally:
            self._looking = False


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


def _path(name: str, arguments: tuple[Any, ...], returned: Any, after: Snapshot) -> tuple[int, ...]:
    """Return the nodes that an operation walked, as far as the tree tells."""
    try:
        if name == "match_prefix":
            path = returned[1]  # gone through only if it has an end
            return tuple(node for node in path if node in after.nodes) if type(path) in (list, tuple) else ()
        if name == "evict":
            return ()
        return tuple(after.path(returned[0] if name == "insert" else arguments[0]))
    except Exception:
        return ()
