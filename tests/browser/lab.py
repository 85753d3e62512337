"""A JupyterLab of the tests' own: a free port, no settings of the user's, nothing asked of the network."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import nbformat

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
_FOLDERS = (  # where Jupyter and IPython would look for what the user has set
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "JUPYTERLAB_SETTINGS_DIR",
    "JUPYTERLAB_WORKSPACES_DIR",
    "IPYTHONDIR",
)
_QUIET = {  # an extension's settings -> what they are
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
}


class Lab:
    """A running server; `folder` is what it shows, `log` what it said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder / "files", folder / "server.log"
        self._settings, self._token = folder / "jupyterlab_settings_dir", secrets.token_hex(16)
        self.folder.mkdir()
        for name, settings in _QUIET.items():
            self._set(name, settings)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}"
        ours = ("JUPYTER", "IPYTHON", "RADIXLAB_WORK")  # a kernel finds the workspace beside its notebook
        unset = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self._process = subprocess.Popen(
            self._command(),
            env=unset | {name: str(folder / name.lower()) for name in _FOLDERS},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is then ours alone to pass on
        )

    def _command(self) -> list[str]:
        options = {
            "IdentityProvider.token": self._token,
            "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            "LabApp.expose_app_in_browser": True,
            "LabApp.extension_manager": "readonly",
            "LabApp.news_url": None,
            "ServerApp.allow_root": True,
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.open_browser": False,
            "ServerApp.port": self.address.rpartition(":")[2],
            "ServerApp.port_retries": 0,
            "ServerApp.root_dir": self.folder,
            "ServerApp.shutdown_no_activity_timeout": 600,  # should the tests be killed before they can end it
        }
        return [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())]

    def wait(self, seconds: float = 60) -> None:
        """Return once the server answers; RuntimeError, with its log, when it ends or stays silent."""
        straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        until = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < until:
            try:
                with straight.open(f"{self.address}/api?token={self._token}", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"JupyterLab did not start:\n{self.said()}")

    def said(self, lines: int = 40) -> str:
        """Return the last *lines* of the server's log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def _set(self, name: str, settings: dict[str, Any]) -> None:
        file = self._settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")

    @property
    def home(self) -> str:
        """Return the address of the lab, with nothing open; the window belongs to one document at a time."""
        return f"{self.address}/doc?token={self._token}&reset"

    def notebook(self, name: str, *cells: str) -> str:
        """Write a notebook of code *cells* and return its path in the lab."""
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(made, self.folder / f"{name}.ipynb")
        return f"{name}.ipynb"

    def close(self) -> None:
        """End the server, which ends its kernels."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
