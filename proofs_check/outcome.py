"""Whether verdicts meet what their claims expect, and the exit code that says so to CI."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from bounds.status import Status

FAILING = (Status.REFUTED, Status.ERROR)


class Outcome(IntEnum):
    """How a verdict stands to what was expected; the value is the exit code it asks for."""

    MET = 0
    CONTRADICTED = 1
    WEAKER = 2
    BROKEN = 3


SEVERITY = (Outcome.MET, Outcome.WEAKER, Outcome.CONTRADICTED, Outcome.BROKEN)


def judge(expected: Status, status: Status, *, require_proof: bool = False) -> Outcome:
    """How ``status`` stands to ``expected``, of a claim or of a variant.

    A stronger status than expected is welcome: PROVED where CONSISTENT was expected is MET. What is
    expected to fail must fail in just that way. With ``require_proof`` only PROVED will do for a
    statement that is not expected to fail.
    """
    if status is Status.ERROR and expected is not Status.ERROR:
        return Outcome.BROKEN
    if expected in FAILING:
        return _judge_failing(expected, status)
    if status is Status.REFUTED:
        return Outcome.CONTRADICTED
    wanted = Status.PROVED if require_proof else expected
    return Outcome.MET if status.rank <= wanted.rank else Outcome.WEAKER


def _judge_failing(expected: Status, status: Status) -> Outcome:
    if status is expected:
        return Outcome.MET
    return Outcome.WEAKER if status is Status.UNDECIDED else Outcome.CONTRADICTED


def judge_mutant(status: Status) -> Outcome:
    """A mutant is false: it must never be PROVED. A refutation is welcome and not required.

    One that comes out as an ERROR was not checked at all, which is BROKEN.
    """
    if status is Status.ERROR:
        return Outcome.BROKEN
    return Outcome.CONTRADICTED if status is Status.PROVED else Outcome.MET


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """0 all met, 3 something broken, else 1 something contradicted, else 2 something weaker."""
    return int(max(outcomes, key=SEVERITY.index, default=Outcome.MET))
