"""What workers are asked to do: plain data in, plain data out, functions found by their names.

The check of a claim is a few tasks: one opens it and tries its first instances, one each tries a
part of the others, one concludes. A worker gets the origin and the id of a claim, reads the claim
again and does its part; functions are never pickled. Random streams go by seed and index, so what
is found does not depend on which worker does what, or when.
"""

from __future__ import annotations

import importlib
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Generic, TypeVar

from bounds.catalog import Catalog, Origin, load
from bounds.claim import Claim
from bounds.errors import BoundsError, ClaimFileError
from proofs_check.cache import Cache
from proofs_check.checker import Settings, check, conclude, examination, failed
from proofs_check.methods.on_instances import Examination, Rows
from proofs_check.methods.parts import Part
from proofs_check.verdict import Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """One claim (mutant, variant) to be checked: where it is read, its id, and the settings.

    ``cache`` may make the verdict quicker; it decides nothing.
    """

    origin: Origin
    claim_id: str
    settings: Settings = field(default_factory=Settings)
    cache: Cache | None = None


@dataclass(frozen=True)
class Opened:
    """The parts of a claim's instances, what the first part found, and the level of settling."""

    parts: tuple[Part, ...]
    rows: Rows
    level: float


@dataclass(frozen=True)
class Done(Generic[T]):
    """What a task found, or the ERROR verdict that it ended with; and the seconds it took."""

    found: T | Verdict
    seconds: float


def run_task(task: Task) -> Verdict:
    """Check the claim in one go; whatever is raised becomes an ERROR verdict."""
    done = _guarded(task, lambda: check(_claim(task), task.settings, cache=task.cache))
    return replace(done.found, seconds=done.seconds)


def open_claim(task: Task) -> Done[Opened]:
    """Plan the parts, and try the first."""

    def opened() -> Opened:
        found = _examination(task)
        if found is None or not found.parts:
            return Opened((), (), task.settings.alpha)
        return Opened(found.parts, found.try_part(found.parts[0]), found.level)

    return _guarded(task, opened)


def try_part(task: Task, part: Part) -> Done[Rows]:
    """What is found on one part of the claim's instances."""

    def tried() -> Rows:
        found = _examination(task)
        return () if found is None else found.try_part(part)

    return _guarded(task, tried)


def close_claim(task: Task, rows: Rows) -> Done[Verdict]:
    """The verdict: what the instances say, and what the other methods prove."""
    return _guarded(task, lambda: conclude(_claim(task), task.settings, rows, cache=task.cache))


def _guarded(task: Task, work: Callable[[], T]) -> Done[T]:
    start = time.perf_counter()
    found: T | Verdict
    try:
        found = work()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border of the worker process
        found = failed(task.claim_id, task.settings, describe_error(error, task.origin))
    return Done(found, time.perf_counter() - start)


def _claim(task: Task) -> Claim:
    return _catalog(task.origin).entry(task.claim_id).claim


@lru_cache(maxsize=4)
def _catalog(origin: Origin) -> Catalog:
    """The claims of an origin: a worker reads a file once, not once for every claim in it."""
    return load(origin)


@lru_cache(maxsize=16)
def _examined(origin: Origin, claim_id: str, settings: Settings) -> Examination | None:
    return examination(_catalog(origin).entry(claim_id).claim, settings)


def _examination(task: Task) -> Examination | None:
    """What is put on instances: a worker works it out once, not once for every part."""
    return _examined(task.origin, task.claim_id, task.settings)


def describe_error(error: BaseException, origin: Origin) -> str:
    """Type and message of an error, and the last line inside the claim's own file."""
    if isinstance(error, ClaimFileError):
        return str(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, BoundsError):  # says itself where the mistake is
        return text
    home = origin.name if origin.is_file else _file_of_module(origin.name)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == home]
    return f"{text} (at {home}:{frames[-1].lineno})" if frames else text


def _file_of_module(name: str) -> str | None:
    with suppress(Exception):
        return importlib.import_module(name).__file__
    return None
