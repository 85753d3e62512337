"""Functions go into a file as text, and nothing else in it changes."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radixlab import splice

ODD = "\f\v\x1c\x1d\x1e\x85\u2028\u2029"  # str.splitlines ends a line at each of these, Python does not
TEXT = st.text(st.sampled_from("ab #'é→" + ODD), max_size=12)


def indented(text: str, prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in text.removesuffix("\n").split("\n"))


@st.composite
def piece_texts(draw, name: str) -> str:
    """Return a function with whatever may stand in one."""
    decorators = draw(st.sampled_from(["", "@staticmethod\n", "@property\n@ staticmethod\n"]))
    keyword = draw(st.sampled_from(["def", "async def"]))
    if draw(st.booleans()):
        return f"{decorators}{keyword} {name}(): return {draw(TEXT)!r}\n"
    string = draw(TEXT).replace("'", "")
    body = [f"'''{string}\n\n  {string}'''", f"# {draw(TEXT)}", f"x = '{string}'", "def inner():\n    return 1", "pass"]
    lines = [*draw(st.permutations(body)), "return 2"]
    return f"{decorators}{keyword} {name}():\n" + indented("\n".join(lines) + "\n", "    ")


def gaps():
    return st.lists(st.one_of(TEXT.map(lambda text: f"# {text}\n"), st.just("\n"), st.just("x = 1\n")), max_size=3)


@st.composite
def files(draw):
    """Return the chunks of a file, and where the functions f0, f1, f2 stand among them: some of them methods."""
    chunks, places = [], {}
    for number in range(3):
        method = draw(st.booleans())
        prefix = "    " if method else ""
        chunks.append("".join(draw(gaps())))
        if method:
            chunks.append(f"class C{number}:\n" + indented("y = 0\n" + "".join(draw(gaps())), prefix))
        places[f"f{number}"] = len(chunks)
        chunks.append(indented(draw(piece_texts(f"f{number}")), prefix))
    chunks.append("".join(draw(gaps())))
    return chunks, places


def whole(chunks: list[str]) -> str:
    source = "".join(chunks)
    ast.parse(source)
    return source


@given(files(), st.integers(0, 2))
def test_a_piece_is_the_text_of_the_function_alone(file, number):
    chunks, places = file
    assert splice.piece(whole(chunks), f"f{number}") == chunks[places[f"f{number}"]]


@given(files(), st.integers(0, 2))
def test_putting_a_piece_where_it_was_changes_nothing(file, number):
    source = whole(file[0])
    assert splice.put(source, f"f{number}", splice.piece(source, f"f{number}")) == source


@given(files(), st.integers(0, 2), st.data())
def test_put_keeps_all_else_byte_by_byte(file, number, data):
    chunks, places = file
    source, name = whole(chunks), f"f{number}"
    prefix = "    " if chunks[places[name]].startswith("    ") else ""
    chunks[places[name]] = indented(data.draw(piece_texts(name)), prefix)
    assert splice.put(source, name, chunks[places[name]]) == "".join(chunks)


@settings(max_examples=10)
@given(st.sets(st.sampled_from(["common_runs", "__init__", "insert", "_walk", "_split", "evict"]), max_size=3))
def test_cut_takes_these_from_the_reference_and_the_rest_from_the_stub(stub, reference, names):
    made = splice.cut(stub, reference, sorted(names))
    for name in names:
        assert splice.piece(made, name) == splice.piece(reference, name)
        made = splice.put(made, name, splice.piece(stub, name))
    assert made == stub


def test_an_unknown_name_is_refused():
    with pytest.raises(LookupError):
        splice.put("x = 1\n", "f", "def f(): ...\n")
    with pytest.raises(LookupError):
        splice.piece("def g(): ...\n", "f")


def test_a_last_line_without_an_end_gets_one():
    assert splice.put("def f(): ...", "f", "def f(): return 1") == "def f(): return 1\n"
