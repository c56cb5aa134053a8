"""Checking many claims at once, each in parts, on whatever runs the tasks.

The instances of a claim are tried in parts; what they find is read in the order of the instances,
so the verdict is that of one process which takes them in turn, bit by bit, whatever the number of
workers. A task whose process dies is run again, a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from bounds.status import Status
from proofs_check.checker import failed
from proofs_check.executors import (
    PATIENCE,
    RUNS,
    ClusterError,
    Executor,
    LocalExecutor,
    WorkerDied,
    ending,
)
from proofs_check.methods.on_instances import Row, Rows, settles
from proofs_check.methods.parts import EACH, Part
from proofs_check.tasks import Task, close_claim, open_claim, try_part
from proofs_check.verdict import Strength, Verdict

# What every claim needs; a worker imports it before the time of its first claim counts.
CHECKING = ("proofs_check.tasks", "bounds.points")


def ignore(task: Task, verdict: Verdict) -> None:
    """The listener of a run that nobody watches."""


def ignore_part(task: Task, done: int, total: int) -> None:
    """The same, for parts."""


def modules_of(tasks: Sequence[Task]) -> tuple[str, ...]:
    """What a worker should have imported before these tasks."""
    origins = dict.fromkeys(task.origin.name for task in tasks if not task.origin.is_file)
    return (*CHECKING, *origins)


def run(
    tasks: Sequence[Task],
    *,
    budget: float,
    jobs: int = 1,
    executor: Executor | None = None,
    on_done: Callable[[Task, Verdict], None] = ignore,
    on_part: Callable[[Task, int, int], None] = ignore_part,
) -> list[Verdict]:
    """Check every claim; verdicts come in the order of the tasks.

    Args:
        budget: seconds for each part of a claim, not counting the start of a worker. A claim of
            which a part that counts spends them is UNDECIDED, one of which the process dies in
            each of a few runs is an ERROR; the others run on.
        jobs: how many processes of this machine, where no ``executor`` is given.
        on_done: called in this process at the end of each claim, in the order of their ends.
        on_part: called with the number of parts tried, and that of all parts of the claim.

    Raises:
        ClusterError: the cluster is gone.
        KeyboardInterrupt: passed on after every worker has been ended.
    """
    if not tasks:
        return []
    if executor is None:
        executor = LocalExecutor(min(jobs, _useful(tasks)), modules=modules_of(tasks))
    with executor:
        return _Run(tasks, executor, budget, on_done, on_part).verdicts()


def _useful(tasks: Sequence[Task]) -> int:
    """More processes than this would never all have something to do; 200 instances are usual."""
    return sum(1 + (task.settings.instances or 200) // EACH for task in tasks)


@dataclass
class _Case:
    """A claim being checked: its parts, what they found, and how far that has been read."""

    task: Task
    parts: tuple[Part, ...] = ()
    level: float = 0.0
    results: dict[int, Rows | Verdict] = field(default_factory=dict)
    read: int = 0
    closing: bool = False
    seconds: float = 0.0

    def rows(self, parts: range) -> Rows:
        """What the parts of these numbers found."""
        rows: list[Row] = []
        for number in parts:
            found = self.results[number]
            rows += () if isinstance(found, Verdict) else found
        return tuple(rows)

    def settled(self) -> Verdict | bool:
        """Whether all is found that counts; or the verdict that ended a part that counts.

        The results are read in the order of the parts, however they come in.
        """
        while self.read in self.results:
            found = self.results[self.read]
            if isinstance(found, Verdict):
                return found
            self.read += 1
            if self._ends_group(self.read) and settles(self._last_group(), self.level):
                return True
        return self.read == len(self.parts)

    def _ends_group(self, end: int) -> bool:
        return end == len(self.parts) or self.parts[end].start != self.parts[end - 1].start

    def _last_group(self) -> Rows:
        first = self.read - 1
        while first > 0 and self.parts[first - 1].start == self.parts[self.read - 1].start:
            first -= 1
        return self.rows(range(first, self.read))


_OPEN, _CLOSE = -1, 2**62


@dataclass(frozen=True, order=True)
class _Step:
    """A task to run: the number of the claim, and of the part (or its opening or closing)."""

    case: int
    part: int
    runs: int = 0


class _Run:
    """The state of :func:`run`: claims, steps that can be run, and those that are running."""

    def __init__(
        self,
        tasks: Sequence[Task],
        executor: Executor,
        budget: float,
        on_done: Callable[[Task, Verdict], None],
        on_part: Callable[[Task, int, int], None],
    ) -> None:
        self._executor, self._budget = executor, budget
        self._on_done, self._on_part = on_done, on_part
        self._cases = [_Case(task) for task in tasks]
        self._ready = [_Step(number, _OPEN) for number in range(len(tasks))]
        self._running: dict[Future[Any], _Step] = {}
        self._verdicts: dict[int, Verdict] = {}

    def verdicts(self) -> list[Verdict]:
        """Those of all claims."""
        while len(self._verdicts) < len(self._cases):
            self._fill()
            ended, _ = wait(self._running, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            if not ended:
                self._executor.require_workers()
            for future in ended:
                self._take(self._running.pop(future), future)
        return [self._verdicts[number] for number in range(len(self._cases))]

    def _fill(self) -> None:
        """Give the executor what it can take, the first claims first."""
        while self._ready and len(self._running) < self._executor.at_once:
            step = heappop(self._ready)
            case = self._cases[step.case]
            if step.case in self._verdicts or (case.closing and step.part != _CLOSE):
                continue  # an earlier part has decided
            self._running[self._submit(case, step)] = step

    def _submit(self, case: _Case, step: _Step) -> Future[Any]:
        task, submit = case.task, self._executor.submit
        if step.part == _OPEN:
            return submit(open_claim, task, budget=self._budget)
        if step.part == _CLOSE:
            rows = case.rows(range(case.read))
            return submit(close_claim, task, rows, budget=self._budget)
        return submit(try_part, task, case.parts[step.part], budget=self._budget)

    def _take(self, step: _Step, future: Future[Any]) -> None:
        """Note what a step found, unless its claim no longer waits for it."""
        case = self._cases[step.case]
        try:
            done = ending(future)
        except WorkerDied as death:
            if step.runs + 1 < RUNS:
                heappush(self._ready, replace(step, runs=step.runs + 1))
                return
            reason = f"its worker process died ({death}) in each of {RUNS} runs"
            found: Any = failed(case.task.claim_id, case.task.settings, reason)
        except TimeoutError:
            found = self._out_of_time(case, step)
        except ClusterError:
            raise
        except Exception as error:  # noqa: BLE001 - the border of the worker process
            reason = f"its verdict could not be sent: {type(error).__name__}: {error}"
            found = failed(case.task.claim_id, case.task.settings, reason)
        else:
            found = done.found
            case.seconds += done.seconds
        if step.case not in self._verdicts and (step.part == _CLOSE or not case.closing):
            self._note(step, case, found)

    def _note(self, step: _Step, case: _Case, found: Any) -> None:
        if isinstance(found, Verdict) and step.part in (_OPEN, _CLOSE):
            self._finish(step.case, found)
            return
        if step.part == _OPEN:
            case.parts, case.level = found.parts, found.level
            if case.parts:
                case.results[0] = found.rows
            for number in range(1, len(case.parts)):
                heappush(self._ready, _Step(step.case, number))
        else:
            case.results[step.part] = found
        self._on_part(case.task, len(case.results), len(case.parts))
        settled = case.settled()
        if isinstance(settled, Verdict):
            self._finish(step.case, settled)
        elif settled:
            case.closing = True
            heappush(self._ready, _Step(step.case, _CLOSE))

    def _finish(self, number: int, verdict: Verdict) -> None:
        case = self._cases[number]
        # What a claim that ran out of time took is its budget, and what was found before.
        verdict = replace(verdict, seconds=verdict.seconds + case.seconds)
        self._verdicts[number] = verdict
        case.closing, case.results = True, {}
        self._on_done(case.task, verdict)

    def _out_of_time(self, case: _Case, step: _Step) -> Verdict:
        where = ""
        if step.part == _CLOSE:
            where = " on its proof"
        elif step.part != _OPEN:
            part = case.parts[step.part]
            where = f" on its instances {part.start + 1} to {part.stop}"
        return Verdict(
            case.task.claim_id,
            Status.UNDECIDED,
            Strength.NONE,
            f"time budget of {self._budget:g} s spent{where}",
            settings={**asdict(case.task.settings), "budget": self._budget},
            seconds=self._budget,
        )
