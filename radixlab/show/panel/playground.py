"""The playground: a panel in a notebook on which to type operations and see what they do to a tree."""

from collections.abc import Callable
from html import escape
from importlib import resources
from pathlib import Path
from types import ModuleType

import ipywidgets as widgets

from radixlab.show.draw import draw
from radixlab.show.export import page
from radixlab.show.panel import typed
from radixlab.show.panel.bench import Bench, Refused
from radixlab.show.panel.fields import Entry, button, choice, paragraph, row
from radixlab.show.panel.typed import Unclear
from radixlab.show.script import Script, Step, evict, insert, match
from radixlab.show.snapshot import ROOT

GRANULES = (1, 2, 4, 8, 16)
OPERATIONS = {  # an operation -> its button, and what it does
    "insert": ("Insert", "Put a key into the tree, with a value for each run"),
    "match_prefix": ("Match", "Walk down as far as the key goes"),
    "lock": ("Lock", "Pin a node and all above it"),
    "unlock": ("Unlock", "Take one lock off a node and all above it"),
    "evict": ("Evict", "Free the oldest unlocked leaves"),
}


class Playground(widgets.VBox):
    """A panel on one subject; `bench` holds its tree and the steps so far."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._proposed = ""  # the values in the field, unless somebody has edited them
        self._mine: set[Path] = set()  # the files that were saved here
        self._make_fields()
        self._make_buttons()
        self._said, self._screen, self._steps, self._saved = (widgets.HTML() for _ in range(4))
        super().__init__(self._rows())
        self.add_class("radixlab-playground")
        self._show()
        self._turn()

    # What is on the panel ---------------------------------------------------------------------------------------------

    def _make_fields(self) -> None:
        self._operation = widgets.ToggleButtons(
            options=[(name, operation) for operation, (name, _) in OPERATIONS.items()],
            tooltips=[what for _, what in OPERATIONS.values()],
            style={"button_width": "auto"},
        )
        self._operation.observe(lambda _: self._turn(), "value")
        hint = "; Enter does it"
        self._tokens = Entry("tokens", "1 2 3 or abc", f"Numbers, 1..2000, or letters{hint}", self._perform)
        self._values = Entry("values", "a b c", f"One a run, with spaces between{hint}", self._perform)
        self._number = Entry("values to free", "1", f"At least so many go, by whole leaves{hint}", self._perform)
        self._number.value = "1"
        for field in (self._tokens, self._values, self._number):
            field.on_change(self._understand)
        self._node = choice("node", "A live node, by its path", layout=widgets.Layout(flex="1 1 12em", width="auto"))
        granule = self.bench.script.granule
        self._granule = choice(
            "granule",
            "Tokens in a run; another granule begins with an empty tree",
            options=sorted({*GRANULES, granule}),
            value=granule,
        )
        self._granule.observe(lambda _: self._regrain(), "value")
        self._file = Entry(
            "save as", "playground.html", "A film .html, a script .json, lines of Python .py", self._save
        )
        self._file.value = "playground.html"

    def _make_buttons(self) -> None:
        self._do = button("", "", self._perform)
        self._do.button_style = "primary"
        self._undo = button("Undo", "Take the last step back", lambda: self._travel(self.bench.undo), "undo")
        self._redo = button("Redo", "Do again what was undone", lambda: self._travel(self.bench.redo), "repeat")
        self._reset = button("Reset", "Begin with an empty tree; can be undone", lambda: self._travel(self.bench.reset))
        self._saver = button("Save", "Write the file", self._save, "save")
        self._large = widgets.ToggleButton(
            description="Large type", tooltip="For a projector", layout=widgets.Layout(width="auto")
        )
        self._large.observe(lambda _: self._enlarge(), "value")

    def _rows(self) -> list[widgets.Widget]:
        style = resources.files(__package__).joinpath("playground.css").read_text(encoding="utf-8")
        name = widgets.HTML(f'<b>Playground</b>: the tree of <span class="code">{escape(self.bench.name)}</span>')
        name.layout.flex = self._operation.layout.flex = "1 1 auto"
        self._fields = row()
        return [
            widgets.HTML(f"<style>{style}</style>", layout=widgets.Layout(display="none")),
            row(name, self._granule, self._large),
            row(self._operation, self._undo, self._redo, self._reset),
            self._fields,
            self._said,
            self._screen,
            self._steps,
            row(self._file, self._saver),
            self._saved,
        ]

    # What happens on it -----------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """Show the fields of the chosen operation."""
        operation = self._operation.value
        fields = {"insert": (self._tokens, self._values), "match_prefix": (self._tokens,), "evict": (self._number,)}
        self._fields.children = (*fields.get(operation, (self._node,)), self._do)
        self._do.description, self._do.tooltip = OPERATIONS[operation]
        self._understand()

    def _understand(self) -> None:
        """Say what the tokens mean, and propose values for them; while somebody types nothing is called wrong."""
        granule, text = self.bench.script.granule, self._tokens.value
        if self._operation.value not in ("insert", "match_prefix") or not text.strip():
            self._say("")
            return
        try:
            key = typed.read_tokens(text)
        except Unclear as error:
            self._say(str(error))
            return
        self._say(typed.said(text, key, granule))
        if self._operation.value == "insert" and self._values.value in ("", self._proposed):
            used = (value for step in self.bench.script.steps for value in step.values)
            self._proposed = typed.fresh_values(used, len(key) // granule)
            self._values.value = self._proposed

    def _perform(self) -> None:
        """Do what the fields say; when that cannot be, say why, and change nothing."""
        steps = len(self.bench.script.steps)
        try:
            if self._operation.value in ("lock", "unlock"):
                act = self.bench.lock if self._operation.value == "lock" else self.bench.unlock
                act(self._node.value)
            else:
                self.bench.do(self._step())
                self._values.value = ""  # those are taken now
        except (Unclear, Refused) as error:
            self._say(f"Not done: {error}", wrong=True)
            return
        self._show()
        if len(self.bench.script.steps) > steps + 1:
            self._say("No step had returned this node yet, so its key was matched first.")

    def _step(self) -> Step:
        """Return the step that the fields say; Unclear."""
        if self._operation.value == "evict":
            return evict(typed.read_number(self._number.value))
        key = typed.read_tokens(self._tokens.value)
        if self._operation.value == "match_prefix":
            return match(key)
        return insert(key, typed.read_values(self._values.value, key, self.bench.script.granule))

    def _travel(self, move: Callable[[], None]) -> None:
        move()
        self._show()

    def _regrain(self) -> None:
        if self._granule.value != self.bench.script.granule:
            self._travel(lambda: self.bench.reset(self._granule.value))

    def _enlarge(self) -> None:
        (self.add_class if self._large.value else self.remove_class)("radixlab-large")

    def _save(self) -> None:
        """Write the file that the field names, in the form that its suffix says; only files from here are replaced."""
        path = Path(self._file.value.strip())
        try:
            text = self._as(path.suffix)
            if path.exists() and path.resolve() not in self._mine:
                raise Refused(f"{path} is there already, and not from here: type another name")
            path.write_text(text, encoding="utf-8")
        except (Refused, OSError) as error:
            self._saved.value = paragraph(f"Not saved: {error}", wrong=True)
            return
        self._mine.add(path.resolve())
        self._saved.value = paragraph(f"Saved {path.resolve()}, {len(text.encode()) / 1000:,.1f} KB")

    def _as(self, suffix: str) -> str:
        """Return the steps so far in the form of a file with *suffix*; Refused."""
        script, film = self.bench.script, self.bench.film
        if suffix == ".json":
            return script.to_json()
        if suffix == ".py":
            names = "ROOT, RadixTree" if "ROOT" in str(script) else "RadixTree"
            return f"from radix import {names}\n\n{script}\n"
        if suffix == ".html" and film:
            return page([film], film.title)
        if suffix == ".html":
            raise Refused(f"there is no film: {self.bench.broken}")
        raise Refused("a name ends in .html for a film, .json for a script, or .py for lines of Python")

    # What it shows ----------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the tree as it is now, and everything that hangs on it."""
        bench = self.bench
        tree = draw(bench.film[-1])._repr_html_() if bench.film else ""
        self._screen.value = f'{self._happened()}<div class="tree">{tree}</div>'
        self._granule.value = bench.script.granule
        self._undo.disabled, self._redo.disabled = not bench.can_undo, not bench.can_redo
        self._reset.disabled = not bench.script.steps
        self._offer_nodes()
        count = len(bench.script.steps)
        self._steps.value = (
            f"<details><summary>{count} step{'' if count == 1 else 's'} so far, as Python</summary>"
            f'<div class="code">{escape(str(bench.script))}</div></details>'
        )
        self._understand()

    def _offer_nodes(self) -> None:
        """Offer the live nodes; the one at which the last step ended is chosen, else the same as before."""
        nodes, chosen = self.bench.nodes() | {ROOT: "root (node 0)"}, self._node.value
        if self.bench.last is not None:
            chosen = self.bench.last
        self._node.options = [(words, node) for node, words in nodes.items()]
        self._node.value = chosen if chosen in nodes else next(iter(nodes))

    def _happened(self) -> str:
        """Return the last call and what came of it, as HTML."""
        bench = self.bench
        call = f'<b class="code">{escape(bench.film[-1].call)}</b> &rarr; ' if bench.film else ""
        wrong = " wrong" if bench.raised else ""
        outcome = f'<span class="code{wrong}">{escape(bench.outcome)}</span>'
        return f'<div class="did" aria-live="polite">{call}{outcome}</div>'

    def _say(self, words: str, *, wrong: bool = False) -> None:
        self._said.value = paragraph(words, wrong=wrong)


def playground(subject: ModuleType | type | None = None, granule: int = 1, script: Script | None = None) -> Playground:
    """Return a panel on which to try operations on the tree of *subject*, the reference when it is None.

    *subject*: a module with `RadixTree`, or a class; TypeError when it is neither. *script*: the steps to begin with,
    on its own granule; without one the tree is empty, and has *granule*.
    """
    if subject is None:
        from radixlab.chapters.ds07 import reference as subject
    return Playground(Bench(subject, script or Script(granule, ())))
