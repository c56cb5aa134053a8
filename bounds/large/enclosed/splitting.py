r"""Splitting floats into digits, so that matrix products by BLAS are exact, not only accurate.

A matrix X of n rows is written as a sum of slices, X = sum_s X_s, where every entry of X_s is a
whole multiple of 2^(b s) and at most 2^(b s + b - 1) in size. An entry of X_s^T X_t is then a sum
of n multiples of 2^(b (s + t)), and every partial sum, in any order, fused or not, is at most
n 2^(2 b - 2) times that. If n 2^(2 b - 2) <= 2^53, each of them is a float: nothing is rounded.
When X is itself a sum of p matrices, split one by one, digits are p times larger, products p^2.

Why the slices are what they should be: let m = max |r| <= 2^(b s + b - 1), b <= 52, for the part
r that is left, and c = 3 2^(51 + b s). Then c + r lies in [2^(52 + b s), 2^(53 + b s)], where
floats are the multiples of 2^(b s); so h = (r + c) - c is a multiple of 2^(b s) next to r, and
the difference is exact. r - h is exact too: if h = 0, trivially; else |r| >= 2^(b s - 1), so the
last bit of r is 2^(b s - 53) or more, r - h is a multiple of it and at most 2^(b s - 1), which is
2^52 of them at most. It is also at most 2^(b (s - 1) + b - 1): the next slice may start one digit
lower. Every float has a last bit, so the loop ends with the remainder 0.

Assumed of the machine: additions and products of floats are those of IEEE 754, rounded to nearest;
a matrix product is a sum of products (no Strassen). Source: Ozaki, Ogita, Oishi, Rump, Numer.
Algorithms 59 (2012), "Error-free transformations of matrix multiplication", with digits on one
grid so that products of all blocks of rows add up as integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# Products of two digits stay within 2^-960 and 2^1000: no underflow, no overflow.
LOWEST, HIGHEST = -480, 440
MOST_SLICES = 12
_VELTKAMP = 2.0**27 + 1


@dataclass(frozen=True, eq=False)
class Slice:
    """Some columns of a matrix of multiples of 2^``exponent``, and which columns they are."""

    exponent: int
    columns: NDArray[np.intp]
    digits: Array


@dataclass(frozen=True, eq=False)
class PartialProduct:
    """A summand of X^T X: ``integers`` times 2^``exponent``, at the rows and columns given."""

    exponent: int
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    integers: Integers


def digit_bits(rows: int, parts: int = 1) -> int:
    """The largest b with rows (parts 2^(b-1))^2 <= 2^53."""
    return (53 - (rows - 1).bit_length() - 2 * (parts - 1).bit_length()) // 2 + 1


def split(parts: Sequence[Array]) -> list[Slice] | None:
    """The slices of X = sum of ``parts`` (matrices of one shape), without their zero columns.

    Entries of a slice are at most ``len(parts)`` 2^(b - 1) multiples of its unit, with
    b = ``digit_bits(rows, len(parts))``, so that products may be summed over all rows. None when
    the entries range over too many slices, or beyond 2^-480 and 2^440: use whole numbers instead.
    """
    bits = digit_bits(len(parts[0]), len(parts))
    found: dict[int, Array] = {}
    for part in parts:
        for position, digits in _digits(part, bits):
            if not LOWEST <= bits * position <= HIGHEST:
                return None
            known = found.get(position)
            found[position] = digits if known is None else known + digits
            if len(found) > MOST_SLICES:
                return None
    return [_compact(bits * position, found[position]) for position in sorted(found)]


def _digits(part: Array, bits: int) -> Iterator[tuple[int, Array]]:
    rest = part
    while (position := _top(rest, bits)) is not None:
        # Beyond the range the shift would not be a float; the caller stops at this position.
        shift = 3 * 2.0 ** (51 + max(LOWEST - bits, min(HIGHEST + bits, bits * position)))
        digits = rest + shift
        digits -= shift
        rest = rest - digits
        yield position, digits


def _top(rest: Array, bits: int) -> int | None:
    """The least s with |rest| <= 2^(bits s + bits - 1); None when nothing is left."""
    largest = max(float(rest.max()), -float(rest.min()))
    if largest == 0.0:
        return None
    mantissa, exponent = math.frexp(largest)
    if mantissa == 0.5:  # a power of two is no larger than itself
        exponent -= 1
    return -((bits - 1 - exponent) // bits)


def _compact(exponent: int, digits: Array) -> Slice:
    columns = np.flatnonzero(digits.any(axis=0))
    kept = digits if len(columns) == digits.shape[1] else digits[:, columns]
    return Slice(exponent, columns, kept)


def gram_products(slices: Sequence[Slice]) -> Iterator[PartialProduct]:
    """The summands X_s^T X_t of X^T X, exactly: every pair of slices of one matrix, both ways.

    The slices must come from one call of :func:`split`.
    """
    if not slices:
        return
    stacked = np.concatenate([part.digits for part in slices], axis=1)
    product = stacked.T @ stacked
    ends = np.cumsum([len(part.columns) for part in slices])
    places = [slice(end - len(part.columns), end) for part, end in zip(slices, ends, strict=True)]
    for left, rows in zip(slices, places, strict=True):
        for right, columns in zip(slices, places, strict=True):
            exponent = left.exponent + right.exponent
            whole = product[rows, columns] * 2.0**-exponent
            yield PartialProduct(exponent, left.columns, right.columns, whole.astype(np.int64))


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """p and e with a b = p + e exactly, p = fl(a b) (Dekker 1971, Veltkamp).

    Holds when |a|, |b| < 2^400 and the product of their last bits is at least 2^-1074.
    """
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = _VELTKAMP * a
    high = scaled - (scaled - a)
    return high, a - high
