"""Certified enclosure of the smallest eigenvalue of a symmetric matrix of balls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from bounds.errors import SingularSystemError

_GUARD_BITS = 64
_ITERATIONS = 5
_ROUNDS = 4


def smallest_eigenvalue(A: Any) -> Any:
    r"""A ball around :math:`\lambda_{\min}(A)` for every symmetric matrix in the enclosure A.

    Upper end: a Rayleigh quotient :math:`x^T A x/x^T x`, whatever x is. Lower end: a number t for
    which the Cholesky factorisation of :math:`A - t I` succeeds in balls. The vectors x come from
    floats and inverse iteration; they decide the width only, never the truth.

    Raises:
        SingularSystemError: when the entries are so wide that no lower end can be certified.
    """
    if not all(entry.is_finite() for entry in A.entries()):
        reason = "an entry is not finite, so no eigenvalue is enclosed"
        raise SingularSystemError("A", reason, certain=False)
    n = A.nrows()
    if n == 1:
        return A[0, 0]
    with _extra_precision(_GUARD_BITS + 2 * n):
        x = _start_vector(A)
        lower, upper = arb.neg_inf(), arb.pos_inf()
        for _ in range(_ROUNDS):
            for _ in range(_ITERATIONS):
                x = _shifted_solve(A, _rayleigh_quotient(A, x).mid(), x)
            upper = upper.min(_rayleigh_quotient(A, x).upper())
            lower = lower.max(_certified_lower_end(A, upper))
            if _is_tight(A, lower, upper):
                break
            # From below the spectrum, inverse iteration cannot settle on a larger eigenvalue.
            for _ in range(_ITERATIONS):
                x = _shifted_solve(A, lower.mid(), x)
        return lower.union(upper)


@contextmanager
def _extra_precision(bits: int) -> Iterator[None]:
    before = ctx.prec
    ctx.prec = before + bits
    try:
        yield
    finally:
        ctx.prec = before


def _start_vector(A: Any) -> Any:
    """The float eigenvector of the smallest eigenvalue, with the entries scaled to at most 1."""
    size = _scale(A)
    n = A.nrows()
    values = np.array([[float((A[i, j] / size).mid()) for j in range(n)] for i in range(n)])
    _, vectors = np.linalg.eigh((values + values.T) / 2)
    return arb_mat([[float(entry)] for entry in vectors[:, 0]])


def _scale(A: Any) -> Any:
    largest = _largest(A)
    return largest if largest > 0 else arb(1)


def _largest(A: Any) -> Any:
    largest = arb(0)
    for entry in A.entries():
        largest = largest.max(entry.abs_upper())
    return largest.upper()


def _rayleigh_quotient(A: Any, x: Any) -> Any:
    return (x.transpose() * A * x)[0, 0] / (x.transpose() * x)[0, 0]


def _shifted_solve(A: Any, shift: Any, x: Any) -> Any:
    """The direction of (A - shift I)^-1 x at the midpoints; x itself when singular."""
    shifted = A.mid() - shift * _identity(A.nrows())
    try:
        y = shifted.solve(x, algorithm="approx").mid()
    except ZeroDivisionError:
        return x
    largest = _largest(y)
    if not (largest.is_finite() and largest > 0):
        return x
    return (y * (1 / largest)).mid()


def _identity(n: int) -> Any:
    return arb_mat([[int(i == j) for j in range(n)] for i in range(n)])


def _certified_lower_end(A: Any, upper: Any) -> Any:
    """The largest t = upper - margin, over growing margins, with A - t I certainly positive."""
    identity, size = _identity(A.nrows()), _scale(A)
    exponent = -(ctx.prec - 24)
    while exponent <= 8:
        t = (upper - size * arb(2) ** exponent).lower()
        if _is_positive_definite(A - t * identity):
            return t
        exponent += 4
    reason = "entries too wide to enclose an eigenvalue; raise the precision"
    raise SingularSystemError("A", reason, certain=False)


def _is_positive_definite(M: Any) -> bool:
    """Whether the square-root-free Cholesky factorisation of M has certainly positive pivots."""
    n = M.nrows()
    rows = [[M[i, j] for j in range(i + 1)] for i in range(n)]
    for k in range(n):
        pivot = rows[k][k]
        if not pivot > 0:
            return False
        for i in range(k + 1, n):
            factor = rows[i][k] / pivot
            for j in range(k + 1, i + 1):
                rows[i][j] -= factor * rows[j][k]
    return True


def _is_tight(A: Any, lower: Any, upper: Any) -> bool:
    return bool(upper - lower <= _scale(A) * arb(2) ** (-(ctx.prec - _GUARD_BITS) // 2))
