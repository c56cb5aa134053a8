r"""The saddle point of the inversion integral of a Gaussian quadratic form, in floats.

The exponent of the integrand for :math:`|Ax+b|^2 > t`, less its pole, is

.. math:: k(s) = \log E\,e^{s(|Ax+b|^2 - t)} = \sum_j \Bigl[-\tfrac12\log(1 - 2s\lambda_j)
          + \frac{s\beta_j^2}{1 - 2s\lambda_j}\Bigr] - st,

with :math:`\beta = U^T b` in the eigenvectors of :math:`AA^T`. Where :math:`|2s\lambda_j|` is small
the offset's term all but cancels :math:`s\beta_j^2` of st; there it is written
:math:`2s^2\lambda_j\beta_j^2/(1 - 2s\lambda_j)`, and :math:`\beta_j^2` goes to the gap
:math:`t - \sum_j\beta_j^2`. Terms with large :math:`|2s\lambda_j|` are *kept* as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STEPS = 30
_ROUNDS = 4
_REACH = 340.0
# 1 - 2 s lambda_max stays above e^-33, far from its own rounding.
_CLOSEST = 33.0


@dataclass(frozen=True, eq=False)
class Forms:
    """m quadratic forms: eigenvalues and squared offsets m x n, the mask of the terms kept m x n.

    The gap, of length m, is t less the squared offsets of the terms that are not kept. Methods take
    points c of length m.
    """

    eigenvalues: Floats
    squares: Floats
    kept: Mask
    gap: Floats

    def exponent(self, c: Floats) -> tuple[Floats, Floats]:
        """k(c) at c of length m, and its error in units of 8 roundings."""
        double = 2 * c[:, None] * self.eigenvalues
        z = 1 - double
        terms = c[:, None] * np.where(self.kept, 1.0, double) * (self.squares / z)
        value: Floats = (terms - np.log(z) / 2).sum(axis=1) - c * self.gap
        sizes, count = np.abs(terms), z.shape[1]
        roundings = (1 + np.abs(double)) / z * (1 + sizes) + count * sizes
        return value, 2 + np.abs(c * self.gap) + roundings.sum(axis=1)

    def offset_slope(self, c: Floats) -> tuple[Floats, Floats]:
        """The part of k'(c) that is not from the logarithms, and the sum of its terms' sizes."""
        turned = c[:, None] * self.eigenvalues
        z = 1 - 2 * turned
        part = np.where(self.kept, 1.0, 4 * turned * (1 - turned))
        terms = self.squares * (part / z / z)
        sizes = np.abs(terms) * (1 + np.abs(turned) / z)
        return terms.sum(axis=1) - self.gap, sizes.sum(axis=1) + np.abs(self.gap)

    def slope(self, c: Floats) -> Floats:
        """k'(c)."""
        spread = self.eigenvalues / (1 - 2 * c[:, None] * self.eigenvalues)
        total: Floats = self.offset_slope(c)[0] + spread.sum(axis=1)
        return total

    def curvature(self, c: Floats) -> Floats:
        """k''(c) > 0."""
        spread = self.eigenvalues
        z = 1 - 2 * c[:, None] * spread
        terms = 2 * (spread / z) ** 2 + 4 * self.squares * spread / z / z / z
        total: Floats = terms.sum(axis=1)
        return total

    def rise(self, c: Floats, h: Floats) -> Floats:
        """k(c + h) - k(c) for real h of shape m x p, without cancellation of large terms."""
        z = (1 - 2 * c[:, None] * self.eigenvalues)[:, None]
        moved = 2 * h[..., None] * self.eigenvalues[:, None]
        curved = (moved * h[..., None]) * (self.squares[:, None] / z / z / (z - moved))
        logs = np.log1p(-moved / z) / 2
        total: Floats = self.offset_slope(c)[0][:, None] * h + (curved - logs).sum(axis=-1)
        return total


def saddle_points(
    eigenvalues: Floats, squares: Floats, upper: Mask, gap_without: Callable[[Mask], Floats]
) -> tuple[Floats, Forms]:
    """Roots c of k'(c) = 1/c, one a row, and the forms written so that k does not cancel there.

    ``gap_without(kept)`` is the gap for a mask of terms that are kept. Three digits of c
    are enough: only the width of what is computed later depends on them, never its truth.
    """
    kept = np.zeros(eigenvalues.shape, dtype=bool)
    for _ in range(_ROUNDS):
        forms = Forms(eigenvalues, squares, kept, gap_without(kept))
        c = _roots(forms, upper)
        large = -2 * c[:, None] * eigenvalues > 1
        if (large == kept).all():
            break
        kept = large
    return c, forms


def _roots(forms: Forms, upper: Mask) -> Floats:
    """Roots in (0, 1/(2 lambda_max)) where ``upper``, else below 0, or -1e147 if there is none.

    By bisection on a logarithmic scale.
    """
    top = forms.eigenvalues.max(axis=1)
    low, high = np.full(top.shape, -_REACH), np.where(upper, _CLOSEST, _REACH)

    def point(x: Floats) -> Floats:
        inside = 1 / (2 * top * (1 + np.exp(-x)))
        return np.where(upper, inside, -np.exp(x))

    for _ in range(_STEPS):
        middle = (low + high) / 2
        s = point(middle)
        rising = forms.slope(s) - 1 / s > 0
        beyond = np.where(upper, rising, ~rising)
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return point(low)
