"""The L x L route against balls: errors hold on nasty problems, in one matrix of memory."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import (
    ParameterError,
    SingularSystemError,
    TooLargeError,
    UndefinedError,
)
from bounds.large import memory
from bounds.large.floats import kernel_ridge
from bounds.large.floats.kernel_ridge import kernel_cholesky
from bounds.large.problem import problem, query_input
from bounds.large.result import Route
from bounds.models.linear_gaussian import LinearGaussian

from ..ball_reference import law_errors

KERNELS = [
    LinearKernel(),
    FeatureKernel(2),
    PolynomialKernel(2),
    GaussianKernel(Fraction(2)),
    ExponentialKernel(Fraction(4)),
]
RNG = np.random.default_rng(3)
K, V, Q = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2)), RNG.normal(size=(3, 3))


def law(kernel, noise, keys=K, values=V, queries=Q, prior=1):
    given = problem(LinearGaussian(prior, noise, kernel), keys, values)
    return given, kernel_cholesky(given, query_input(given, queries))


def errors(given, found, queries, keys=None):
    at = given.keys.array if keys is None else keys
    value = (found.mean.value, found.variance.value)
    return law_errors(given.model, at, given.values.array, queries, *value)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("noise", [Fraction(1), Fraction(1, 10**4), Fraction(1, 10**9)])
def test_errors_hold_and_are_not_idle(kernel, noise):
    given, found = law(kernel, noise, prior=3)
    of_mean, of_variance = errors(given, found, Q)
    assert (of_mean <= found.mean.error).all()
    assert (of_variance <= found.variance.error).all()
    assert found.mean.error.max() <= 1e4 * max(of_mean.max(), 1e-15)
    assert found.variance.error.max() <= 1e4 * max(of_variance.max(), 1e-15)
    assert found.mean.route is Route.KERNEL_CHOLESKY
    assert not found.mean.rigorous
    assert 0 < found.mean.backward_error < 1e-13


@pytest.mark.parametrize("kernel", [LinearKernel(), FeatureKernel(2), GaussianKernel(2)], ids=repr)
@pytest.mark.parametrize(
    "change",
    [
        lambda: (K + 1e4, V, Q + 1e4, Fraction(10**9)),
        lambda: (K * 1e-160, V * 1e-100, Q * 1e-160, Fraction(1, 100)),
        lambda: (np.repeat(K[:5], 8, axis=0), V, Q, Fraction(1, 10**6)),
        lambda: (K[:1], V[:1], Q, Fraction(1, 100)),
        lambda: (K[:2], V[:2], Q, Fraction(1, 10**10)),
        lambda: (K, 0 * V, Q, Fraction(1, 100)),
        lambda: (K, V * 1e-322, Q, Fraction(1, 100)),
        lambda: (0 * K, V, 0 * Q, Fraction(1, 100)),
        lambda: (K, V, Q, Fraction(10**250)),
        lambda: (K, V, K[:3], Fraction(1, 10**8)),
    ],
    ids=[
        "offset",
        "tiny",
        "equal",
        "one",
        "two",
        "zero",
        "denormal",
        "origin",
        "noise",
        "interpolate",
    ],
)
def test_errors_hold_on_nasty_problems(kernel, change):
    keys, values, queries, noise = change()
    given, found = law(kernel, noise, keys, values, queries)
    of_mean, of_variance = errors(given, found, queries)
    assert (of_mean <= found.mean.error).all()
    assert (of_variance <= found.variance.error).all()


@pytest.mark.parametrize("kernel", [LinearKernel(), GaussianKernel(2)], ids=repr)
def test_float32_tokens_are_known_to_their_rounding_only(kernel):
    given, found = law(kernel, Fraction(1, 10), K.astype(np.float32), V.astype(np.float32))
    value = (found.mean.value, found.variance.value)
    of_mean, of_variance = law_errors(given.model, K, V, Q, *value)
    assert (of_mean <= found.mean.error).all()
    assert (of_variance <= found.variance.error).all()
    assert found.mean.input_unit == 2.0**-24


def test_float32_values_alone_count():
    given, found = law(
        LinearKernel(), Fraction(1, 10**6), V[:1, :1], V[:1].astype(np.float32), V[:1, :1]
    )
    of_mean, _ = law_errors(
        given.model, V[:1, :1], V[:1], V[:1, :1], found.mean.value, found.variance.value
    )
    assert (of_mean <= found.mean.error).all()
    assert of_mean.max() > 1e-10


@pytest.mark.parametrize("kernel", [LinearKernel(), GaussianKernel(2)], ids=repr)
@pytest.mark.parametrize("size", [1e-9, 1e-5, 1e-2])
def test_errors_hold_however_badly_the_systems_are_solved(kernel, size, monkeypatch):
    solve = kernel_ridge.Factored.solve

    def badly(self, B):
        X = solve(self, B)
        return X + size * np.abs(X).max() * np.random.default_rng(1).normal(size=X.shape)

    monkeypatch.setattr(kernel_ridge.Factored, "solve", badly)
    given, found = law(kernel, Fraction(1, 10))
    of_mean, of_variance = errors(given, found, Q)
    assert (of_mean <= found.mean.error).all()
    assert (of_variance <= found.variance.error).all()
    assert of_variance.max() > size**2 / 1e3


def test_the_variance_does_not_cancel_where_features_are_finite():
    keys, queries = RNG.normal(size=(10, 60)), RNG.normal(size=(4, 60))
    inside = keys[:4] * 1.5
    for at in (queries, inside):
        given, found = law(LinearKernel(), Fraction(1, 10**12), keys, V[:10], at)
        _, of_variance = errors(given, found, at)
        assert (of_variance <= found.variance.error).all()
        assert (found.variance.error <= 1e-2 * found.variance.value).all()


@pytest.mark.parametrize("L", [kernel_ridge.TILE - 1, kernel_ridge.TILE + 1, 700])
def test_many_tokens_and_queries_agree_with_plain_linear_algebra(L, monkeypatch):
    monkeypatch.setattr(kernel_ridge, "QUERIES", 7)
    keys, values, queries = (RNG.normal(size=(n, 2)) for n in (L, L, 20))
    _, found = law(GaussianKernel(2), Fraction(1, 10), keys, values, queries)
    gram = np.exp(-((keys[:, None] - keys) ** 2).sum(-1) / 4)
    k = np.exp(-((keys[:, None] - queries) ** 2).sum(-1) / 4)
    A = gram + 0.1 * np.eye(L)
    W = np.linalg.solve(A, k)
    assert np.allclose(found.mean.value, W.T @ values, atol=1e-11)
    assert np.allclose(found.variance.value, 1 - (k * W).sum(axis=0), atol=1e-11)
    assert found.mean.error.max() < 1e-8
    assert 0.3 < found.mean.condition / np.linalg.cond(A, 1) <= 1.01


def test_one_matrix_of_memory():
    L = 1500
    keys, values = RNG.normal(size=(L, 4)), RNG.normal(size=(L, 2))
    tracemalloc.start()
    try:
        law(GaussianKernel(4), Fraction(1, 10), keys, values, keys[:10])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * 8 * L * L


def test_a_matrix_that_does_not_fit_is_refused_beforehand(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="feature route"):
        law(GaussianKernel(2), Fraction(1))


def test_a_singular_system_names_lam_and_nothing_is_added():
    with pytest.raises(SingularSystemError, match=r"lam = 1e-30.*kernel-balls") as caught:
        law(LinearKernel(), Fraction(1, 10**30))
    assert caught.value.certain is False


@pytest.mark.parametrize("noise", [Fraction(1, 10**400), Fraction(10**400)])
def test_lam_outside_float64_is_refused(noise):
    with pytest.raises(ParameterError, match=r"^lam"):
        law(GaussianKernel(2), noise)


def test_overflow_is_refused():
    with pytest.raises(UndefinedError, match="overflows"):
        law(GaussianKernel(2), Fraction(1, 100), values=V * 1e307)
