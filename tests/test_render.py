"""Rendering: which engine draws, that every tree can be drawn by each, and that no node of a film moves."""

import os
import random
import re
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from xml.etree import ElementTree

import pytest

from radixlab.chapters.ds07.reference import RadixTree
from radixlab.show.film import Film
from radixlab.show.picture import render as rendering
from radixlab.show.picture.dot import film_dots, tree_dot
from radixlab.show.picture.render import NoEngine, engine, render, render_alike
from radixlab.show.script import Script, insert, match
from radixlab.show.snapshot import snapshot

VALUES = [
    *[
        "<b>",
        "</TABLE>>",
        "a & b",
        "&amp;",
        'say "x"',
        "it's",
        "\U0001f600 \u4e2d",
        "two\nlines",
        "\\N\\G\\",
        "]]>",
        "-->",
    ],
    *["", " ", "\x00\x1b[0m", "caf\xe9", "%", "{a|b}", "x" * 60],
]
WORKED = Script(
    1,
    (
        insert([1, 2, 3], "abc"),
        insert([1, 2, 4, 5], "xyde"),
        match([1, 2, 3, 9]),
        match([1, 2, 7]),
        match([1, 9]),
        match([7, 1]),
    ),
)


@pytest.fixture(params=["dot", "graphviz-pure"])
def each_engine(request, monkeypatch):
    """Each of the two engines, by its name."""
    if request.param == "dot" and shutil.which("dot") is None:
        pytest.skip("there is no dot of Graphviz on the PATH")
    monkeypatch.setenv("RADIXLAB_DOT", request.param)
    return request.param


def grow(tree, rng, steps, most=59):
    """Carry out random operations on *tree*, at most that many nodes below ROOT."""
    locked = []
    for _ in range(steps):
        key = [rng.choice([0, 1, 2, 10, 2**32 - 1]) for _ in range(tree.granule * rng.randrange(1, 6))]
        kind = rng.random()
        if kind < 0.65 and tree.node_count() + 2 <= most:
            node, _ = tree.insert(key, [rng.choice(VALUES) for _ in range(len(key) // tree.granule)])
            if rng.random() < 0.2:
                tree.lock(node)
                locked.append(node)
        elif kind < 0.8 and tree.node_count() < most:
            tree.match_prefix(key)
        elif kind < 0.9 and locked:
            tree.unlock(locked.pop(rng.randrange(len(locked))))
        else:
            tree.evict(rng.randrange(1, 6))
    return tree


def places(svg):
    """The corners of each node's card, by the node's name."""
    root = ElementTree.fromstring(svg)
    corners = {}
    for group in root.iterfind(".//{*}g"):
        if group.get("class") != "node":
            continue
        points = " ".join(each.get("points") or each.get("d") for each in group if each.get("points") or each.get("d"))
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", points)]
        xs, ys = numbers[::2], numbers[1::2]
        corners[group[0].text] = (min(xs), min(ys), max(xs), max(ys))
    return corners


def moved(svgs):
    """The names of the nodes that are not at one place; a heavy border is 1.5 points further in or out."""
    seen = defaultdict(list)
    for svg in svgs:
        for name, corners in places(svg).items():
            seen[name].append(corners)
    return {
        name for name, all_of_it in seen.items() for side in zip(*all_of_it, strict=True) if max(side) - min(side) > 2
    }


def texts(svg):
    """The words that can be read in a picture."""
    return " ".join(" ".join(each.itertext()) for each in ElementTree.fromstring(svg).iterfind(".//{*}text")).split()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((value, value) for value in ("<b>", "a&amp;b", '"x"', "it's", "]]>", "-->", "%", "{a|b}", "</TD>")),
        ("\\N\\G\\", "\\N\\G\\"),
        ("\\n\\\\", "\\n\\\\"),
        ("", "''"),
        ("caf\xe9", "caf\\xe9"),
        ("a\nb", "'a\\nb'"),
    ],
)
def test_a_value_is_shown_as_it_is(each_engine, value, shown):
    tree = RadixTree(1)
    tree.insert([1], [value])
    (svg,) = render([tree_dot(snapshot(tree))])
    around = "ROOT node 1 lru 1 1 oldest lru 1 1 node 1 newest"
    assert sorted(texts(svg)) == sorted(f"{around} {shown}".split())


@pytest.fixture(scope="module")
def thousand():
    """The graphs of random trees, and how many nodes each of them has."""
    rng = random.Random(7)
    trees = [grow(RadixTree(rng.choice([1, 2, 16])), rng, int(150 * rng.random() ** 3) + 1) for _ in range(1_000)]
    return [tree_dot(snapshot(tree)) for tree in trees], [tree.node_count() + 1 for tree in trees]


def test_a_thousand_random_trees_can_be_drawn(thousand, each_engine):
    dots, sizes = thousand
    assert max(sizes) >= 55 and min(sizes) <= 2
    for at in range(0, len(dots), 100):
        svgs = render(dots[at : at + 100])
        assert [svg.count(b'<g class="node">') for svg in svgs] == sizes[at : at + 100]


def test_no_node_of_the_worked_example_moves(each_engine):
    svgs = render_alike(film_dots(Film.of(WORKED, RadixTree(1))))
    assert len(svgs) == 7 and {name for svg in svgs for name in places(svg)} == {
        "ROOT",
        *(f"node {n}" for n in (1, 2, 3, 4)),
    }
    assert moved(svgs) == set()
    assert len({re.search(rb'viewBox="[^"]*"', svg)[0] for svg in svgs}) == 1


def test_no_node_of_any_film_moves(each_engine):
    rng = random.Random(3)
    for _ in range(12):
        film = Film.record(RadixTree(rng.choice([1, 2])))
        grow(film.tree, rng, 15, most=12)
        svgs = render_alike(film_dots(film))
        assert len(svgs) == len(film) and moved(svgs) == set()
        assert [len(places(svg)) for svg in svgs] == [len(frame.tree.nodes) + len(frame.gone) for frame in film]


def test_nodes_move_when_each_frame_has_a_layout_of_its_own(each_engine):
    film = Film.of(WORKED, RadixTree(1))
    assert moved(render([tree_dot(frame.tree) for frame in film]))


def test_an_svg_can_stand_in_a_page_beside_others(each_engine):
    one, other = render([tree_dot(snapshot(grow(RadixTree(1), random.Random(seed), 40))) for seed in (1, 2)])
    for svg in (one, other):
        assert svg.startswith(b"<svg ") and svg.endswith(b"</svg>")
        root = ElementTree.fromstring(svg)
        assert not any(each.get("id") for each in root.iter()) and b"<!" not in svg
        assert not any(each.tag.endswith("}a") for each in root.iter())  # Jupyter would underline it
        assert root.get("viewBox") and "max-width:100%" in root.get("style")
        assert {each.text.split()[0] for each in root.iterfind(".//{*}title")} >= {"radix", "ROOT", "node"}


def test_pngs_are_made_by_one_process_too(each_engine, monkeypatch):
    runs, run = [], subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: runs.append(a) or run(*a, **k))
    pngs = render_alike(film_dots(Film.of(WORKED, RadixTree(1))), "png")
    sizes = {struct.unpack(">II", png[16:24]) for png in pngs}
    assert len(pngs) == 7 and len(sizes) == 1
    assert ["-Tpng" in command for (command,) in runs] == [False, True]  # one lays out, one draws
    assert all(png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND\xaeB`\x82") for png in pngs)


def test_nothing_to_render_needs_no_engine(monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", "no such program")
    assert render([]) == []


def there_are(monkeypatch, tmp_path, on_path=(), beside=()):
    """A machine with these programs on its PATH and beside Python."""
    for folder, names in (("path", on_path), ("beside", beside)):
        (tmp_path / folder).mkdir()
        for name in names:
            program = tmp_path / folder / (name + ".exe" * (os.name == "nt"))
            program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "beside" / "python"))
    monkeypatch.setattr(rendering.sysconfig, "get_path", lambda _: str(tmp_path / "beside"))


@pytest.mark.parametrize(
    ("variable", "on_path", "beside", "found"),
    [
        ("mine", ["dot", "mine"], ["graphviz-pure"], "path/mine"),
        ("", ["dot", "mine"], ["graphviz-pure"], "path/dot"),
        (None, ["graphviz-pure", "dot"], ["graphviz-pure"], "path/dot"),
        (None, [], ["graphviz-pure"], "beside/graphviz-pure"),
        ("graphviz-pure", ["dot"], ["graphviz-pure"], "beside/graphviz-pure"),
    ],
)
def test_the_engine_is_looked_for_in_order(monkeypatch, tmp_path, variable, on_path, beside, found):
    there_are(monkeypatch, tmp_path, on_path, beside)
    monkeypatch.delenv("RADIXLAB_DOT", raising=False)
    if variable is not None:
        monkeypatch.setenv("RADIXLAB_DOT", variable)
    assert os.path.splitext(os.path.relpath(engine(), tmp_path))[0] == os.path.normpath(found)


def test_without_an_engine_there_is_advice(monkeypatch, tmp_path):
    there_are(monkeypatch, tmp_path)
    monkeypatch.delenv("RADIXLAB_DOT", raising=False)
    with pytest.raises(NoEngine, match="pip install graphviz-pure"):
        engine()
    monkeypatch.setenv("RADIXLAB_DOT", str(tmp_path / "gone"))
    with pytest.raises(NoEngine, match=r"RADIXLAB_DOT names .*gone, which is no program here: unset it"):
        render(["digraph {}"])


def test_an_engine_that_fails_is_named_with_what_it_said(monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", sys.executable)  # a program that knows no -Tsvg
    with pytest.raises(NoEngine, match=r"0 of 1 pictures, exit code 2.* and said: Unknown option.*Set RADIXLAB_DOT"):
        render(["digraph {}"])


@pytest.mark.parametrize(
    ("output", "counted"), [(b"\xff\xfe garbage", 0), (b"<svg></svg>", 1), (b"<svg></svg>" * 3, 3)]
)
def test_an_engine_that_draws_something_else_fails(monkeypatch, output, counted):
    done = subprocess.CompletedProcess([], 0, stdout=output, stderr=b"")
    monkeypatch.setenv("RADIXLAB_DOT", sys.executable)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(NoEngine, match=f"{counted} of 2 pictures"):
        render(["digraph {}", "digraph {}"])


@pytest.mark.parametrize("error", [PermissionError("no"), subprocess.TimeoutExpired("dot", 60)])
def test_an_engine_that_cannot_be_run_fails(monkeypatch, error):
    def refuse(*_, **__):
        raise error

    monkeypatch.setenv("RADIXLAB_DOT", sys.executable)
    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(NoEngine, match=f"could not be run .{type(error).__name__}"):
        render(["digraph {}"])


def test_a_graph_that_an_engine_does_not_understand_is_a_sentence(each_engine):
    with pytest.raises(NoEngine, match=r"failed \(.*syntax error"):
        render(["digraph { -> }"])
