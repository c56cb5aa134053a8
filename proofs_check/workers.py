"""Jobs in processes of their own, with limits on time and memory, killed when they spend them.

SymPy and FLINT cannot be interrupted from inside; a process can be killed. :class:`Workers` keeps
its processes from one job to the next, since their start costs more than most jobs. This module
is light: what a job needs is imported in the worker.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock, Thread
from types import MappingProxyType, TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool

from bounds.errors import BoundsError
from bounds.status import Status
from proofs_check.verdict import Strength, Verdict, error_verdict

MEMORY_LIMIT = 8 * 2**30  # bytes of address space
PARENT_CHECK = 1.0  # seconds

# One BLAS thread and one hash seed: the last digits of a float search, and the order in which SymPy
# walks a set, are then the same in every run.
WORKER_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
)


@dataclass(frozen=True)
class Job:
    """A function of a module, by name, and its arguments; functions are never pickled."""

    module: str
    function: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first argument: what the verdict is about."""
        return str(self.arguments[0]) if self.arguments else self.function


class Workers:
    """Processes that persist over jobs; one that spends its time or dies is replaced.

    >>> with Workers() as workers:
    ...     job = Job("proofs_check.inequalities", "prove", ("x*x >= 0",))
    ...     workers.verdict(job, budget=60).status
    <Status.PROVED: 'PROVED'>

    Args:
        jobs: how many processes.
        modules: what each imports at its start, before the time of its first job counts.
        memory: limit of each, in bytes of address space.
    """

    def __init__(
        self, jobs: int = 1, *, modules: Sequence[str] = (), memory: int = MEMORY_LIMIT
    ) -> None:
        self._jobs, self._modules, self._memory = jobs, tuple(modules), memory
        self._pool: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process, whatever it is doing. The next job starts new ones."""
        pool, self._pool = self._pool, None
        if pool is not None:
            _stop(pool)

    def renew(self) -> None:
        """Give the processes up, without waiting for their end; the next job starts new ones.

        A process that is killed may hold the lock of its pool, or leave half a message in it.
        """
        pool, self._pool = self._pool, None
        if pool is not None:
            Thread(target=_stop, args=(pool,), daemon=True).start()

    def schedule(self, function: Callable[..., Any], *arguments: Any, budget: float) -> Future[Any]:
        """A call of an importable function in a worker.

        The future raises TimeoutError after ``budget`` seconds (the start of the worker not
        counted), ``ProcessExpired`` when the worker dies.
        """
        try:
            future: Future[Any] = self._started().schedule(function, arguments, timeout=budget)
        except RuntimeError:  # the pool broke, as it does when an idle process is killed
            self.renew()
            future = self._started().schedule(function, arguments, timeout=budget)
        return future

    def _started(self) -> Any:
        if self._pool is None:
            self._pool = ProcessPool(
                max_workers=self._jobs,
                context=_Context(),
                initializer=prepare_worker,
                initargs=(self._modules, self._memory, os.getpid()),
            )
        return self._pool

    def call(self, job: Job, *, budget: float) -> Any:
        """What the job returns; whatever it raises is raised here.

        Raises:
            TimeoutError: the budget is spent.
            MemoryError: the memory limit is reached; the processes are renewed.
            ProcessExpired, BrokenProcessPool: the process died, or none could be kept running.
        """
        try:
            return self.schedule(perform, job, budget=budget).result()
        except (MemoryError, BrokenProcessPool, ProcessExpired):
            self.renew()  # a process that has once filled its memory seldom gives it back
            raise

    def verdict(self, job: Job, *, budget: float) -> Verdict:
        """The verdict that the job returns.

        UNDECIDED when it spends its time or memory; ERROR when the process dies or the job raises.
        """
        try:
            found: Verdict = self.call(job, budget=budget)
            return found
        except TimeoutError:
            reason = f"time budget of {budget:g} s spent; raise --budget, or narrow the region"
            return Verdict(job.title, Status.UNDECIDED, Strength.NONE, reason, seconds=budget)
        except MemoryError:
            reason = "memory limit of the worker reached; narrow the region or split the claim"
            return Verdict(job.title, Status.UNDECIDED, Strength.NONE, reason)
        except (ProcessExpired, BrokenProcessPool) as death:
            return error_verdict(job.title, f"its worker process died ({death})")
        except Exception as error:  # noqa: BLE001 - the border of the worker process
            return error_verdict(job.title, f"{type(error).__name__}: {error}")


def _stop(pool: Any) -> None:
    pool.stop()
    pool.join()


def run_job(job: Job, *, budget: float) -> Verdict:
    """The verdict of one job in a fresh process; see :meth:`Workers.verdict`."""
    with Workers(modules=(job.module,)) as workers:
        return workers.verdict(job, budget=budget)


def perform(job: Job) -> Any:
    """Call the function; runs in the worker. What is wrong with the input becomes a verdict."""
    function = getattr(importlib.import_module(job.module), job.function)
    try:
        return function(*job.arguments, **job.keywords)
    except BoundsError as error:
        return error_verdict(job.title, str(error))


def prepare_worker(
    modules: Sequence[str], memory: int = MEMORY_LIMIT, parent: int | None = None
) -> None:
    """Limit the memory, and import what the first task would otherwise pay for.

    An import that fails here fails again in the task, which then reports it for its claim. A worker
    whose ``parent`` is killed ends too, also in the middle of a task: nobody else would end it.
    """
    _limit_memory(memory)
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    for name in modules:
        with suppress(Exception, SystemExit):
            importlib.import_module(name)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    with suppress(ValueError, OSError):  # macOS refuses this one
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


# The environment belongs to the whole process: two pools that start processes at once would each
# take what the other has set for what was there before.
_STARTING = Lock()


class _Process(SpawnProcess):
    """A process that starts in the environment of workers, also one started to replace another.

    It may be started by a daemonic process, such as a worker of a cluster is: Python forbids that,
    lest nobody ends the child of a process that was ended, but ours ends itself.
    """

    def start(self) -> None:
        with _STARTING, environment(WORKER_ENVIRONMENT), _allowed_children():
            super().start()


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _allowed_children() -> Iterator[None]:
    own: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    daemon = own.pop("daemon", None)
    try:
        yield
    finally:
        if daemon is not None:
            own["daemon"] = daemon


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables that the processes started in the block inherit."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
