"""The posterior in feature space against 400-bit balls: the stated errors hold and are not idle."""

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.attention.kernels import FeatureKernel
from bounds.errors import ParameterError, SingularSystemError
from bounds.large.floats.feature_ridge import by_state, by_tokens
from bounds.large.floats.triangle import Triangle
from bounds.large.inputs import matrix_input
from bounds.large.result import Route
from bounds.models.linear_gaussian import LinearGaussian

from ..problems import KINDS, Exact, balls, hard_problem, middles


def by_qr(Phi, V, model):
    return by_tokens(model, matrix_input("keys", Phi), matrix_input("values", V))


def by_cholesky(Phi, V, model):
    state = Triangle.empty(Phi.shape[1], V.shape[1], reflect=False).with_rows(Phi, V)
    return by_state(model, state, Route.FEATURE_CHOLESKY)


def by_stream(Phi, V, model):
    state = Triangle.empty(Phi.shape[1], V.shape[1]).with_rows(Phi, V)
    return by_state(model, state, Route.STREAMING_QR)


ROUTES = [by_qr, by_cholesky, by_stream]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("route", ROUTES)
def test_errors_hold_on_hard_problems(route, kind):
    Phi, V, queries, lam = hard_problem(kind)
    found = route(Phi, V, LinearGaussian(1, lam)).predictive(matrix_input("queries", queries))
    mean, variance = Exact(Phi, V, lam).predictive(queries)
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()
    assert (found.variance.value >= 0).all()
    assert found.mean.error.max() < 1e-4 * abs(V).max()


@pytest.mark.parametrize(
    ("name", "most"), [("plain", 1e-12), ("graded", 1e-12), ("tiny lam", 1e-12), ("rotated", 1e-8)]
)
def test_qr_and_its_bound_follow_the_truth(name, most):
    Phi, V, queries, lam = hard_problem(name, L=2000, d=16)
    found = by_qr(Phi, V, LinearGaussian(1, lam)).predictive(matrix_input("q", queries))
    mean, variance = Exact(Phi, V, lam).predictive(queries)
    assert abs(found.mean.value - mean).max() < 2e-15 * abs(mean).max()
    assert (abs(found.variance.value - variance) / variance).max() < (
        1e-11 if name == "rotated" else 2e-15
    )
    assert found.mean.relative_error < most
    assert (found.variance.error / found.variance.value).max() < most


@pytest.mark.parametrize("route", ROUTES)
def test_posterior_mean_and_covariance(route):
    Phi, V, _, lam = hard_problem("plain")
    tau2 = 4
    posterior = route(Phi, V, LinearGaussian(tau2, lam * tau2))
    exact = Exact(Phi, V, lam)
    before, ctx.prec = ctx.prec, 400
    covariance = exact.A.inv() * (exact.lam * tau2)
    ctx.prec = before
    for found, true in (
        (posterior.mean, middles(exact.X).T),
        (posterior.covariance, middles(covariance)),
    ):
        assert found.shape == true.shape
        assert (abs(found.value - true) <= found.error).all()
        assert found.relative_error < 1e-11


@pytest.mark.parametrize("route", ROUTES)
@given(seed=st.integers(0, 2**32), scale=st.floats(-5, 5), lam=st.floats(-9, 9))
@settings(max_examples=15, deadline=None)
def test_errors_hold_for_random_shapes_and_scales(route, seed, scale, lam):
    rng = np.random.default_rng(seed)
    L, d = int(rng.integers(1, 40)), int(rng.integers(1, 7))
    Phi = 10**scale * rng.normal(size=(L, d)) * rng.choice([1, 1e-3, 1e3], size=d)
    V, queries = rng.normal(size=(L, 2)), rng.normal(size=(3, d))
    try:
        found = route(Phi, V, LinearGaussian(1, 10**lam)).predictive(matrix_input("q", queries))
    except SingularSystemError as error:
        assert "condition about" in str(error) or "positive definite" in str(error)  # noqa: PT017
        return
    mean, variance = Exact(Phi, V, 10**lam).predictive(queries)
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()


@pytest.mark.parametrize("route", ROUTES)
def test_what_float64_cannot_bound_is_refused(route):
    Phi, V, _, _ = hard_problem("equal keys")
    with pytest.raises(SingularSystemError, match=r"lam = 1e-40.*feature-balls"):
        route(Phi, V, LinearGaussian(1, 1e-40))
    with pytest.raises(ParameterError, match="lam"):
        route(Phi, V, LinearGaussian(10**320, 1))


def float32_problem():
    Phi, V, queries, lam = hard_problem("plain")
    return *(array.astype("f4") for array in (Phi, V, queries)), lam


def test_float32_is_not_passed_off_as_float64():
    """The error covers every array that rounds to the float32 numbers given."""
    Phi, V, queries, lam = float32_problem()
    found = by_qr(Phi, V, LinearGaussian(1, lam)).predictive(matrix_input("queries", queries))
    assert found.mean.input_unit == found.variance.input_unit == 2.0**-24
    assert 1e-7 < found.mean.relative_error < 1e-4
    rng = np.random.default_rng(0)
    for _ in range(20):
        near = [x * (1 + 2.0**-24 * rng.choice([-1, 1], size=x.shape)) for x in (Phi, V, queries)]
        mean, variance = Exact(near[0], near[1], lam).predictive(near[2])
        assert (abs(found.mean.value - mean) <= found.mean.error).all()
        assert (abs(found.variance.value - variance) <= found.variance.error).all()


@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_polynomial_features(offset):
    rng = np.random.default_rng(5)
    K, V = rng.normal(size=(60, 2)) + offset, rng.normal(size=(60, 2))
    queries = rng.normal(size=(4, 2)) + offset
    model = LinearGaussian(1, 0.5, FeatureKernel(3))
    found = by_qr(K, V, model).predictive(matrix_input("queries", queries))

    def exact(points):
        x, y = (balls(points[:, [i]]).entries() for i in (0, 1))
        powers = [(i, j) for i in range(4) for j in range(4 - i)]
        return [[a**i * b**j for i, j in powers] for a, b in zip(x, y, strict=True)]

    before, ctx.prec = ctx.prec, 400
    F, Q = (type(balls(K))(exact(points)) for points in (K, queries))
    d = F.ncols()
    ridge = type(F)([[0.5 if i == j else 0 for j in range(d)] for i in range(d)])
    A = F.transpose() * F + ridge
    mean = middles(Q * A.solve(F.transpose() * balls(V)))
    variance = np.diag(middles(Q * A.solve(Q.transpose()))) / 2
    ctx.prec = before
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()
