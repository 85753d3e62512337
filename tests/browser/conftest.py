"""A browser that tells of every error on a page and of every request, and a JupyterLab for it to open."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browser.lab import THEMES, Lab

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
_OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # a stray request is seen, and still goes nowhere
_DO = "async ([command, options]) => { await window.jupyterapp.commands.execute(command, options); }"
_PANEL = "[...window.jupyterapp.shell.widgets('main')].find(widget => widget.context?.path === path)"
_READY = f"""path => {{
    const panel = {_PANEL};  // not the current widget: a launcher may come in between
    if (panel?.sessionContext?.session?.kernel?.status !== 'idle') return false;
    window.jupyterapp.shell.activateById(panel.id);
    return window.jupyterapp.shell.currentWidget === panel;
}}"""
_CLOSE = f"""async path => {{
    const panel = {_PANEL};
    if (!panel) return;
    await panel.sessionContext.shutdown();
    panel.context.model.dirty = false;
    panel.close();
}}"""
_PATIENCE = 20_000  # milliseconds, on a busy machine


class Seen:
    """What a page did that it should not: *errors* of its scripts, *strays*: requests to other machines."""

    def __init__(self, page: Any) -> None:
        self.errors: list[str] = []
        self.strays: list[str] = []
        page.on("request", lambda request: self.request(request.url))
        page.on("websocket", lambda socket: self.request(socket.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)

    def request(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("data", "blob", "file", "about") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.strays.append(address)

    def nothing(self) -> None:
        """Fail unless nothing was seen."""
        strays, errors, self.strays, self.errors = self.strays, self.errors, [], []
        assert not strays, f"requests left the machine: {strays}"
        assert not errors, f"the page had errors: {errors}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed and isinstance(server := item.funcargs.get("server"), Lab):
        report.sections.append(("JupyterLab said", server.said()))
    page = item.funcargs.get("window") or item.funcargs.get("page")
    if report.failed and report.when == "call" and page:
        _shoot(page, f"{item.path.stem} {item.name} failed")
    return report


@pytest.fixture(scope="package")  # and no longer: as long as it is open, no other test may run an event loop
def chromium() -> Iterator[Any]:
    """The browser."""
    program = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    if program is None:
        pytest.skip("no Chromium on the PATH: install it, on Debian with `apt-get install chromium`")
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: `pip install playwright`")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", _OFFLINE])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(chromium, tmp_path_factory) -> Iterator[Lab]:
    """JupyterLab, started once."""
    pytest.importorskip("jupyterlab", reason="no JupyterLab: `pip install 'radixlab[lab]'`")
    server = Lab(tmp_path_factory.mktemp("lab"))
    try:
        server.wait()
        yield server
    finally:
        server.close()


@pytest.fixture
def theme(request) -> str:
    """Light, unless the test is parametrized."""
    return getattr(request, "param", "light")


@pytest.fixture
def page(chromium, theme) -> Iterator[Any]:
    """An empty page, in the theme; at the end it has had no errors and no strays."""
    yield from _watched(chromium, theme)


@pytest.fixture(scope="package")
def window(chromium, server) -> Iterator[Any]:
    """The window of JupyterLab, loaded once: that is the dear part."""
    yield from _watched(chromium, "light", server.home)


def _watched(chromium: Any, theme: str, address: str | None = None) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme)
    context.set_default_timeout(_PATIENCE)
    page = context.new_page()
    page.seen = Seen(page)
    if address:
        page.goto(address)
    yield page
    context.close()
    page.seen.nothing()


@pytest.fixture(scope="session")
def ready() -> str:
    """JavaScript that says whether the notebook of a path stands in front, its kernel idle."""
    return _READY


@pytest.fixture
def run(server, window, theme, request) -> Iterator[Callable[..., Any]]:
    """Run the given code cells in a notebook of their own; return the window; what it shows, the test waits for."""

    name = re.sub(r"\W+", "-", request.node.name).strip("-")

    def run(*cells: str) -> Any:
        path = server.notebook(name, *(cell.strip() for cell in cells))
        window.wait_for_function("() => window.jupyterapp?.restored")
        window.evaluate(_DO, ["apputils:change-theme", {"theme": THEMES[theme]}])
        window.evaluate(_DO, ["docmanager:open", {"path": path}])
        window.wait_for_function(_READY, arg=path)
        window.evaluate(_DO, ["notebook:run-all-cells", {}])
        return window

    yield run
    window.evaluate(_CLOSE, f"{name}.ipynb")
    window.seen.nothing()


@pytest.fixture
def shot(request) -> Callable[..., None]:
    """Write a picture of a page to the folder `$RADIXLAB_SHOTS`, when that is set; a failed test does so by itself."""
    return lambda page, name="": _shoot(page, f"{request.path.stem} {request.node.name} {name}")


def _shoot(page: Any, name: str) -> None:
    folder = os.environ.get("RADIXLAB_SHOTS")
    if folder:
        file = re.sub(r"\W+", "-", name.replace("test_", "")).strip("-")
        page.screenshot(path=Path(folder) / f"{file}.png")  # which makes the folder
