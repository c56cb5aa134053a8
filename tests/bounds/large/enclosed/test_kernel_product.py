"""Products with rounded entries against exact sums, plain and split."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from bounds.attention.kernels import GaussianKernel, LinearKernel
from bounds.large.enclosed.gram import Points, enclosed_kernel
from bounds.large.enclosed.kernel_product import kernel_panels
from bounds.large.enclosed.upward import U

NO_ERRORS = replace(
    enclosed_kernel(LinearKernel(), 1), errors=lambda k, alpha, beta: np.zeros_like(k)
)


def product(gram, x, narrow, kernel=NO_ERRORS):
    """The panels put together, and the exact product of the stored numbers."""
    points = Points(gram, np.ones(len(gram)))
    panels = list(kernel_panels(kernel, points, gram, x, narrow=narrow))
    assert [(p.rows.start, p.rows.stop) for p in panels][-1][1] == len(gram)
    value = np.concatenate([p.value for p in panels])
    error = np.concatenate([p.error for p in panels])
    return value, error, max(p.norm for p in panels)


def shares(gram, x, narrow):
    value, error, _ = product(gram, x, narrow)
    found = np.zeros(value.shape)
    exact = [[Fraction(float(y)) for y in column] for column in x.T]
    for i, row in enumerate(gram):
        entries = [Fraction(float(k)) for k in row]
        for j, column in enumerate(exact):
            true = sum((k * y for k, y in zip(entries, column, strict=True)), Fraction(0))
            distance = abs(Fraction(float(value[i, j])) - true)
            found[i, j] = distance / Fraction(float(error[i, j]))
    assert found.max() <= 1.0
    return found


def symmetric(rng, L):
    gram = rng.standard_normal((L, L))
    return gram + gram.T


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("L", [1, 2, 3, 130])
@pytest.mark.parametrize("scale", [1.0, 1e-160, 1e140])
def test_the_exact_product_is_within_the_error(L, scale, narrow):
    rng = np.random.default_rng(L)
    x = rng.standard_normal((L, 3)) * [1.0, 1e-150, 1e3]
    x[:, 1] *= 10.0 ** rng.uniform(-20, 20, L)
    shares(symmetric(rng, L) * scale, x, narrow)


def test_a_column_of_zeros():
    value, error, _ = product(np.ones((3, 3)), np.zeros((3, 2)), True)
    assert not value.any()
    assert error.max() < 1e-300


def test_what_is_left_fills_a_part_of_the_bound_when_the_product_cancels():
    """The result is near 0, so that its own rounding hides nothing."""
    rng = np.random.default_rng(0)
    best = 0.0
    for _ in range(300):
        gram = symmetric(rng, 2)
        x = np.array([[1 / 3], [-gram[0, 0] / gram[0, 1] / 3]])
        best = max(best, shares(gram, x, True)[0, 0])
    assert best > 0.03


def test_the_narrow_error_is_that_of_the_result_alone():
    rng = np.random.default_rng(1)
    gram, x = symmetric(rng, 600), rng.standard_normal((600, 2))
    value, narrow, norm = product(gram, x, True)
    other, plain, _ = product(gram, x, False)
    assert (np.abs(value - other) <= narrow + plain).all()
    assert narrow.max() <= 4 * U * np.abs(value).max()
    assert plain.min() > 20 * narrow.max()
    assert norm == pytest.approx(np.abs(gram).sum(axis=1).max())


def test_errors_of_entries_count_in_both_forms():
    kernel = enclosed_kernel(GaussianKernel(Fraction(2)), 1)
    spoiled = replace(kernel, errors=lambda k, alpha, beta: np.full_like(k, 1e-6))
    x = np.array([[1.0], [-2.0], [4.0]])
    for narrow in (False, True):
        _, error, _ = product(np.ones((3, 3)), x, narrow, spoiled)
        np.testing.assert_allclose(error, 7e-6, rtol=1e-6)
