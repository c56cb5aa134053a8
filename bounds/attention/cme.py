"""CME attention: the conditional mean embedding of the value given the key (arXiv:2212.14852)."""

from __future__ import annotations

from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import ridge


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
