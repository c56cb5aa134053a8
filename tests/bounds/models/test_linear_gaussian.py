"""The linear-Gaussian posterior against independent routes, and the checks on its data."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq_mat

from bounds.arithmetic import BallField, RationalField
from bounds.arithmetic.convert import to_fmpq, to_fraction
from bounds.attention.kernels import GaussianKernel
from bounds.errors import ParameterError, ShapeError
from bounds.models import linear_gaussian as lg
from bounds.models.instances import linear_gaussian_instances
from bounds.models.linear_gaussian import LinearGaussian, LinearGaussianData

RATIONAL, BALL = RationalField(), BallField()
FAMILY = linear_gaussian_instances()
ALL = range(FAMILY.count)
ONE = Fraction(1)


def condition_jointly(data: LinearGaussianData) -> tuple[Any, Any]:
    """Mean and covariance of vec(z) given vec(V), by block conditioning of the joint Gaussian.

    vec stacks rows: v_l = (I (x) phi_l^T) vec(z) + e_l; nothing of A or lam is used.
    """
    Phi = [[to_fmpq(x) for x in row] for row in data.keys]
    tau2, sigma2 = to_fmpq(data.model.prior_variance), to_fmpq(data.model.noise_variance)
    places = [(i, token) for i in range(data.dv) for token in range(data.L)]
    design = fmpq_mat(
        [
            [Phi[token][j] if i == row else 0 for row in range(data.dv) for j in range(data.dphi)]
            for i, token in places
        ]
    )
    size = data.dv * data.dphi
    prior = tau2 * fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    n = len(places)
    noise = sigma2 * fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])
    observed = fmpq_mat([[to_fmpq(data.values[token][i])] for i, token in places])
    gain = prior * design.transpose() * (design * prior * design.transpose() + noise).inv()
    return gain * observed, prior - gain * design * prior


@pytest.mark.parametrize("index", ALL)
def test_posterior_is_the_conditional_of_the_joint_gaussian(index: int) -> None:
    data = FAMILY.draw(index, 3)
    mean, covariance = condition_jointly(data)
    assert mean.entries() == lg.posterior_mean(RATIONAL, data).entries()
    block = lg.posterior_covariance(RATIONAL, data)
    for a in range(data.dv * data.dphi):
        for b in range(data.dv * data.dphi):
            (i, p), (j, q) = divmod(a, data.dphi), divmod(b, data.dphi)
            assert covariance[a, b] == (block[p, q] if i == j else 0)


@pytest.mark.parametrize("index", ALL)
def test_variances(index: int) -> None:
    """I2: both forms agree, and a token more never raises the posterior variance."""
    data = FAMILY.draw(index, 4)
    variance = lg.posterior_variance(RATIONAL, data)
    assert variance == lg.posterior_variance_kernel(RATIONAL, data)
    sigma2 = to_fmpq(data.model.noise_variance)
    assert lg.predictive_variance(RATIONAL, data) == variance + sigma2
    more = data.with_token(data.query, data.values[0])
    assert lg.posterior_variance(RATIONAL, more) <= variance
    precision = lg.posterior_precision(RATIONAL, data)
    assert precision * lg.posterior_covariance(RATIONAL, data) == RATIONAL.identity(data.dphi)


def test_error_law_by_hand() -> None:
    """k = 2, z = 3, q = 1, sigma^2 = tau^2 = 1: A = 5, bias -3/5, variance (1/5)^2 4."""
    data = LinearGaussianData(
        LinearGaussian(ONE, ONE), ((2 * ONE,),), ((ONE,),), (ONE,), ((3 * ONE,),)
    )
    law = lg.attention_error_law(RATIONAL, data)
    assert law.mean[0, 0] == to_fmpq(Fraction(-3, 5))
    assert law.variance == to_fmpq(Fraction(4, 25))


@pytest.mark.parametrize("index", ALL)
def test_error_law_is_that_of_the_attention_output(index: int) -> None:
    """I4: replacing V by its mean Phi z^T gives the bias; the output is linear in V."""
    data = FAMILY.draw(index, 5)
    assert data.latent is not None
    K, Z = RATIONAL.matrix(data.keys), RATIONAL.matrix(data.latent)
    noiseless = K * Z.transpose()
    rows = [[to_fraction(noiseless[t, i]) for i in range(data.dv)] for t in range(data.L)]
    values = tuple(map(tuple, rows))
    expected_values = replace(data, values=values)
    truth = Z * lg.feature_query(RATIONAL, data)
    bias = lg.predictive_mean(RATIONAL, expected_values) - truth
    law = lg.attention_error_law(RATIONAL, data)
    assert law.mean == bias
    weights = (K * K.transpose() + to_fmpq(data.model.lam) * RATIONAL.identity(data.L)).solve(
        K * lg.feature_query(RATIONAL, data)
    )
    squares = (weights.transpose() * weights)[0, 0]
    assert law.variance == to_fmpq(data.model.noise_variance) * squares


def test_infinite_features() -> None:
    model = LinearGaussian(ONE, ONE, GaussianKernel(ONE))
    data = LinearGaussianData(model, ((ONE,), (2 * ONE,)), ((ONE,), (ONE,)), (ONE,))
    with BALL.context():
        assert lg.posterior_variance(BALL, data).lower() > 0
        assert lg.predictive_mean(BALL, data)[0, 0].is_finite()
    for quantity in (lg.features, lg.feature_query, lg.posterior_mean):
        with pytest.raises(ParameterError, match="kernel = GaussianKernel"):
            quantity(BALL, data)
    with pytest.raises(ParameterError, match="kernel"):
        _ = data.dphi


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": [[1], [2], [3]]}, "values = 3 rows: must have L = 2 rows"),
        ({"query": [1, 2, 3]}, "query = 3 entries: must have dk = 2"),
        ({"latent": [[1, 2, 3]]}, "latent = 1 x 3: must be dv x dphi = 1 x 2"),
        ({"keys": [[1, 2], [3]]}, "keys = rows of lengths"),
        ({"keys": []}, "keys = empty"),
        ({"values": [[float("nan")], [1]]}, r"values\[0, 0\] = nan"),
        ({"query": ["1/0", 1]}, r"query\[0\] = '1/0'"),
    ],
)
def test_bad_data_is_named(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"keys": [[1, 2], [3, 4]], "values": [[1], [2]], "query": [1, 0]}
    LinearGaussianData(LinearGaussian(ONE, ONE), **good)
    with pytest.raises(ParameterError, match=message):
        LinearGaussianData(LinearGaussian(ONE, ONE), **{**good, **change})


@pytest.mark.parametrize("value", [0, -1, float("inf"), "x", None])
def test_bad_variances_are_named(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"^noise_variance = "):
        LinearGaussian(ONE, value)
    with pytest.raises(ParameterError, match=r"^prior_variance = "):
        LinearGaussian(value, ONE)


def test_tokens_come_and_go() -> None:
    data = FAMILY.draw(40, 0)
    assert data.with_token(data.keys[0], data.values[0]).without_token(data.L) == data
    assert data.permuted(range(data.L)) == data
    assert data.permuted(list(reversed(range(data.L)))).keys == data.keys[::-1]
    with pytest.raises(ParameterError, match="order"):
        data.permuted([0] * data.L)
    with pytest.raises(ParameterError, match="i = -1"):
        data.without_token(-1)
    with pytest.raises(ShapeError, match="keys"):
        data.with_token([1] * (data.dk + 1), data.values[0])
    with pytest.raises(ShapeError, match="keys = empty"):
        FAMILY.draw(0, 0).without_token(0)


def test_description_holds_every_number() -> None:
    data = FAMILY.draw(1, 0)
    text: Any = json.loads(json.dumps(data.describe()))
    assert text["label"] == "lam = 1e-12"
    again = LinearGaussianData(
        LinearGaussian(text["prior_variance"], text["noise_variance"]),
        text["keys"],
        text["values"],
        text["query"],
        text["latent"],
        text["label"],
    )
    assert again == data


@pytest.mark.parametrize("kernel", ["rbf", None, 3])
def test_what_is_no_kernel_is_refused_at_once(kernel: Any) -> None:
    with pytest.raises(ParameterError, match=r"^kernel = .*such as LinearKernel\(\)"):
        LinearGaussian(ONE, ONE, kernel)


def test_data_without_a_model_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^model = None: must be a LinearGaussian"):
        LinearGaussianData(None, ((ONE,),), ((ONE,),), (ONE,))  # type: ignore[arg-type]
