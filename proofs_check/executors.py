"""Checking many claims in worker processes that can be killed.

SymPy and FLINT cannot be interrupted from inside, so every claim is checked in a process of its
own pool: one that spends its time budget is killed, one that dies takes no other claim with it.
A worker gets the origin and the id of a claim, reads the claim again and checks it; functions are
never pickled. Random streams go by seed and index, so the number of workers changes no verdict.
"""

from __future__ import annotations

import importlib
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

from pebble import ProcessExpired, ProcessPool

from bounds.catalog import Catalog, Origin, load
from bounds.errors import ClaimFileError
from bounds.status import Status
from proofs_check.checker import Settings, check
from proofs_check.verdict import Strength, Verdict, error_verdict

MEMORY_LIMIT = 8 * 2**30  # bytes of address space

# One BLAS thread and one hash seed: the last digits of a float search, and the order in which SymPy
# walks a set, are then the same in every run.
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


@dataclass(frozen=True)
class Task:
    """One claim (mutant, variant) to be checked: where it is read, its id, and the settings."""

    origin: Origin
    claim_id: str
    settings: Settings = field(default_factory=Settings)


def run_task(task: Task) -> Verdict:
    """Read the claim and check it; whatever is raised becomes an ERROR verdict."""
    start = time.perf_counter()
    try:
        return check(_catalog(task.origin).entry(task.claim_id).claim, task.settings)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border of the worker process
        verdict = error_verdict(task.claim_id, describe_error(error, task.origin))
        return replace(verdict, settings=asdict(task.settings), seconds=time.perf_counter() - start)


@lru_cache(maxsize=4)
def _catalog(origin: Origin) -> Catalog:
    """The claims of an origin: a worker reads a file once, not once for every claim in it."""
    return load(origin)


def describe_error(error: BaseException, origin: Origin) -> str:
    """Type and message of an error, and the last line inside the claim's own file."""
    if isinstance(error, ClaimFileError):
        return str(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    home = origin.name if origin.is_file else _file_of_module(origin.name)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == home]
    return f"{text} (at {home}:{frames[-1].lineno})" if frames else text


def _file_of_module(name: str) -> str | None:
    with suppress(Exception):
        return importlib.import_module(name).__file__
    return None


def ignore(task: Task, verdict: Verdict) -> None:
    """The listener of a run that nobody watches."""


def run(
    tasks: Sequence[Task],
    *,
    jobs: int,
    budget: float,
    on_done: Callable[[Task, Verdict], None] = ignore,
) -> list[Verdict]:
    """Check every task in at most ``jobs`` processes; verdicts come in the order of the tasks.

    Args:
        budget: seconds for each task, not counting the start of a worker. A task that spends them
            is UNDECIDED; a task whose process dies is an ERROR; the others run on.
        on_done: called in this process at the end of each task, in the order of their ends.

    Raises:
        KeyboardInterrupt: passed on after every worker has been ended.
    """
    if not tasks:
        return []
    verdicts: dict[int, Verdict] = {}
    with environment(WORKER_ENVIRONMENT), _pool(tasks, jobs) as pool:
        futures = {
            pool.schedule(run_task, args=(task,), timeout=budget): index
            for index, task in enumerate(tasks)
        }
        for future in as_completed(futures):
            index = futures[future]
            verdicts[index] = _verdict(tasks[index], future, budget)
            on_done(tasks[index], verdicts[index])
    return [verdicts[index] for index in range(len(tasks))]


def _verdict(task: Task, future: Future[Verdict], budget: float) -> Verdict:
    """The result of a task, or what its absence means."""
    try:
        return future.result()
    except TimeoutError:
        return Verdict(
            task.claim_id,
            Status.UNDECIDED,
            Strength.NONE,
            f"time budget of {budget:g} s spent",
            settings={**asdict(task.settings), "budget": budget},
            seconds=budget,
        )
    except ProcessExpired as death:
        return error_verdict(task.claim_id, f"its worker process died ({_cause(death.exitcode)})")
    except BrokenProcessPool as broken:
        return error_verdict(task.claim_id, f"no worker process could be kept running: {broken}")
    except Exception as error:  # noqa: BLE001 - the border of the worker process
        what = f"{type(error).__name__}: {error}"
        return error_verdict(task.claim_id, f"its verdict could not be sent: {what}")


def _cause(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    if -code == signal.SIGKILL:
        return "killed by SIGKILL; out of memory is the usual cause"
    with suppress(ValueError):
        return f"ended by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"


@contextmanager
def _pool(tasks: Sequence[Task], jobs: int) -> Iterator[Any]:
    """A pool of killable processes, all ended when the block is left, however it is left."""
    modules = tuple(dict.fromkeys(t.origin.name for t in tasks if not t.origin.is_file))
    pool: Any = ProcessPool(
        max_workers=min(jobs, len(tasks)),
        context=get_context("spawn"),
        initializer=prepare_worker,
        initargs=(modules,),
    )
    try:
        yield pool
    finally:
        pool.stop()
        pool.join()


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
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


def prepare_worker(modules: Sequence[str]) -> None:
    """Limit the memory, and import what the first task would otherwise pay for.

    An import that fails here fails again in the task, which then reports it for its claim.
    """
    _limit_memory(MEMORY_LIMIT)
    for name in modules:
        with suppress(Exception, SystemExit):
            importlib.import_module(name)


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    with suppress(ValueError, OSError):  # macOS refuses this one
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
