"""Kernel entries against balls of 300 bits, on points that cancel, coincide, underflow."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.arithmetic.balls import BallField
from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError, UndefinedError
from bounds.large.enclosed.gram import enclosed_kernel

BALLS = BallField(300)
KERNELS = [
    GaussianKernel(Fraction(3)),
    GaussianKernel(Fraction(1, 7)),
    ExponentialKernel(Fraction(5, 3)),
    LinearKernel(),
    FeatureKernel(3),
    PolynomialKernel(3, Fraction(1, 3)),
    PolynomialKernel(1, Fraction(0)),
]


def balls(X):
    return BALLS.matrix([[Fraction(float(x)) for x in row] for row in X])


def shares(kernel, A, B):
    """|computed - true|/bound for each entry, by balls."""
    enclosed = enclosed_kernel(kernel, A.shape[1])
    value, error = enclosed.cross(enclosed.points(A), enclosed.points(B))
    with BALLS.context():
        true = kernel.gram(BALLS, balls(A), balls(B))
        return np.array(
            [
                [
                    float((abs(true[i, j] - value[i, j]) / error[i, j]).upper())
                    for j in range(len(B))
                ]
                for i in range(len(A))
            ]
        )


def points(case, rng):
    A, B = rng.standard_normal((12, 3)), rng.standard_normal((9, 3))
    if case == "offset":
        return A * 1e-3 + 1.0, B * 1e-3 + 1.0
    if case == "duplicates":
        return np.repeat(A[:3], 4, axis=0), A[:5].copy()
    if case == "tiny":
        return A * 1e-170, B * 1e-170
    if case == "one":
        return A[:1, :1], B[:1, :1]
    if case == "zero":
        return np.zeros((2, 3)), B
    return A, B


@pytest.mark.parametrize("case", ["plain", "offset", "duplicates", "tiny", "one", "zero"])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_every_entry_is_within_its_error(kernel, case):
    A, B = points(case, np.random.default_rng(0))
    assert shares(kernel, A, B).max() <= 1.0


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_errors_are_not_ten_times_too_large(kernel):
    rng = np.random.default_rng(1)
    assert shares(kernel, rng.standard_normal((60, 1)), rng.standard_normal((60, 1))).max() > 0.12


def test_logits_rounded_badly_fill_a_good_part_of_the_gaussian_bound():
    """Near x = 2 the error of x weighs most, and 1/(2 bandwidth) is far from a float."""
    rng = np.random.default_rng(8)
    A, B = rng.uniform(0.0, 0.3, (150, 1)), rng.uniform(3.3, 3.7, (150, 1))
    assert 0.25 < shares(GaussianKernel(Fraction(3)), A, B).max() <= 1.0


def test_a_far_offset_costs_the_gaussian_kernel_nothing():
    rng = np.random.default_rng(2)
    A, B = rng.standard_normal((8, 4)), rng.standard_normal((8, 4))
    A, B = A + 1e6, B + 1e6
    enclosed = enclosed_kernel(GaussianKernel(Fraction(4)), 4)
    _, error = enclosed.cross(enclosed.points(A), enclosed.points(B))
    assert error.max() < 1e-14
    assert shares(GaussianKernel(Fraction(4)), A, B).max() <= 1.0


@pytest.mark.parametrize("scale", [30.0, 1e10, 1e200])
def test_distant_points_underflow_within_the_error(scale):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((6, 2)) * scale
    assert shares(GaussianKernel(Fraction(1)), A, -A).max() <= 1.0


def test_squares_that_underflow_under_a_narrow_bandwidth():
    A, B = np.array([[0.0, 0.0]]), np.array([[1e-130, 3e-131]])
    assert shares(GaussianKernel(Fraction(1, 2**860)), A, B).max() <= 1.0


def test_large_logits_of_both_signs():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((8, 3)) * 9
    B = rng.standard_normal((8, 3)) * 9
    assert shares(ExponentialKernel(Fraction(1)), A, B).max() <= 1.0


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("L", [1, 7, 256, 300, 513])
def test_the_symmetric_matrix_is_made_of_the_same_entries(kernel, L):
    X = np.random.default_rng(5).standard_normal((L, 2))
    enclosed = enclosed_kernel(kernel, 2)
    given = enclosed.points(X)
    gram = enclosed.symmetric(given)
    value, error = enclosed.cross(given, given)
    assert (gram == gram.T).all()
    assert (np.abs(gram - value) <= 2 * error).all()


def test_the_diagonal():
    X = np.random.default_rng(6).standard_normal((5, 3))
    for kernel in KERNELS:
        enclosed = enclosed_kernel(kernel, 3)
        given = enclosed.points(X)
        value, error = enclosed.diagonal(given)
        full, full_error = enclosed.cross(given, given)
        assert (np.abs(value - full.diagonal()) <= error + full_error.diagonal()).all()
    assert not enclosed_kernel(KERNELS[0], 3).diagonal(given)[1].any()


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [
        (ExponentialKernel(Fraction(1)), 100.0),
        (PolynomialKernel(4), 1e100),
        (FeatureKernel(4), 1e100),
        (LinearKernel(), 1e200),
    ],
    ids=repr,
)
def test_overflow_is_named(kernel, scale):
    X = np.random.default_rng(7).standard_normal((4, 2)) * scale
    enclosed = enclosed_kernel(kernel, 2)
    given = enclosed.points(X)
    with pytest.raises(UndefinedError, match="overflows"):
        enclosed.block(given, given)


def test_logits_swamped_by_rounding_are_refused():
    enclosed = enclosed_kernel(ExponentialKernel(Fraction(1)), 2)
    a, b = enclosed.points(np.array([[1e9, 0.0]])), enclosed.points(np.array([[0.0, 1e9]]))
    with pytest.raises(UndefinedError, match="rounding reaches 1") as caught:
        enclosed.cross(a, b)
    assert not caught.value.certain


@pytest.mark.parametrize("bandwidth", [Fraction(1, 10**280), Fraction(10**280)])
def test_parameters_beyond_floats_are_refused(bandwidth):
    with pytest.raises(UndefinedError, match="bandwidth"):
        enclosed_kernel(GaussianKernel(bandwidth), 2)


def test_a_foreign_kernel_is_refused():
    with pytest.raises(ParameterError, match="kernel"):
        enclosed_kernel(object(), 2)
    with pytest.raises(ParameterError, match="dk"):
        enclosed_kernel(LinearKernel(), 2**21)
