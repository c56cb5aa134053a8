"""Rounding bounds against exact sums, in cases built so that every addition rounds the same way."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import UndefinedError
from bounds.large.enclosed.upward import (
    BLOCK,
    TINY,
    U,
    blocked_roundings,
    blocks,
    column_norms,
    column_products,
    float_interval,
    gamma,
    row_norms,
    transposed_product,
    upward,
)


def exact_product(a, b):
    return sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))


def used(value, error, true):
    """The part of the bound that the true error takes."""
    return float(abs(Fraction(float(value)) - true) / Fraction(float(error)))


@given(st.integers(0, 10**6))
def test_gamma_is_above_its_formula(n):
    u = Fraction(1, 2**53)
    assert n * u / (1 - n * u) <= Fraction(gamma(n)) <= 2 * (n + 1) * u


def test_lost_additions_nearly_fill_the_bound():
    n = 200 * BLOCK
    a, b = np.zeros((n, 1)), np.ones((n, 1))
    a[0], a[BLOCK::BLOCK] = 1.0, U
    for found in (transposed_product(a, b), column_products(a, b)):
        share = used(found[0].flat[0], found[1].flat[0], exact_product(a[:, 0], b[:, 0]))
        assert 0.5 < share <= 1.0
    assert blocked_roundings(n) == BLOCK + 200


@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e150])
def test_short_products_fill_a_good_part_of_the_bound(scale):
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((2, 400)) * scale, rng.standard_normal((2, 400))
    value, error = column_products(A, B)
    shares = [used(value[j], error[j], exact_product(A[:, j], B[:, j])) for j in range(A.shape[1])]
    assert 0.15 < max(shares) <= 1.0


def test_products_that_underflow_are_within_the_bound():
    A = np.full((300, 1), 2.0**-540)
    value, error = transposed_product(A, A)
    assert value[0, 0] == 0.0
    assert used(value[0, 0], error[0, 0], exact_product(A[:, 0], A[:, 0])) <= 1.0


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e100])
def test_norms_are_above_the_true_ones(scale):
    X = np.random.default_rng(4).standard_normal((40, 7)) * scale
    for rows, norms in ((X, row_norms(X)), (X.T, column_norms(X))):
        squares = [exact_product(row, row) for row in rows]
        assert all(Fraction(float(n)) ** 2 >= s for n, s in zip(norms, squares, strict=True))
    if scale == 1.0:
        np.testing.assert_allclose(row_norms(X), np.linalg.norm(X, axis=1), rtol=1e-14)


def test_upward_covers_the_roundings_it_is_told_of():
    x = np.full(50, 1 / 3)
    found, true = np.float64(0.0), Fraction(0)
    for entry in x:
        found, true = found + entry * entry, true + Fraction(float(entry)) ** 2
    assert Fraction(float(upward(np.array(found), 51))) >= true
    assert upward(np.array(0.0), 1) == TINY


def test_blocks_cover_everything_once():
    assert [(s.start, s.stop) for s in blocks(5, 2)] == [(0, 2), (2, 4), (4, 5)]
    assert blocks(0, 3) == []


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(1, 4), Fraction(10**40, 7)])
def test_float_interval_holds_the_rational(value):
    low, high = float_interval("lam", value)
    assert Fraction(low) <= value <= Fraction(high)
    assert high - low <= 4 * U * high
    assert (low == high) == (Fraction(low) == value)


@pytest.mark.parametrize("value", [Fraction(1, 10**300), Fraction(10**290), Fraction(10**400)])
def test_extreme_parameters_are_refused_by_name(value):
    with pytest.raises(UndefinedError, match="lam"):
        float_interval("lam", value)
