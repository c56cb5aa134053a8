"""Every quantity, on every nasty instance and many random ones, agrees in the three fields."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from bounds.arithmetic import Field
from bounds.attention.kernels import FeatureKernel, GaussianKernel
from bounds.attention.softmax import nadaraya_watson, softmax_attention
from bounds.models import linear_gaussian as lg
from bounds.models import mean_model as mm
from bounds.models.attention import attn_cme
from bounds.models.instances import linear_gaussian_instances
from bounds.models.laws import error_exceeds
from bounds.models.linear_gaussian import LinearGaussianData
from bounds.models.mean_model_instances import mean_model_instances

Agree = Callable[[Callable[[Field], Any]], Any]
LinearQuantity = Callable[[Field, LinearGaussianData], Any]


def apply(quantity: Callable[[Field, Any], Any], data: Any, field: Field) -> Any:
    return quantity(field, data)


def instances() -> list[LinearGaussianData]:
    family = linear_gaussian_instances()
    return [family.draw(index, 0) for index in range(family.count)]


def bias(field: Field, data: LinearGaussianData) -> Any:
    return lg.attention_error_law(field, data).mean


def noise(field: Field, data: LinearGaussianData) -> Any:
    return lg.attention_error_law(field, data).variance


RATIONAL_QUANTITIES: tuple[LinearQuantity, ...] = (
    lg.posterior_mean,
    lg.posterior_precision,
    lg.posterior_covariance,
    lg.predictive_mean,
    lg.posterior_variance,
    lg.posterior_variance_kernel,
    lg.predictive_variance,
    lg.gram,
    attn_cme,
    bias,
    noise,
)


@pytest.mark.parametrize("quantity", RATIONAL_QUANTITIES, ids=lambda quantity: quantity.__name__)
def test_linear_gaussian(quantity: LinearQuantity, fields_agree: Agree) -> None:
    refused = 0
    for data in instances():
        agreement = fields_agree(partial(apply, quantity, data))
        assert agreement.rational, data.label
        refused += not agreement.floats
    assert refused <= 3, "floats give up on the worst conditioned instances only"


def softmax_output(field: Field, data: LinearGaussianData) -> Any:
    K, V = field.matrix(data.keys), field.matrix(data.values)
    q = field.transpose(field.matrix([data.query]))
    gamma = field.number(Fraction(1, 2))
    return softmax_attention(field, K, V, q, gamma), nadaraya_watson(field, K, V, q, gamma)


def eigenvalues(field: Field, data: LinearGaussianData) -> Any:
    A = lg.ridge_matrix(field, data)
    return field.lambda_min(A), field.lambda_max(A), field.determinant(A)


def coverage(field: Field, data: LinearGaussianData) -> Any:
    return error_exceeds(field, lg.attention_error_law(field, data), field.number(1))


@pytest.mark.parametrize(
    "quantity", [softmax_output, eigenvalues, coverage], ids=lambda quantity: quantity.__name__
)
def test_irrational_quantities(quantity: LinearQuantity, fields_agree: Agree) -> None:
    answered = sum(fields_agree(partial(apply, quantity, data)).floats for data in instances())
    assert answered >= 57


@pytest.mark.parametrize("kernel", [FeatureKernel(2), GaussianKernel(Fraction(4))], ids=str)
def test_other_kernels(kernel: Any, fields_agree: Agree) -> None:
    family = linear_gaussian_instances(
        kernel=kernel, needs=lambda data: data.L <= 8 and data.model.lam >= Fraction(1, 1000)
    )
    for index in range(0, family.count, 3):
        data = family.draw(index, 0)
        fields_agree(partial(apply, lg.predictive_mean, data))
        fields_agree(partial(apply, lg.predictive_variance, data))


def test_mean_model(fields_agree: Agree) -> None:
    family = mean_model_instances()
    for index in range(family.count):
        data = family.draw(index, 0)
        for quantity in (
            mm.joint_mean,
            mm.joint_covariance,
            mm.posterior_mean,
            mm.posterior_covariance,
            mm.predictive_mean,
            mm.predictive_covariance,
            mm.conditional_from_joint,
        ):
            assert fields_agree(partial(apply, quantity, data)) == (True, True), data.label
        if index % 4 == 0:
            assert fields_agree(partial(apply, mm.log_marginal, data)) == (False, True)


def test_a_tampered_quantity_is_noticed(fields_agree: Agree) -> None:
    """Sabotage: a change of one part in 10^20 in the exact field alone lies outside the ball."""
    data = linear_gaussian_instances().draw(40, 0)

    def tampered(field: Field) -> Any:
        factor = Fraction(1) + (Fraction(1, 10**20) if field.exact else 0)
        return field.number(factor) * lg.predictive_variance(field, data)

    with pytest.raises(AssertionError):
        fields_agree(tampered)
