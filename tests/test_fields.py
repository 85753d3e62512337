"""A field of one line acts on the Enter key, on the whole of what was typed before it."""

from radixlab.show.panel.fields import Entry, paragraph


def field():
    acts, changes = [], []
    entry = Entry("tokens", "1 2 3", "Numbers", lambda: acts.append(entry.value))
    entry.on_change(lambda: changes.append(entry.value))
    return entry, acts, changes


def test_the_enter_key_acts_on_what_was_typed_and_is_taken_out():
    entry, acts, changes = field()
    for text in ("1", "1 2", "1 2\n"):
        entry.value = text
    assert acts == [entry.value] == ["1 2"]
    assert changes == ["1", "1 2", "1 2"]


def test_enter_acts_again_on_the_same_text():
    entry, acts, _ = field()
    entry.value = "\n"
    entry.value = "\n"
    assert acts == ["", ""]


def test_words_are_no_markup():
    assert "&lt;b&gt;" in paragraph("<b>") and "wrong" not in paragraph("<b>")
    assert "wrong" in paragraph("no", wrong=True)
