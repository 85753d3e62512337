"""Predictions: what a learner foresees, compared with what the reference does when it is played, now."""

import random
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from radixlab.checker.live import loaded
from radixlab.course import Chapter, NoSuchChapter
from radixlab.lab.mine import CHAPTER, CHAPTERS, subject
from radixlab.lab.saying import plainly, say, show
from radixlab.reports import notebook
from radixlab.show.draw import draw
from radixlab.show.film import Film
from radixlab.show.script import Script, play
from radixlab.show.snapshot import plain
from radixlab.workspace import Workspace, home

Picture = tuple[str, dict[str, Any], ModuleType]  # letter, what the card says of it ({}: the right one), the tree


class Unanswered(Exception):
    """The truth is not known yet; the text says what to do first."""


@plainly
def predict(name: str, answer: Any, *rest: Any) -> None:
    """Compare *answer* with the truth, which is computed now; then show the film. `...` is no answer yet.

    *answer*: a number, a list, text, or the letter of a choice, as the question says.
    """
    cards = {name: card for chapter in CHAPTERS for name, card in _cards(chapter)}
    if name not in cards:
        raise NoSuchChapter(f"there is no prediction {name!r}: choose from {', '.join(cards)}")
    if rest:
        _say(
            name, "not attempted", ["one answer is asked for: in Python a number has no comma, and a list has brackets"]
        )
        return
    card = cards[name]
    pictures = _pictures(name, card)
    if pictures and answer is ...:
        _show_pictures(card, pictures)
    if answer is ...:
        _say(name, "not attempted", ["put your answer in place of the dots, and run the cell again"])
        return
    try:
        truth, told = _truth(card, pictures)
    except Unanswered as missing:
        _say(name, "not attempted", [str(missing)])
        return
    given = _plain(answer, truth)
    if pictures or "choices" in card:
        letters = [chr(ord("A") + place) for place in range(len(pictures or card["choices"]))]
        if given not in letters:
            _say(name, "not attempted", [f"answer with one of the letters {', '.join(letters)}, in quotes"])
            return
    if type(truth) is int and type(given) is not int:
        _say(name, "not attempted", ["answer with a number"])
        return
    if isinstance(truth, list) and not isinstance(answer, list | tuple | str):
        _say(name, "not attempted", ["answer with a list"])
        return
    right = sorted(given) == sorted(truth) if card.get("unordered") and type(given) is list else given == truth
    lines = [f"{card['says']}: {told}", card["because"]]
    if not right and pictures:
        lines.insert(0, _consequence(given, card, pictures))
    _say(name, "right" if right else "not so", lines)
    if card.get("steps") and card.get("film", True):
        show(Film.of(_script(card), subject("reference").RadixTree(card["granule"]), card["says"]))


def _cards(chapter: Chapter) -> list[tuple[str, dict[str, Any]]]:
    """Return the predictions of *chapter*, each with the chapter that it belongs to."""
    return [(name, {**card, "chapter": chapter.id}) for name, card in chapter.predictions.items()]


def _truth(card: dict[str, Any], pictures: Sequence[Picture]) -> tuple[Any, str]:
    """Return the right answer, as `_plain` would give it, and in words; Unanswered."""
    if pictures:
        letter = next(letter for letter, wrong, _ in pictures if not wrong)
        return letter, f"picture {letter}"
    if "choices" in card:
        held = [choice for choice in card["choices"] if _asked({**card, **choice}, choice["holds"])]
        letter = chr(ord("A") + card["choices"].index(held[0]))
        return letter, f"{letter}, {held[0]['says']}"
    truth = _asked(card, card["ask"])
    if isinstance(truth, list | tuple):
        words = [str(thing) for thing in truth]
        return words, ", ".join(words) or "none"
    return truth, f"{truth:,}" if type(truth) is int else truth


def _plain(answer: Any, truth: Any) -> Any:
    """Return *answer* in the form of *truth*: words for a list, a number for a number, a letter as a capital."""
    if isinstance(truth, list):
        things: Iterable[Any] = answer
        if isinstance(answer, str):
            things = answer.split(",") if "," in answer else answer.split()
        elif not isinstance(answer, list | tuple):
            things = [answer]
        return [str(thing).strip().removeprefix("test_") for thing in things]
    if isinstance(truth, str):
        text = str(answer).strip().strip("\"'")
        return text.upper() if len(truth) == 1 and truth.isupper() else text
    digits = answer.replace(",", "").strip() if isinstance(answer, str) else ""
    return int(digits) if digits.isdecimal() else answer


# Pictures -------------------------------------------------------------------------------------------------------------


def _pictures(name: str, card: dict[str, Any]) -> list[Picture]:
    """Return the pictures to choose from, in the order in which they are always shown; none when there are none."""
    if "pictures" not in card:
        return []
    order: list[dict[str, Any]] = [{}, *card["pictures"]]
    random.Random(name).shuffle(order)
    return [(chr(ord("A") + place), wrong, _wrong(wrong)) for place, wrong in enumerate(order)]


def _wrong(wrong: dict[str, Any]) -> ModuleType:
    if "edits" not in wrong:
        return subject(wrong.get("bug", "reference"))
    source = CHAPTER.text("reference.py")
    for find, replace in wrong["edits"]:
        source = source.replace(find, replace)
    return loaded(source, "wrong.py", {"RadixTree"})


def _show_pictures(card: dict[str, Any], pictures: Sequence[Picture]) -> None:
    drawings = [(letter, draw(_played(module, card)["tree"])) for letter, _, module in pictures]
    text = "\n\n".join(f"{letter}:\n{drawing}" for letter, drawing in drawings)
    say(text, notebook.gallery([(letter, drawing._repr_html_()) for letter, drawing in drawings]))


def _consequence(letter: str, card: dict[str, Any], pictures: Sequence[Picture]) -> str:
    """Return what the tree in picture *letter* would get wrong next."""
    _, wrong, module = next(picture for picture in pictures if picture[0] == letter)
    found = [_words(eval(wrong["next"], _played(m, card))) for m in (module, subject("reference"))]
    return f"think of picture {letter} a step on: {wrong['asks']} would be {found[0]}, and should be {found[1]}"


# Playing --------------------------------------------------------------------------------------------------------------


def _asked(card: dict[str, Any], expression: str) -> Any:
    """Return what *expression*, from our card, is after its steps were played on the reference, or its code was run."""
    module = subject("reference", card.get("chapter", CHAPTER.id))
    if "setup" not in card:
        return eval(expression, _played(module, card))
    space = {**vars(module), "raised": _raised}
    exec(card["setup"], space)
    return eval(expression, space)


def _played(module: ModuleType, card: dict[str, Any]) -> dict[str, Any]:
    """Return the names that a card may use, after its steps were played on the tree of *module*."""
    tree = module.RadixTree(card.get("granule", 1))
    played = list(play(_script(card), tree)) if card.get("steps") else []
    nodes = {0: 0} | {p.number: _node(p.step.operation, p.returned) for p in played}
    letters = {node: chr(ord("A") + number - 1) for number, node in reversed(nodes.items()) if number}
    return {
        "tree": tree,
        "node": nodes,
        "returned": {p.number: p.returned for p in played},
        "freed": {p.number: list(p.freed) for p in played},
        "letter": letters.__getitem__,
        "label": lambda node: " ".join(map(str, tree.key(node))),
        "raised": _raised,
        "caught": _caught,
    }


def _script(card: dict[str, Any]) -> Script:
    return Script.from_data({"granule": card.get("granule", 1), "steps": card["steps"]})


def _node(operation: str, returned: Any) -> Any:
    if operation == "insert":
        return returned[0]
    return returned[1][-1] if operation == "match_prefix" and returned[1] else 0


def _raised(call: Callable[..., Any], *arguments: Any) -> str:
    """Return the name of what the call raises, or "nothing"."""
    try:
        call(*arguments)
    except LookupError:
        return LookupError.__name__
    except Exception as error:
        return type(error).__name__
    return "nothing"


def _caught(bug: str) -> list[str]:
    """Return the learner's own tests that caught *bug* in the last check."""
    report = Workspace(home()).last_report(CHAPTER)
    if report is None:
        raise Unanswered("run `check()` first, with all your tests valid: there is no kill matrix yet")
    return next(row["by"] for row in report["mutation"]["bugs"] if row["id"] == bug)


def _words(value: Any) -> str:
    return " ".join(map(plain, value)) if isinstance(value, list) else plain(value)


def _say(name: str, state: str, lines: Sequence[str]) -> None:
    say("\n".join([f"{name}: {state}", *lines]), notebook.answer(name, state, lines))
