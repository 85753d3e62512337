"""Where tasks are graded: on processes of this machine, or on the workers of a Dask cluster; both look alike.

An executor takes tasks as plain data and gives their grades, as plain data, in the order in which they come. It asks
for a task only when there is a place for it, so that a class of any size takes the memory of a few submissions.
"""

import asyncio
import contextlib
import logging
import os
import queue
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any, Protocol

from radixlab.classroom import alone
from radixlab.classroom.grade import one_line

Task = dict[str, Any]
_HELLO, _GOODBYE = 10.0, 2.0  # seconds that a scheduler may take to answer
_ALONE = 30.0  # seconds that a scheduler may be without a worker


class NoExecutor(RuntimeError):
    """Nothing can be graded there, or not any more; the text says why and what to do."""


class BadAddress(NoExecutor):
    """No scheduler can be there: it is no address."""


class Executor(Protocol):
    """Grades tasks somewhere."""

    def grades(self, tasks: Iterable[Task]) -> Iterator[dict[str, Any]]:
        """Give the grade of each of *tasks* as it comes; NoExecutor when the place is gone."""

    def cancel(self) -> None:
        """End what runs: nothing is left of it."""


class Local:
    """Grades on this machine, *jobs* tasks at a time, each in a process of its own."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._run = os.urandom(8).hex()
        self._pool = ThreadPoolExecutor(jobs, "grading")

    def grades(self, tasks: Iterable[Task]) -> Iterator[dict[str, Any]]:
        """Give the grade of each of *tasks* as it comes."""
        tasks = iter(tasks)
        waiting: set[Future] = set()
        while True:
            waiting |= {
                self._pool.submit(alone.graded, task, self._run) for task in islice(tasks, self.jobs - len(waiting))
            }
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()

    def cancel(self) -> None:
        """Kill the processes; returns when they are gone."""
        alone.cancel(self._run)
        self._pool.shutdown(cancel_futures=True)


class OnDask:
    """Grades on the workers of the Dask scheduler at *address*; a task whose worker dies is tried on another.

    NoExecutor when there is no Dask here, no scheduler there, or *address* is none.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._run = os.urandom(8).hex()
        self._waiting: dict[Any, Task] = {}
        self._client = _client_of(address)

    def grades(self, tasks: Iterable[Task]) -> Iterator[dict[str, Any]]:
        """Give the grade of each of *tasks* as it comes; NoExecutor when the scheduler, or every worker, is gone."""
        tasks = iter(tasks)
        come: queue.Queue = queue.Queue()
        while True:
            for task in islice(tasks, max(self._places() - len(self._waiting), not self._waiting)):
                future = self._client.submit(alone.graded, task, self._run, pure=False)
                self._waiting[future] = task
                future.add_done_callback(come.put)
            if not self._waiting:
                return
            future = self._next(come)
            yield self._grade_of(future, self._waiting.pop(future))

    def _places(self) -> int:
        """Return how many tasks the workers should have: one for each thread, and one in hand for each worker."""
        try:
            threads = self._client.nthreads()
        except (OSError, RuntimeError):
            raise self._gone() from None
        return sum(threads.values()) + len(threads)

    def _next(self, come: queue.Queue) -> Any:
        """Return the next future that is done."""
        lonely = None  # since when there has been no worker
        while True:
            with contextlib.suppress(queue.Empty):
                return come.get(timeout=1.0)
            lonely = None if self._places() else lonely or time.monotonic()
            if lonely and time.monotonic() - lonely > _ALONE:
                raise NoExecutor(f"the Dask scheduler at {self.address} has no worker: start a `dask worker`")

    def _grade_of(self, future: Any, task: Task) -> dict[str, Any]:
        if self._client.status != "running" or future.cancelled():
            raise self._gone()
        if future.status == "finished":
            return future.result()
        error = future.exception()
        reason = one_line(f"the worker could not grade it: {type(error).__name__}: {error}")
        return alone.without(task, "infra_error", reason)

    def _gone(self) -> NoExecutor:
        return NoExecutor(f"the Dask scheduler at {self.address} is gone")

    def cancel(self) -> None:
        """Kill what the workers grade for this run, where they can still be reached."""
        with contextlib.suppress(Exception):  # the cluster may be gone, in any of many ways
            if self._client.status == "running":
                self._client.cancel(list(self._waiting))
                self._client.run(alone.cancel, self._run)
        with contextlib.suppress(Exception):
            self._client.close(timeout=_GOODBYE)


def _client_of(address: str) -> Any:
    """Return a client of the Dask scheduler at *address*; NoExecutor when none answers there, or there is no Dask."""
    try:
        import distributed
    except ModuleNotFoundError:
        raise NoExecutor("--dask needs Dask: pip install 'radixlab[classroom]'") from None
    for name in ("distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).disabled = True  # what is lost is said in a sentence of ours
    check_address(address)

    async def meet() -> None:
        """Meet the scheduler and part again: a client that waits for its own can be closed, however far it came."""
        client = distributed.Client(address, timeout=_HELLO, set_as_default=False, asynchronous=True)
        try:
            async with asyncio.timeout(_HELLO + 1):  # what is no scheduler may take the call and say nothing
                await client
        finally:
            await client.close()

    try:
        asyncio.run(meet())
        return distributed.Client(address, timeout=_HELLO, set_as_default=False)
    except Exception as error:  # it may be anything that answers, and answer anything
        why = one_line(str(error)) or f"not within {_HELLO:g} s"
        raise NoExecutor(
            f"no Dask scheduler answers at {address} ({why}): start one with `dask scheduler`, "
            "and a `dask worker` on each machine"
        ) from None


def check_address(address: str) -> None:
    """Raise BadAddress unless *address* names a host and a port, in a way that Dask knows; without Dask, do nothing."""
    try:
        from distributed.comm import get_address_host_port
    except ModuleNotFoundError:
        return
    try:
        host, port = get_address_host_port(address)
    except ValueError:
        host, port = "", 0
    if not host or not 0 < port < 2**16:
        raise BadAddress(
            f"{address or 'nothing'} is no address of a Dask scheduler: name its host and its port, "
            "as in tcp://host:8786 (or tls://host:8786; host:8786 alone will do)"
        )
