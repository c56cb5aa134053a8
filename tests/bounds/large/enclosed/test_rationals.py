"""Exact rationals: equal to the quantities of the catalogue, refused where they would not end."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import RationalField
from bounds.arithmetic.linear import entries
from bounds.attention.kernels import (
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError, ShapeError, TooLargeError, UndefinedError
from bounds.large.enclosed import rationals as rational_route
from bounds.large.enclosed.exact_moments import exact_moments
from bounds.large.inputs import matrix_input
from bounds.large.problem import problem, query_input
from bounds.large.result import Route
from bounds.large.source import tokens
from bounds.models import linear_gaussian as model
from bounds.models.linear_gaussian import LinearGaussian, LinearGaussianData

RATIONAL = RationalField()
KERNELS = [
    LinearKernel(),
    FeatureKernel(2),
    PolynomialKernel(3, Fraction(1, 3)),
    PolynomialKernel(2, Fraction(0)),
]


def fraction(x):
    return Fraction(int(x.p), int(x.q))


def nearest(found):
    """Every float is the nearest to its exact number, and the error is their distance, or above."""
    exact = np.array([fraction(x) for x in found.balls.entries()], dtype=object)
    for x, value, error in zip(exact, found.value.ravel(), found.error.ravel(), strict=True):
        missed = abs(x - Fraction(value))
        assert value == float(x)
        assert missed <= Fraction(error)
        assert error <= 2.0**-53 * abs(value)
    return found.route is Route.RATIONAL and found.rigorous


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1.0, 1e-60, 1e40]))
def test_the_law_is_that_of_the_catalogue(kernel, seed, L, scale):
    rng = np.random.default_rng(seed)
    keys, values = scale * rng.standard_normal((L, 2)), rng.standard_normal((L, 2))
    queries = np.concatenate([keys[:1], np.zeros((1, 2)), rng.standard_normal((1, 2))])
    law = LinearGaussian(Fraction(2), Fraction("1e-12"), kernel)
    given_problem = problem(law, keys, values)
    found = rational_route.predictive(given_problem, query_input(given_problem, queries))
    for i, query in enumerate(queries):
        data = LinearGaussianData(law, keys.tolist(), values.tolist(), query.tolist())
        mean = model.predictive_mean(RATIONAL, data)
        assert [found.mean.balls[i, j] for j in range(2)] == [mean[j, 0] for j in range(2)]
        assert found.variance.balls[i, 0] == model.posterior_variance(RATIONAL, data)
    assert nearest(found.mean)
    assert nearest(found.variance)
    assert found.mean.shape == (3, 2)


@pytest.mark.parametrize("kernel", [LinearKernel(), FeatureKernel(2)], ids=str)
@pytest.mark.parametrize("L", [1, 4, 40])
def test_both_spaces_say_the_same(kernel, L):
    """With few tokens the kernel's system is the smaller one, with many that of the features."""
    rng = np.random.default_rng(1)
    keys, values = rng.standard_normal((L, 3)), rng.standard_normal((L, 2))
    law = LinearGaussian(Fraction(1, 3), Fraction(1, 7), kernel)
    given_problem = problem(law, keys, values)
    queries = query_input(given_problem, rng.standard_normal((2, 3)))
    found = rational_route.predictive(given_problem, queries)
    moments = exact_moments(kernel, tokens(keys, values))
    other = rational_route.predictive_from_moments(moments, law, queries)
    assert found.mean.balls == other.mean.balls
    assert found.variance.balls == other.variance.balls


def test_mean_and_covariance_are_those_of_the_catalogue():
    rng = np.random.default_rng(2)
    keys, values = rng.standard_normal((30, 3)), rng.standard_normal((30, 2))
    law = LinearGaussian(1, Fraction(1, 7), FeatureKernel(2))
    moments = exact_moments(law.kernel, tokens(keys, values))
    data = LinearGaussianData(law, keys.tolist(), values.tolist(), [0, 0, 0])
    for function in ("posterior_mean", "posterior_covariance"):
        found = getattr(rational_route, function)(moments, law)
        assert found.balls.tolist() == entries(RATIONAL, getattr(model, function)(RATIONAL, data))
        assert nearest(found)


def test_the_condition_is_that_of_the_system_solved():
    rng = np.random.default_rng(3)
    keys = rng.standard_normal((40, 3))
    law = LinearGaussian(1, Fraction(1, 2))
    moments = exact_moments(law.kernel, tokens(keys, keys))
    A = keys.T @ keys + np.eye(3) / 2
    found = rational_route.posterior_mean(moments, law)
    assert found.condition == pytest.approx(np.linalg.cond(A, np.inf), rel=1e-10)


def test_a_million_tokens_with_few_features():
    """Whole numbers, so that NumPy's integers are an independent second route."""
    rng = np.random.default_rng(4)
    keys, values = rng.integers(-9, 10, (10**6, 2)), rng.integers(-9, 10, (10**6, 1))
    given_problem = problem(LinearGaussian(1, 3), keys, values)
    found = rational_route.predictive(given_problem, query_input(given_problem, [[1, 2]]))
    (a, b), (_, c) = (keys.T @ keys + 3 * np.eye(2, dtype=int)).tolist()
    x, y = (keys.T @ values)[:, 0].tolist()
    determinant = a * c - b * b
    mean = Fraction((c * x - b * y) + 2 * (a * y - b * x), determinant)
    assert fraction(found.mean.balls[0, 0]) == mean
    spread = Fraction(c - 4 * b + 4 * a, determinant)
    assert fraction(found.variance.balls[0, 0]) == 3 * spread


def test_what_would_not_end_is_refused_before_it_starts():
    rng = np.random.default_rng(5)
    keys = rng.standard_normal((400, 3))
    given_problem = problem(LinearGaussian(1, 1, PolynomialKernel(2)), keys, keys)
    queries = query_input(given_problem, keys[:100])
    with pytest.raises(TooLargeError, match=r"400 unknowns, 103 right sides.*kernel-balls"):
        rational_route.predictive(given_problem, queries)
    wide = rng.standard_normal((500, 130))
    moments = exact_moments(LinearKernel(), tokens(wide, wide))
    with pytest.raises(TooLargeError, match="130 unknowns"):
        rational_route.posterior_covariance(moments, LinearGaussian(1, 1))


def test_bad_requests_are_refused():
    given_problem = problem(LinearGaussian(1, 1, GaussianKernel(Fraction(1))), [[1.0]], [[1.0]])
    with pytest.raises(ParameterError, match="is not rational"):
        rational_route.predictive(given_problem, query_input(given_problem, [[1.0]]))
    moments = exact_moments(LinearKernel(), tokens([[1.0]], [[1.0]]))
    with pytest.raises(ParameterError, match="moments are those of"):
        rational_route.posterior_mean(moments, LinearGaussian(1, 1, FeatureKernel(1)))
    with pytest.raises(ShapeError, match="must have dk = 1"):
        rational_route.predictive_from_moments(
            moments, LinearGaussian(1, 1), matrix_input("queries", [[1.0, 2.0]])
        )


def test_results_beyond_float64_are_said_to_be():
    moments = exact_moments(LinearKernel(), tokens([[1e-200]], [[1e200]]))
    with pytest.raises(UndefinedError, match="overflows float64"):
        rational_route.posterior_mean(moments, LinearGaussian(1, Fraction(1, 10**500)))
