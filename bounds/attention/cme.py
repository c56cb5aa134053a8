"""CME attention: the conditional mean embedding of the value given the key (arXiv:2212.14852)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import ridge
from bounds.errors import ParameterError

if TYPE_CHECKING:
    from bounds.models.linear_gaussian import LinearGaussianData

Route = Literal["features", "kernel"]


def cme_attention(field: Field, gram_KK: Matrix, gram_Kq: Matrix, V: Matrix, lam: Scalar) -> Matrix:
    """Kernel route: V^T (kernel(K,K) + lam I)^-1 kernel(K,q), dv x nq.

    Shapes: gram_KK L x L, gram_Kq L x nq, V L x dv. SingularSystemError if the system is singular.
    """
    weights = field.solve(ridge(field, gram_KK, lam), gram_Kq)
    return field.matmul(field.transpose(V), weights)


def cme_attention_features(
    field: Field, Phi: Matrix, phi_q: Matrix, V: Matrix, lam: Scalar
) -> Matrix:
    """Feature route: V^T Phi (Phi^T Phi + lam I)^-1 phi(q), dv x nq.

    Shapes: Phi L x dphi, phi_q dphi x nq, V L x dv. SingularSystemError if the system is singular.
    """
    T = field.transpose(Phi)
    h = field.solve(ridge(field, field.matmul(T, Phi), lam), phi_q)
    return field.matmul(field.transpose(V), field.matmul(Phi, h))


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


def empirical_cme(field: Field, Phi: Matrix, phi_q: Matrix, V: Matrix, mu: Scalar) -> Matrix:
    """Chat_VK (Chat_KK + mu I)^-1 phi(q), dv x nq (I3).

    The sample moments are Chat_VK = V^T Phi/L and Chat_KK = Phi^T Phi/L; with mu = lam/L this is
    attn_CME.
    """
    L, dphi = field.shape(Phi)
    share = field.number(1) / field.number(L)
    C_VK = field.scale(share, field.matmul(field.transpose(V), Phi))
    C_KK = field.scale(share, field.matmul(field.transpose(Phi), Phi))
    regularised = C_KK + field.scale(mu, field.identity(dphi))
    return field.matmul(C_VK, field.solve(regularised, phi_q))
