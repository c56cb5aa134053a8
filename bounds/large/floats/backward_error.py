r"""How far a computed triangle R and solution X are from A = Phi^T Phi + lam I and its posterior.

Two numbers are wanted, and both are measured:

.. math:: \varepsilon \ge \|R^{-T} A R^{-1} - I\|, \qquad
          \text{residual}_j \ge |R^{-T} g_j|, \quad g = \Phi^T V - A X.

If :math:`\varepsilon < 1` then :math:`(1-\varepsilon) R^T R \preceq A`, and every error of the
posterior follows (:mod:`bounds.large.floats.feature_ridge`). What rounding leaves unknown of the
measured numbers is added: products of the BLAS as :mod:`bounds.large.floats.gram` says, triangular
solves as :math:`(R + \Delta)x = b` with :math:`|\Delta| \le \gamma_{2d}|R|` (Higham 2002, section
8.1), and for every product that underflows 2^-1074.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from bounds.large.floats.gram import SMALLEST, U, rounding_growth
from bounds.large.floats.triangle import Moments, Triangle

Array = NDArray[np.float64]

_CHUNK = 2048
_SLACK = 1 + 2.0**-20  # for rounding inside the bounds themselves, which add non-negative terms


@dataclass(frozen=True, eq=False)
class Factor:
    """A triangle R (d x d) with its inverse as computed, and ``skew`` >= | |R fl(R^-1) - I| |.

    The columns of the inverse are solved for, so R fl(R^-1) = I + G with G <= gamma |R| |fl(R^-1)|
    entry by entry, and R^-1 = fl(R^-1) (I + G)^-1.
    """

    R: Array
    inverse: Array
    skew: float

    @property
    def stretch(self) -> float:
        """A factor that makes norms of the computed inverse norms of the true one."""
        return 1 / (1 - self.skew)

    @property
    def reach(self) -> Array:
        """|R^-T| as computed."""
        return np.asarray(np.abs(self.inverse).T)


@dataclass(frozen=True, eq=False)
class Measured:
    """``epsilon`` and ``residual`` of the module, and |A - R^T R|/|A|, the backward error."""

    epsilon: float
    residual: Array
    backward: float


def by_moments(state: Triangle, factor: Factor, X: Array, lam: float) -> Measured:
    """Measured from the moments that were taken along: no token is read again.

    Moments hold products of two features, so what they leave unknown grows with the condition of
    A, not with its root.
    """
    with np.errstate(all="ignore"):  # an overflow gives an infinite bound, which is refused
        return _by_moments(state, factor, X, lam)


def _by_moments(state: Triangle, factor: Factor, X: Array, lam: float) -> Measured:
    m, error = state.moments, state.entry_error
    growth = m.growth + error * (2 + error)
    A = m.second + m.second_low + lam * np.eye(len(X))
    cross = m.cross + m.cross_low
    lost = _underflow(state.count, len(X))
    norms = np.sqrt(np.diag(m.second) * (1 + 2 * growth) + lost)
    values = np.sqrt(m.value_squares + lost) * (1 + growth)
    epsilon, backward = _missed(A, factor, norms, growth, lam, lost)
    residual = _residual(cross, A, X, factor, norms, values, growth, lam, lost)
    return Measured(epsilon, residual, backward)


def lengths(M: Array) -> Array:
    """The lengths of the columns; squares neither overflow nor underflow."""
    largest = np.abs(M).max(axis=0)
    scale = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.linalg.norm(M / scale, axis=0) * scale)


def _underflow(count: int, d: int) -> float:
    """What underflow may take from a sum over the tokens or over the features."""
    return (count + 4 * d + 8) * SMALLEST


def by_second_pass(
    Phi: Array, V: Array, factor: Factor, X: Array, lam: float, entry_error: float
) -> Measured:
    r"""From the tokens, read again: P = [Phi; lam^(1/2) I] R^-1 and r = [V; 0] - P R X give

    .. math:: R^{-T} A R^{-1} = P^T P, \qquad R^{-T} g = P^T r.

    P has columns of length 1, so the unknown part grows only with the condition of R.
    """
    with np.errstate(all="ignore"):  # an overflow gives an infinite bound, which is refused
        return _by_second_pass(Phi, V, factor, X, lam, entry_error)


def _by_second_pass(
    Phi: Array, V: Array, factor: Factor, X: Array, lam: float, entry_error: float
) -> Measured:
    d, root = len(X), float(np.sqrt(lam))
    lost = _underflow(len(Phi) + d, d)
    # Apart, since P of the prior is near I where lam is large, and P of the tokens near 0.
    parts = [
        _turned(Phi, V, factor, X, entry_error, lost),
        _turned(root * np.eye(d), np.zeros_like(X), factor, X, 0.0, lost),
    ]
    of_gram = float(np.linalg.norm(parts[0].gram + parts[1].gram - np.eye(d)))
    of_gram += sum(part.product for part in parts)
    missed = sum(part.missed for part in parts)
    inverse = float(np.linalg.norm(factor.inverse)) * factor.stretch
    epsilon = of_gram + 2 * np.sqrt(1 + of_gram) * missed + missed**2
    epsilon = float(epsilon + 3 * U * lam * inverse**2 + d * lost) * _SLACK
    residual = lengths(parts[0].cross + parts[1].cross) + 3 * U * lam * inverse * lengths(X)
    residual = residual + parts[0].unknown + parts[1].unknown
    backward = epsilon * float(np.linalg.norm(factor.R, 2) / np.linalg.norm(factor.R))
    return Measured(epsilon, np.asarray(residual), backward)


@dataclass(frozen=True, eq=False)
class _Turned:
    """P^T P and P^T r of some rows; |P^T P| errs by ``product``, P by ``missed``, and columns of
    P^T r by ``unknown``.
    """

    gram: Array
    cross: Array
    product: float
    missed: float
    unknown: Array


def _turned(
    Phi: Array, V: Array, factor: Factor, X: Array, entry_error: float, lost: float
) -> _Turned:
    """For P = Phi R^-1 and r = V - Phi X."""
    d, moments = len(X), Moments.empty(*X.shape)
    for i in range(0, len(Phi), _CHUNK):
        rows = Phi[i : i + _CHUNK]
        P = blas.dtrsm(1.0, factor.R, rows.T, side=0, lower=0, trans_a=1).T
        moments = moments.with_rows(P, V[i : i + _CHUNK] - rows @ X)
    gram, growth = moments.second + moments.second_low, moments.growth
    # c, n: lengths of the columns of P and Phi; h: what the solves miss of P, over gamma c.
    c = np.sqrt(np.diag(gram) * (1 + 2 * growth) + lost)
    n = np.minimum(c @ np.abs(factor.R), np.linalg.norm(factor.R, axis=0)) * 1.5
    h = np.abs(factor.R) @ np.abs(factor.inverse) * factor.stretch
    reach = float(np.linalg.norm(factor.reach @ n)) * factor.stretch
    missed = rounding_growth(2 * d) * float(np.linalg.norm(c @ h)) + entry_error * reach
    missed += d * lost * float(np.linalg.norm(factor.inverse)) * factor.stretch
    whole = float(np.linalg.norm(c))
    left, sizes = np.sqrt(moments.value_squares + lost), lengths(V) + n @ np.abs(X)
    unknown = (growth * whole + missed) * left
    # What r misses passes through P, of norm below 1.5.
    share = min(1.5, whole + missed) * (rounding_growth(d + 2) + entry_error)
    unknown = unknown + share * sizes + 2 * d * lost * (1 + np.abs(X).sum(axis=0))
    cross = moments.cross + moments.cross_low
    return _Turned(gram, cross, growth * whole**2, missed, np.asarray(unknown))


def _missed(
    A: Array, factor: Factor, norms: Array, growth: float, lam: float, lost: float
) -> tuple[float, float]:
    """epsilon = |R^-T (A - R^T R) R^-1|, and |A - R^T R|/|A|."""
    d, inverse, reach = len(A), factor.inverse, factor.reach
    E = A - factor.R.T @ factor.R
    turned = float(np.linalg.norm(inverse.T @ E @ inverse))
    rounding = rounding_growth(2 * d) * float(np.linalg.norm(reach @ np.abs(E) @ reach.T))
    # Unknown of E: the moments, lam I and its rounding, and the product R^T R.
    unknown = [(growth + 3 * U, norms), (rounding_growth(d + 3), np.linalg.norm(factor.R, axis=0))]
    bound = sum(g * float(np.linalg.norm(reach @ n)) ** 2 for g, n in unknown)
    bound += 3 * U * lam * float(np.linalg.norm(inverse)) ** 2
    bound += d * lost * (1 + float(np.linalg.norm(reach.sum(axis=1)))) ** 2
    epsilon = (turned + rounding + bound) * factor.stretch**2 * _SLACK
    size = float(np.abs(A).max())
    backward = float(np.linalg.norm(E / size)) + growth * float(norms @ (norms / size))
    return epsilon, backward / float(np.linalg.norm(A / size))


def _residual(
    cross: Array,
    A: Array,
    X: Array,
    factor: Factor,
    norms: Array,
    values: Array,
    growth: float,
    lam: float,
    lost: float,
) -> Array:
    """|R^-T g| for the residual g = Phi^T V - A X of the normal equations, column by column."""
    d, reach = len(X), factor.reach
    g = cross - A @ X
    sizes = np.abs(X)
    through = norms @ sizes
    unknown = growth * np.outer(norms, values + through)
    unknown += rounding_growth(d + 3) * (np.outer(norms, through) + lam * sizes)
    unknown += 2 * U * (np.abs(cross) + np.abs(g)) + lost * (1 + sizes.sum(axis=0))
    turned = np.abs(factor.inverse.T @ g) + rounding_growth(d) * (reach @ np.abs(g))
    return np.asarray(lengths(turned + reach @ unknown + lost) * factor.stretch)
