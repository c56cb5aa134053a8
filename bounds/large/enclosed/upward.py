"""Bounds on rounding in double arithmetic, themselves rounded up.

Assumed, here and in every proof that uses it: ``+ - * /`` and ``sqrt`` of NumPy are those of
IEEE 754 in double precision, rounded to nearest, with gradual underflow; a product of matrices is
a sum of products, added in any order, fused or not (no Strassen). Then, with u = 2^-53,

    |fl(A B) - A B| <= gamma_n |A| |B| + n 2^-1074,    gamma_n = n u/(1 - n u)

for inner dimension n (Higham, Accuracy and Stability of Numerical Algorithms, section 3.5).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bounds.errors import UndefinedError

Array = NDArray[np.float64]
U = 2.0**-53
# Above 2^50 underflows, of 2^-1074 each.
TINY = 2.0**-1021
BLOCK = 128


def gamma(n: int) -> float:
    """gamma_n = n u/(1 - n u), rounded up."""
    return (n + 1) * U if n < 2**24 else 2 * n * U


def upward(x: Array, operations: int) -> Array:
    """A bound on a non-negative expression found in floats as ``x``.

    No number passed through more than ``operations`` roundings (additions of non-negative terms,
    products, quotients, square roots): x (1 - u)^operations <= true + TINY on the way, so the true
    value is at most x (1 + (operations + 3) 2^-52) + TINY. ``operations`` <= 2^40.
    """
    found: Array = x * (1.0 + (operations + 3) * 2.0**-52) + TINY
    return found


def row_norms(A: Array) -> Array:
    """Upper bounds on the Euclidean norms of the rows."""
    with np.errstate(over="ignore", under="ignore"):
        squares = upward(np.einsum("ij,ij->i", A, A), A.shape[1] + 1)
        return upward(np.sqrt(squares), 1)


def column_norms(A: Array) -> Array:
    """Upper bounds on the Euclidean norms of the columns."""
    with np.errstate(over="ignore", under="ignore"):
        squares = upward(np.einsum("ij,ij->j", A, A), A.shape[0] + 1)
        return upward(np.sqrt(squares), 1)


def transposed_product(A: Array, B: Array) -> tuple[Array, Array]:
    """A^T B (p x q) for A n x p and B n x q, and an entrywise bound on its error.

    Blocks of 128 rows are multiplied and then added, so the bound has gamma of 128 + n/128
    instead of n.
    """
    value = np.zeros((A.shape[1], B.shape[1]))
    size = np.zeros_like(value)
    for rows in blocks(len(A), BLOCK):
        value += A[rows].T @ B[rows]
        size += np.abs(A[rows]).T @ np.abs(B[rows])
    return value, _product_error(size, len(A))


def column_products(A: Array, B: Array) -> tuple[Array, Array]:
    """The inner products of the columns of A with those of B (both n x q), and their errors."""
    value = np.zeros(A.shape[1])
    size = np.zeros_like(value)
    for rows in blocks(len(A), BLOCK):
        value += np.einsum("ij,ij->j", A[rows], B[rows])
        size += np.einsum("ij,ij->j", np.abs(A[rows]), np.abs(B[rows]))
    return value, _product_error(size, len(A))


def blocked_roundings(n: int) -> int:
    """How many roundings a term of a blocked sum of n products passes through."""
    return min(n, BLOCK) + -(-n // BLOCK)


def _product_error(size: Array, n: int) -> Array:
    count = blocked_roundings(n)
    return upward(gamma(count) * upward(size, count), 1)


def blocks(n: int, size: int) -> list[slice]:
    """0..n-1 cut into slices of at most ``size``."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def float_interval(name: str, value: Fraction) -> tuple[float, float]:
    """Floats next below and above a rational; UndefinedError when it is none of normal size."""
    try:
        middle = float(value)
    except OverflowError:
        middle = math.inf
    if not 2.0**-900 < abs(middle) < 2.0**900:
        raise UndefinedError(f"{name} = {middle:.3g} is too small or too large for float64")
    if Fraction(middle) == value:
        return middle, middle
    return math.nextafter(middle, -math.inf), math.nextafter(middle, math.inf)
