"""Kernel entries in float64 with a proof of the error of each.

Assumed: what :mod:`bounds.large.enclosed.upward` lists, and that SciPy's
``cdist(.., "sqeuclidean")`` adds the d squared differences of two points, in any order. Then with
u = 2^-53, alpha and beta the norms of a and b, and k' the computed entry:

- Gaussian, x = |a - b|^2/(2 gamma): the computed x is wrong by gamma_(d+5) x (two roundings of
  each difference, one of its square, d - 1 sums, three for the rate), so that
  |k' - k| <= k' (gamma_(d+7) x + EXP_ERROR) + TINY, and x k' <= (2/e) sqrt(k') since
  x e^(-x/2) <= 2/e. The sum of squares is that of differences: nothing cancels.
- exponential, a.b/gamma: the logit is wrong by D = gamma_(d+3) alpha beta/gamma, so
  |k' - k| <= k' (D + D^2 + EXP_ERROR) for D <= 1.
- linear, a.b: gamma_d alpha beta; the same for monomial features phi(a), phi(b) of degree g, with
  gamma_(dphi + 2 g) |phi(a)| |phi(b)|.
- polynomial, (a.b + c)^p: gamma_(p (d + 4)) (alpha beta + c)^p.

Underflow adds at most TINY times the slope of what follows. Rates are below 2^900, so it moves a
logit by less than 2^-150, which the factor 1.01 of EXP_ERROR covers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from scipy.spatial.distance import cdist

from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError, UndefinedError
from bounds.large.enclosed.exponential import EXP_ERROR, exp_in_place
from bounds.large.enclosed.upward import (
    TINY,
    Array,
    blocks,
    float_interval,
    gamma,
    row_norms,
    upward,
)

_TWO_OVER_E = 0.73576
_LARGEST_DIMENSION = 2**20
# Rows and columns of a block: a few of them fit in the cache.
_SIDE = 256

Entries = Callable[[Array, Array, Array], None]
EntryErrors = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Points:
    """Points (or their finite features), rows stacked, and bounds on their norms."""

    array: Array
    norms: Array

    def __len__(self) -> int:
        return len(self.array)

    def part(self, rows: slice) -> Points:
        """Some of the points."""
        return Points(self.array[rows], self.norms[rows])


@dataclass(frozen=True, eq=False)
class EnclosedKernel:
    """A kernel in float64, for points of one space, with the error of its entries.

    ``errors(k, alpha, beta)`` bounds |k - kernel(a, b)| for computed entries k, with rows of
    points of norms alpha (a column) and columns of norms beta (a row).
    """

    kernel: Kernel
    points: Callable[[Array], Points]
    _fill: Entries
    errors: EntryErrors

    def block(self, a: Points, b: Points) -> Array:
        """The matrix of kernel(a_i, b_j), rounded.

        Raises:
            UndefinedError: when an entry overflows.
        """
        found = np.empty((len(a), len(b)))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            self._fill(a.array, b.array, found)
            # The sum is finite only if every entry is; it may overflow by itself.
            finite = np.isfinite(found.sum()) or np.isfinite(found).all()
        if not finite:
            raise UndefinedError(f"{self.kernel} overflows float64 on these points; scale them")
        return found

    def cross(self, a: Points, b: Points) -> tuple[Array, Array]:
        """The matrix of kernel(a_i, b_j) and its entrywise errors."""
        value = self.block(a, b)
        return value, self.errors(value, a.norms[:, None], b.norms[None, :])

    def diagonal(self, a: Points) -> tuple[Array, Array]:
        """The numbers kernel(a_i, a_i) and their errors; 1 and 0 for the Gaussian kernel."""
        if isinstance(self.kernel, GaussianKernel):
            return np.ones(len(a)), np.zeros(len(a))
        pairs = [
            self.cross(a.part(slice(i, i + 1)), a.part(slice(i, i + 1))) for i in range(len(a))
        ]
        return np.array([v[0, 0] for v, _ in pairs]), np.array([e[0, 0] for _, e in pairs])

    def symmetric(self, a: Points) -> Array:
        """The matrix of kernel(a_i, a_j), each pair computed once, exactly symmetric."""
        gram = np.empty((len(a), len(a)))
        for rows in blocks(len(a), _SIDE):
            for columns in blocks(rows.stop, _SIDE):
                part = self.block(a.part(rows), a.part(columns))
                if rows == columns:
                    part = np.tril(part) + np.tril(part, -1).T
                gram[rows, columns] = part
                gram[columns, rows] = part.T
        return gram


def enclosed_kernel(kernel: Kernel, dk: int) -> EnclosedKernel:
    """The kernel for points in R^dk.

    Raises:
        ParameterError: when it is none of :mod:`bounds.attention.kernels`, or dk is above 2^20.
        UndefinedError: when a parameter of it is too large or small for float64.
    """
    if dk > _LARGEST_DIMENSION:
        raise ParameterError("dk", dk, "must be at most 2^20 for enclosed kernel entries")
    if isinstance(kernel, GaussianKernel):
        return _gaussian(kernel, dk)
    if isinstance(kernel, ExponentialKernel):
        return _exponential(kernel, dk)
    if isinstance(kernel, PolynomialKernel):
        return _polynomial(kernel, dk)
    if isinstance(kernel, (LinearKernel, FeatureKernel)):
        return _finite(kernel, dk)
    remedy = "must be a kernel of bounds.attention.kernels; use exact or ball fields for others"
    raise ParameterError("kernel", repr(kernel), remedy)


def _plain_points(array: Array) -> Points:
    return Points(array, row_norms(array))


def _gaussian(kernel: GaussianKernel, dk: int) -> EnclosedKernel:
    _, rate = float_interval("1/(2 bandwidth)", 1 / (2 * kernel.bandwidth))
    slope = upward(np.array(_TWO_OVER_E * gamma(dk + 8)), 2)

    def fill(a: Array, b: Array, out: Array) -> None:
        cdist(a, b, "sqeuclidean", out=out)
        np.multiply(out, -rate, out=out)
        exp_in_place(out)

    def errors(k: Array, alpha: Array, beta: Array) -> Array:
        found = np.sqrt(k)
        found *= slope
        found += k * (1.01 * EXP_ERROR)
        return upward(found, 5)

    return EnclosedKernel(kernel, _plain_points, fill, errors)


def _exponential(kernel: ExponentialKernel, dk: int) -> EnclosedKernel:
    _, rate = float_interval("1/temperature", 1 / kernel.temperature)
    slope = upward(np.array(gamma(dk + 4) * rate), 1)

    def fill(a: Array, b: Array, out: Array) -> None:
        np.matmul(a, b.T, out=out)
        np.multiply(out, rate, out=out)
        exp_in_place(out)

    def errors(k: Array, alpha: Array, beta: Array) -> Array:
        logit = upward(slope * alpha, 1) * beta
        if not float(logit.max()) <= 1.0:
            message = f"logits of {kernel} are so large that their rounding reaches 1"
            raise UndefinedError(f"{message}; scale the keys", certain=False)
        logit += logit * logit
        return upward(k * (logit + 1.01 * EXP_ERROR), 7)

    return EnclosedKernel(kernel, _plain_points, fill, errors)


def _polynomial(kernel: PolynomialKernel, dk: int) -> EnclosedKernel:
    p = kernel.degree
    _, offset = float_interval("offset", kernel.offset) if kernel.offset else (0.0, 0.0)

    def fill(a: Array, b: Array, out: Array) -> None:
        np.matmul(a, b.T, out=out)
        out += offset
        out[...] = _power(out, p)

    def errors(k: Array, alpha: Array, beta: Array) -> Array:
        size = upward(alpha * beta + offset, 2)
        with np.errstate(over="ignore"):
            return upward(gamma(p * (dk + 6)) * _power(size, p), p + 1) + _lost(p, dk, size)

    return EnclosedKernel(kernel, _plain_points, fill, errors)


def _lost(p: int, dk: int, size: Array) -> Array:
    """What underflow costs: TINY, times the derivative of the power."""
    slope = _power(np.maximum(size, 1.0), p - 1) if p > 1 else np.ones_like(size)
    return upward(upward(slope, p) * (p * TINY), 2)


def _power(x: Array, p: int) -> Array:
    """x^p by p - 1 products."""
    found = x
    for _ in range(p - 1):
        found = found * x
    return found


def _finite(kernel: LinearKernel | FeatureKernel, dk: int) -> EnclosedKernel:
    degree = kernel.degree if isinstance(kernel, FeatureKernel) else 0
    terms = comb(dk + degree, degree) if degree else dk
    relative = gamma(terms + 2 * degree)

    def fill(a: Array, b: Array, out: Array) -> None:
        np.matmul(a, b.T, out=out)

    def errors(k: Array, alpha: Array, beta: Array) -> Array:
        return upward(upward(relative * alpha, 1) * beta, 1)

    def points(array: Array) -> Points:
        return _plain_points(_monomials(array, degree) if degree else array)

    return EnclosedKernel(kernel, points, fill, errors)


def _monomials(X: Array, degree: int) -> Array:
    """All monomials of degree at most ``degree``, one factor after the other, rows by points."""
    columns = []
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for size in range(degree + 1):
            for chosen in combinations_with_replacement(range(X.shape[1]), size):
                column = np.ones(len(X))
                for j in chosen:
                    column = column * X[:, j]
                columns.append(column)
    return np.stack(columns, axis=1)
