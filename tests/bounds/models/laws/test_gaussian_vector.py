"""Errors with a full covariance: the tail in every field, and against the isotropic law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.through_balls import to_ball
from bounds.errors import NotRational, ParameterError, ShapeError
from bounds.models.laws import ErrorLaw, GaussianVectorLaw, error_exceeds

RATIONAL, BALL, FLOAT, MIXED = RationalField(), BallField(), FloatField(), MixedField()
Rows = list[list[int]]


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def tail(field: Field, mean: list[int], covariance: Rows, threshold: Fraction | int) -> arb:
    law = GaussianVectorLaw(field.matrix([[x] for x in mean]), field.matrix(covariance))
    return to_ball(field, error_exceeds(field, law, field.number(threshold)))


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=4, max_size=4), st.integers(-2, 2), st.integers(1, 12))
def test_fields_agree(factor: list[int], shift: int, threshold: int) -> None:
    with BALL.context():
        (a, b), (c, d) = factor[:2], factor[2:]
        S = [[a * a + b * b, a * c + b * d], [a * c + b * d, c * c + d * d]]
        ball = tail(BALL, [shift, 1], S, threshold)
        mixed, floats = tail(MIXED, [shift, 1], S, threshold), tail(FLOAT, [shift, 1], S, threshold)
        assert ball.overlaps(mixed)
        assert floats.overlaps(ball)


@pytest.mark.parametrize("threshold", [1, 6, 20, 40])
def test_isotropic(threshold: int) -> None:
    """The two laws agree, also below 1e-36, where the sum of the noncentral law is wide."""
    law = ErrorLaw(BALL.matrix([[3], [4]]), BALL.number(4))
    expected = error_exceeds(BALL, law, arb(threshold))
    found = tail(BALL, [3, 4], [[4, 0], [0, 4]], threshold)
    assert found.overlaps(expected)
    assert found.rad() < arb("1e-20") * found
    assert expected.rad() < arb("1e-7") * expected


def test_the_average_of_two_outputs() -> None:
    """Covariance of rank one: |error| = sqrt(2) |x|."""
    found = tail(BALL, [0, 0], [[1, 1], [1, 1]], 6)
    assert found.overlaps(arb(3).erfc())
    factor = BALL.matrix([[1], [1]])
    law = GaussianVectorLaw.of_factor(BALL, BALL.matrix([[0], [0]]), factor)
    assert error_exceeds(BALL, law, arb(6)).overlaps(arb(3).erfc())


@pytest.mark.parametrize("field", [RATIONAL, BALL, MIXED, FLOAT], ids=lambda field: field.name)
def test_without_noise(field: Field) -> None:
    none = [[0, 0], [0, 0]]
    assert tail(field, [3, 4], none, 4) == 1
    assert tail(field, [3, 4], none, 6) == 0
    assert tail(field, [3, 4], [[1, 0], [0, 1]], -1) == 1


def test_rationals_have_no_tail() -> None:
    with pytest.raises(NotRational, match="tail of a Gaussian vector"):
        tail(RATIONAL, [0], [[1]], 1)


def test_a_threshold_of_open_sign() -> None:
    law = GaussianVectorLaw(BALL.matrix([[0]]), BALL.matrix([[1]]))
    ball = error_exceeds(BALL, law, arb(0, "0.1"))
    assert ball.contains(1)
    assert ball.contains((arb("0.1") / arb(2).sqrt()).erfc())


def test_bad_laws_are_named() -> None:
    with pytest.raises(ParameterError, match=r"^covariance = .*symmetric"):
        tail(BALL, [0, 0], [[1, 1], [0, 1]], 1)
    with pytest.raises(ParameterError, match=r"^covariance = .*semidefinite"):
        tail(BALL, [0, 0], [[1, 2], [2, 1]], 1)
    with pytest.raises(ShapeError, match=r"^covariance = "):
        tail(BALL, [0, 0], [[1]], 1)
    law = GaussianVectorLaw(BALL.matrix([[0, 0]]), BALL.matrix([[1]]))
    with pytest.raises(ShapeError, match=r"^mean = "):
        error_exceeds(BALL, law, arb(1))
