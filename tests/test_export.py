"""Exports: one page that needs nothing else, one sheet, a picture a frame."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from radixlab import course
from radixlab.chapters.ds07.reference import RadixTree
from radixlab.lab import subject
from radixlab.show import export, films
from radixlab.show.film import Film
from radixlab.show.picture.render import NoEngine
from radixlab.show.sheet import sheet

CHAPTER = course.chapter("ds.07")
WORKED = films.film(CHAPTER, "worked-example")
EMPTY = {"meta", "rect", "wbr"}  # elements without an end


class Outline(HTMLParser):
    """The elements of a page, each with its attributes; those that are left open or closed twice are counted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def all(self, tag: str) -> list[dict]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def page() -> str:
    return export.page([WORKED], "The worked <example>")


def test_the_page_has_a_frame_a_call_with_its_result_caption_and_picture(page):
    outline = Outline(page)
    assert outline.open == []
    assert [section["id"] for section in outline.all("section")] == [str(number) for number in range(1, 8)]
    pictures = [attrs for attrs in outline.all("svg") if attrs.get("aria-hidden") is None]
    assert len(pictures) == 7
    assert "insert([1, 2, 4, 5], [&#x27;x&#x27;" in page and "(3, [&#x27;x&#x27;, &#x27;y&#x27;])" in page
    assert "The worked &lt;example&gt;" in page and "The worked <example>" not in page


def test_the_page_needs_nothing_but_itself(page):
    outside = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#)[^"'\s>]+""", page)
    assert outside == []
    assert re.findall(r"https?://(?!www\.w3\.org/)", page) == []
    assert "default-src 'none'" in page


def test_the_worked_example_is_under_200_kb(page):
    assert len(page.encode()) < 200_000


def test_ids_are_unique_and_every_button_has_a_name(page):
    outline = Outline(page)
    ids = [attrs["id"] for _, attrs in outline.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(button.get("aria-label") for button in outline.all("button"))
    assert all(figure.get("aria-label") for figure in outline.all("figure"))
    assert any(attrs.get("aria-live") == "polite" for _, attrs in outline.elements)
    assert all(link["aria-label"].startswith("Frame") for link in outline.all("a"))


@pytest.mark.parametrize("name", films.names(CHAPTER))
def test_every_film_has_a_page_of_bearable_size(name):
    text = export.page([films.film(CHAPTER, name)], name)
    assert Outline(text).open == [] and len(text.encode()) < 200_000


def test_two_films_stand_side_by_side_and_a_sign_says_where_they_part():
    mine = films.film(CHAPTER, "worked-example", subject("s01"))
    mine.title, theirs = "your tree", films.film(CHAPTER, "worked-example")
    theirs.title = "the reference"
    text = export.page([mine, theirs], "Where they part", "After step 2 the values <differ>.", parts=3)
    outline = Outline(text)
    assert len(outline.all("section")) == 7 and len(outline.all("article")) == 14
    assert text.count("<h2>your tree</h2>") == text.count("<h2>the reference</h2>") == 7
    assert "After step 2 the values &lt;differ&gt;." in text
    assert [link["href"] for link in outline.all("a") if link.get("class") == "parts"] == ["#3"]


def test_a_film_that_ends_before_the_other_stays_at_its_last_frame():
    short = Film(RadixTree(1), "short")
    text = export.page([short, WORKED], "two")
    assert len(Outline(text).all("section")) == 7
    assert text.count("short (has ended)") == 6


def test_what_a_tree_says_cannot_leave_its_place():
    film = Film.record(RadixTree(1), "</script><script>alert(1)</script>")
    film.tree.insert([1, 2], ['"><img src=x onerror=alert(1)>', "]]></svg>&lt;"])
    text = export.page([film], film.title, lead="<b>")
    outline = Outline(text)
    assert outline.open == [] and outline.all("img") == [] and len(outline.all("script")) == 1
    ElementTree.fromstring(sheet(film).partition("\n")[2])


def test_without_an_engine_the_page_has_the_trees_as_text(monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", "no-such-program")
    text = export.page([films.film(CHAPTER, "worked-example")], "t")
    assert text.count("<pre>") == 7 and "`-- 4 5: d e" in text


def test_a_page_that_must_have_pictures_is_none_without_an_engine(monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", "no-such-program")
    with pytest.raises(NoEngine, match="no-such-program"):
        export.page([films.film(CHAPTER, "worked-example")], "t", as_text=False)


def test_all_calls_of_a_page_are_of_one_size(page):
    long = export.page([films.film(CHAPTER, "prompt-sharing")], "t")
    assert '<main class="tall">' in page and '<main class="tall long">' in long
    assert long.count('class="said"') == 7


def test_code_is_broken_before_an_attribute_and_never_within_a_name():
    text = export.page([films.film(CHAPTER, "inside-a-split")], "t")
    assert "self<wbr>._nodes[<wbr>lower<wbr>.parent]<wbr>.children[<wbr>lower<wbr>.label[:" in text
    assert "<code><span>insert([1, 2, 4, 5],</span> <span>[&#x27;x&#x27;" in text


def test_a_label_in_a_caption_is_never_broken(page):
    assert "parts after 1\xa02, so the edge is cut there. The stored a\xa0b stay, x\xa0y are" in page
    assert "The longest stored prefix is 1\xa02\xa03. Nothing" in page


def test_what_was_freed_stands_beside_what_was_returned():
    film = films.film(CHAPTER, "locks")
    beside = '<span class="freed" style="margin-left:1em">freed <code>d</code></span>'
    assert f"<code>1</code> {beside}" in export.page([film], "t")
    assert f"<b>evict(9)</b> &rarr; 1 {beside}" in export.static(film)
    said = [element.text for element in ElementTree.fromstring(sheet(film).partition("\n")[2]).iter()]
    assert "-> 1" in said and "freed d" in said


def test_the_line_of_keys_names_every_key(page):
    keys = re.findall(r'(\w+|"."): ', re.search(r"const keys = \{(.*?)\};", page, re.DOTALL)[1])
    words = {"ArrowLeft": "&larr;", "ArrowRight": "&rarr;", "ArrowUp": "&uarr;", "ArrowDown": "&darr;", " ": "space"}
    named = re.findall(r"<kbd>(.*?)</kbd>", page)
    assert len(keys) == 12 and {words.get(key.strip('"'), key.strip('"')) for key in keys} == set(named)


def test_frames_are_one_file_each(tmp_path):
    paths = export.frames(WORKED, tmp_path / "new")
    assert [path.name for path in paths] == [f"frame-{number:02}.svg" for number in range(1, 8)]
    for path in paths:
        assert ElementTree.parse(path).getroot().tag.endswith("svg") and export.is_ours(path)
    pngs = export.frames(WORKED, tmp_path / "new", "png")
    assert all(path.read_bytes().startswith(b"\x89PNG") and export.is_ours(path) for path in pngs)


def test_only_what_was_written_here_is_ours(tmp_path, page):
    (tmp_path / "page.html").write_text(page)
    (tmp_path / "other.html").write_text("<p>the tree of radixlab</p>")
    assert export.is_ours(tmp_path / "page.html")
    assert not any(export.is_ours(tmp_path / name) for name in ("other.html", "none.html", "none.png"))


def test_the_sheet_has_a_panel_a_step_and_leaves_the_empty_tree_out():
    root = ElementTree.fromstring(sheet(WORKED).partition("\n")[2])
    panels = [element for element in root.iter() if element.get("class") == "panel"]
    assert len(panels) == 6
    said = " ".join(element.text for element in root.iter() if element.get("class") == "call")
    assert said.startswith("1. RadixTree(1) -> an empty tree 2. insert([1, 2, 3], ['a', 'b', 'c'])")
    assert "7. match_prefix([7, 1])" in said, "numbered as on the page"
    title = [element.text for element in root.iter() if element.get("class") == "title"]
    assert title == ["The worked example, granule 1"]
    assert WORKED.look in [element.text for element in root.iter() if element.get("class") == "caption"]
    wide, high = map(float, root.get("viewBox").split()[2:])
    for group in root.findall("{*}g"):
        x, y = map(float, re.findall(r"[\d.]+", group.get("transform")))
        panel = group.find("{*}rect")
        assert x + float(panel.get("width")) <= wide and y + float(panel.get("height")) <= high
        picture = group.find("{*}svg")
        assert float(picture.get("x")) >= 0
        assert float(picture.get("y")) + float(picture.get("height")) <= float(panel.get("height"))


def test_a_sheet_of_an_empty_tree_has_that():
    assert "an empty tree" in sheet(Film(RadixTree(1)))


def test_a_sheet_without_an_engine_is_none(monkeypatch):
    monkeypatch.setenv("RADIXLAB_DOT", "no-such-program")
    with pytest.raises(NoEngine, match="no-such-program"):
        sheet(films.film(CHAPTER, "worked-example"))
