"""A tree to try operations on: what was done is a script, and to undo is to play a shorter one on a fresh tree."""

from types import ModuleType
from typing import Any

from radixlab.show.film import Film
from radixlab.show.script import Node, Played, Script, Step, lock, match, play, unlock
from radixlab.show.snapshot import ROOT, Snapshot, shortened
from radixlab.show.words import error_words

_OURS = ("radixlab.show", "radixlab.checker", "radixlab.lab")


class Refused(ValueError):
    """A step cannot be done, and nothing was changed; the text is one sentence that says why."""


class Bench:
    """The tree of a *subject*, and the steps so far, kept as a script.

    The subject has a `RadixTree`, as a module does, asked for anew at each use; or it is a class. `script`, its `film`,
    and `played`, a record for each step; `film` is None, and `broken` says why, when the subject makes no tree.

    >>> from radixlab.chapters.ds07 import reference
    >>> from radixlab.show.script import insert
    >>> bench = Bench(reference)
    >>> bench.do(insert([1, 2], "ab"))
    >>> bench.do(insert([1, 3], "xy"))
    >>> bench.nodes()
    {2: '1 (node 2)', 1: '1 > 2 (node 1)', 3: '1 > 3 (node 3)'}
    >>> bench.undo()
    >>> bench.nodes()
    {1: '1 2 (node 1)'}
    """

    def __init__(self, subject: ModuleType | type, script: Script | None = None) -> None:
        if not isinstance(subject, type) and not hasattr(subject, "RadixTree"):
            raise TypeError(f"a subject is a module with a RadixTree, or a class, not {subject!r}")
        self._subject = subject
        self._scripts, self._at = [script or Script(1, ())], 0  # each state once, the present one at a place
        self.film: Film | None = None
        self.broken = ""
        self.played: list[Played] = []
        self._replay(self.script)

    @property
    def script(self) -> Script:
        """Return the steps so far."""
        return self._scripts[self._at]

    @property
    def name(self) -> str:
        """Return what the subject is called."""
        name = getattr(self._subject, "__name__", None)
        return name.rpartition(".")[2] if isinstance(name, str) else "RadixTree"

    @property
    def tree(self) -> Snapshot:
        """Return what the tree tells of itself now."""
        return self.film[-1].tree if self.film else Snapshot()

    @property
    def can_undo(self) -> bool:
        """Return whether there is something to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Return whether something was undone."""
        return self._at < len(self._scripts) - 1

    def do(self, step: Step) -> None:
        """Do *step*; what the tree raises is part of the record. Refused when there is no tree.

        Complexity: every step so far is played again, so that a tree is never anything but what its script makes.
        """
        if self.film is None:
            raise Refused(f"there is no tree to work on: {self.broken}")
        self._become(Script(self.script.granule, (*self.script.steps, step)))

    def undo(self) -> None:
        """Go back to before the last step, or the last reset, if there is one."""
        self._go(max(self._at - 1, 0))

    def redo(self) -> None:
        """Do again what was undone last, if anything."""
        self._go(min(self._at + 1, len(self._scripts) - 1))

    def reset(self, granule: int | None = None) -> None:
        """Begin again with an empty tree of *granule*, the same as before when it is None; that can be undone too."""
        script = Script(granule or self.script.granule, ())
        if script != self.script:
            self._become(script)

    def lock(self, node: int) -> None:
        """Lock a live *node*; Refused when it cannot be named."""
        self._on_node(lock, node)

    def unlock(self, node: int) -> None:
        """Unlock a live *node*; Refused when it cannot be named."""
        self._on_node(unlock, node)

    def _on_node(self, make: Any, node: int) -> None:
        """Do a step on *node*; one that no step has named yet is matched first, as an engine would."""
        before = self._scripts[:], self._at
        name = self.named(node)
        if name is None:
            self.do(match(self._key(node)))
            name = self.named(node)
        if name is None:
            self._scripts, self._at = before
            self._replay(self.script)
            raise Refused(f"a match of its key does not return node {node}: no script can name it")
        self.do(make(name))

    def named(self, node: int) -> Node | None:
        """Return the name in the script of a live *node*: the latest step that returned it, None when there is none.

        An id is reused, so a step from before the node was made does not count.
        """
        if node == ROOT:
            return Node(0)
        for played, frame in zip(reversed(self.played), reversed(self.film.frames if self.film else []), strict=False):
            up = _place(played, node)
            if up is not None:
                return Node(played.number, up)
            if node in frame.new:
                return None
        return None

    def nodes(self) -> dict[int, str]:
        """Return the live nodes but ROOT, each with its path in words; parents before their children."""
        tree = self.tree
        return {node: f"{self._words(tree.path(node))} (node {node})" for node in tree.nodes if node != ROOT}

    @property
    def last(self) -> int | None:
        """Return the node that the last step ended at, None when it did at none that is alive."""
        path = self.film[-1].path if self.film and self.played else ()
        return path[-1] if path and path[-1] in self.tree.nodes else None

    @property
    def outcome(self) -> str:
        """Return what the last step gave, in words: what was returned, or what was raised and where."""
        if self.film is None:
            return self.broken
        error = self.played[-1].error if self.played else None
        return _told(error) if error else self.film[-1].returned

    @property
    def raised(self) -> bool:
        """Return whether the last step, or the making of the tree, raised an exception."""
        return self.film is None or bool(self.played and self.played[-1].error)

    def _key(self, node: int) -> list[int]:
        """Return the tokens on the way to *node*; Refused when a label on it is not told."""
        labels = [self.tree.nodes[each].label for each in self.tree.path(node)]
        if any(label is None or not all(type(token) is int for token in label) for label in labels):
            raise Refused(f"no step has returned node {node}, and its key is not known: no script can name it")
        return [token for label in labels for token in label]

    def _words(self, path: list[int]) -> str:
        labels = (self.tree.nodes[node].label for node in path)
        return " > ".join("?" if label is None else shortened(label, "tokens") for label in labels)

    def _become(self, script: Script) -> None:
        """Make *script* the present, and forget what was undone."""
        self._replay(script)
        self._at += 1
        self._scripts[self._at :] = [script]

    def _go(self, place: int) -> None:
        if place != self._at:
            self._replay(self._scripts[place])
            self._at = place

    def _replay(self, script: Script) -> None:
        """Play *script* on a fresh tree; nothing changes when that is interrupted."""
        film, broken, played = None, "", []
        try:
            make = self._subject if isinstance(self._subject, type) else self._subject.RadixTree
            film = Film.record(make(script.granule), f"Playground: {self.name}")
        except Exception as error:
            broken = f"RadixTree({script.granule}) {_told(error)}"
        if film:
            played = list(play(script, film.tree))
        self.film, self.broken, self.played = film, broken, played


def _place(played: Played, node: int) -> int | None:
    """Return how far from the end of what a step returned *node* stands, None when it is not in it."""
    returned = played.returned
    if played.step.operation not in ("insert", "match_prefix") or type(returned) is not tuple or len(returned) != 2:
        return None
    given = [returned[0]] if played.step.operation == "insert" else returned[1]
    places = (
        [up for up, each in enumerate(reversed(given)) if type(each) is int and each == node]
        if type(given) is list
        else []
    )
    return places[0] if places else None


def _told(error: BaseException) -> str:
    """Return what was raised, and where in the subject."""
    steps = []
    trace = error.__traceback__
    while trace:
        if not trace.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
            steps.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    own = [(code, line) for code, line in steps if code.co_filename == steps[0][0].co_filename]
    return error_words(error, f"{own[-1][0].co_name}, line {own[-1][1]}" if own else "")
