"""Feature space in balls: enclosing, narrow, and equal to the rational answer."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from bounds.arithmetic import BallField, RationalField
from bounds.attention.kernels import FeatureKernel, LinearKernel
from bounds.errors import ParameterError, ShapeError, SingularSystemError, UndefinedError
from bounds.large.enclosed import feature_balls
from bounds.large.enclosed.exact_moments import exact_moments
from bounds.large.inputs import matrix_input
from bounds.large.result import Route
from bounds.large.source import tokens
from bounds.models import linear_gaussian as model
from bounds.models.linear_gaussian import LinearGaussian, LinearGaussianData

RATIONAL = RationalField()


def gaussian(L, dk=3, dv=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((L, dk)), rng.standard_normal((L, dv))


def graded(L, *, rate=6.0, **sizes):
    keys, values = gaussian(L, **sizes)
    return keys * 10.0 ** -(rate * np.arange(keys.shape[1])), values


def offset(L, **sizes):
    keys, values = gaussian(L, **sizes)
    return keys + 1e9, values


def duplicates(L, **sizes):
    keys, values = gaussian(1, **sizes)
    return np.repeat(keys, L, axis=0), np.repeat(values, L, axis=0)


def scaled(factor):
    return lambda L, **sizes: tuple(factor * x for x in gaussian(L, **sizes))


CASES = {
    "gaussian": (gaussian, 12, "1"),
    "one token": (gaussian, 1, "1e-12"),
    "fewer tokens than features": (gaussian, 2, "1e-30"),
    "graded": (graded, 12, "1e-12"),
    "offset": (offset, 12, "1e-12"),
    "duplicates": (duplicates, 9, "1e-20"),
    "tiny": (scaled(1e-160), 12, "1e-12"),
    "huge": (scaled(1e120), 12, "1e-12"),
    "large lambda": (gaussian, 12, "1e30"),
}


def problem(case, kernel):
    build, L, noise = CASES[case]
    keys, values = build(L)
    rng = np.random.default_rng(9)
    queries = np.concatenate([np.zeros((1, 3)), keys[:1], rng.standard_normal((2, 3))])
    law = LinearGaussian(Fraction(1), Fraction(noise), kernel)
    return law, keys, values, queries


def exact(law, keys, values, query):
    return LinearGaussianData(law, keys.tolist(), values.tolist(), query.tolist())


def fraction(x):
    return Fraction(int(x.p), int(x.q))


def holds(found, i, j, true):
    """The ball contains the true number, and the float is as near as it says."""
    at = (i, j) if j is not None else i
    near = abs(fraction(true) - Fraction(float(found.value[at])))
    with BallField(20_000).context():
        inside = (found.balls[i, j or 0] - arb(true)).contains(0)
    return inside and near <= Fraction(float(found.error[at]))


@pytest.mark.parametrize("kernel", [LinearKernel(), FeatureKernel(2)], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_the_law_is_enclosed(case, kernel):
    law, keys, values, queries = problem(case, kernel)
    moments = exact_moments(kernel, tokens(keys, values))
    found = feature_balls.predictive(moments, law, matrix_input("queries", queries))
    for i, query in enumerate(queries):
        data = exact(law, keys, values, query)
        mean = model.predictive_mean(RATIONAL, data)
        assert all(holds(found.mean, i, j, mean[j, 0]) for j in range(2))
        assert holds(found.variance, i, None, model.posterior_variance(RATIONAL, data))
    for part in (found.mean, found.variance):
        widest = max(float(x.rad()) for x in part.balls.entries())
        assert widest <= 1e-25 * np.abs(part.value).max()
        assert part.relative_error <= 1.2e-16
        assert part.rigorous
        assert part.route is Route.FEATURE_BALLS


@pytest.mark.parametrize("case", ["gaussian", "graded", "duplicates", "offset"])
def test_posterior_mean_and_covariance_are_enclosed(case):
    law, keys, values, queries = problem(case, LinearKernel())
    moments = exact_moments(law.kernel, tokens(keys, values))
    data = exact(law, keys, values, queries[0])
    for function in ("posterior_mean", "posterior_covariance"):
        found = getattr(feature_balls, function)(moments, law)
        true = getattr(model, function)(RATIONAL, data)
        rows, columns = found.shape
        assert (rows, columns) == (true.nrows(), true.ncols())
        assert all(holds(found, i, j, true[i, j]) for i in range(rows) for j in range(columns))


def test_condition_is_that_of_the_ridge_matrix():
    keys, values = gaussian(50)
    moments = exact_moments(LinearKernel(), tokens(keys, values))
    found = feature_balls.posterior_mean(moments, LinearGaussian(1, Fraction(1, 2)))
    A = keys.T @ keys + np.eye(3) / 2
    assert found.condition == pytest.approx(np.linalg.cond(A, np.inf), rel=1e-10)


def test_real_sizes_are_as_narrow_as_promised():
    """L = 20 000, dphi = 64, A of condition above 1e15."""
    keys, values = graded(20_000, dk=64, dv=16, rate=0.125)
    moments = exact_moments(LinearKernel(), tokens(keys, values))
    queries = matrix_input("queries", np.random.default_rng(2).standard_normal((100, 64)))
    law = LinearGaussian(1, Fraction("1e-12"))
    found = feature_balls.predictive(moments, law, queries)
    assert found.mean.condition > 1e14
    assert found.mean.shape == (100, 16)
    for part in (found.mean, found.variance):
        widest = max(float(x.rad()) for x in part.balls.entries())
        assert 0 < widest <= 1e-25 * np.abs(part.value).max()


def test_precision_grows_until_the_accuracy_is_met():
    keys, values = graded(12, rate=60.0)
    moments = exact_moments(LinearKernel(), tokens(keys, values))
    law = LinearGaussian(1, Fraction("1e-300"))
    for accuracy in (1e-25, 1e-100, 1e-300):
        found = feature_balls.posterior_covariance(moments, law, accuracy=accuracy)
        largest = max(abs(x.mid()) for x in found.balls.entries())
        with BallField(64).context():
            assert all(x.rad() <= largest * arb(accuracy) for x in found.balls.entries())


def test_a_mean_that_cancels_to_zero_ends_in_a_narrow_ball():
    """zbar = (1, 0) exactly, as Phi^T V = (3, 5) is the first column of A; so q = (0, 1) has 0."""
    moments = exact_moments(LinearKernel(), tokens([[1.0, 2.0], [1.0, 3.0]], [[4.0], [-1.0]]))
    query = matrix_input("queries", [[0.0, 1.0]])
    found = feature_balls.predictive(moments, LinearGaussian(1, 1), query)
    assert found.mean.balls[0, 0].contains(0)
    assert abs(found.mean.value[0, 0]) <= found.mean.error[0, 0] <= 1e-49


def test_zero_values_have_the_mean_zero():
    moments = exact_moments(LinearKernel(), tokens([[1.0], [2.0]], [[0.0], [0.0]]))
    found = feature_balls.predictive(moments, LinearGaussian(1, 1), matrix_input("q", [[0.1]]))
    assert (found.mean.value[0, 0], found.mean.error[0, 0]) == (0.0, 0.0)
    assert found.variance.value[0] > 0


def test_the_working_precision_is_left_as_it_was():
    before = ctx.prec
    moments = exact_moments(LinearKernel(), tokens([[1.0]], [[1.0]]))
    feature_balls.posterior_mean(moments, LinearGaussian(1, 1))
    with pytest.raises(ParameterError):
        feature_balls.posterior_mean(moments, LinearGaussian(1, 1), accuracy=0.0)
    assert ctx.prec == before


def test_bad_requests_are_refused(monkeypatch):
    keys, values = gaussian(12)
    moments = exact_moments(LinearKernel(), tokens(keys, values))
    law = LinearGaussian(1, Fraction(1, 3))
    with pytest.raises(ShapeError, match="queries = 2 columns: must have dk = 3"):
        feature_balls.predictive(moments, law, matrix_input("queries", [[1.0, 2.0]]))
    with pytest.raises(ParameterError, match="moments are those of LinearKernel"):
        feature_balls.posterior_mean(moments, LinearGaussian(1, 1, FeatureKernel(1)))
    for accuracy in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(ParameterError, match="accuracy"):
            feature_balls.posterior_mean(moments, law, accuracy=accuracy)
    monkeypatch.setattr(feature_balls, "LARGEST_PRECISION", feature_balls.FIRST_PRECISION)
    with pytest.raises(SingularSystemError, match="relative accuracy with 192 bits") as caught:
        feature_balls.posterior_mean(moments, law, accuracy=1e-200)
    assert not caught.value.certain


def test_results_beyond_float64_are_said_to_be():
    moments = exact_moments(LinearKernel(), tokens([[1e-200]], [[1e200]]))
    with pytest.raises(UndefinedError):
        feature_balls.posterior_mean(moments, LinearGaussian(1, Fraction(1, 10**500)))
