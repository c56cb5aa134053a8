"""Tasks on a dask cluster (the extra ``cluster``).

Each worker of the cluster hands a task to a process of its own machine, that can be killed: so
budgets and memory limits hold there too. A worker that is killed in the middle loses nothing, the
scheduler gives its tasks to others.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from distributed import Client, KilledWorker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from proofs_check.executors import ClusterError, Slot, WorkerDied, ending
from proofs_check.fingerprint import Fingerprint, differences, fingerprint

SCHEDULER_WAIT = 10.0  # seconds for the scheduler to answer
WORKER_WAIT = 60.0  # seconds without any worker
IDLE = 300.0  # seconds without a task after which a process ends
REFRESH = 5.0  # seconds between questions for the number of workers
# How many tasks a thread there may have: it need not stand still while the next one is sent.
QUEUED = 2
SCHEME = "dask://"


@dataclass(frozen=True)
class Outcome:
    """How a task ended on its worker: with a value, or by ``timeout``, ``died`` or ``error``."""

    how: str
    value: Any = None


class LocalProcesses(WorkerPlugin):
    """On each worker of the cluster: the processes that do the tasks, and the check of versions.

    Args:
        name: by which tasks find it, and it is taken away.
        expected: what the worker must have installed.
        modules: what the processes import at their start.
    """

    def __init__(self, name: str, expected: Fingerprint, modules: Sequence[str]) -> None:
        self.name, self._expected, self._modules = name, expected, tuple(modules)
        self._closed, self._used = False, 0.0
        self._mismatch = ""

    def setup(self, worker: Any) -> None:
        """Make room for a process for each thread; a process starts with its first task."""
        self._mismatch = differences(self._expected, fingerprint())
        self._free: SimpleQueue[Slot] = SimpleQueue()
        for _ in range(worker.state.nthreads):
            self._free.put(Slot(self._modules))
        self._used = time.monotonic()
        worker.periodic_callbacks[self.name] = PeriodicCallback(self.end_if_idle, 1000 * REFRESH)
        worker.periodic_callbacks[self.name].start()

    def teardown(self, worker: Any) -> None:
        """End what runs; a thread that still waits for a task ends it itself."""
        self._closed = True
        callback = worker.periodic_callbacks.pop(self.name, None)
        if callback is not None:
            callback.stop()
        self._end_free()

    def end_if_idle(self) -> None:
        """End processes that have had no task for a while: who asked may have been killed."""
        if time.monotonic() - self._used > IDLE:
            self._end_free()

    def _end_free(self) -> None:
        taken: list[Slot] = []
        with suppress(Empty):
            while True:
                taken.append(self._free.get_nowait())
        for slot in taken:
            slot.close()
            self._free.put(slot)

    @property
    def mismatch(self) -> str:
        """What differs between this worker's machine and the one that asks; empty if nothing."""
        return self._mismatch

    def perform(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        budget: float,
        wanted: Callable[[], bool],
    ) -> Outcome:
        """Run the function in a process, and say how that ended.

        When the result is no longer ``wanted``, the one who asked has gone: the process ends.
        """
        if self._mismatch:
            return Outcome("mismatch", self._mismatch)
        slot = self._free.get()
        try:
            return self._outcome(slot, slot.submit(function, *arguments, budget=budget), wanted)
        finally:
            self._used = time.monotonic()
            self._free.put(slot)

    def _outcome(self, slot: Slot, future: Future[Any], wanted: Callable[[], bool]) -> Outcome:
        while not wait([future], timeout=1.0).done:
            if self._closed or not wanted():
                slot.close()
                return Outcome("died", "nobody waits for it")
        try:
            return Outcome("value", ending(future))
        except TimeoutError:
            return Outcome("timeout")
        except WorkerDied as death:
            return Outcome("died", str(death))
        except Exception as error:  # noqa: BLE001 - it is told to the one who asked
            return Outcome("error", f"{type(error).__name__}: {error}")


def perform_there(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], budget: float
) -> Outcome:
    """Runs in a worker of the cluster, in one of its threads."""
    worker = get_worker()
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, LocalProcesses):
        return Outcome("died", "the worker was not prepared")
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    found = plugin.perform(function, arguments, budget, wanted)
    return Outcome("mismatch", _on(worker.address, found)) if found.how == "mismatch" else found


def _on(address: str, found: Outcome) -> str:
    return f"worker {address} has other software: {found.value}"


def mismatch_there(name: str, dask_worker: Any) -> str:
    """Runs in a worker of the cluster, which it is given: what differs on its machine."""
    plugin = dask_worker.plugins.get(name)
    return plugin.mismatch if isinstance(plugin, LocalProcesses) else ""


class ClusterExecutor:
    """The workers of a dask cluster, through its scheduler.

    Args:
        address: ``dask://HOST:PORT``.
        jobs: how many tasks it may have at a time; None for two a thread of the cluster.
        modules: what the processes import at their start.

    Raises:
        ClusterError: no such address, no scheduler, no worker, or one with other software.
    """

    def __init__(
        self, address: str, *, jobs: int | None = None, modules: Sequence[str] = ()
    ) -> None:
        self._address, self._jobs = address, jobs
        self._name = f"proofs-check-{uuid.uuid4().hex}"
        self._plugin = LocalProcesses(self._name, fingerprint(), modules)
        self._client = _connected(address)
        self._threads, self._asked, self._seen = 0, 0.0, time.monotonic()
        try:
            self._prepare()
        except BaseException:
            self._end()
            raise

    def _prepare(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKER_WAIT)
        except TimeoutError as error:
            raise self._no_worker() from error
        try:
            self._client.register_plugin(self._plugin, name=self._name)
            found = self._client.run(mismatch_there, self._name)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ClusterError(
                f"the workers at {self._address} cannot be prepared ({reason}); is this package "
                "installed there?"
            ) from error
        for address, mismatch in sorted(found.items()):
            if mismatch:
                said = _on(address, Outcome("mismatch", mismatch))
                raise ClusterError(f"{said}; install the same on both")

    @property
    def at_once(self) -> int:
        """As many as were asked for, or two for each thread of the cluster."""
        if self._jobs is not None:
            return self._jobs
        self._ask()
        return QUEUED * max(1, self._threads)

    def submit(self, function: Callable[..., Any], *arguments: Any, budget: float) -> Future[Any]:
        """See :class:`proofs_check.executors.Executor`."""
        future: Future[Any] = Future()
        try:
            sent = self._client.submit(
                perform_there, self._name, function, arguments, budget, pure=False
            )
        except Exception as error:  # noqa: BLE001 - distributed has no type for "I am closed"
            future.set_exception(self._gone(error))
            return future
        sent.add_done_callback(lambda ended: self._pass_on(ended, future))
        return future

    def _pass_on(self, ended: Any, future: Future[Any]) -> None:
        """Called in a thread of the client when a task has ended there."""
        try:
            if ended.status == "finished":
                _put(ended.result(), future)
            elif ended.status == "error":
                error = ended.exception()
                killed = isinstance(error, KilledWorker)
                future.set_exception(WorkerDied("its machine was lost") if killed else error)
            else:
                future.set_exception(self._gone(None))
        except Exception as error:  # noqa: BLE001 - else the task would be waited for for ever
            future.set_exception(error)

    def require_workers(self) -> None:
        """See :class:`proofs_check.executors.Executor`."""
        self._ask()
        if self._threads == 0 and time.monotonic() - self._seen > WORKER_WAIT:
            raise self._no_worker()

    def _ask(self) -> None:
        now = time.monotonic()
        if now - self._asked < REFRESH:
            return
        self._asked = now
        try:
            self._threads = sum(self._client.nthreads().values())
        except Exception as error:
            raise self._gone(error) from error
        if self._threads > 0:
            self._seen = now

    def _no_worker(self) -> ClusterError:
        return ClusterError(
            f"no worker has joined the scheduler at {self._address} for {WORKER_WAIT:g} s; start "
            "one with `dask worker`"
        )

    def _gone(self, error: Exception | None) -> ClusterError:
        why = f" ({type(error).__name__}: {error})" if error is not None else ""
        return ClusterError(f"the scheduler at {self._address} is gone{why}; start the run again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        """End what still runs on the cluster, and leave it as it was found."""
        with suppress(Exception):  # a scheduler that is gone cannot be told
            self._client.unregister_worker_plugin(self._name)
        with suppress(Exception):
            self._client.close()


def _put(found: Outcome, future: Future[Any]) -> None:
    if found.how == "value":
        future.set_result(found.value)
    elif found.how == "timeout":
        future.set_exception(TimeoutError())
    elif found.how == "died":
        future.set_exception(WorkerDied(str(found.value)))
    elif found.how == "mismatch":
        future.set_exception(ClusterError(str(found.value)))
    else:
        future.set_exception(RuntimeError(str(found.value)))


def _connected(address: str) -> Client:
    if not address.startswith(SCHEME):
        raise ClusterError(f"{address!r} is no address; write dask://HOST:PORT")
    try:
        return Client(
            f"tcp://{address.removeprefix(SCHEME)}",
            timeout=SCHEDULER_WAIT,
            set_as_default=False,
            name="proofs-check",
        )
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"no dask scheduler answers at {address} within {SCHEDULER_WAIT:g} s; start one with "
            "`dask scheduler`, or leave --executor out"
        ) from error
