"""What the tests of the models share: the comparison of a quantity in the three fields."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.arithmetic.convert import to_fraction
from bounds.arithmetic.linear import entries
from bounds.errors import NotRational

Quantity = Callable[[Field], Any]


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


def assert_fields_agree(compute: Quantity) -> bool:
    """Balls hold the rational, floats are right within their error; True if it is rational."""
    exact, ball, floating = RationalField(), BallField(), FloatField()
    with ball.context():
        balls = [(_end(x.lower()), _end(x.upper())) for x in _scalars(ball, compute(ball))]
        floats = _scalars(floating, compute(floating))
        try:
            truths = [to_fraction(x) for x in _scalars(exact, compute(exact))]
        except NotRational:
            truths = []
    for (low, high), x in zip(balls, floats, strict=True):
        assert low - Fraction(x.error) <= Fraction(x.value) <= high + Fraction(x.error)
    if not truths:
        return False
    for truth, (low, high), x in zip(truths, balls, floats, strict=True):
        assert low <= truth <= high
        assert abs(truth - Fraction(x.value)) <= Fraction(x.error)
    return True


@pytest.fixture
def fields_agree() -> Callable[[Quantity], bool]:
    return assert_fields_agree
