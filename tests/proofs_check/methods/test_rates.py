"""Limits: proved where the leading coefficients decide, refuted where they diverge, else open."""

import pytest
from sympy import Eq, Rational, exp, oo, sqrt, sympify

from bounds.arrays import POSITIVE
from bounds.claim import Claim
from bounds.hypothesis import assume
from bounds.points import between, box, choices, integers
from bounds.quantity import Quantity
from bounds.relation import Limit, Relation
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from proofs_check.checker import check
from proofs_check.methods.rates import limit_form

L, c, d, q = (scalar(name) for name in ("L", "c", "d", "q"))
C = assume("c", c > 0)
D = assume("d", d > 0)
BOX = box(30, c=POSITIVE, d=POSITIVE)


def limit(lhs, rhs, *hypotheses, point=oo, **rest):
    return Claim(
        id="T.l", title="t", lhs=sympify(lhs), rhs=sympify(rhs), relation=Relation.LIMIT,
        limit=Limit(L, sympify(point)), source=Source("t"), hypotheses=hypotheses,
        **{"instances": BOX, **rest},
    )  # fmt: skip


@pytest.mark.parametrize(
    "claim",
    [
        limit(c * L / (d * L + 1), c / d, C, D),
        limit((c * L**2 + L) / (d * L**2 - 5), c / d, C, D),
        limit(L / (d * L**2 + 1), 0, D),
        limit(c / (d + c / L), c / d, C, D),
        limit(c, c),
        limit(L / (L + 1), 1, assume("start", L >= 1), instances=box(5, L=integers(1, 9))),
    ],
    ids=lambda claim: str(claim.lhs),
)
def test_true_limits_are_proved(claim):
    assert check(claim).status is Status.PROVED


@pytest.mark.parametrize(
    "claim",
    [
        limit(c * L / (d * L + 1), d / c, C, D),
        limit(c * L / (d * L + 1), c / d + Rational(1, 10**30), C, D),
        limit(c * L, c, C),
        limit(c * L**2 / (L + 1), 0, C),
        limit(L / (d * L**2 + 1), 1 / d, D),
    ],
    ids=lambda claim: str(claim.lhs),
)
def test_false_limits_are_refuted(claim):
    assert check(claim).status is Status.REFUTED


ZERO = box(10, c=choices(0), d=between(1, 2))
UNKNOWN = Quantity(q, "grows with L", lambda point, field: field.number(7))
UNDECIDABLE = {
    "leading coefficient 0": limit(c * L, 5, assume("zero", Eq(c, 0)), instances=ZERO),
    "lower term grows": limit(c * L**2 + d * L, 5, assume("zero", Eq(c, 0)), D, instances=ZERO),
    "quantity may grow": limit(q / L, 0, quantities=(UNKNOWN,), instances=box(5, L=integers(1, 9))),
    "tied to the variable": limit(
        c * L / (L + 1),
        c,
        assume("tie", Eq(c * L, 1)),
        instances=box(5, L=choices(1), c=choices(1)),
    ),
    "cannot grow": limit(L / (L + 1), 1, assume("end", L <= 10), assume("start", L > 0)),
    "infinite limit": limit(L, oo),
    "infinite, false": limit(1 / L, oo),
    "exponential": limit(exp(-L), 0),
    "root": limit(sqrt(L) / L, 0),
    "variable on the right": limit(L / (L + 1), L),
    "at zero": limit(L / (L + 1), 0, point=0),
    "at minus infinity": limit(L / (L + 1), 1, point=-oo),
    "exponent": limit(L**c / L, 0, C),
}


@pytest.mark.parametrize("name", UNDECIDABLE)
def test_what_is_not_decided_is_never_proved(name):
    assert check(UNDECIDABLE[name]).status is Status.UNDECIDED


def test_a_coefficient_that_may_vanish_needs_its_hypothesis():
    assert check(limit(c * L / (d * L + 1), c / d, C)).status is not Status.PROVED


def test_the_identity_of_leading_coefficients():
    form = limit_form(limit((c * L + 1) / (d * L), c / d, C, D))
    assert form.identity.relation is Relation.IDENTITY
    assert form.identity.limit is None
    assert not form.grows
    assert limit_form(limit(c * L, 1, C)).grows
    defined = Quantity(q, "square", lambda point, field: field.number(4), formula=L**2)
    assert limit_form(limit(q / (L**2 + 1), 1, quantities=(defined,))) is not None
