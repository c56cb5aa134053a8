"""Gram matrices against balls: the stated entry errors hold, whatever the scale."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic.rationals import RationalField
from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError
from bounds.large.floats.gram import (
    TILE,
    cross_gram,
    diagonal,
    entry_error,
    feature_error,
    float_features,
    scales,
    symmetric_gram,
)
from bounds.large.inputs import matrix_input

from ..ball_reference import gram_errors, rows_of

KERNELS = [
    LinearKernel(),
    FeatureKernel(2),
    FeatureKernel(3),
    PolynomialKernel(3, Fraction(1, 3)),
    PolynomialKernel(2, Fraction(0)),
    GaussianKernel(Fraction(1, 3)),
    ExponentialKernel(Fraction(70, 3)),
]


def bound(kernel, A, B):
    error = entry_error(kernel, A, B)
    return error.relative * np.outer(scales(kernel, A), scales(kernel, B)) + error.absolute


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("scale", [1e-170, 1e-160, 1e-3, 1.0, 3.0])
@pytest.mark.parametrize("offset", [0.0, 1e2])
def test_the_entry_errors_hold_and_are_not_idle(kernel, scale, offset):
    rng = np.random.default_rng(1)
    at = offset * min(scale, 0.05)
    A = matrix_input("keys", at + scale * rng.normal(size=(6, 3)))
    B = matrix_input("queries", at + scale * rng.normal(size=(4, 3)))
    value = cross_gram(kernel, A, B)
    errors, stated = gram_errors(kernel, A.array, B.array, value), bound(kernel, A, B)
    assert (errors <= stated).all()
    assert stated.max() <= 1e-10 * max(np.abs(value).max(), 1.0)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_float32_entries_may_move_by_their_rounding(kernel):
    rng = np.random.default_rng(2)
    true = rng.normal(size=(6, 3))
    A = matrix_input("keys", true.astype(np.float32))
    value = cross_gram(kernel, A, A)
    assert (gram_errors(kernel, true, true, value) <= bound(kernel, A, A)).all()
    assert entry_error(kernel, A, A).relative > 2.0**-24 / 4


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("L", [1, TILE - 1, TILE + 1, 2 * TILE + 3])
def test_the_symmetric_matrix_is_the_cross_matrix_with_itself(kernel, L):
    A = matrix_input("keys", 0.3 * np.random.default_rng(3).normal(size=(L, 2)))
    made = symmetric_gram(kernel, A)
    assert (made.matrix == made.matrix.T).all()
    assert (np.abs(made.matrix - cross_gram(kernel, A, A)) <= 2 * bound(kernel, A, A)).all()
    assert np.isclose(made.one_norm, np.linalg.norm(made.matrix, 1), rtol=1e-12)
    assert made.two_norm <= np.linalg.norm(made.matrix, 2) * (1 + 1e-12)
    assert np.allclose(diagonal(kernel, A), made.matrix.diagonal(), rtol=1e-13)


def test_cross_gram_writes_into_the_array_it_is_given():
    A, out = matrix_input("keys", np.eye(2)), np.zeros((2, 2))
    assert cross_gram(GaussianKernel(Fraction(1)), A, A, out) is out
    assert np.allclose(out, [[1, np.exp(-1)], [np.exp(-1), 1]], rtol=1e-15)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.integers(1, 3))
def test_float_features_are_those_of_the_kernel(point, degree):
    kernel, A = FeatureKernel(degree), matrix_input("keys", [point])
    exact = kernel.features(RationalField(), RationalField().matrix(rows_of([point])))
    exact = [Fraction(int(x.p), int(x.q)) for x in exact.tolist()[0]]
    found = float_features(kernel, A)[0]
    moved = sum((Fraction(x) - y) ** 2 for x, y in zip(found.tolist(), exact, strict=True))
    assert moved <= Fraction(feature_error(kernel, A)) ** 2 * sum(y * y for y in exact)


@pytest.mark.parametrize(
    ("kernel", "size", "name"),
    [
        (ExponentialKernel(Fraction(1, 100)), 3.0, "temperature"),
        (ExponentialKernel(Fraction(1, 10**400)), 1.0, "temperature"),
        (GaussianKernel(Fraction(10**400)), 1.0, "bandwidth"),
        (GaussianKernel(Fraction(1)), 1e200, "keys"),
        (PolynomialKernel(3), 1e80, "keys"),
        (FeatureKernel(2), 1e100, "keys"),
        (LinearKernel(), 1e160, "keys"),
        (object(), 1.0, "kernel"),
    ],
)
def test_what_overflows_is_refused_by_name(kernel, size, name):
    keys = matrix_input("keys", np.full((2, 2), size))
    with pytest.raises(ParameterError) as caught:
        symmetric_gram(kernel, keys)
    assert caught.value.name == name


def test_overflowing_logits_are_told():
    keys = matrix_input("keys", [[30.0]])
    with pytest.raises(ParameterError, match="logits up to 900"):
        cross_gram(ExponentialKernel(Fraction(1)), keys, keys)
