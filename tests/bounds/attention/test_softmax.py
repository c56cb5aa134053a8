"""Softmax attention and Nadaraya-Watson: stable, exact where they can be, equivariant."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.arithmetic.linear import entries
from bounds.attention.softmax import (
    nadaraya_watson,
    self_softmax_attention,
    softmax,
    softmax_attention,
)
from bounds.errors import NotRational, ParameterError

RATIONAL, BALL, FLOAT = RationalField(), BallField(), FloatField()


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def column(field: Field, numbers: list[Fraction]) -> Any:
    return field.transpose(field.matrix([numbers]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(-50, 50, max_denominator=7), min_size=1, max_size=6))
def test_softmax_is_the_normalised_exponential(scores: list[Fraction]) -> None:
    with BALL.context():
        weights = softmax(BALL, column(BALL, scores)).entries()
        exponentials = [BALL.number(score).exp() for score in scores]
        total = sum(exponentials[1:], exponentials[0])
        for weight, exponential in zip(weights, exponentials, strict=True):
            assert weight.overlaps(exponential / total)
            assert weight.rad() < 1e-30
        floats = entries(FLOAT, softmax(FLOAT, column(FLOAT, scores)))
        for (approx,), weight in zip(floats, weights, strict=True):
            assert not abs(arb(approx.value) - weight) > approx.error
            assert approx.error < 1e-13


@pytest.mark.parametrize("field", [BALL, FLOAT], ids=lambda field: field.name)
def test_enormous_scores_do_not_overflow(field: Field) -> None:
    weights = softmax(field, column(field, [Fraction(10**9), Fraction(10**9 - 1), Fraction(0)]))
    first, second, third = (row[0] for row in entries(field, weights))
    assert field.to_float(first) == pytest.approx(0.7310585786300049)
    assert field.to_float(second) == pytest.approx(0.2689414213699951)
    assert abs(field.to_float(third)) <= field.error(third) + 1e-300


def test_equal_scores_are_rational() -> None:
    third = Fraction(1, 3)
    weights = softmax(RATIONAL, column(RATIONAL, [third, third, third]))
    assert weights == column(RATIONAL, [third] * 3)
    with pytest.raises(NotRational):
        softmax(RATIONAL, column(RATIONAL, [third, Fraction(1, 2)]))


def test_unit_sphere_identity() -> None:
    """I10: on the unit sphere the dot-product and the Gaussian weights are the same."""
    keys: list[list[Fraction | int]] = [
        [Fraction(3, 5), Fraction(4, 5)],
        [Fraction(-5, 13), Fraction(12, 13)],
        [1, 0],
    ]
    K, V = BALL.matrix(keys), BALL.matrix([[1, 2], [3, -1], [0, 5]])
    q, gamma = column(BALL, [Fraction(8, 17), Fraction(15, 17)]), BALL.number(Fraction(1, 3))
    difference = softmax_attention(BALL, K, V, q, gamma) - nadaraya_watson(BALL, K, V, q, gamma)
    for x in difference.entries():
        assert x.contains(0)
        assert x.rad() < 1e-30
    K2 = BALL.matrix([[2 * x for x in row] for row in keys])
    off_sphere = softmax_attention(BALL, K2, V, q, gamma) - nadaraya_watson(BALL, K2, V, q, gamma)
    assert off_sphere.entries()[0].contains(0), "equal norms suffice"
    K3 = BALL.matrix([keys[0], keys[1], [2, 0]])
    uneven = softmax_attention(BALL, K3, V, q, gamma) - nadaraya_watson(BALL, K3, V, q, gamma)
    assert not uneven.entries()[0].contains(0)


def test_self_attention_has_a_column_for_every_token() -> None:
    K, V = BALL.matrix([[1, 2], [0, 1], [3, 0]]), BALL.matrix([[1], [2], [5]])
    gamma = BALL.number(2)
    outputs = self_softmax_attention(BALL, K, V, gamma)
    assert BALL.shape(outputs) == (1, 3)
    alone = softmax_attention(BALL, K, V, column(BALL, [Fraction(3), Fraction(0)]), gamma)
    assert outputs[0, 2].overlaps(alone[0, 0])


@pytest.mark.parametrize("gamma", [0, -1])
def test_bad_temperature_is_named(gamma: int) -> None:
    K = BALL.matrix([[1]])
    for attention in (softmax_attention, nadaraya_watson):
        with pytest.raises(ParameterError, match=r"^gamma = "):
            attention(BALL, K, K, K, BALL.number(gamma))
