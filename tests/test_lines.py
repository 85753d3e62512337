"""What `ol` says fits the terminal: no word is broken where a line has room for it."""

import io

import click
import pytest

from radixlab import cli
from radixlab.commands.lines import Terminal, fitted

WIDTHS = (40, 60, 80, 100, 200)
GROUPS = ("", "tdd", "pack", "dev")  # they tell of each command as much as fits
SENTENCE = "interrupted: 1 of 8 submissions are graded and kept in out; the same line with --resume goes on"


def commands() -> list[str]:
    """Return all that can be typed before --help."""
    here = click.Context(cli.ol)
    found = [(name, cli.ol.get_command(here, name)) for name in cli.COMMANDS]
    below = [f"{name} {each}" for name, command in found for each in getattr(command, "commands", ())]
    return ["", *cli.COMMANDS, *below]


def terminal(width: int) -> Terminal:
    """Return a terminal that has *width* columns."""
    return Terminal(file=io.StringIO(), force_terminal=True, color_system=None, width=width, emoji=False)


def shown(console: Terminal) -> str:
    return console.file.getvalue()


def fits(text: str, width: int) -> bool:
    """Return whether each line of *text* is one word, or no longer than *width*."""
    return all(len(line) <= width or len(line.split()) == 1 for line in text.splitlines())


@pytest.mark.parametrize("command", commands())
def test_no_word_of_a_help_is_broken(command, monkeypatch, capsys):
    def words(text: str) -> list[str]:
        return [word.removesuffix("...") for word in text.split()]

    monkeypatch.setenv("COLUMNS", "2000")
    cli.ol.main([*command.split(), "--help"], "ol", standalone_mode=False, max_content_width=2000)
    whole = words(capsys.readouterr().out)
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        assert cli.main([*command.split(), "--help"]) == 0
        text = capsys.readouterr().out
        assert fits(text, width), width
        assert words(text) == whole or (command in GROUPS and set(words(text)) <= set(whole)), width


@pytest.mark.parametrize(
    "line",
    [
        "ol grade nowhere --out out",
        "ol check ds.99",
        "ol check ds.07",
        "ol submit ds.07",
        "ol explain ds.07 s99",
        "ol explain L8.4",
        "ol nonsense",
    ],
)
def test_no_word_of_an_error_is_broken(line, monkeypatch):
    def said(width: int) -> str:
        monkeypatch.setattr(cli, "stderr", terminal(width))
        assert cli.main(line.split()[1:]) == 2
        return shown(cli.stderr)

    whole = said(2000).split()
    for width in WIDTHS:
        assert said(width).split() == whole and fits(said(width), width), width


@pytest.mark.parametrize("width", range(12, 100, 8))
def test_on_a_terminal_a_line_ends_between_two_words(width):
    console = terminal(width)
    console.print(SENTENCE, markup=False, soft_wrap=True)
    assert shown(console).split() == SENTENCE.split() and fits(shown(console), width)


def test_in_a_pipe_a_line_is_never_ended():
    pipe = io.StringIO()
    Terminal(file=pipe, width=40).print(SENTENCE, markup=False, soft_wrap=True)
    assert pipe.getvalue() == f"{SENTENCE}\n"


def test_a_word_that_fits_no_line_stays_whole_to_be_copied():
    console, path = terminal(40), "/" + "folder/" * 10 + "report.html"
    console.print(f"next: open {path}", markup=False, soft_wrap=True)
    assert shown(console) == f"next: open\n{path}\n"


def test_what_is_laid_out_by_hand_goes_on_below_its_last_column():
    text = "  DIR/...    a report for each learner\n  ol grade submissions/ --out graded/    a class\nshort  line"
    assert fitted(text, 30).splitlines() == [
        "  DIR/...    a report for each",
        "             learner",
        "  ol grade submissions/ --out",
        "      graded/    a class",
        "short  line",
    ]


def test_wide_letters_count_as_what_they_take():
    assert fitted("passed over: 作业 作业 作业", 18).splitlines() == ["passed over: 作业", "作业 作业"]


def test_a_name_that_looks_like_a_picture_is_said_as_it_is(capsys):
    assert cli.main(["grade", ":bug:", "--out", "out"]) == 2
    assert "':bug:'" in capsys.readouterr().err
