"""Checking many claims in worker processes that can be killed.

SymPy and FLINT cannot be interrupted from inside, so every claim is checked in a process of its
own pool: one that spends its time budget is killed, one that dies takes no other claim with it.
A worker gets the origin and the id of a claim, reads the claim again and checks it; functions are
never pickled. Random streams go by seed and index, so the number of workers changes no verdict.
"""

from __future__ import annotations

import importlib
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

from pebble import ProcessExpired

from bounds.catalog import Catalog, Origin, load
from bounds.errors import ClaimFileError
from bounds.status import Status
from proofs_check.cache import Cache
from proofs_check.checker import Settings, check
from proofs_check.verdict import Strength, Verdict, error_verdict
from proofs_check.workers import Workers

# What every claim needs; a worker imports it before the time of its first claim counts.
_CHECKING = ("proofs_check.executors", "bounds.points")


@dataclass(frozen=True)
class Task:
    """One claim (mutant, variant) to be checked: where it is read, its id, and the settings.

    ``cache`` may make the verdict quicker; it decides nothing.
    """

    origin: Origin
    claim_id: str
    settings: Settings = field(default_factory=Settings)
    cache: Cache | None = None


def run_task(task: Task) -> Verdict:
    """Read the claim and check it; whatever is raised becomes an ERROR verdict."""
    start = time.perf_counter()
    try:
        claim = _catalog(task.origin).entry(task.claim_id).claim
        return check(claim, task.settings, cache=task.cache)
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
    origins = dict.fromkeys(t.origin.name for t in tasks if not t.origin.is_file)
    with Workers(min(jobs, len(tasks)), modules=(*_CHECKING, *origins)) as workers:
        futures = {
            workers.schedule(run_task, task, budget=budget): index
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
