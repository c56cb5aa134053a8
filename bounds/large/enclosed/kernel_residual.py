"""Kernel-space mean and variance, enclosed by what an approximate solution leaves over.

With M = kernel(K, K) + lam I, a column a of the values and k = kernel(K, q), the mean is
a^T M^-1 k. For any w and u, with r_w = k - M w and r_u = a - M u,

    a^T M^-1 k = a^T w + u^T r_w + r_u^T M^-1 r_w,    |r_u^T M^-1 r_w| <= |r_u| |r_w|/lam,

as the kernel is positive, so M >= lam I. With a = k and u = w this is the variance:

    k^T M^-1 k = k^T w + w^T r_w + c,    0 <= c <= |r_w|^2/lam.

w and u come from a Cholesky factorisation in floats, of whose accuracy nothing is assumed; only,
as LAPACK documents, that ``dpotrf`` leaves alone the triangle that it does not read, where the
kernel is kept. Enclosed are the residuals: the error of M' w, where M' is computed, is at most
E |w| with E = (errors of the entries) + gamma_(128 + L/128) |kernel|, or little more than the
former: see :mod:`bounds.large.enclosed.kernel_product`.

Sources: arXiv:2212.14852 for the law; the dual-weighted residual is that of Becker and Rannacher
(Acta Numerica 2001).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dpotrf, dpotrs

from bounds.errors import SingularSystemError
from bounds.large.enclosed.gram import EnclosedKernel, Points, enclosed_kernel
from bounds.large.enclosed.kernel_product import kernel_panels
from bounds.large.enclosed.upward import (
    BLOCK,
    TINY,
    Array,
    U,
    blocks,
    column_norms,
    column_products,
    float_interval,
    transposed_product,
    upward,
)
from bounds.large.memory import require_memory
from bounds.large.problem import Predictive, Problem, query_input
from bounds.large.result import Computed, Route

_PANEL = 512
_ALTERNATIVE = "use a route in feature space, or fewer tokens"


@dataclass(frozen=True, eq=False)
class _System:
    """The tokens as the kernel sees them, and lam between two floats."""

    kernel: EnclosedKernel
    keys: Points
    lam: tuple[float, float]

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class _Solved:
    """Approximate x for M x = b, and b - M x within ``error``, column by column."""

    x: Array
    residual: Array
    error: Array

    def columns(self, chosen: slice) -> _Solved:
        return _Solved(self.x[:, chosen], self.residual[:, chosen], self.error[:, chosen])


def kernel_residual(given: Problem, queries: ArrayLike, *, narrow: bool = False) -> Predictive:
    """The law of z phi(q), mean (nq x dv) and variance (nq), with a proof of the error.

    It costs less than two Cholesky factorisations, and one L x L matrix of memory. ``narrow``
    splits the products of the residual so that they hardly round, which takes two products more
    and leaves the errors of the entries alone. float32 data are taken as the numbers they store.

    Raises:
        ShapeError, ParameterError: naming the array or kernel at fault.
        TooLargeError: when the matrix will not fit in memory.
        SingularSystemError: when lam is so small that the factorisation in floats fails.
        UndefinedError: when the kernel or a product overflows float64.
    """
    Q = query_input(given, queries)
    _require_room(given.L, Q.rows + given.values.columns)
    kernel = enclosed_kernel(given.model.kernel, given.keys.columns)
    system = _System(
        kernel, kernel.points(given.keys.array), float_interval("lam", given.model.lam)
    )
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        points = kernel.points(Q.array)
        k, k_error = kernel.cross(system.keys, points)
        right = np.concatenate((k, given.values.array), axis=1)
        solved, condition = _solve(system, right, narrow)
        solved.error[:, : Q.rows] = upward(solved.error[:, : Q.rows] + k_error, 1)
        w, u = solved.columns(slice(Q.rows)), solved.columns(slice(Q.rows, None))
        mean = _mean(system, given.values.array, w, u)
        variance = _variance(system, given, kernel.diagonal(points), (k, k_error), w)
    return Predictive(_computed(mean[0].T, mean[1].T, condition), _computed(*variance, condition))


def _require_room(L: int, columns: int) -> None:
    require_memory(f"kernel(K, K), {L} x {L}", 8 * L * (L + 10 * columns + 3 * BLOCK), _ALTERNATIVE)


def _computed(value: Array, error: Array, condition: float) -> Computed:
    return Computed(value, error, Route.KERNEL_RESIDUAL, condition, 0.0)


def _solve(system: _System, right: Array, narrow: bool) -> tuple[_Solved, float]:
    """Approximate solutions for all columns at once, and their residuals."""
    gram = system.kernel.symmetric(system.keys)
    diagonal = gram.diagonal().copy()
    gram.flat[:: len(gram) + 1] += system.lam[1]
    # The transpose is in the order of LAPACK; its upper triangle keeps the kernel.
    factor, failed = dpotrf(gram.T, lower=1, overwrite_a=1, clean=0)
    if failed or not np.isfinite(factor.diagonal()).all():
        reason = f"lam = {system.lam[1]:.3g} is lost in rounding; raise it, or use kernel-balls"
        raise SingularSystemError("kernel(K, K) + lam I", reason, certain=False)
    x = np.ascontiguousarray(dpotrs(factor, np.asfortranarray(right), lower=1)[0])
    if not np.shares_memory(factor, gram):
        gram = np.array(factor.T)
    _mirror(gram, diagonal)
    return _residual(system, gram, right, x, narrow)


def _mirror(gram: Array, diagonal: Array) -> None:
    """Make the matrix whole again from its lower triangle."""
    for rows in blocks(len(gram), _PANEL):
        for columns in blocks(rows.start, _PANEL):
            gram[columns, rows] = gram[rows, columns].T
        lower = np.tril(gram[rows, rows], -1)
        gram[rows, rows] = lower + lower.T
    gram.flat[:: len(gram) + 1] = diagonal


def _residual(
    system: _System, gram: Array, right: Array, x: Array, narrow: bool
) -> tuple[_Solved, float]:
    """right - (gram + lam I) x with its error, and an estimate of the condition number."""
    residual, error, norm = np.empty_like(x), np.empty_like(x), 0.0
    low, high = system.lam
    for panel in kernel_panels(system.kernel, system.keys, gram, x, narrow=narrow):
        rows, norm = panel.rows, max(norm, panel.norm)
        first = right[rows] - panel.value
        residual[rows] = first - high * x[rows]
        rounding = (high - low + U * high) * np.abs(x[rows])
        rounding += U * (np.abs(first) + np.abs(residual[rows]))
        error[rows] = upward(panel.error + upward(rounding, 5), 2)
    return _Solved(x, residual, error), (norm + high) / low


def _mean(system: _System, values: Array, w: _Solved, u: _Solved) -> tuple[Array, Array]:
    """V^T M^-1 k (dv x nq) and its error."""
    first, first_error = transposed_product(values, w.x)
    second, second_error = transposed_product(u.x, w.residual)
    value = first + second
    spread = upward(np.abs(u.x).T @ w.error, len(w.x))
    left = upward(np.outer(_norms(u), _norms(w)) / system.lam[0], 2)
    return value, upward(first_error + second_error + spread + left + U * np.abs(value), 6)


def _norms(solved: _Solved) -> Array:
    """Bounds on the norms of the true residuals, column by column."""
    return column_norms(upward(np.abs(solved.residual) + solved.error, 1))


def _variance(
    system: _System,
    given: Problem,
    at_query: tuple[Array, Array],
    cross: tuple[Array, Array],
    w: _Solved,
) -> tuple[Array, Array]:
    """tau^2 (kernel(q, q) - k^T M^-1 k) and its error, cut with 0 and tau^2 kernel(q, q)."""
    k, k_error = cross
    first, first_error = column_products(k, w.x)
    second, second_error = column_products(w.x, w.residual)
    spread = upward(np.einsum("ij,ij->j", upward(k_error + w.error, 1), np.abs(w.x)), len(k))
    left = upward(_norms(w) ** 2 / system.lam[0], 3) / 2
    explained = first + second
    value = at_query[0] - explained - left
    error = first_error + second_error + spread + left + at_query[1]
    error += U * (np.abs(explained) + 2 * np.abs(value) + left)
    error = upward(error, 8)
    most = upward(at_query[0] + at_query[1], 1)
    low, high = np.maximum(value - error, 0.0), np.minimum(value + error, most)
    return _scaled(given, low * (1 - 2 * U), upward(np.maximum(high, low), 2))


def _scaled(given: Problem, low: Array, high: Array) -> tuple[Array, Array]:
    """tau^2 times the interval, as middle and half-width."""
    below, above = float_interval("prior_variance", given.model.prior_variance)
    low = np.maximum(low * below * (1 - 4 * U) - TINY, 0.0)
    high = upward(high * above, 1)
    value = low / 2 + high / 2
    return value, upward(np.maximum(high - value, value - low), 2)
