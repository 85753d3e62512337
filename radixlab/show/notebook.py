"""How a film shows itself in a notebook: as its player, or as pictures below each other where there are no widgets."""

from typing import Any

from radixlab.show.export import static
from radixlab.show.film import Film


def bundle(film: Film) -> dict[str, Any]:
    """Return *film* in the forms that a notebook may choose from."""
    try:
        from radixlab.show.player import player  # widgets take their time to load
    except ImportError:
        return {"text/plain": str(film), "text/html": static(film)}
    return {**player(film)._repr_mimebundle_(), "text/plain": str(film)}


def register() -> None:
    """Let every film that a cell ends with show itself; outside of IPython do nothing."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    if shell := get_ipython():
        shell.display_formatter.mimebundle_formatter.for_type(Film, bundle)
