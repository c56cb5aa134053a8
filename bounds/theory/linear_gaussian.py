r"""What the claims about the linear-Gaussian latent model share: its quantities and hypotheses.

Tokens :math:`v_\ell = z\,\phi(k_\ell) + e_\ell` with :math:`z_{ij} \sim N(0, \tau^2)` and
:math:`e_\ell \sim N(0, \sigma^2 I)`; :math:`\lambda = \sigma^2/\tau^2`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Inverse, Trace

from bounds.arithmetic.field import Field
from bounds.hypothesis import assume
from bounds.models import linear_gaussian as model
from bounds.models.instances import linear_gaussian_instances
from bounds.models.long_instances import with_long_instances
from bounds.parameters import data_of
from bounds.quantity import Quantity
from bounds.symbols import A, L, Phi, V, d_v, lam, phi, scalar, sigma, tau, z

INSTANCES = linear_gaussian_instances(count=60)
# For claims whose quantities need the moments of the tokens alone: up to 10^6 tokens.
LONG_INSTANCES = with_long_instances(INSTANCES)

NOISE = assume("noise", sigma > 0)
PRIOR = assume("prior", tau > 0)
TOKENS = assume("tokens", L >= 1)
REGULARISED = assume("regularised", lam > 0)

# Scalars computed from the data.
variance = scalar("v_q")
lambda_min = scalar("lambda_min")


def on_data(function: Callable[[Field, Any], Any]) -> Callable[[Any, Field], Any]:
    """A model function of (field, data) as a quantity's function of (instance, field)."""
    return lambda instance, field: function(field, data_of(instance))


SIGMA = Quantity(
    sigma,
    "standard deviation of the token noise",
    on_data(lambda field, data: field.sqrt(field.number(data.model.noise_variance))),
)
TAU = Quantity(
    tau,
    "prior standard deviation of each entry of z",
    on_data(lambda field, data: field.sqrt(field.number(data.model.prior_variance))),
)
LAM = Quantity(
    lam,
    "regularisation sigma^2/tau^2",
    on_data(lambda field, data: field.number(data.model.lam)),
    formula=sigma**2 / tau**2,
)
FEATURES = Quantity(Phi, "features of the keys, L x d_phi", on_data(model.features))
VALUES = Quantity(V, "values, L x d_v", on_data(lambda field, data: field.matrix(data.values)))
QUERY = Quantity(phi, "feature of the query, d_phi x 1", on_data(model.feature_query))
LATENT = Quantity(z, "latent, d_v x d_phi", on_data(lambda field, data: field.matrix(data.latent)))
COUNT = Quantity(L, "number of tokens", on_data(lambda field, data: field.number(data.L)))
OUTPUTS = Quantity(d_v, "dimension of values", on_data(lambda field, data: field.number(data.dv)))
RIDGE = Quantity(A, "Phi^T Phi + lambda I, d_phi x d_phi", on_data(model.ridge_matrix))
SECOND_MOMENT = Quantity(
    Phi.T * Phi,
    "second moment of the features, d_phi x d_phi",
    on_data(lambda field, data: data.second_moment(field)),
)
VARIANCE = Quantity(
    variance,
    "posterior variance of an entry of z phi(q)",
    on_data(model.posterior_variance),
    formula=sigma**2 * Trace(phi.T * Inverse(A) * phi),
)
MODEL = (SIGMA, TAU, LAM, FEATURES, VALUES, QUERY)
# What is left when the tokens are known by their moments alone: it does for any number of them.
MOMENTS = (SIGMA, TAU, LAM, COUNT, OUTPUTS, QUERY, RIDGE)


def smallest_eigenvalue(field: Field, data: Any) -> Any:
    """lambda_min(Phi^T Phi); exactly 0 when L < d_phi."""
    if data.dphi > data.L:
        return field.number(0)
    return field.lambda_min(data.second_moment(field))


LAMBDA_MIN = Quantity(
    lambda_min, "smallest eigenvalue of Phi^T Phi (0 when L < d_phi)", on_data(smallest_eigenvalue)
)
