"""The exchangeable mean model: the joint law, the posterior, and the two routes to a prediction."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from bounds.arithmetic import BallField, RationalField
from bounds.errors import ParameterError, ShapeError
from bounds.models import mean_model as mm
from bounds.models.mean_model import MeanModel, MeanModelData
from bounds.models.mean_model_instances import mean_model_instances

RATIONAL, BALL = RationalField(), BallField()
FAMILY = mean_model_instances()
ALL = range(FAMILY.count)


def build(tokens: Any, mean: Any, prior: Any, noise: Any) -> MeanModelData:
    return MeanModelData(MeanModel(mean, prior, noise), tokens)


@pytest.mark.parametrize("index", ALL)
def test_prediction_by_both_routes(index: int) -> None:
    """R3: the conditional of the joint Gaussian is the posterior predictive, exactly."""
    data = FAMILY.draw(index, 1)
    mean, covariance = mm.conditional_from_joint(RATIONAL, data)
    assert mean == mm.predictive_mean(RATIONAL, data), data.label
    assert covariance == mm.predictive_covariance(RATIONAL, data), data.label


@pytest.mark.parametrize("index", [0, 1, 2, 9, 16, 20, 30])
def test_log_marginal_against_scipy_and_the_chain_rule(index: int) -> None:
    data = FAMILY.draw(index, 1)
    joint = multivariate_normal(
        [float(x) for x in data.model.prior_mean] * data.L,
        np.array([[float(x.p) / float(x.q) for x in row] for row in rows_of(data)], dtype=float),
    )
    point = [float(x) for token in data.tokens for x in token]
    with BALL.context():
        value = mm.log_marginal(BALL, data)
    assert BALL.to_float(value) == pytest.approx(joint.logpdf(point), rel=1e-7)


def rows_of(data: MeanModelData) -> list[list[Any]]:
    S = mm.joint_covariance(RATIONAL, data)
    return [[S[i, j] for j in range(S.ncols())] for i in range(S.nrows())]


def test_by_hand() -> None:
    """Tokens 1 and 3, z ~ N(0, 1), noise 1: posterior N(4/3, 1/3), prediction variance 4/3."""
    data = build([[1], [3]], [0], [[1]], [[1]])
    assert mm.posterior_mean(RATIONAL, data)[0, 0] == RATIONAL.number(Fraction(4, 3))
    assert mm.posterior_covariance(RATIONAL, data)[0, 0] == RATIONAL.number(Fraction(1, 3))
    assert mm.predictive_covariance(RATIONAL, data)[0, 0] == RATIONAL.number(Fraction(4, 3))
    assert mm.joint_covariance(RATIONAL, data) == RATIONAL.matrix([[2, 1], [1, 2]])


def test_joint_law_is_exchangeable() -> None:
    data = FAMILY.draw(20, 0)
    turned = MeanModelData(data.model, data.tokens[1:] + data.tokens[:1])
    assert mm.joint_covariance(RATIONAL, turned) == mm.joint_covariance(RATIONAL, data)
    assert mm.posterior_mean(RATIONAL, turned) == mm.posterior_mean(RATIONAL, data)


@pytest.mark.parametrize(
    ("prior", "noise", "message"),
    [
        ([[1, 2], [3, 9]], [[1, 0], [0, 1]], r"prior_covariance = \[1, 0\] = 3 but \[0, 1\] = 2"),
        ([[1, 0], [0, 1]], [[1, 1], [1, 1]], "noise_covariance = .*positive definite.*2 x 2"),
        ([[-1, 0], [0, 1]], [[1, 0], [0, 1]], "prior_covariance = .*1 x 1 minor"),
        ([[1]], [[1, 0], [0, 1]], "prior_covariance = 1 x 1: must be d x d = 2 x 2"),
    ],
)
def test_bad_covariances_are_named(prior: Any, noise: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build([[1, 2]], [0, 0], prior, noise)


def test_bad_tokens_are_named() -> None:
    with pytest.raises(ShapeError, match="tokens = 1 columns: must have d = 2"):
        build([[1]], [0, 0], [[1, 0], [0, 1]], [[1, 0], [0, 1]])
    with pytest.raises(ParameterError, match="i = 5"):
        FAMILY.draw(1, 0).without_token(5)


def test_description_is_json() -> None:
    data = FAMILY.draw(17, 0)
    text: Any = json.loads(json.dumps(data.describe()))
    rebuilt = build(
        text["tokens"], text["prior_mean"], text["prior_covariance"], text["noise_covariance"]
    )
    assert rebuilt.model == data.model
    assert rebuilt.tokens == data.tokens
