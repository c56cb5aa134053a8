"""The one door: which route it takes, that all routes agree, and what it refuses."""

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
from bounds.errors import ParameterError, ShapeError, SingularSystemError, TooLargeError
from bounds.large import (
    choice,
    cme_attention,
    memory,
    nadaraya_watson,
    posterior,
    predictive,
    softmax_attention,
)
from bounds.models.linear_gaussian import LinearGaussian

RNG = np.random.default_rng(7)
K, V, QUERIES = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 2)), RNG.normal(size=(5, 3))
MODEL = LinearGaussian(2, Fraction(1, 2))

FEATURE_ROUTES = ["feature-qr", "feature-cholesky", "streaming-qr", "feature-balls"]
KERNEL_ROUTES = ["kernel-cholesky", "kernel-residual", "kernel-balls"]
KERNELS = {
    LinearKernel(): [*FEATURE_ROUTES, *KERNEL_ROUTES, "rational"],
    FeatureKernel(2): [*FEATURE_ROUTES, *KERNEL_ROUTES, "rational"],
    PolynomialKernel(2): [*KERNEL_ROUTES, "rational"],
    GaussianKernel(3): KERNEL_ROUTES,
    ExponentialKernel(3): KERNEL_ROUTES,
}
CASES = [(kernel, route) for kernel, routes in KERNELS.items() for route in routes]


def with_kernel(kernel):
    return LinearGaussian(2, Fraction(1, 2), kernel)


@pytest.mark.parametrize(("kernel", "route"), CASES, ids=lambda x: str(x))
def test_all_routes_agree_within_their_errors(kernel, route):
    model = with_kernel(kernel)
    found = predictive(model, K, V, QUERIES, route=route)
    other = predictive(model, K, V, QUERIES, route="kernel-balls")
    assert str(found.mean.route) == str(found.variance.route) == route
    for a, b in ((found.mean, other.mean), (found.variance, other.variance)):
        assert a.shape == b.shape
        assert (abs(a.value - b.value) <= a.error + b.error).all()
        assert a.relative_error < 1e-9
        assert a.rigorous == (route not in (*FEATURE_ROUTES[:3], "kernel-cholesky"))


def chosen(model, keys=K, values=V, queries=QUERIES):
    return str(predictive(model, keys, values, queries).mean.route)


def test_the_choice(monkeypatch, tmp_path):
    assert chosen(MODEL) == "feature-cholesky"
    assert chosen(LinearGaussian(1, Fraction(1, 10**9)), K * [1, 1e-3, 1]) == "feature-qr"
    assert chosen(MODEL, K[:2], V[:2]) == "kernel-cholesky"
    assert chosen(with_kernel(GaussianKernel(1))) == "kernel-cholesky"
    np.save(tmp_path / "K.npy", K)
    assert chosen(MODEL, tmp_path / "K.npy") == "streaming-qr"
    assert chosen(MODEL, np.load(tmp_path / "K.npy", mmap_mode="r")) == "streaming-qr"
    assert chosen(MODEL, iter([(K, V)]), None) == "streaming-qr"
    monkeypatch.setattr(choice, "available_memory", lambda: 16 * K.size - 1)
    assert chosen(MODEL) == "streaming-qr"


def test_lists_and_files_are_taken(tmp_path):
    np.save(tmp_path / "K.npy", K)
    expected = predictive(MODEL, K, V, QUERIES, route="feature-qr").mean.value
    for keys in (K.tolist(), tmp_path / "K.npy", str(tmp_path / "K.npy")):
        found = predictive(MODEL, keys, V.tolist(), QUERIES.tolist(), route="feature-qr")
        assert (found.mean.value == expected).all()


@pytest.mark.parametrize("route", [*FEATURE_ROUTES, "rational", None])
def test_posterior(route):
    found = posterior(MODEL, K, V, route=route)
    law = predictive(MODEL, K, V, QUERIES, route="kernel-balls")
    assert found.mean.shape == (2, 3)
    assert np.allclose(QUERIES @ found.mean.value.T, law.mean.value, rtol=1e-12)
    spread = np.einsum("qi,ij,qj->q", QUERIES, found.covariance.value, QUERIES)
    assert np.allclose(spread, law.variance.value, rtol=1e-12)


def test_cme_attention_is_the_posterior_mean():
    found = cme_attention(K, V, QUERIES, kernel=GaussianKernel(2), lam="1/4")
    model = LinearGaussian(1, Fraction(1, 4), GaussianKernel(2))
    assert (found.value == predictive(model, K, V, QUERIES).mean.value).all()


@pytest.mark.parametrize("route", [None, "online-softmax", "enclosed-softmax"])
def test_softmax_and_nadaraya_watson(route):
    scores = QUERIES @ K.T / 0.5
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    found = softmax_attention(K, V, QUERIES, gamma="1/2", route=route)
    assert np.allclose(found.value, weights @ V / weights.sum(axis=1, keepdims=True), rtol=1e-13)
    assert found.rigorous == (route == "enclosed-softmax")
    distances = ((QUERIES[:, None] - K) ** 2).sum(axis=2)
    weights = np.exp(-distances / 4)
    found = nadaraya_watson(K, V, QUERIES, gamma=2, route=route)
    assert np.allclose(found.value, weights @ V / weights.sum(axis=1, keepdims=True), rtol=1e-13)


def test_progress_is_passed_on():
    heard = []
    told = {"block": 16, "on_progress": lambda *found: heard.append(found)}
    predictive(MODEL, iter([(K, V)]), None, QUERIES, **told)
    softmax_attention(K, V, QUERIES, gamma=1, **told)
    assert heard == [(16, None), (32, None), (40, None), (16, 40), (32, 40), (40, 40)]


NAN = K.copy()
NAN[3, 1] = np.nan
WRONG = {
    "no route": ({"route": "fast"}, ParameterError, "route = 'fast': must be one of"),
    "softmax": ({"route": "online-softmax"}, ParameterError, "must be one of feature-qr, .* here"),
    "nan": ({"keys": NAN}, ParameterError, r"keys\[3, 1\] = nan: must be finite"),
    "inf": ({"queries": [[np.inf, 0, 0]]}, ParameterError, r"queries\[0, 0\] = inf"),
    "empty": ({"keys": K[:0]}, ShapeError, "keys"),
    "rows": ({"values": V[:3]}, ShapeError, "keys, values = 40 and 3 rows"),
    "columns": ({"queries": QUERIES[:, :2]}, ShapeError, "queries"),
    "vector": ({"values": V[:, 0]}, ShapeError, r"values = an array of shape \(40,\)"),
    "complex": ({"keys": K * 1j}, ParameterError, "keys"),
    "missing": ({"keys": "none.npy"}, ParameterError, "keys = none.npy: cannot be read"),
}
FITTING = {
    "no route": [None],
    "softmax": [None],
}
BAD = [
    (case, route)
    for case in WRONG
    for route in FITTING.get(case, [None, *FEATURE_ROUTES, *KERNEL_ROUTES, "rational"])
]


@pytest.mark.parametrize(("case", "route"), BAD)
def test_wrong_input_is_named_on_every_route(case, route):
    changes, kind, message = WRONG[case]
    arguments = {"keys": K, "values": V, "queries": QUERIES, "route": route, **changes}
    with pytest.raises(kind, match=message):
        predictive(MODEL, **arguments)


def test_routes_that_cannot():
    gaussian = with_kernel(GaussianKernel(1))
    for route in FEATURE_ROUTES:
        with pytest.raises(ParameterError, match="GaussianKernel"):
            predictive(gaussian, K, V, QUERIES, route=route)
        with pytest.raises(ParameterError, match="GaussianKernel"):
            posterior(gaussian, K, V, route=route)
    with pytest.raises(ParameterError, match="GaussianKernel"):
        posterior(gaussian, K, V)
    with pytest.raises(ParameterError, match="must be one of feature-qr"):
        posterior(MODEL, K, V, route="kernel-cholesky")
    with pytest.raises(ParameterError, match="must be one of online-softmax, enclosed"):
        softmax_attention(K, V, QUERIES, gamma=1, route="feature-qr")
    with pytest.raises(ParameterError, match="gamma = 0: must be > 0"):
        softmax_attention(K, V, QUERIES, gamma=0)
    with pytest.raises(ParameterError, match="lam = 0: must be > 0"):
        cme_attention(K, V, QUERIES, kernel=LinearKernel(), lam=0)
    with pytest.raises(ParameterError, match="kernel-cholesky: holds all tokens at once"):
        predictive(MODEL, iter([(K, V)]), None, QUERIES, route="kernel-cholesky")


@pytest.mark.parametrize("route", ["feature-cholesky", "feature-qr", "kernel-cholesky"])
def test_a_singular_gram_matrix_with_a_vanishing_lam_is_refused(route):
    equal, values = np.ones((50, 3)), np.ones((50, 2))
    model = LinearGaussian(1, Fraction(1, 10**40))
    with pytest.raises(SingularSystemError, match="lam = 1e-40"):
        predictive(model, equal, values, QUERIES, route=route)


@pytest.mark.parametrize("route", ["kernel-cholesky", "kernel-residual"])
def test_what_will_not_fit_is_said_beforehand(route, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 5_000)
    with pytest.raises(TooLargeError, match=r"40.*are available; use"):
        predictive(MODEL, K, V, QUERIES, route=route)


def test_float32_is_carried_to_the_result():
    for route in (None, "feature-qr", "kernel-cholesky", "streaming-qr"):
        found = predictive(MODEL, K.astype("f4"), V, QUERIES, route=route)
        assert found.mean.input_unit == found.variance.input_unit == 2.0**-24
        assert found.mean.relative_error > 2.0**-24
    found = softmax_attention(K.astype("f4"), V, QUERIES, gamma=1)
    assert found.input_unit == 2.0**-24
    assert found.relative_error > 2.0**-24
