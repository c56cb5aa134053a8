"""Each part of the measured error where it counts: uncertain input, underflow, scales."""

import numpy as np
import pytest

from bounds.large.floats.backward_error import lengths
from bounds.large.floats.feature_ridge import by_state, by_tokens
from bounds.large.floats.triangle import Moments, Triangle
from bounds.large.inputs import matrix_input
from bounds.large.result import Route
from bounds.models.linear_gaussian import LinearGaussian

from ..problems import Exact, hard_problem


def law(route, Phi, V, queries, model):
    asked = matrix_input("queries", queries)
    if route is Route.FEATURE_QR:
        found = by_tokens(model, matrix_input("keys", Phi), matrix_input("values", V))
        return found.predictive(asked)
    empty = Triangle.empty(*(x.shape[1] for x in (Phi, V)), reflect=route is Route.STREAMING_QR)
    unit = max(matrix_input("keys", Phi).unit, matrix_input("values", V).unit)
    state = empty.with_rows(*(x.astype(float) for x in (Phi, V)), unit, unit)
    return by_state(model, state, route).predictive(asked)


ROUTES = [Route.FEATURE_QR, Route.STREAMING_QR, Route.FEATURE_CHOLESKY]
SCALES = {  # of the keys, the values and the queries
    "keys below the normal numbers": (1e-310, 1.0, 1.0),
    "values whose squares underflow": (1.0, 1e-200, 1.0),
    "values below the normal numbers": (1.0, 1e-312, 1.0),
    "queries whose squares underflow": (1.0, 1.0, 1e-200),
    "queries below the normal numbers": (1.0, 1.0, 1e-320),
    "all small": (1e-130, 1e-130, 1e-130),
}


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES.keys())
@pytest.mark.parametrize("lam", [1e-12, 1e-3])
@pytest.mark.parametrize("route", ROUTES)
def test_errors_hold_where_products_underflow(route, lam, scales):
    Phi, V, queries, _ = hard_problem("plain", seed=1)
    V = V + np.random.default_rng(0).normal(size=V.shape)
    Phi, V, queries = (x * scale for x, scale in zip((Phi, V, queries), scales, strict=True))
    found = law(route, Phi, V, queries, LinearGaussian(1, lam))
    mean, variance = Exact(Phi, V, lam).predictive(queries)
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()
    assert found.mean.error.max() <= 1e-9 * abs(mean).max() + 1e-150


@pytest.mark.parametrize("route", ROUTES)
def test_a_variance_that_underflows_before_it_is_scaled(route):
    """|R^-T phi|^2 is about 2^-1400 and sigma^2 2^800: the error says what was lost."""
    Phi, V, queries, _ = hard_problem("plain")
    found = law(route, Phi, V, np.ldexp(queries, -700), LinearGaussian(2**800, 2**800))
    _, variance = Exact(Phi, V, 1).predictive(queries)
    true = np.ldexp(variance, 800 - 1400)
    assert (true > 0).all()
    assert (abs(found.variance.value - true) <= found.variance.error).all()
    assert found.variance.error.max() < 2.0**-250


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("order", [1, -1])
def test_columns_of_any_scale_are_no_ill_condition(route, order):
    """Errors of the triangle and of its solves do not see the scales of the columns."""
    Phi, _, queries, _ = hard_problem("plain", d=5)
    scales = 10.0 ** np.array([-40, -20, 0, 20, 40])[::order]
    V = Phi @ np.ones((5, 2)) + 1.0
    found = law(route, Phi * scales, V, queries * scales, LinearGaussian(1, 1e-90))
    mean, variance = Exact(Phi * scales, V, 1e-90).predictive(queries * scales)
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()
    assert found.mean.relative_error < 1e-11


def test_lengths_neither_overflow_nor_underflow():
    M = np.array([[3.0, 3e-200, 0.0, 3e200, 5e-324], [4.0, 4e-200, 0.0, 4e200, 0.0]])
    assert lengths(M) == pytest.approx([5.0, 5e-200, 0.0, 5e200, 5e-324], rel=1e-15, abs=0.0)


@pytest.mark.parametrize("route", ROUTES)
def test_errors_hold_where_moments_underflow(route):
    Phi, V, queries, _ = hard_problem("plain", seed=2)
    Phi, V, lam = Phi * 1e-160, V * 1e-162, 1e-300
    found = law(route, Phi, V, queries, LinearGaussian(1, lam))
    mean, variance = Exact(Phi, V, lam).predictive(queries)
    assert (abs(found.mean.value - mean) <= found.mean.error).all()
    assert (abs(found.variance.value - variance) <= found.variance.error).all()


UNCERTAIN = {"keys": (True, False, False), "values": (False, True, False)}
UNCERTAIN["queries"] = (False, False, True)


@pytest.mark.parametrize("which", UNCERTAIN.values(), ids=UNCERTAIN.keys())
@pytest.mark.parametrize("kind", ["plain", "rotated"])
@pytest.mark.parametrize("route", ROUTES)
def test_every_array_may_be_the_uncertain_one(route, kind, which):
    """Keys, values or queries in float32 move the law within its error, and it says so."""
    Phi, V, queries, _ = hard_problem(kind, seed=3)
    lam = 1e-5
    V = V + np.abs(V).max() * np.random.default_rng(1).normal(size=V.shape)
    given = [x.astype("f4") if one else x for x, one in zip((Phi, V, queries), which, strict=True)]
    found = law(route, *given, LinearGaussian(1, lam))
    assert found.mean.input_unit == 2.0**-24
    rng = np.random.default_rng(0)
    for i in range(12):
        signs = [rng.choice([-1, 1], size=x.shape) for x in given]
        if i < 4:  # a query moved along the mean, keys along the query: as bad as it gets
            signs[2] = np.sign(given[2] * (-1) ** i)
            signs[0] = np.sign(given[0] * (given[1][:, :1] * (-1) ** (i // 2)))
        near = [
            x.astype(float) * (1 + 2.0**-24 * s.astype(float)) if one else x
            for x, s, one in zip(given, signs, which, strict=True)
        ]
        mean, variance = Exact(near[0], near[1], lam).predictive(near[2])
        assert (abs(found.mean.value - mean) <= found.mean.error).all()
        assert (abs(found.variance.value - variance) <= found.variance.error).all()


def test_moments_keep_what_many_small_blocks_round_away():
    moments = Moments.empty(1, 1).with_rows(np.array([[2.0**27]]), np.array([[2.0**27]]))
    for _ in range(5000):
        moments = moments.with_rows(np.ones((1, 1)), np.ones((1, 1)))
    for found in (moments.second + moments.second_low, moments.cross + moments.cross_low):
        assert abs(int(found[0, 0]) - (2**54 + 5000)) <= moments.growth * 2**54
    assert float(moments.second_low[0, 0]) == 5000
