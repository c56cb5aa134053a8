r"""How far a computed triangle R and solution X are from A = Phi^T Phi + lam I and its posterior.

Two numbers are wanted, and both are measured:

.. math:: \varepsilon \ge \|R^{-T} A R^{-1} - I\|, \qquad
          \text{residual}_j \ge |R^{-T} g_j|, \quad g = \Phi^T V - A X.

If :math:`\varepsilon < 1` then :math:`(1-\varepsilon) R^T R \preceq A`, and every error of the
posterior follows (:mod:`bounds.large.feature_ridge`). What rounding leaves unknown of the measured
numbers is added: products of the BLAS as :mod:`bounds.large.gram` says, triangular solves as
:math:`(R + \Delta)x = b` with :math:`|\Delta| \le \gamma_{2d}|R|` (Higham 2002, section 8.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from bounds.large.gram import SMALLEST, U, rounding_growth
from bounds.large.triangle import Moments, Triangle

Array = NDArray[np.float64]

_CHUNK = 2048
_SLACK = 1 + 2.0**-20  # for rounding inside the bounds themselves, which add non-negative terms


@dataclass(frozen=True, eq=False)
class Factor:
    """A triangle R (d x d) with its inverse as computed, and ``skew`` >= |fl(R^-1) R - I|."""

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
    norms = np.sqrt(np.diag(m.second) * (1 + 2 * growth) + SMALLEST)
    values = np.sqrt(m.value_squares) * (1 + growth)
    epsilon, backward = _missed(A, factor, norms, growth, lam)
    residual = _residual(cross, A, X, factor, norms, values, growth, lam)
    return Measured(epsilon, residual, backward)


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
    moments = Moments.empty(*X.shape)
    for rows, values in _chunks(Phi, V, root):
        P = blas.dtrsm(1.0, factor.R, rows.T, side=0, lower=0, trans_a=1).T
        moments = moments.with_rows(P, values - rows @ X)
    # c: lengths of the columns of P; h: those of what the solves miss, over gamma; n: of Phi.
    gram = moments.second + moments.second_low
    c = np.sqrt(np.diag(gram) * (1 + 2 * moments.growth) + SMALLEST)
    h = np.abs(factor.R) @ np.abs(factor.inverse) * factor.stretch
    missed = rounding_growth(2 * d) * float(np.linalg.norm(c @ h))
    n = np.linalg.norm(factor.R, axis=0) * 1.5
    missed += entry_error * float(np.linalg.norm(factor.reach @ n)) * factor.stretch
    inverse = float(np.linalg.norm(factor.inverse)) * factor.stretch
    lost = 3 * U * lam * inverse**2
    widest = float(np.linalg.norm(c))
    product = moments.growth * widest**2
    of_gram = float(np.linalg.norm(gram - np.eye(d)))
    epsilon = of_gram + product + 2 * np.sqrt(1 + of_gram + product) * missed + missed**2 + lost
    left = np.sqrt(moments.value_squares)
    sizes = np.linalg.norm(V, axis=0) + n @ np.abs(X)
    found = np.linalg.norm(moments.cross + moments.cross_low, axis=0)
    unknown = (moments.growth * widest + missed) * left
    unknown = unknown + 3 * U * lam * inverse * np.linalg.norm(X, axis=0)
    unknown = unknown + 1.5 * (rounding_growth(d + 2) + entry_error) * sizes + SMALLEST
    backward = epsilon * float(np.linalg.norm(factor.R, 2) / np.linalg.norm(factor.R))
    return Measured(float(epsilon) * _SLACK, np.asarray(found + unknown), backward)


def _chunks(Phi: Array, V: Array, root: float) -> list[tuple[Array, Array]]:
    """The rows of [Phi; root I] with those of [V; 0]."""
    d, dv = Phi.shape[1], V.shape[1]
    tokens = [(Phi[i : i + _CHUNK], V[i : i + _CHUNK]) for i in range(0, len(Phi), _CHUNK)]
    return [*tokens, (root * np.eye(d), np.zeros((d, dv)))]


def _missed(
    A: Array, factor: Factor, norms: Array, growth: float, lam: float
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
) -> Array:
    """|R^-T g| for the residual g = Phi^T V - A X of the normal equations, column by column."""
    d, reach = len(X), factor.reach
    g = cross - A @ X
    sizes = np.abs(X)
    through = norms @ sizes
    unknown = growth * np.outer(norms, values + through)
    unknown += rounding_growth(d + 3) * (np.outer(norms, through) + lam * sizes)
    unknown += 2 * U * (np.abs(cross) + np.abs(g)) + d * SMALLEST
    turned = np.abs(factor.inverse.T @ g) + rounding_growth(d) * (reach @ np.abs(g))
    return np.asarray(np.linalg.norm(turned + reach @ unknown, axis=0) * factor.stretch)
