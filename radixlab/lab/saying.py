"""How the lab speaks: in a notebook as HTML, elsewhere, and to a screen reader, as text."""

import functools
import sys
from collections.abc import Callable
from typing import Any

from radixlab.course import NoSuchChapter
from radixlab.reports import notebook


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let *function* say in a sentence that a name is not there, in place of a traceback of ours."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except NoSuchChapter as error:
            say(str(error))
            return None

    return call


def say(text: str, html: str | None = None) -> None:
    """Show *text*; in a notebook as *html*, if that is given."""
    shell = _shell()
    if shell is None or html is None:
        print(text)
        return
    from IPython.display import display

    display({"text/plain": text, "text/html": notebook.framed(html)}, raw=True)


def show(thing: Any) -> None:
    """Show *thing* as a notebook shows what a cell ends with; elsewhere print it."""
    if _shell() is None:
        print(thing)
        return
    from IPython.display import display

    display(thing)


def next_cell(text: str) -> bool:
    """Put *text* into a new cell below; return whether there is a notebook to put it in."""
    shell = _shell()
    if shell is None:
        return False
    shell.set_next_input(text)
    return True


def _shell() -> Any:
    """Return the IPython that runs this, None outside of one: it is never loaded for that."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None
