"""Where tasks run: an interface like that of ``concurrent.futures``, and the processes of this
machine behind it.

A task that spends its budget is killed, for SymPy and FLINT cannot be interrupted from inside; a
process that dies takes no other task with it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from types import TracebackType
from typing import Any, Protocol, Self

from pebble import ProcessExpired

from bounds.errors import BoundsError
from proofs_check.workers import Workers

RUNS = 3  # of a task whose process dies
PATIENCE = 5.0  # seconds between looks at whether there are workers


class WorkerDied(BoundsError):
    """The process that ran a task died; the message says of what."""


class ClusterError(BoundsError):
    """The cluster cannot be used, or is gone; the message says why and what to do."""


class Executor(Protocol):
    """Runs tasks somewhere else. Leaving the block ends all that still runs."""

    @property
    def at_once(self) -> int:
        """How many tasks it wants to have at a time."""

    def submit(self, function: Callable[..., Any], *arguments: Any, budget: float) -> Future[Any]:
        """The call of an importable function with plain arguments, killed after ``budget`` seconds.

        The future raises what :func:`ending` understands.
        """

    def require_workers(self) -> None:
        """Called now and then while tasks are waited for.

        Raises:
            ClusterError: no worker is left, and none has come for a while.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class LocalExecutor:
    """Worker processes of this machine, each with one task at a time.

    A task is handed to a process that is free and to no other, so that no kill, whenever it comes,
    takes a task away unnoticed or a lock that others wait for.

    Args:
        jobs: how many.
        modules: what each imports before the time of its first task counts.
    """

    def __init__(self, jobs: int, *, modules: Sequence[str] = ()) -> None:
        self._slots = [Slot(modules) for _ in range(jobs)]

    @property
    def at_once(self) -> int:
        """One task for each process."""
        return len(self._slots)

    def submit(self, function: Callable[..., Any], *arguments: Any, budget: float) -> Future[Any]:
        """See :class:`Executor`; waits for a free process, if there is none."""
        wait([slot.last for slot in self._slots], return_when=FIRST_COMPLETED)
        free = next(slot for slot in self._slots if slot.last.done())
        return free.submit(function, *arguments, budget=budget)

    def require_workers(self) -> None:
        """Nothing: processes that end are replaced."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with ThreadPoolExecutor(len(self._slots)) as threads:
            list(threads.map(Slot.close, self._slots))


class Slot:
    """One process, replaced when it dies, and its last task."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._workers = Workers(modules=modules)
        self.last = _ended_already()

    def submit(self, function: Callable[..., Any], *arguments: Any, budget: float) -> Future[Any]:
        """See :class:`Executor`; the last task must have ended."""
        if isinstance(self.last.exception(), ProcessExpired | BrokenProcessPool):
            self._workers.renew()
        self.last = self._workers.schedule(function, *arguments, budget=budget)
        return self.last

    def close(self) -> None:
        """End the process, whatever it is doing; the next task starts another."""
        self._workers.close()
        self.last = _ended_already()


def _ended_already() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(None)
    return future


def ending(future: Future[Any]) -> Any:
    """What a task that has ended returned.

    Raises:
        TimeoutError: its budget is spent.
        WorkerDied: its process died, or none could be kept running.
        Exception: what the task raised, or why its result could not be sent.
    """
    try:
        return future.result()
    except ProcessExpired as death:
        raise WorkerDied(cause(death.exitcode)) from death
    except BrokenProcessPool as broken:
        raise WorkerDied(f"no worker process could be kept running: {broken}") from broken
    except CancelledError as cancelled:
        raise WorkerDied("the task was cancelled") from cancelled


def each(
    executor: Executor,
    function: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    *,
    budget: float,
) -> list[Any]:
    """What the calls return, in their order; an exception stands where one ended with it.

    A call whose process dies is made again, a few times.

    Raises:
        ClusterError: the cluster is gone.
    """
    results: list[Any] = [None] * len(arguments)
    waiting = [(number, 1) for number in reversed(range(len(arguments)))]
    running: dict[Future[Any], tuple[int, int]] = {}
    while waiting or running:
        while waiting and len(running) < executor.at_once:
            number, run = waiting.pop()
            future = executor.submit(function, *arguments[number], budget=budget)
            running[future] = number, run
        ended, _ = wait(running, timeout=PATIENCE, return_when=FIRST_COMPLETED)
        if not ended:
            executor.require_workers()
        for future in ended:
            number, run = running.pop(future)
            try:
                results[number] = ending(future)
            except ClusterError:
                raise
            except Exception as error:  # noqa: BLE001 - the border of the worker process
                results[number] = error
                if isinstance(error, WorkerDied) and run < RUNS:
                    waiting.append((number, run + 1))
    return results


def cause(code: int) -> str:
    """What the exit code of a process says of its end."""
    if code >= 0:
        return f"exit code {code}"
    if -code == signal.SIGKILL:
        return "killed by SIGKILL; out of memory is the usual cause"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
