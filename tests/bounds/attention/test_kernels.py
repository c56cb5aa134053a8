"""Kernels: their Gram matrices, features and parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField, FloatField, RationalField
from bounds.arithmetic.linear import entries
from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
    squared_distances,
)
from bounds.errors import NotRational, ParameterError, ShapeError

RATIONAL, BALL, FLOAT = RationalField(), BallField(), FloatField()
KERNELS: tuple[Kernel, ...] = (
    LinearKernel(),
    FeatureKernel(2),
    PolynomialKernel(3, Fraction(1, 2)),
    GaussianKernel(Fraction(1, 2)),
    ExponentialKernel(Fraction(2)),
)
points = st.lists(
    st.lists(st.fractions(-4, 4, max_denominator=4), min_size=2, max_size=2),
    min_size=1,
    max_size=4,
)


@settings(max_examples=30, deadline=None)
@given(points)
def test_features_give_the_gram_matrix(rows: list[list[Fraction]]) -> None:
    K = RATIONAL.matrix(rows)
    for kernel in (LinearKernel(), FeatureKernel(1), FeatureKernel(3)):
        Phi: Any = kernel.features(RATIONAL, K)
        assert kernel.feature_dimension(2) == RATIONAL.shape(Phi)[1]
        assert kernel.gram(RATIONAL, K, K) == Phi * Phi.transpose()


def test_features_are_the_monomials() -> None:
    Phi = FeatureKernel(2).features(RATIONAL, RATIONAL.matrix([[2, 3]]))
    assert [int(x.p) for x in Phi.entries()] == [1, 2, 3, 4, 6, 9]


def test_polynomial_kernel_by_hand() -> None:
    gram = PolynomialKernel(3, Fraction(1, 2)).gram(
        RATIONAL, RATIONAL.matrix([[1, 2]]), RATIONAL.matrix([[-1, 0], [0, 1]])
    )
    assert gram == RATIONAL.matrix([[Fraction(-1, 8), Fraction(125, 8)]])


@settings(max_examples=25, deadline=None)
@given(points, st.sampled_from(KERNELS))
def test_gram_matrices_are_symmetric_and_positive(
    rows: list[list[Fraction]], kernel: Kernel
) -> None:
    with BALL.context():
        K = BALL.matrix(rows)
        gram = kernel.gram(BALL, K, K)
        low = BALL.lambda_min(gram)
        assert BALL.less(low, BALL.number(0)) is not True
        floats = kernel.gram(FLOAT, FLOAT.matrix(rows), FLOAT.matrix(rows))
        for ball_row, float_row in zip(entries(BALL, gram), entries(FLOAT, floats), strict=True):
            for ball, approx in zip(ball_row, float_row, strict=True):
                assert not abs(ball - approx.value) > approx.error


def test_distances_of_close_points_do_not_cancel() -> None:
    close: list[list[Fraction | int]] = [[10**6], [10**6 + Fraction(1, 10**4)]]
    distance = FLOAT.entry(squared_distances(FLOAT, *[FLOAT.matrix(close)] * 2), 0, 1)
    assert abs(distance.value - 1e-8) <= distance.error < 1e-13


def test_gaussian_kernel_is_one_on_the_diagonal() -> None:
    K = BALL.matrix([[Fraction(1, 3), 2]])
    gram = GaussianKernel(Fraction(3)).gram(BALL, K, K)
    assert abs(gram[0, 0] - 1) < 1e-10


def test_irrational_kernels_say_so() -> None:
    K = RATIONAL.matrix([[1, 2]])
    for kernel in (GaussianKernel(Fraction(1)), ExponentialKernel(Fraction(1))):
        assert not kernel.rational
        assert kernel.features(RATIONAL, K) is None
        assert kernel.feature_dimension(2) is None
    with pytest.raises(NotRational):
        ExponentialKernel(Fraction(1)).gram(RATIONAL, K, K)


def bad(value: object) -> Any:
    """A value of a wrong type, as an untyped caller might give it."""
    return value


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: GaussianKernel(Fraction(0)), "bandwidth"),
        (lambda: GaussianKernel(bad(float("nan"))), "bandwidth"),
        (lambda: ExponentialKernel(Fraction(-1)), "temperature"),
        (lambda: PolynomialKernel(0), "degree"),
        (lambda: PolynomialKernel(2, Fraction(-1)), "offset"),
        (lambda: FeatureKernel(bad(1.5)), "degree"),
        (lambda: FeatureKernel(bad(True)), "degree"),
    ],
)
def test_bad_parameters_are_named(build: Any, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} = "):
        build()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_points_of_different_spaces(kernel: Kernel) -> None:
    with pytest.raises(ShapeError):
        kernel.gram(BALL, BALL.matrix([[1, 2]]), BALL.matrix([[1, 2, 3]]))
