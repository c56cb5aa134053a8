"""Residuals of (kernel(K,K) + lam I) X = B, with bounds on how far the computed ones are off.

For A = kernel(K,K) + lam I, solutions W of A W = kernel(K, Q) and alpha of A alpha = V known only
roughly, and true residuals rho_w = kernel(K,Q) - A W, rho_alpha = V - A alpha,

    mean     = W^T V + rho_w^T alpha + rho_w^T A^-1 rho_alpha,
    variance = tau^2 (kernel(q,q) - kernel(q,K) w - w^T rho_w - rho_w^T A^-1 rho_w)
             = tau^2 (|phi(q) - Phi^T w|^2 + lam |w|^2 - rho_w^T A^-1 rho_w).

The terms in A^-1 are of second order: |rho^T A^-1 rho'| <= energy(rho) energy(rho'), where
energy(rho)^2 = rho^T A^-1 rho <= |rho|^2/lam, as A >= lam I, and energy(Phi x) <= |x|. What is left
is the rounding of the computed residual R, which the forms here bound entry by entry:

    rho - R = Phi d + g,  |d| <= inner,  |g_i| <= slope s_i + gamma lam |x_i| + offset
                                                  (+ gamma |v_i| when the right side is V),

with s_i^2 = kernel(k_i, k_i). The second form of the variance does not cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.large.floats.gram import SMALLEST, TILE, EntryError, U, rounding_growth

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Residual:
    """A computed residual R of the columns X (L x m) and what bounds ``rho - R``, by column.

    ``spread`` >= |Phi^T x| (0 without features), ``weight`` = s^T |x|; ``energy`` bounds
    (rho^T A^-1 rho)^(1/2).
    """

    value: Array
    solution: Array
    inner: Array
    slope: Array
    offset: Array
    spread: Array
    weight: Array
    energy: Array
    shift: float  # gamma lam

    def pairing(self, other: Residual) -> Array:
        """A bound of |(rho - R)^T x| for all columns of self (rows) and solutions of other."""
        absolute = np.abs(other.solution)
        return np.asarray(
            np.outer(self.inner, other.spread)
            + np.outer(self.slope, other.weight)
            + np.outer(self.offset, absolute.sum(axis=0))
            + self.shift * (np.abs(self.solution).T @ absolute)
        )

    def self_pairing(self) -> Array:
        """The diagonal of ``pairing(self)``."""
        absolute = np.abs(self.solution)
        return np.asarray(
            self.inner * self.spread
            + self.slope * self.weight
            + self.offset * absolute.sum(axis=0)
            + self.shift * np.square(absolute).sum(axis=0)
        )


@dataclass(frozen=True, eq=False)
class KernelForm:
    """Residuals from the Gram matrix itself.

    Args:
        matrix: L x L, whose entries below the diagonal are kernel(k_i, k_j); others are not read.
        diagonal: kernel(k_i, k_i).
        scales: s_i; entry: the error of the entries of the matrix and of right sides.
    """

    matrix: Array
    diagonal: Array
    scales: Array
    entry: EntryError
    lam: float

    def residual(
        self, right: Array, right_scales: Array | None, X: Array, product: Array
    ) -> Residual:
        """B - A X for B = kernel(K, Q), with s(q), or B = V known exactly, with None.

        ``product`` is kernel(K, K) X from :meth:`products`.
        """
        gamma = tiled_growth(len(X))
        R = right - self.lam * X - product
        absolute = np.abs(X)
        weight, one_norm = self.scales @ absolute, absolute.sum(axis=0)
        known = right_scales is None
        slope = (gamma * (1 + self.entry.relative) + self.entry.relative) * (
            weight if right_scales is None else weight + right_scales
        )
        offset = 2 * self.entry.absolute * (1 + one_norm) + SMALLEST * len(X)
        size = np.linalg.norm(R, axis=0) + slope * np.linalg.norm(self.scales)
        size = size + gamma * self.lam * np.linalg.norm(X, axis=0) + offset * np.sqrt(len(X))
        if known:
            size = size + gamma * np.linalg.norm(right, axis=0)
        none = np.zeros(X.shape[1])
        energy = size / np.sqrt(self.lam)
        return Residual(R, X, none, slope, offset, none, weight, energy, gamma * self.lam)

    def variance(
        self, at_query: Array, right: Array, right_scales: Array, found: Residual
    ) -> tuple[Array, Array]:
        """kernel(q,q) - kernel(q,K) w - w^T R, that is variance/tau^2, and its error; q by q."""
        W, gamma = found.solution, tiled_growth(len(right))
        value = at_query - tiled_dots(right + found.value, W)
        sizes = right_scales * (right_scales + found.weight)
        error = (self.entry.relative + gamma * (1 + self.entry.relative)) * sizes
        error = error + gamma * tiled_dots(np.abs(found.value), np.abs(W)) + 2 * found.offset
        error = error + found.self_pairing() + found.energy**2 + U * np.abs(value)
        return value, error + 2 * SMALLEST * len(W)

    def products(self, X: Array) -> Array:
        """kernel(K, K) X, each tile below the diagonal serving for its mirror image too.

        Many columns at once cost less than few at a time: the matrix is read once.
        """
        columns, found = np.ascontiguousarray(X), np.zeros(X.shape)
        for i in range(0, len(X), TILE):
            rows = slice(i, i + TILE)
            for j in range(0, i, TILE):
                tile, others = self.matrix[rows, j : j + TILE], slice(j, j + TILE)
                found[rows] += tile @ columns[others]
                found[others] += tile.T @ columns[rows]
            lower = np.tril(self.matrix[rows, rows], -1)
            square = lower + lower.T
            np.fill_diagonal(square, self.diagonal[rows])
            found[rows] += square @ columns[rows]
        return found


@dataclass(frozen=True, eq=False)
class FeatureForm:
    """Residuals through the features Phi (L x dphi): nothing cancels, and no Gram matrix is read.

    Args:
        Phi: the features; error: |computed - phi(k)| <= error |phi(k)|; scales: s_i >= |phi(k_i)|.
    """

    Phi: Array
    scales: Array
    error: float
    lam: float

    def query_residual(self, phi: Array, phi_scales: Array, W: Array) -> tuple[Residual, Array]:
        """Phi E - lam W with E = phi(Q) - Phi^T W (dphi x nq), and E."""
        E = phi.T - tiled_product(self.Phi.T, W)
        inner = self._inner(W, phi_scales)
        R = tiled_product(self.Phi, E) - self.lam * W
        return self._residual(R, W, E, inner, phi_scales), E

    def value_residual(self, V: Array, alpha: Array) -> Residual:
        """V - Phi Phi^T alpha - lam alpha."""
        E = -tiled_product(self.Phi.T, alpha)
        R = V + tiled_product(self.Phi, E) - self.lam * alpha
        none = np.zeros(alpha.shape[1])
        return self._residual(R, alpha, E, self._inner(alpha, none), none, V)

    def variance(self, found: Residual, E: Array) -> tuple[Array, Array]:
        """|phi(q) - Phi^T w|^2 + lam |w|^2, that is variance/tau^2, and its error; q by q."""
        gamma = tiled_growth(max(self.Phi.shape))
        value = tiled_dots(E, E) + self.lam * tiled_dots(found.solution, found.solution)
        error = 2 * np.linalg.norm(E, axis=0) * found.inner + found.inner**2 + gamma * value
        return value, error + found.energy**2 + 2 * SMALLEST * sum(self.Phi.shape)

    def _inner(self, X: Array, right_scales: Array) -> Array:
        """A bound of the error of right - Phi^T X in norm."""
        gamma = tiled_growth(len(X))
        growth = gamma * (1 + self.error) + self.error
        tiny = SMALLEST * len(X) * np.sqrt(self.Phi.shape[1])
        return np.asarray(growth * (right_scales + self.scales @ np.abs(X)) + tiny)

    def _residual(
        self,
        R: Array,
        X: Array,
        E: Array,
        inner: Array,
        right_scales: Array,
        known: Array | None = None,
    ) -> Residual:
        dphi = self.Phi.shape[1]
        gamma = tiled_growth(dphi)
        size = np.linalg.norm(E, axis=0)
        slope = (gamma * (1 + self.error) + self.error) * size
        offset = np.full(X.shape[1], SMALLEST * (dphi + 8))
        g = slope * np.linalg.norm(self.scales) + offset * np.sqrt(len(X))
        g = g + gamma * self.lam * np.linalg.norm(X, axis=0)
        if known is not None:
            g = g + gamma * np.linalg.norm(known, axis=0)
        energy = inner + (np.linalg.norm(R, axis=0) + g) / np.sqrt(self.lam)
        weight = self.scales @ np.abs(X)
        spread = size + inner + right_scales
        return Residual(R, X, inner, slope, offset, spread, weight, energy, gamma * self.lam)


def tiled_growth(terms: int) -> float:
    """gamma_n for a sum of so many terms by tiles, and up to six operations more."""
    return rounding_growth(min(terms, TILE) + -(-terms // TILE) + 6)


def tiled_product(A: Array, B: Array) -> Array:
    """A B, summed by tiles of the inner index: an error of tiled_growth |A| |B|."""
    result = A[:, :TILE] @ B[:TILE]
    for i in range(TILE, len(B), TILE):
        result += A[:, i : i + TILE] @ B[i : i + TILE]
    return np.asarray(result)


def tiled_dots(A: Array, B: Array) -> Array:
    """The products of equal columns of A and B, with the error of :func:`tiled_product`."""
    total = np.zeros(A.shape[1])
    for i in range(0, len(A), TILE):
        total += np.einsum("ij,ij->j", A[i : i + TILE], B[i : i + TILE])
    return total
