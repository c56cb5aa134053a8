"""CME attention of an instance of the linear-Gaussian model (I1; arXiv:2212.14852)."""

from __future__ import annotations

from typing import Literal

from bounds.arithmetic.field import Field, Matrix
from bounds.attention.cme import cme_attention, cme_attention_features
from bounds.errors import ParameterError
from bounds.models.linear_gaussian import LinearGaussianData

Route = Literal["features", "kernel"]


def attn_cme(field: Field, instance: LinearGaussianData, route: Route | None = None) -> Matrix:
    """attn_CME(q, K, V) of an instance, dv x 1, in whichever space is smaller (I1).

    ``route`` forces "features" (dphi x dphi system) or "kernel" (L x L system).
    """
    kernel = instance.model.kernel
    dphi = kernel.feature_dimension(instance.dk)
    if route is None:
        route = "features" if dphi is not None and dphi < instance.L else "kernel"
    K, q = field.matrix(instance.keys), field.matrix([instance.query])
    V, lam = field.matrix(instance.values), field.number(instance.model.lam)
    if route == "kernel":
        return cme_attention(field, kernel.gram(field, K, K), kernel.gram(field, K, q), V, lam)
    if route != "features":
        raise ParameterError("route", route, 'must be "features" or "kernel"')
    Phi, phi_q = kernel.features(field, K), kernel.features(field, q)
    if Phi is None or phi_q is None:
        raise ParameterError("route", route, f"{kernel} has no finite feature map; use 'kernel'")
    return cme_attention_features(field, Phi, field.transpose(phi_q), V, lam)
