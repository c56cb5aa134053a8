"""Digits add up to the matrix, and their products are exact in floats, whatever the order."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bounds.large.enclosed.splitting import (
    MOST_SLICES,
    digit_bits,
    gram_products,
    split,
    two_product,
)

MODERATE = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-20 else 0.0)


def fractions(array):
    return np.array([[Fraction(x) for x in row] for row in array.tolist()], dtype=object)


def sum_of_slices(slices, shape):
    total = np.full(shape, Fraction(0), dtype=object)
    for part in slices:
        total[:, part.columns] += fractions(part.digits)
    return total


def sum_of_products(products, size):
    total = np.full((size, size), Fraction(0), dtype=object)
    for part in products:
        unit = Fraction(2) ** part.exponent
        for row, numbers in zip(part.rows, part.integers.tolist(), strict=True):
            for column, number in zip(part.columns, numbers, strict=True):
                total[row, column] += number * unit
    return total


@pytest.mark.parametrize("rows", [1, 2, 3, 511, 512, 2048, 2049, 4096, 10**6])
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 8])
def test_digits_are_as_long_as_sums_of_products_allow(rows, parts):
    bits = digit_bits(rows, parts)
    assert rows * (parts * 2 ** (bits - 1)) ** 2 <= 2**53
    if (rows & (rows - 1)) == 0 and (parts & (parts - 1)) == 0:
        assert rows * (parts * 2**bits) ** 2 > 2**53
    assert 1 < bits <= 52


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=MODERATE))
def test_slices_add_up_and_so_do_their_products(X):
    bits = digit_bits(len(X))
    slices = split([X])
    exact = fractions(X)
    assert (sum_of_slices(slices, X.shape) == exact).all()
    for part in slices:
        whole = part.digits / 2.0**part.exponent
        assert (whole == np.rint(whole)).all()
        assert np.abs(whole).max() <= 2 ** (bits - 1)
    products = sum_of_products(gram_products(slices), X.shape[1])
    assert (products == exact.T @ exact).all()


def test_sums_that_fill_every_bit_of_a_float_are_exact():
    """2048 products of the largest odd digits: one bit more and the sum would be rounded."""
    rng = np.random.default_rng(0)
    rows = 2048
    largest = 2 ** (digit_bits(rows) - 1)
    whole = largest - 1 - 2 * rng.integers(0, 2, (rows, 3))
    low = rng.integers(-largest, largest, (rows, 3))
    X = whole + low / (2.0 * largest)
    slices = split([X])
    exact = np.array((whole * 2 * largest + low).tolist(), dtype=object)
    expected = exact.T @ exact * Fraction(1, (2 * largest) ** 2)
    assert (sum_of_products(gram_products(slices), 3) == expected).all()
    largest_sum = max(abs(part.integers).max() for part in gram_products(slices))
    assert 2**52 < largest_sum <= 2**53


@pytest.mark.parametrize("shorter", [False, True])
def test_parts_whose_digits_all_add_up_are_exact(shorter):
    """Four equal parts with the largest odd digits that four parts, or one part, may have."""
    rng = np.random.default_rng(3)
    rows, parts = 2048, 4
    largest = 2 ** (digit_bits(rows, parts if shorter else 1) - 1)
    whole = largest - 1 - 2 * rng.integers(0, 2, (rows, 3))
    slices = split([whole.astype(float)] * parts)
    exact = np.array((parts * whole).tolist(), dtype=object)
    products = list(gram_products(slices))
    assert (sum_of_products(products, 3) == exact.T @ exact).all()
    assert (len(products) == 1) is shorter
    assert not shorter or 2**52 < products[0].integers.max() <= 2**53


@pytest.mark.parametrize("order", ["C", "F"])
def test_neither_order_nor_layout_changes_a_bit(order):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((512, 5))
    mixed = np.asarray(X[rng.permutation(512)], order=order)
    slices, others = (split([array]) for array in (X, mixed))
    pairs = zip(gram_products(slices), gram_products(others), strict=True)
    assert all((a.integers == b.integers).all() for a, b in pairs)


def test_parts_are_added_without_a_slice_more():
    rng = np.random.default_rng(2)
    high = rng.standard_normal((20, 3))
    low = high * 2.0**-54
    slices = split([high, low])
    exact = fractions(high) + fractions(low)
    assert (sum_of_slices(slices, high.shape) == exact).all()
    assert (sum_of_products(gram_products(slices), 3) == exact.T @ exact).all()
    exponents = [part.exponent for part in slices]
    assert len(set(exponents)) == len(exponents)


def test_zero_columns_and_gaps_cost_nothing():
    X = np.zeros((6, 3))
    X[:, 1] = 3.0
    X[2, 1] = 2.0**-200
    slices = split([X])
    assert len(slices) == 2
    assert all(part.columns.tolist() == [1] for part in slices)
    assert split([np.zeros((4, 2))]) == []
    assert list(gram_products([])) == []


@pytest.mark.parametrize("powers", [(-600, 0), (0, 600), (-1074, -1060), (1023, 1000)])
def test_what_would_underflow_or_overflow_is_left_to_whole_numbers(powers):
    X = np.array([[2.0**n for n in powers]])
    assert split([X]) is None


def test_too_many_slices_are_left_to_whole_numbers():
    X = 2.0 ** np.linspace(-400, 400, 40).round().reshape(-1, 1)
    assert split([X]) is None
    assert len(split([X[:5]])) <= MOST_SLICES


@settings(deadline=None)
@given(st.floats(-1e60, 1e60), st.floats(-1e60, 1e60))
def test_two_product_is_exact(x, y):
    if 0 < abs(x) < 1e-90 or 0 < abs(y) < 1e-90:
        return
    p, e = two_product(np.array([x]), np.array([y]))
    assert Fraction(float(p[0])) + Fraction(float(e[0])) == Fraction(x) * Fraction(y)
    assert p[0] == x * y
