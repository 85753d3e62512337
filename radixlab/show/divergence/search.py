"""Scripts to try on two trees: drawn by Hypothesis, used as a library, and made simpler, one thing at a time."""

import os
import string
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import platformdirs

from radixlab.show.script import Node, Script, Step, evict, insert, lock, match, unlock

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_KINDS = {  # kinds of steps -> how often; the first is the simplest, and no step at all
    "nothing": 1,
    "insert": 6,
    "match_prefix": 5,
    "evict": 5,
    "lock": 4,
    "unlock": 4,
    "match a part of a run": 1,
    "insert too few": 1,
    "insert too many": 1,
}
_WORDS = ("m", "mm", "mx", "x", "mmm", "mmx", "mmmm", "mmmx", "xx", "")  # keys that meet and part: see `_key`
_AMOUNTS = (1, 1, 2, 9, 1, 0)


def scripts(steps: int) -> "SearchStrategy[Script]":
    """Return a strategy of scripts of at most so many *steps*, which begin with two inserts where there is room."""
    from hypothesis import strategies as st

    kind = st.sampled_from([kind for kind, times in _KINDS.items() for _ in range(times)])
    number = st.integers(0, len(_WORDS) - 1)
    inserts = min(2, steps // 2)
    drawn = [st.tuples(st.just("insert"), number)] * inserts + [st.tuples(kind, number)] * (steps - inserts)
    return st.builds(_script, st.sampled_from((1, 1, 2)), st.tuples(*drawn))


def _script(granule: int, drawn: tuple[tuple[str, int], ...]) -> Script:
    """Return the script that was *drawn*: kinds of steps, each with a number that stands for what it takes."""
    steps: list[Step] = []
    for kind, number in drawn:
        word = _WORDS[number]
        key = _key(word, granule)
        if kind.startswith("insert"):
            wrong = {"insert too few": -1, "insert too many": 1}.get(kind, 0)
            steps.append(insert(key, "?" * max(0, len(word) + wrong)))
        elif kind.startswith("match"):
            steps.append(match(key if kind == "match_prefix" else (*key, 1)))
        elif kind == "evict":
            steps.append(evict(_AMOUNTS[number % len(_AMOUNTS)]))
        elif kind != "nothing":
            locked = [step.node for step in steps if step.operation == "lock"]
            if kind == "unlock" and locked and number % 4:
                steps.append(unlock(locked[-1 - number % len(locked)]))  # most give back what was taken
            else:
                steps.append((lock if kind == "lock" else unlock)(_node(number % 8, steps)))
    return lettered(Script(granule, tuple(steps)))


def _key(word: str, granule: int) -> tuple[int, ...]:
    """Return the key of *word*, a letter a run: m is the run that counts on, x has a 9 for its last token.

    >>> _key("mmx", 1), _key("mx", 2)
    ((1, 2, 9), (1, 2, 3, 9))
    """
    counted = range(1, len(word) * granule + 1)
    return tuple(9 if t % granule == 0 and word[t // granule - 1] == "x" else t for t in counted)


def _node(drawn: int, steps: list[Step]) -> Node:
    """Return the node that was *drawn*: two bits say how many naming steps ago, the third takes its parent."""
    naming = [n for n, step in enumerate(steps, 1) if step.operation in ("insert", "match_prefix")]
    if not naming:
        return Node(0)
    step = naming[-1 - drawn % 4 % len(naming)]
    return Node(step, drawn // 4 if steps[step - 1].operation == "match_prefix" else 0)


def find(steps: int, tries: int, seed: int, differs: Callable[[Script], bool]) -> Script | None:
    """Return the simplest script of at most so many *steps* that *differs*, as Hypothesis finds and shrinks it.

    None when none of as many *tries* does. The same *seed* gives the same script.
    """
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(platformdirs.user_cache_path("radixlab") / "hypothesis"))
    import hypothesis

    settings = hypothesis.settings(
        max_examples=tries,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )
    try:
        return hypothesis.find(scripts(steps), differs, settings=settings, random=Random(seed))
    except hypothesis.errors.NoSuchExample:
        return None


# Simpler scripts ------------------------------------------------------------------------------------------------------


def lettered(script: Script) -> Script:
    """Return *script* with its values named a, b, c and so on, no two alike.

    >>> print(lettered(Script(1, (insert([1, 2], "xy"), insert([1], "x")))))
    tree = RadixTree(1)
    tree.insert([1, 2], ['a', 'b'])
    tree.insert([1], ['c'])
    """
    fresh = (string.ascii_letters[n] if n < 52 else f"v{n}" for n in range(10**6))
    return replace(script, steps=tuple(replace(s, values=tuple(next(fresh) for _ in s.values)) for s in script.steps))


def smaller_than(script: Script) -> Iterator[Script]:
    """Give the scripts that are one thing simpler: a step, a run, a token, a value less, or a smaller one."""
    count = len(script.steps)
    yield from (without(script, number) for number in range(count, 0, -1))
    yield from (without(without(script, b), a) for b in range(count, 0, -1) for a in range(1, b))
    if script.granule > 1:
        yield _at_granule(script, 1)
    for place, step in enumerate(script.steps):
        for simpler in _simpler(step, script.granule):
            yield replace(script, steps=(*script.steps[:place], simpler, *script.steps[place + 1 :]))


def without(script: Script, number: int) -> Script:
    """Return *script* without step *number*, and without the steps that name what it returned."""
    naming = [n for n, step in enumerate(script.steps, 1) if step.node.step == number and number]
    for n in sorted({number, *naming}, reverse=True):
        script = script.without(n)
    return script


def _at_granule(script: Script, granule: int) -> Script:
    steps = (
        replace(s, values=("?",) * (len(s.key) // granule + len(s.values) - len(s.key) // script.granule))
        if s.operation == "insert"
        else s
        for s in script.steps
    )
    return Script(granule, tuple(steps))


def _simpler(step: Step, granule: int) -> Iterator[Step]:
    """Give *step* with a run, a token or a value less, its last token as in the longest key, or a smaller number."""
    width = granule if step.operation == "insert" else 1
    if step.key:
        yield replace(step, key=step.key[:-width], values=step.values[1:])
    for at, token in enumerate(step.key):
        if token != at + 1:
            yield replace(step, key=(*step.key[:at], at + 1, *step.key[at + 1 :]))
    for n in range(step.n):
        yield evict(n)
    if step.node.up:
        yield replace(step, node=Node(step.node.step))
