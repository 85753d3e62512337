"""What a drawing costs: milliseconds a frame, and a film by one process beside a process a frame.

Times are medians over rounds that take turns, from a tree to pictures that can stand in a page.
"""

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from tables import Table, middle, options, ratio, rounds, show

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.film import Film
from radixlab.show.picture.dot import MOST_NODES, film_dots, tree_dot
from radixlab.show.picture.render import PURE, render, render_alike
from radixlab.show.snapshot import snapshot

NODES = (6, 30, 60)
FRAMES = 40
MANY = 20  # frames of a film that goes on with a tree of so many nodes


def engines() -> list[str]:
    """Return the engines that are here."""
    return [PURE, *(["dot"] if shutil.which("dot") else [])]


@contextmanager
def drawn_by(engine: str) -> Iterator[None]:
    before = os.environ.get("RADIXLAB_DOT")
    os.environ["RADIXLAB_DOT"] = engine
    try:
        yield
    finally:
        os.environ.pop("RADIXLAB_DOT")
        if before is not None:
            os.environ["RADIXLAB_DOT"] = before


def tree_of(nodes: int) -> RadixTree:
    """Return a tree with that many nodes, of short labels, ROOT not counted."""
    rng, tree = random.Random(7), RadixTree(1)
    while tree.node_count() < nodes:
        key = [rng.randrange(5) for _ in range(rng.randrange(2, 6))]
        tree.insert(key, "abcdef"[: len(key)])
        if tree.node_count() > nodes:
            tree.evict(1)
    return tree


def frame_table(sizes: tuple[int, ...], times: int) -> Table:
    """Time films of trees of several sizes, and a picture of each tree by itself."""
    rows = []
    for nodes in sizes:
        seen = snapshot(tree_of(nodes))
        dot, dots = tree_dot(seen), film_dots(film_on(nodes))
        for engine in engines():
            with drawn_by(engine):
                taken = rounds(
                    times,
                    {
                        "text": lambda seen=seen: tree_dot(seen),
                        "one": lambda dot=dot: render([dot]),
                        "many": lambda dots=dots: render_alike(dots),
                    },
                )
            a_frame = [spent / MANY for spent in taken["many"]]
            cells = (middle(taken["text"]), middle(a_frame), min(a_frame), middle(taken["one"]))
            rows.append((f"{nodes}", engine, *(f"{cell:.1f} ms" for cell in cells)))
    return Table(
        "Milliseconds a frame",
        ("nodes", "engine", "its DOT text", f"a frame of a film of {MANY}", "at best", "a drawing by itself"),
        rows,
        f"SVG, cleaned for a page; {times} rounds. A film draws once what its frames have in common. A film whose "
        f"nodes are more than {MOST_NODES}, those that come or go among them, has a layout a frame. "
        f"Aim: at most 10 ms a frame at 30 nodes with {PURE}.",
    )


def film_on(nodes: int) -> Film:
    """Return a film that goes on with a tree of that many nodes, each frame another operation on it."""
    rng, film = random.Random(7), Film.record(tree_of(nodes))
    while len(film) < MANY:
        key = [rng.randrange(5) for _ in range(rng.randrange(2, 6))]
        if film.tree.node_count() > nodes:
            film.tree.evict(1)
        elif rng.random() < 0.5:
            film.tree.insert(key, "abcdef"[: len(key)])
        else:
            film.tree.match_prefix(key)
    return film


def film_of(frames: int, nodes: int) -> Film:
    """Return a film of that many frames, of a tree that stays small, as a lecture shows it."""
    rng, film = random.Random(7), Film.record(RadixTree(1))
    while len(film) < frames:
        key = [rng.randrange(3) for _ in range(rng.randrange(1, 5))]
        if film.tree.node_count() >= nodes:
            film.tree.evict(2)
        elif rng.random() < 0.5:
            film.tree.insert(key, "abcde"[: len(key)])
        else:
            film.tree.match_prefix(key)
    return film


def film_table(frames: int, times: int) -> Table:
    """Time a film by one process, and by a process a frame."""
    rows = []
    for nodes in (4, 8):
        dots = film_dots(film_of(frames, nodes))
        for engine in engines():
            with drawn_by(engine):
                taken = rounds(
                    times,
                    {
                        "one": lambda dots=dots: render_alike(dots),
                        "each": lambda dots=dots: [render([dot]) for dot in dots],
                    },
                )
            times_as_fast = ratio(taken["each"], taken["one"])
            cells = (f"{middle(taken['one']):.0f} ms", f"{middle(taken['each']):.0f} ms", f"{times_as_fast:.1f} times")
            rows.append((f"{nodes}", engine, *cells))
    return Table(
        f"A film of {frames} frames",
        ("nodes, at most", "engine", "one process", "a process a frame", "as fast"),
        rows,
        f"The frames have one layout; {times} rounds. Aim: one process at least 3 times as fast.",
    )


def main() -> None:
    parser = options(__doc__.splitlines()[0])
    asked = parser.parse_args()
    quick = asked.quick
    tables = [
        frame_table(NODES if not quick else NODES[:1], 15 if not quick else 1),
        film_table(FRAMES if not quick else 4, 7 if not quick else 1),
    ]
    show("drawing", "Drawing", tables, write=asked.write)


if __name__ == "__main__":
    main()
