"""From problems of the finder to sequents of the checker, by their texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bounds.status import Status
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.problem import Interval, Problem
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side


def _side(interval: Interval) -> Side:
    return Side(interval.low, interval.high, interval.open_low, interval.open_high)


def sequent_of(problem: Problem) -> Sequent:
    """The statement of a problem, with the duty to show that its goal has a value."""
    return Sequent(
        read_expression(str(problem.goal)),
        problem.strict,
        tuple((name, _side(interval)) for name, interval in problem.box),
        tuple(Fact(read_expression(str(c.expression)), c.strict) for c in problem.constraints),
        problem.integers,
        total=True,
    )


def refusal(problem: Problem) -> str | None:
    """None when the finder proves the problem and the checker accepts; else why not."""
    result = decide(problem)
    if result.status is not Status.PROVED:
        return f"{result.status}: {result.reason}"
    try:
        check(sequent_of(problem), result.certificate)
    except Rejected as error:
        return str(error)
    return None


@pytest.fixture
def refused() -> Callable[[Problem], str | None]:
    """Decides a problem and checks the proof; None when it is accepted, else why not."""
    return refusal


@pytest.fixture
def statement() -> Callable[[Problem], Sequent]:
    """The sequent of a problem."""
    return sequent_of
