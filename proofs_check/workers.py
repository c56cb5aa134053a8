"""One job in a process of its own, with limits on time and memory, killed when it spends them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from pebble import ProcessExpired, ProcessPool

from bounds.errors import BoundsError
from bounds.status import Status
from proofs_check.executors import WORKER_ENVIRONMENT, environment, prepare_worker
from proofs_check.verdict import Strength, Verdict, error_verdict


@dataclass(frozen=True)
class Job:
    """A function of a module that returns a verdict, by name, and its arguments."""

    module: str
    function: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first argument: what the verdict is about."""
        return str(self.arguments[0]) if self.arguments else self.function


def run_job(job: Job, *, budget: float) -> Verdict:
    """The verdict that the job returns in a fresh process.

    UNDECIDED when it spends ``budget`` seconds (its start not counted); ERROR when the process dies
    or the job raises.
    """
    with environment(WORKER_ENVIRONMENT):
        pool: Any = ProcessPool(
            max_workers=1,
            context=get_context("spawn"),
            initializer=prepare_worker,
            initargs=((job.module,),),
        )
        try:
            future = pool.schedule(perform, args=(job,), timeout=budget)
            return _verdict(job, future, budget)
        finally:
            pool.stop()
            pool.join()


def perform(job: Job) -> Verdict:
    """Call the function; runs in the worker. What is wrong with the input becomes a verdict."""
    function = getattr(importlib.import_module(job.module), job.function)
    try:
        verdict: Verdict = function(*job.arguments, **job.keywords)
    except BoundsError as error:
        return error_verdict(job.title, str(error))
    return verdict


def _verdict(job: Job, future: Any, budget: float) -> Verdict:
    try:
        found: Verdict = future.result()
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
