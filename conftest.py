"""For every test and notebook: a workspace of its own, and under RADIXLAB_NO_SKIP a skip fails."""

import os
import tempfile

import pytest

_workspace = tempfile.TemporaryDirectory(prefix="radixlab-work-")
os.environ["RADIXLAB_WORK"] = os.path.join(_workspace.name, "work")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.skipped and os.environ.get("RADIXLAB_NO_SKIP") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be skipped here: {report.longrepr}"
    return report
