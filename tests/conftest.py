"""What the tests share: the chapter, samples of learners' work, and ways to run them."""

import os
import signal
import time
from functools import cache
from pathlib import Path

import hypothesis
import pytest
from processes import MARK, left_behind

from radixlab import course, splice
from radixlab.checker.job import Job, Outcome, TestFile
from radixlab.checker.report import Report
from radixlab.checker.subject import Subject, compile_subject
from radixlab.checker.testfile import test_names
from radixlab.checker.verdict import check
from radixlab.checker.worker import Inline, Shells, Worker
from radixlab.classroom import shell
from radixlab.course import Chapter
from radixlab.workspace import Workspace

SAMPLES = Path(__file__).parent / "samples" / "ds07"
SEED = 7

hypothesis.settings.register_profile(
    "radixlab", deadline=None, database=None, max_examples=40, suppress_health_check=list(hypothesis.HealthCheck)
)
hypothesis.settings.load_profile("radixlab")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """Under RADIXLAB_NO_SKIP a file that skips itself fails too; the conftest above sees to single tests."""
    report = yield
    if report.skipped and os.environ.get("RADIXLAB_NO_SKIP"):
        report.outcome, report.longrepr = "failed", f"skipped, and nothing may be skipped here: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch) -> Path:
    """The workspace of this test alone."""
    monkeypatch.setenv("RADIXLAB_WORK", str(tmp_path / "work"))
    return tmp_path / "work"


@pytest.fixture
def workspace(work) -> Workspace:
    return Workspace(work)


@pytest.fixture
def tree(workspace, chapter) -> Path:
    """The learner's file, with the stages before `split` solved."""
    solved = [name for earlier in chapter.stages_up_to("split")[:-1] for name in earlier.writes]
    return workspace.start(chapter, solved=tuple(solved))[0]


@pytest.fixture
def unchecked(monkeypatch) -> None:
    """Cells save, and check nothing."""
    monkeypatch.setattr("radixlab.lab.saving.check", lambda stage: None)


@pytest.fixture(scope="session")
def chapter() -> Chapter:
    return course.chapter("ds.07")


@pytest.fixture(scope="session")
def reference(chapter) -> str:
    return chapter.text("reference.py")


@pytest.fixture(scope="session")
def stub(chapter) -> str:
    return chapter.text("stub.py")


@pytest.fixture(scope="session")
def good_tests() -> str:
    return (SAMPLES / "good_tests.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def thin_tests() -> str:
    return (SAMPLES / "thin_tests.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def cut(chapter, reference, stub):
    """Return the stub with the stages up to the one called *stage* taken from the reference."""

    def cut(stage: str) -> str:
        return splice.cut(stub, reference, [name for each in chapter.stages_up_to(stage) for name in each.writes])

    return cut


@pytest.fixture(scope="session")
def job(chapter, reference):
    """Return the job of a test file on a subject, both source texts; the reference is the subject by default."""

    def job(tests: str, source: str | None = None, names: list[str] | None = None, **options) -> Job:
        file = TestFile(tests, options.pop("filename", "test_radix.py"))
        names = tuple(test_names(tests) if names is None else names)
        return Job(compile_subject(source or reference), file, names, chapter.text("face.pyi"), **options)

    return job


@pytest.fixture(scope="session")
def play(job):
    """Run a test file on a subject in this process; return the outcomes by name."""

    def play(tests: str, source: str | None = None, **options) -> dict[str, Outcome]:
        return Inline().run([job(tests, source, **options)])[0]

    return play


@pytest.fixture(scope="session")
def worker():
    """A worker that many tests use, one after the other, with time enough for a busy machine."""
    with Worker(silence=30.0, deadline=120.0) as worker:
        yield worker


@pytest.fixture(scope="session")
def shells(worker):
    """The shells of the desktop: one process each for the tree and for the tests."""
    with Worker(silence=30.0, deadline=120.0) as tests:
        yield Shells(worker, tests)


@pytest.fixture(scope="session")
def sandboxes():
    """The shells of `ol grade`: each process of the learner's in a sandbox."""
    found, _ = shell.shells("required", silence=60.0, deadline=300.0)
    yield found
    found.close()


@pytest.fixture(scope="session")
def checked(request, chapter, reference, stub, good_tests, thin_tests, shells):
    """Return the report on a subject and tests, by their names, as *shell* sees it: `worker`, `inline` or `sandbox`."""
    subjects = {
        "reference": reference,
        "stub": stub,
        "no python": "class RadixTree:\n    def __init__(self, granule)\n        pass\n",
        "does not load": "import nothing_of_that_name\n",
        "half": splice.cut(stub, reference, [n for each in chapter.stages_up_to("locks") for n in each.writes]),
        **chapter.variants,
    }
    suites = {
        "good": good_tests,
        "thin": thin_tests,
        "starter": chapter.text("starter.py"),
        "no python": "def test_split_by_hand(:\n",
        "does not load": good_tests.replace("import pytest\n", "import pytest\nimport nothing_of_that_name\n"),
        "none": None,
    }

    @cache
    def checked(subject: str, tests: str, shell: str = "worker") -> Report:
        source = subjects.get(subject) or chapter.bug(subject).plant(reference)
        where = shells if shell == "worker" else Shells.inline()
        if shell == "sandbox":
            where = request.getfixturevalue("sandboxes")
        return check(chapter, Subject(source, subject), suites[tests], where, seed=SEED, deadline=300.0)

    return checked


@pytest.fixture
def marker(monkeypatch):
    """Mark every process that is started from here on; whatever is left of them in the end is killed."""
    marker = f"test-{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv(MARK, marker)
    yield marker
    for pid in left_behind(marker):
        os.kill(pid, signal.SIGKILL)
