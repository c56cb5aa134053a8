"""What the tests of the models share: the comparison of a quantity in the three fields."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from flint import arb

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.arithmetic.convert import to_fraction
from bounds.arithmetic.linear import entries
from bounds.errors import NotRational, SingularSystemError

Quantity = Callable[[Field], Any]


class Agreement(NamedTuple):
    """Which fields gave a value; those that did agree."""

    rational: bool
    floats: bool


def _scalars(field: Field, result: Any) -> list[Any]:
    """The scalars of a scalar, a matrix, or a tuple of these."""
    if isinstance(result, tuple):
        return [scalar for part in result for scalar in _scalars(field, part)]
    try:
        rows = entries(field, result)
    except AttributeError:
        return [result]
    return [scalar for row in rows for scalar in row]


def _end(end: Any) -> Fraction:
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def assert_fields_agree(compute: Quantity) -> Agreement:
    """Balls hold the rational, floats are right within their error; says which fields answered."""
    exact, ball, floating = RationalField(), BallField(), FloatField()
    truths: list[Fraction] = []
    floats: list[Any] = []
    with suppress(NotRational):
        truths = [to_fraction(x) for x in _scalars(exact, compute(exact))]
    with suppress(SingularSystemError):
        floats = _scalars(floating, compute(floating))
    with ball.context():
        balls = _scalars(ball, compute(ball))
        for x, y in zip(floats, balls, strict=True) if floats else ():
            assert not abs(arb(x.value) - y) > arb(x.error)
        for truth, y in zip(truths, balls, strict=True) if truths else ():
            assert _end(y.lower()) <= truth <= _end(y.upper())
    for truth, x in zip(truths, floats, strict=True) if truths and floats else ():
        assert abs(truth - Fraction(x.value)) <= Fraction(x.error)
    return Agreement(rational=bool(truths), floats=bool(floats))


@pytest.fixture
def fields_agree() -> Callable[[Quantity], Agreement]:
    return assert_fields_agree
