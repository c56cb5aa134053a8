"""Verified linear algebra on floats: a fast approximate result, then a bound on its error."""

from __future__ import annotations

import numpy as np

from bounds.arithmetic.approx import SMALLEST, Approx, below
from bounds.arithmetic.approx_matrix import ApproxMatrix, Array, enlarged
from bounds.errors import SingularSystemError, UndefinedError


def verified_solve(A: ApproxMatrix, B: ApproxMatrix) -> ApproxMatrix:
    r"""Enclosure of :math:`A^{-1} B` for all A and B within their stated errors.

    With X an approximate inverse and :math:`R = I - X A`, the error of an approximate solution
    Y is :math:`(I - R)^{-1} X (B - A Y)`, and entry by entry

    .. math:: |(I-R)^{-1} w|_i \le |w_i| + \frac{(|R| 1)_i}{1 - \|R\|_\infty} \|w\|_\infty .

    Raises:
        SingularSystemError: when :math:`\|R\|_\infty < 1` cannot be shown; names the condition.
    """
    try:
        with np.errstate(all="ignore"):
            return _verified_solve(A, B)
    except (UndefinedError, np.linalg.LinAlgError):
        raise _singular(A.values) from None


def _verified_solve(A: ApproxMatrix, B: ApproxMatrix) -> ApproxMatrix:
    X = ApproxMatrix.exact(_approximate_inverse(A.values))
    identity = ApproxMatrix.exact(np.eye(A.shape[0]))
    row_sums = enlarged((identity - X @ A).magnitude.sum(axis=1), A.shape[0])
    contraction = float(row_sums.max())
    if contraction >= 1.0:
        raise _singular(A.values)
    first = X.values @ B.values
    refined = first + X.values @ (B.values - A.values @ first)
    Y = ApproxMatrix.exact(refined)
    defect = (X @ (B - A @ Y)).magnitude
    worst = defect.max(axis=0)
    tail = np.outer(row_sums / below(1.0 - contraction), worst) + 8 * SMALLEST * (worst > 0)
    return ApproxMatrix(Y.values, enlarged(defect + enlarged(tail)))


def _approximate_inverse(values: Array) -> Array:
    """By Cholesky when symmetric positive definite, else by LU with partial pivoting."""
    if np.array_equal(values, values.T):
        factor = _cholesky(values)
        if factor is not None:
            half = np.linalg.inv(factor)
            return np.asarray(half.T @ half, dtype=np.float64)
    return np.asarray(np.linalg.inv(values), dtype=np.float64)


def _cholesky(values: Array) -> Array | None:
    try:
        return np.asarray(np.linalg.cholesky(values), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def _singular(values: Array) -> SingularSystemError:
    with np.errstate(all="ignore"):
        condition = float(np.linalg.cond(values))
    return SingularSystemError(
        "A", f"condition about {condition:.1e}: floats cannot solve it; use balls or rationals"
    )


def eigenvalue_end(A: ApproxMatrix, position: int) -> Approx:
    r"""The smallest (position 0) or largest (-1) eigenvalue of a symmetric matrix.

    For approximate eigenvectors Q, :math:`\lambda_k(Q^T A Q) = \theta_k \lambda_k(A)` with
    :math:`|\theta_k - 1| \le \|Q^T Q - I\|` (Ostrowski), and the eigenvalues of :math:`Q^T A Q`
    differ from its diagonal, sorted, by at most the norm of the rest (Weyl).
    """
    _, vectors = np.linalg.eigh(A.values / 2 + A.values.T / 2)
    Q = ApproxMatrix.exact(vectors)
    turned = Q.transpose() @ A @ Q
    diagonal = np.sort(np.diag(turned.values))
    rest = turned - ApproxMatrix.exact(np.diag(np.diag(turned.values)))
    skew = Q.transpose() @ Q - ApproxMatrix.exact(np.eye(len(vectors)))
    theta = Approx(1.0, _norm_bound(skew))
    return Approx(float(diagonal[position]), _norm_bound(rest)) / theta


def _norm_bound(M: ApproxMatrix) -> float:
    """An upper bound on the spectral norm of a symmetric matrix: its largest row sum."""
    return float(enlarged(M.magnitude.sum(axis=1), M.shape[0]).max())
