"""Adding up exact moments block by block: digits through BLAS, sums in int64, then any length."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat
from numpy.typing import NDArray

from bounds.errors import ShapeError
from bounds.large.enclosed.splitting import LOWEST, Slice, gram_products, split, two_product
from bounds.large.enclosed.whole_numbers import monomials, on_grid, whole_gram
from bounds.large.memory import require_memory

Array = NDArray[np.float64]

ROWS = 2048
# With digits: a product of three floats has four parts, one of four has eight.
LARGEST_DEGREE = 3
# That many summands of 2^53 fit in an int64.
_MOST_SUMMANDS = 1000
_LARGEST_SCALE = 1000
# Of the moments: the products of some five slices each way, their sums, and whole numbers.
_BYTES_AN_ENTRY = 400
_ALTERNATIVE = "use fewer features, or the route kernel-residual"
# Columns are scaled to at most 1/4, so that rows four times larger need no further digit.
_HEADROOM = 2


@dataclass(frozen=True, eq=False)
class Scales:
    """Powers of two by which keys (dk) and values (dv) are divided, column by column."""

    keys: NDArray[np.intp]
    values: NDArray[np.intp]

    @classmethod
    def of(cls, keys: Array, values: Array) -> Scales:
        """Scales that bring the largest entry of each column to between 1/8 and 1/4."""
        return cls(_exponents(keys), _exponents(values))

    def of_columns(self, degree: int | None) -> list[int]:
        """The exponent of each column of [Phi, V]."""
        keys = self.keys.tolist()
        if degree is not None:
            chosen = monomials(len(keys), degree)
            keys = [sum(keys[j] for j in factors) for factors in chosen]
        return [*keys, *self.values.tolist()]


def _exponents(array: Array) -> NDArray[np.intp]:
    _, exponents = np.frexp(np.abs(array).max(axis=0))
    within = np.clip(exponents + _HEADROOM, -_LARGEST_SCALE, _LARGEST_SCALE)
    return np.asarray(within, dtype=np.intp)


class MomentAccumulator:
    """Collects [Phi, V]^T [Phi, V] exactly; one thread at a time.

    Args:
        degree: of the monomial features; None for phi(k) = k.

    Raises:
        TooLargeError: the matrices would not fit in memory.
    """

    def __init__(self, dk: int, dv: int, degree: int | None) -> None:
        self.dk, self.dv, self.degree = dk, dv, degree
        self.dphi = dk if degree is None else comb(dk + degree, degree)
        needed = _BYTES_AN_ENTRY * (self.dphi + dv) ** 2
        require_memory(f"exact moments of {self.dphi} features", needed, _ALTERNATIVE)
        self.count = 0
        self._scales: Scales | None = None
        self._sums: dict[int, NDArray[np.int64]] = {}
        self._summands = 0
        size = self.dphi + dv
        self._numerators, self._exponent = fmpz_mat(size, size), 0

    def extend(self, keys: Array, values: Array) -> None:
        """Add tokens: finite float64 arrays, n x dk and n x dv.

        Raises:
            ShapeError: naming the array of another number of columns.
        """
        for name, array, columns in (("keys", keys, self.dk), ("values", values, self.dv)):
            if array.shape[1] != columns:
                raise ShapeError(name, f"{array.shape[1]} columns", f"must have {columns} columns")
        for start in range(0, len(keys), ROWS):
            rows = slice(start, start + ROWS)
            self._add(keys[rows], values[rows])
        self.count += len(keys)

    def total(self) -> tuple[Any, int]:
        """The sum so far: an ``fmpz_mat`` and the exponent of its unit."""
        self._flush()
        return self._numerators, self._exponent

    def _add(self, keys: Array, values: Array) -> None:
        slices = self._slices(keys, values)
        if slices is None and (self.degree or 1) <= LARGEST_DEGREE:
            self._flush()
            self._scales = Scales.of(keys, values)
            slices = self._slices(keys, values)
        if slices is None:
            self._join(*whole_gram(keys, values, self.degree))
            return
        if self._summands + len(slices) > _MOST_SUMMANDS:
            self._flush()
        self._summands += len(slices)  # at most, for each exponent
        for part in gram_products(slices):
            sums = self._sums.get(part.exponent)
            if sums is None:
                size = self.dphi + self.dv
                sums = self._sums[part.exponent] = np.zeros((size, size), dtype=np.int64)
            sums[np.ix_(part.rows, part.columns)] += part.integers

    def _slices(self, keys: Array, values: Array) -> list[Slice] | None:
        """The digits of [Phi, V] on the present scales; None when they range too far."""
        if self._scales is None:
            return None
        K, V = _scaled(keys, self._scales.keys), _scaled(values, self._scales.values)
        if K is None or V is None:
            return None
        if self.degree is None:
            parts = [np.concatenate([K, V], axis=1)]
        elif _products_are_exact(K, self.degree):
            parts = [np.pad(part, ((0, 0), (0, self.dv))) for part in _features(K, self.degree)]
            parts[0][:, self.dphi :] = V
        else:
            return None
        return split(parts)

    def _flush(self) -> None:
        if self._sums and self._scales is not None:
            columns = self._scales.of_columns(self.degree)
            for exponent, sums in self._sums.items():
                self._join(*on_grid(sums.tolist(), columns, exponent))
        self._sums, self._summands = {}, 0

    def _join(self, numerators: Any, exponent: int) -> None:
        both = (self._numerators, self._exponent), (numerators, exponent)
        self._numerators, self._exponent = sum_of(*both)


def sum_of(first: tuple[Any, int], second: tuple[Any, int]) -> tuple[Any, int]:
    """The sum of two matrices N 2^e, each given as (N, e)."""
    lowest = min(first[1], second[1])
    lowered = [N * fmpz(2) ** (e - lowest) for N, e in (first, second)]
    return lowered[0] + lowered[1], lowest


def _scaled(array: Array, exponents: NDArray[np.intp]) -> Array | None:
    """The array with column j divided by 2^(exponents_j); None unless that is exact."""
    scale = np.ldexp(1.0, exponents)
    with np.errstate(under="ignore", over="ignore"):
        found = array * (1 / scale)
        exact = np.array_equal(found * scale, array)
    return found if exact else None


def _products_are_exact(keys: Array, degree: int) -> bool:
    """Whether the last bits of products of ``degree`` keys stay far above underflow."""
    sizes = np.abs(keys)
    smallest = float(sizes.min(where=sizes > 0, initial=1.0))
    _, exponent = np.frexp(smallest)
    _, largest = np.frexp(float(sizes.max()))
    return degree * (int(exponent) - 53) >= LOWEST and degree * int(largest) <= -LOWEST // 2


def _features(keys: Array, degree: int) -> list[Array]:
    """Arrays whose sum is Phi exactly: 2^(degree - 1) parts (n x dphi)."""
    factors = monomials(keys.shape[1], degree)
    place = {chosen: column for column, chosen in enumerate(factors)}
    parts = [np.zeros((len(keys), len(factors))) for _ in range(2 ** (degree - 1))]
    parts[0][:, 0] = 1.0
    for chosen in factors[1:]:
        before, key = place[chosen[:-1]], keys[:, chosen[-1]]
        column = place[chosen]
        if len(chosen) == 1:
            parts[0][:, column] = key
            continue
        for i in range(2 ** (len(chosen) - 2)):
            product, error = two_product(parts[i][:, before], key)
            parts[2 * i][:, column], parts[2 * i + 1][:, column] = product, error
    return parts
