"""CME attention: the feature, kernel and sample-moment routes are one number (I1, I3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bounds.arithmetic import BallField, RationalField
from bounds.attention.cme import (
    cme_attention,
    cme_attention_features,
    empirical_cme,
)
from bounds.attention.kernels import FeatureKernel, GaussianKernel, Kernel, LinearKernel
from bounds.errors import ParameterError, SingularSystemError
from bounds.models import linear_gaussian
from bounds.models.attention import attn_cme
from bounds.models.instances import linear_gaussian_instances

RATIONAL, BALL = RationalField(), BallField()


@pytest.mark.parametrize("kernel", [LinearKernel(), FeatureKernel(2)], ids=str)
def test_all_routes_agree_exactly(kernel: Kernel) -> None:
    family = linear_gaussian_instances(kernel=kernel)
    for index in range(family.count):
        data = family.draw(index, 0)
        by_features = attn_cme(RATIONAL, data, route="features")
        assert attn_cme(RATIONAL, data, route="kernel") == by_features, data.label
        assert attn_cme(RATIONAL, data) == by_features, data.label
        assert linear_gaussian.predictive_mean(RATIONAL, data) == by_features, data.label
        Phi = linear_gaussian.features(RATIONAL, data)
        phi = linear_gaussian.feature_query(RATIONAL, data)
        V, mu = RATIONAL.matrix(data.values), RATIONAL.number(data.model.lam / data.L)
        assert empirical_cme(RATIONAL, Phi, phi, V, mu) == by_features, data.label


def test_a_wrong_ridge_is_noticed() -> None:
    """Sabotage: lam in place of mu = lam/L in the sample moments gives another number."""
    data = linear_gaussian_instances().draw(40, 0)
    Phi = linear_gaussian.features(RATIONAL, data)
    phi = linear_gaussian.feature_query(RATIONAL, data)
    V, lam = RATIONAL.matrix(data.values), RATIONAL.number(data.model.lam)
    assert data.L > 1
    assert empirical_cme(RATIONAL, Phi, phi, V, lam) != attn_cme(RATIONAL, data)


def test_by_hand() -> None:
    """One token k = 2, v = 3, q = 1, lam = 1: 3 * 2 * 1/(4 + 1)."""
    number: Any = RATIONAL.matrix
    by_kernel = cme_attention(RATIONAL, number([[4]]), number([[2]]), number([[3]]), 1)
    by_features = cme_attention_features(RATIONAL, number([[2]]), number([[1]]), number([[3]]), 1)
    assert by_kernel == by_features == number([[Fraction(6, 5)]])


def test_no_ridge_and_equal_keys_is_singular() -> None:
    ones = RATIONAL.ones(2, 2)
    with pytest.raises(SingularSystemError):
        cme_attention(RATIONAL, ones, RATIONAL.ones(2, 1), ones, RATIONAL.number(0))


def test_permuting_the_tokens_changes_nothing() -> None:
    family = linear_gaussian_instances()
    for index in range(family.count):
        data = family.draw(index, 1)
        turned = data.permuted([*range(1, data.L), 0])
        assert attn_cme(RATIONAL, turned, "kernel") == attn_cme(RATIONAL, data, "kernel")


def test_infinite_features_take_the_kernel_route() -> None:
    kernel = GaussianKernel(Fraction(1))
    data = linear_gaussian_instances(kernel=kernel).draw(40, 0)
    with BALL.context():
        assert all(x.is_finite() for x in attn_cme(BALL, data).entries())
    with pytest.raises(ParameterError, match="no finite feature map"):
        attn_cme(BALL, data, route="features")


def test_unknown_route_is_named() -> None:
    data = linear_gaussian_instances().draw(40, 0)
    route: Any = "fast"
    with pytest.raises(ParameterError, match="route = fast"):
        attn_cme(RATIONAL, data, route)
