"""Where do two trees part? The shortest script on which what is seen of them differs, found by Hypothesis."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

from radixlab.show.divergence.difference import first_fact, sentence
from radixlab.show.divergence.guarded import new_tree
from radixlab.show.divergence.observe import observe
from radixlab.show.divergence.search import find, lettered, smaller_than
from radixlab.show.divergence.seen import UNWRITTEN, Facts, Path, Raised
from radixlab.show.film import Film
from radixlab.show.script import Script

SHORT = 8  # steps that a script need not be shorter than
ROUNDS = ((1, 50), (2, 100), (4, 200), (12, 400))  # (steps that a script has at most, scripts to try)

Watch = Callable[[int], None]  # told how many scripts have been played


@dataclass(frozen=True)
class Divergence:
    """A *script* after whose last step, number *step*, two subjects differ; the first difference in *words*; *films*.

    Step 0 is a new tree, before any step. *fact*: in what they differ, and at which node or call; of two that differ by
    chance it is ("", ()).
    """

    script: Script
    step: int
    words: str
    films: tuple[Film, Film]
    fact: tuple[str, Path] = ("", ())


def diverge(
    mine: ModuleType,
    theirs: ModuleType,
    *,
    names: tuple[str, str] = ("here", "in the reference"),
    titles: tuple[str, str] = ("here", "the reference"),
    seed: int = 0,
    watch: Watch = lambda played: None,
    patient: bool = False,
    seconds: float = math.inf,
) -> Divergence | None:
    """Return where the subjects *mine* and *theirs* part, None when no script was found that tells them apart.

    Both are modules whose calls are under a step budget. What *mine* has not written yet (NotImplementedError) counts
    only when nothing else differs, and never to a *patient* caller. *names* are for the sentence, *titles* for the
    films. The same *seed* gives the same script; after *seconds*, the best that was found by then. Complexity: at
    most about 1,000 scripts of at most 12 steps, and as many again to make one minimal.
    """
    end = time.monotonic() + seconds
    duel = Duel(mine, theirs, watch, end=end)
    script = duel.search(seed)
    if script is None and duel.unwritten and not patient:
        duel = Duel(mine, theirs, watch, patient=False, end=end)
        script = duel.search(seed)
    return None if script is None else duel.divergence(script, names, titles)


class Duel:
    """Two subjects that play the same scripts."""

    def __init__(
        self,
        mine: ModuleType,
        theirs: ModuleType,
        watch: Watch = lambda played: None,
        *,
        patient: bool = True,
        end: float = math.inf,
    ) -> None:
        self.mine, self.theirs, self.watch = mine, theirs, watch
        self.end = end  # of the search, on the monotonic clock: no other script is played after it
        self.patient = patient  # what is not written yet is left out
        self.unwritten = False  # whether anything was
        self.known: dict[Script, int | None] = {}  # shrinking comes back to the same script again and again

    def parts_at(self, script: Script) -> int | None:
        """Return the number of the step after which the two differ, 0 for none at all; None when they agree."""
        if script not in self.known and time.monotonic() > self.end:
            return None
        if script not in self.known:
            self.known[script] = next((number for number, *_ in self._differing(script)), None)
            self.watch(len(self.known))
        return self.known[script]

    def divergence(self, script: Script, names: tuple[str, str], titles: tuple[str, str]) -> Divergence:
        """Return where the two part on *script*, which tells them apart; *names* for words, *titles* for films."""
        fact, words = ("", ()), "the two differed when this was found, and no longer do: one of them is left to chance"
        for number, mine, theirs in self._differing(script):
            fact = first_fact(mine, theirs)
            words = sentence(fact, mine, theirs, names, number, script)
            break
        trees = (new_tree(subject, script.granule) for subject in (self.mine, self.theirs))
        films = [Film.of(script, tree, title) for tree, title in zip(trees, titles, strict=True)]
        return Divergence(script, len(script.steps), words, (films[0], films[1]), fact)

    def search(self, seed: int) -> Script | None:
        """Return a minimal script that tells the two apart, short scripts tried first."""
        for granule in (1, 2):
            if self.parts_at(empty := Script(granule, ())) is not None:
                return empty
        shortest = None
        for steps, tries in ROUNDS:
            if found := find(steps, tries, seed, lambda script: self.parts_at(script) is not None):
                shortest = min(filter(None, (shortest, self.minimal(found))), key=lambda script: len(script.steps))
                if len(shortest.steps) <= SHORT:
                    break
        return shortest

    def minimal(self, script: Script) -> Script:
        """Return *script* with all taken away that the difference does not need.

        Complexity: each round tries some ten scripts a step.
        """
        script = self._cut(script) or script
        while True:
            smaller = next(filter(None, map(self._cut, smaller_than(script))), None)
            if smaller is None:
                return script
            script = smaller

    def _cut(self, script: Script) -> Script | None:
        """Return *script* up to the step after which the two differ, None when they agree."""
        number = self.parts_at(script)
        return None if number is None else lettered(Script(script.granule, script.steps[:number]))

    def _differing(self, script: Script) -> Iterator[tuple[int, Facts, Facts]]:
        """Play *script* on both as long as that is specified; give each step after which they are seen to differ."""
        both = zip(observe(script, self.mine), observe(script, self.theirs), strict=False)
        for number, (mine, theirs) in enumerate(both):
            if not theirs.sense:
                return
            if mine.facts == theirs.facts:
                continue
            left_out = _unwritten(mine.facts) if self.patient else set()
            self.unwritten |= bool(left_out)
            if any(kind in ("made", "returned", "children", "label") for kind, _ in left_out):
                return  # what comes after it cannot be compared
            one, other = ({f: d for f, d in m.facts.items() if f not in left_out} for m in (mine, theirs))
            if one != other:
                yield number, one, other


def _unwritten(facts: Facts) -> set[tuple[str, Path]]:
    return {fact for fact, told in facts.items() if isinstance(told, Raised) and told.family == UNWRITTEN}
