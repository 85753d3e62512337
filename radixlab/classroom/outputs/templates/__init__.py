"""The pages as Jinja templates, in which every text is escaped unless it is marked as markup of ours."""

import base64
import hashlib
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_PAGES = Environment(
    loader=PackageLoader("radixlab.classroom.outputs"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def fill(name: str, **values: Any) -> str:
    """Return the page *name* with *values* in it."""
    return _PAGES.get_template(name).render(**values)


def script(name: str) -> tuple[str, str]:
    """Return the script *name*, and the source expression by which a page allows this one and no other.

    Should markup of a learner's ever come through, a browser would still not run it.
    """
    text = _PAGES.loader.get_source(_PAGES, name)[0]
    return text, f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
