"""Scalar inequalities of claims go to the engine; a false or open one is never PROVED by it."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Trace, log, sin

from bounds import (
    Claim,
    Quantity,
    Relation,
    Source,
    Status,
    assume,
    matrix,
    on_instances,
    scalar,
    structural,
)
from proofs_check.checker import check
from proofs_check.methods.scalar_inequality import check_inequality
from proofs_check.verdict import Strength

x, n = scalar("x"), scalar("n")
DOMAIN = assume("domain", x > -1)


def claim(**changes: Any) -> Claim:
    base = {"id": "T.x", "title": "t", "lhs": log(1 + x), "rhs": x, "source": Source("s")}
    return Claim(**(base | {"hypotheses": (DOMAIN,)} | changes))


def status(**changes: Any) -> Status | None:
    found = check_inequality(claim(**changes), seed=0)
    return None if found is None else found.status


def test_a_true_inequality_is_proved_and_names_what_it_used() -> None:
    found = check_inequality(claim(), seed=0)
    assert found is not None
    assert (found.status, found.strength) == (Status.PROVED, Strength.ENCLOSURE)
    assert found.used == {"domain"}
    verdict = check(claim())
    assert (verdict.status, verdict.used) == (Status.PROVED, ("domain",))


@pytest.mark.parametrize(
    "changes",
    [
        {"rhs": x * 999 / 1000},
        {"relation": Relation.LT},
        {"hypotheses": ()},
        {"lhs": x, "rhs": log(1 + x)},
        {"lhs": sin(x), "rhs": x + 1, "hypotheses": (assume("a", x < -1),)},
    ],
)
def test_a_false_or_undefined_one_is_not_proved(changes: dict[str, Any]) -> None:
    assert status(**changes) is Status.UNDECIDED
    assert check(claim(**changes)).status is not Status.PROVED


def test_what_is_no_scalar_inequality_is_left_alone() -> None:
    A = matrix("A", n, n)
    assert status(relation=Relation.IDENTITY) is None
    assert status(lhs=Trace(A)) is None
    computed = Quantity(x, "x", lambda _, field: field.number(0))
    assert status(quantities=(computed,)) is None


def test_hypotheses_without_a_form_are_not_used_as_facts() -> None:
    always = on_instances("above", "x > -1", holds=lambda point, _: point["x"] > -1)
    assert status(hypotheses=(always,)) is Status.UNDECIDED
    told = structural("told", "x > -1")
    assert status(hypotheses=(told,)) is Status.UNDECIDED


def test_contradictory_hypotheses_prove_nothing() -> None:
    both = (assume("low", x < 0), assume("high", x > 1))
    assert status(lhs=x, rhs=x - 1, hypotheses=both) is Status.UNDECIDED
