"""The product of kernel(K, K) with a matrix, enclosed, from the kernel's rounded entries.

With entries k' known within e, the product of k' and x is summed in blocks of 128 columns and is
then wrong by at most (e + gamma_n |k'|) |x|, n = 128 + L/128.

The narrow form takes away most of the second part. With s >= |k'| and t_j >= |x_j| powers of 2,
k' = k1 + k2 and x = x1 + x2, where k1 and x1 are multiples of 2^-b s and 2^-b t_j with
2 b + log2 L <= 53: every sum of products k1 x1 is exact, in any order. What is left, k1 x2 + k2 x,
is 2^b times smaller, and so is its rounding (the error-free splitting of Ozaki, Ogita, Oishi and
Rump, Numerical Algorithms 2012).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bounds.large.enclosed.gram import EnclosedKernel, Points
from bounds.large.enclosed.upward import BLOCK, Array, U, blocked_roundings, blocks, gamma, upward

_PANEL = 512


@dataclass(frozen=True, eq=False)
class Panel:
    """Some rows of kernel(K, K) x: ``value`` within ``error``; ``norm`` is their largest sum."""

    rows: slice
    value: Array
    error: Array
    norm: float


def kernel_panels(
    kernel: EnclosedKernel, points: Points, gram: Array, x: Array, *, narrow: bool
) -> Iterator[Panel]:
    """The product kernel(K, K) x, 512 rows at a time, for ``gram`` = kernel.symmetric(points)."""
    split = _split(gram, x) if narrow else None
    sizes = np.abs(x)
    for rows in blocks(len(gram), _PANEL):
        value = np.zeros((rows.stop - rows.start, x.shape[1]))
        rest, spread, sums = np.zeros_like(value), np.zeros_like(value), np.zeros(len(value))
        for columns in blocks(len(gram), BLOCK):
            part = gram[rows, columns].copy()
            norms = points.norms[rows, None], points.norms[None, columns]
            errors = kernel.errors(part, *norms)
            if split is None:
                value += part @ x[columns]
            else:
                split.add(part, x, columns, value, rest)
            np.abs(part, out=part)
            sums += part.sum(axis=1)
            if split is None:
                part *= gamma(blocked_roundings(len(gram)))
                errors += part
            spread += errors @ sizes[columns]
        error = upward(spread, blocked_roundings(len(gram)) + 5)
        if split is not None:
            value += rest
            error = upward(error + split.lost + U * np.abs(value), 3)
        yield Panel(rows, value, error, float(sums.max()))


@dataclass(frozen=True, eq=False)
class _Split:
    """x1 and x2, the number that rounds k' to k1, and the rounding of k1 x2 + k2 x by columns."""

    first: Array
    second: Array
    rounder: float
    lost: Array

    def add(self, part: Array, x: Array, columns: slice, value: Array, rest: Array) -> None:
        """Add k1 x1 to ``value`` and k1 x2 + k2 x to ``rest``."""
        k1 = (part + self.rounder) - self.rounder
        value += k1 @ self.first[columns]
        rest += k1 @ self.second[columns]
        rest += (part - k1) @ x[columns]


def _split(gram: Array, x: Array) -> _Split:
    L = len(gram)
    bits = (53 - math.ceil(math.log2(L))) // 2 if L > 1 else 26
    s = _power_above(np.array(max(float(gram.max()), -float(gram.min()))))
    t = _power_above(np.abs(x).max(axis=0))
    # 3 2^51 units: adding and taking away rounds to whole units.
    first = (x + 3.0 * 2.0 ** (51 - bits) * t) - 3.0 * 2.0 ** (51 - bits) * t
    second = x - first
    size = upward(np.abs(second).sum(axis=0), L) + 2.0**-bits * upward(np.abs(x).sum(axis=0), L)
    lost = upward(gamma(2 * blocked_roundings(L) + 2) * float(s) * size, 6)
    return _Split(first, second, 3.0 * 2.0 ** (51 - bits) * float(s), lost)


def _power_above(size: Array) -> Array:
    """A power of 2 that is at least ``size``."""
    return np.ldexp(1.0, np.frexp(size)[1])
