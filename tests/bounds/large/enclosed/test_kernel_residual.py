"""Enclosures in kernel space against balls, on systems that are easy, hopeless or degenerate."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat

from bounds.arithmetic.balls import BallField
from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError, ShapeError, SingularSystemError, TooLargeError
from bounds.large import memory
from bounds.large.enclosed import kernel_product, upward
from bounds.large.enclosed import kernel_residual as residual
from bounds.large.enclosed.gram import enclosed_kernel
from bounds.large.enclosed.kernel_residual import kernel_residual
from bounds.large.problem import problem
from bounds.large.result import Route
from bounds.models.linear_gaussian import LinearGaussian

BALLS = BallField(400)
GAUSSIAN = GaussianKernel(Fraction(2))
KERNELS = [
    GAUSSIAN,
    ExponentialKernel(Fraction(2)),
    LinearKernel(),
    FeatureKernel(2),
    PolynomialKernel(3, Fraction(1, 3)),
]


def balls(X):
    return BALLS.matrix([[Fraction(float(x)) for x in row] for row in X])


def true_law(model, K, V, Q):
    """Mean (nq x dv) and variance (nq x 1) by a solution in balls."""
    gram = model.kernel.gram(BALLS, balls(K), balls(K))
    lam = BALLS.number(model.lam)
    for i in range(len(K)):
        gram[i, i] = gram[i, i] + lam
    k = model.kernel.gram(BALLS, balls(K), balls(Q))
    weights = BALLS.solve(gram, k)
    explained = k.transpose() * weights
    tau2 = BALLS.number(model.prior_variance)
    variance = []
    for i in range(len(Q)):
        one = balls(Q[i : i + 1])
        variance.append([tau2 * (model.kernel.gram(BALLS, one, one)[0, 0] - explained[i, i])])
    return weights.transpose() * balls(V), arb_mat(variance)


def shares(found, true):
    """|value - true|/error, entry by entry."""
    value, error = np.atleast_2d(found.value.T).T, np.atleast_2d(found.error.T).T
    result = np.zeros(value.shape)
    for i, j in np.ndindex(value.shape):
        distance = abs(true[i, j] - arb(float(value[i, j])))
        assert distance <= arb(float(error[i, j]))
        result[i, j] = float((distance / arb(float(error[i, j]))).upper()) if error[i, j] else 0.0
    return result


def enclosed(model, K, V, Q, narrow=False):
    with BALLS.context():
        law = kernel_residual(problem(model, K, V), Q, narrow=narrow)
        true = true_law(model, K, V, Q)
        return law, shares(law.mean, true[0]), shares(law.variance, true[1])


def tokens(case, rng, L=14, d=3):
    K, V, Q = (rng.standard_normal((n, m)) for n, m in ((L, d), (L, 2), (4, d)))
    if case == "offset":
        return K + 1e3, V + 1e6, Q + 1e3
    if case == "duplicates":
        return np.repeat(K[:2], L // 2, axis=0), V, K[:3].copy()
    if case == "close":
        return 1.0 + 1e-9 * K, V, 1.0 + 1e-9 * Q
    if case == "one":
        return K[:1], V[:1], Q
    if case == "large values":
        return K, V * 1e150, Q
    if case == "small values":
        return K, V * 1e-290, Q
    return K, V, Q


CASES = ["plain", "duplicates", "close", "one", "large values", "small values"]


@pytest.mark.parametrize("lam", [Fraction(1, 100), Fraction(1, 10**10), Fraction(10**9)])
@pytest.mark.parametrize("case", [*CASES, "offset"])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_gaussian_kernel_is_enclosed(case, lam, narrow):
    K, V, Q = tokens(case, np.random.default_rng(0))
    law, *_ = enclosed(LinearGaussian(Fraction(3, 2), lam, GAUSSIAN), K, V, Q, narrow)
    assert law.mean.route == law.variance.route == Route.KERNEL_RESIDUAL
    assert law.mean.rigorous
    assert law.mean.input_unit == 0.0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kernel", KERNELS[1:], ids=repr)
@pytest.mark.parametrize("narrow", [False, True])
def test_every_kernel_is_enclosed(kernel, case, narrow):
    K, V, Q = tokens(case, np.random.default_rng(1))
    law, *_ = enclosed(LinearGaussian(Fraction(1, 3), Fraction(1, 100), kernel), K, V, Q, narrow)
    assert law.mean.shape == (len(Q), 2)
    assert law.variance.shape == (len(Q),)


def test_small_systems_fill_a_part_of_the_bound():
    rng = np.random.default_rng(2)
    model = LinearGaussian(Fraction(1), Fraction(1, 3), GAUSSIAN)
    K, V, Q = (rng.standard_normal(shape) for shape in ((1, 1), (1, 3), (150, 1)))
    _, mean, variance = enclosed(model, K, V, Q)
    assert mean.max() > 0.05
    assert variance.max() > 0.1


def test_lost_additions_nearly_fill_the_bound_of_the_residual(monkeypatch):
    """1 + u + u + ... = 1 in floats, with u = 2^-53 and a block for each u."""
    L, lam = 400, Fraction(1, 4)
    for module in (kernel_product, upward):
        monkeypatch.setattr(module, "BLOCK", 2)
    kernel = enclosed_kernel(LinearKernel(), 1)
    keys = kernel.points(np.ones((L, 1)))
    system = residual._System(kernel, keys, (float(lam), float(lam)))
    x = np.zeros((L, 1))
    x[0], x[2::2] = 1.0, upward.U
    found, _ = residual._residual(system, np.ones((L, L)), np.zeros((L, 1)), x, False)
    total = sum(Fraction(float(y)) for y in x[:, 0])
    for i in (0, 1, 2, L - 1):
        true = -total - lam * Fraction(float(x[i, 0]))
        share = abs(Fraction(float(found.residual[i, 0])) - true) / Fraction(
            float(found.error[i, 0])
        )
        assert 0.7 < share <= 1


@pytest.mark.parametrize("lam", [Fraction(100), Fraction(1000, 3)])
def test_what_a_wrong_solution_leaves_over_fills_the_bound(monkeypatch, lam):
    """With one token and lam large, M is near lam, and |r_u| |r_w|/lam near what it bounds."""
    solve = residual.dpotrs
    monkeypatch.setattr(residual, "dpotrs", lambda c, b, lower: (1.01 * solve(c, b, lower)[0], 0))
    K, V, Q = np.array([[0.5]]), np.array([[2.0]]), np.array([[0.7], [0.1]])
    _, mean, variance = enclosed(LinearGaussian(Fraction(1), lam, GAUSSIAN), K, V, Q)
    assert (mean > 0.9).all()
    assert (variance > 0.9).all()


def test_entries_as_wrong_as_they_may_be_fill_the_bound(monkeypatch):
    """kernel(K, q) too large and kernel(K, K) too small by all of a stated error of 1e-7."""

    def spoiled(kernel, dk):
        plain = enclosed_kernel(kernel, dk)

        def fill(a, b, out):
            plain._fill(a, b, out)
            out += -1e-7 if len(a) == len(b) else 1e-7

        return replace(plain, _fill=fill, errors=lambda k, a, b: np.full_like(k, 1.001e-7))

    monkeypatch.setattr(residual, "enclosed_kernel", spoiled)
    K, V, Q = np.array([[0.5]]), np.array([[2.0]]), np.array([[0.7], [0.1]])
    model = LinearGaussian(Fraction(1), Fraction(1, 10), GAUSSIAN)
    _, mean, variance = enclosed(model, K, V, Q)
    assert (mean > 0.9).all()
    assert (variance > 0.9).all()


def test_wrong_solutions_widen_the_result_but_do_not_leave_it(monkeypatch):
    def spoiled(factor, right, lower):
        x, info = solve(factor, right, lower=lower)
        return x + 1e-3 * np.cos(np.arange(x.size)).reshape(x.shape), info

    solve = residual.dpotrs
    monkeypatch.setattr(residual, "dpotrs", spoiled)
    K, V, Q = tokens("plain", np.random.default_rng(3))
    law, mean, variance = enclosed(LinearGaussian(Fraction(1), Fraction(1, 10), GAUSSIAN), K, V, Q)
    assert law.mean.error.min() > 1e-6
    assert 0.001 < mean.max() <= 1.0
    assert 0.001 < variance.max() <= 1.0


def test_a_variance_known_badly_is_cut_by_what_is_always_true():
    rng = np.random.default_rng(4)
    K = np.repeat(rng.standard_normal((3, 2)), 40, axis=0)
    model = LinearGaussian(Fraction(1), Fraction(1, 10**12), GAUSSIAN)
    law = kernel_residual(problem(model, K, rng.standard_normal((120, 1))), K[:2])
    low, high = law.variance.value - law.variance.error, law.variance.value + law.variance.error
    assert (low >= -1e-15).all()
    assert (high <= 1 + 1e-15).all()


@pytest.mark.parametrize("L", [127, 129, 300, 520, 700])
def test_sizes_round_the_blocks_agree_with_a_plain_solution(L):
    rng = np.random.default_rng(L)
    K, V, Q = rng.standard_normal((L, 4)), rng.standard_normal((L, 2)), rng.standard_normal((5, 4))
    model = LinearGaussian(Fraction(2), Fraction(1, 50), GaussianKernel(Fraction(4)))
    law = kernel_residual(problem(model, K, V), Q)
    k = np.exp(-((K[:, None] - Q[None]) ** 2).sum(2) / 8)
    M = np.exp(-((K[:, None] - K[None]) ** 2).sum(2) / 8) + 0.01 * np.eye(L)
    w = np.linalg.solve(M, k)
    assert np.abs(w.T @ V - law.mean.value).max() < 1e-9
    assert np.abs(2 * (1 - (k * w).sum(0)) - law.variance.value).max() < 1e-11
    assert law.mean.error.max() < 1e-7
    assert law.variance.error.max() < 1e-10
    closer = kernel_residual(problem(model, K, V), Q, narrow=True)
    assert (np.abs(closer.mean.value - law.mean.value) <= law.mean.error).all()
    assert closer.mean.error.max() < 0.4 * law.mean.error.max()
    assert closer.variance.error.max() < 0.4 * law.variance.error.max()
    norm = np.abs(M).sum(0).max() / 0.01
    assert 0.9 * norm < law.mean.condition < 2 * norm


def test_float32_is_taken_as_stored():
    K, V, Q = (x.astype("f4") for x in tokens("plain", np.random.default_rng(5)))
    model = LinearGaussian(Fraction(1), Fraction(1, 10), GAUSSIAN)
    single = kernel_residual(problem(model, K, V), Q)
    double = kernel_residual(problem(model, K.astype("f8"), V.astype("f8")), Q.astype("f8"))
    assert (single.mean.value == double.mean.value).all()
    assert single.mean.input_unit == 0.0


def test_a_ridge_lost_in_rounding_is_refused():
    K = np.zeros((30, 2))
    given = problem(LinearGaussian(Fraction(1), Fraction(1, 10**30), GAUSSIAN), K, np.ones((30, 1)))
    with pytest.raises(SingularSystemError, match="lam") as caught:
        kernel_residual(given, K[:1])
    assert not caught.value.certain


def test_bad_input_is_named(monkeypatch):
    K, V, Q = tokens("plain", np.random.default_rng(6))
    given = problem(LinearGaussian(Fraction(1), Fraction(1), GAUSSIAN), K, V)
    with pytest.raises(ShapeError, match="queries"):
        kernel_residual(given, Q[:, :2])
    with pytest.raises(ParameterError, match=r"queries\[0, 1\]"):
        kernel_residual(given, [[0.0, np.nan, 0.0]])
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="feature space"):
        kernel_residual(given, Q)
