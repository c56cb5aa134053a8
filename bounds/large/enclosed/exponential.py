"""The exponential of arrays, with a proof of its error.

NumPy's own ``exp`` is accurate but nowhere proved so. Here 2^-m e^x, for an integer m of one's
choice, is found with the operations of :mod:`bounds.large.enclosed.upward` alone, as 2^(n-m) e^r
with n = round(x/ln 2), r = x - n ln 2. The proof, with u = 2^-53 and |n| <= 2^20:

1. n is rounded by adding 3 2^51 - m, a number whose neighbours differ by 1. The product
   x (1/ln 2) is wrong by at most 2.1 u |x|/ln 2 < 2^-31, so |x - n ln 2| <= 0.3466.
2. ln 2 = C1 + C2 + c with C1 a multiple of 2^-32 and |c| <= 2^-86. n C1 has at most 53 bits, so
   it is exact. If n is not 0, |x| > 1/4, so x - n C1 is a multiple of 2^-54 below 1/2: exact.
   |n C2| < 2^-12, so rounding it errs by at most 2^-66, the last subtraction, whose result is
   below 1/2, by at most 2^-55, and n c is at most 2^-66. In all r errs by less than 0.26 u.
3. The Taylor polynomial of degree 13 leaves |r|^14/14! max(1, e^r) < 0.06 u e^r.
4. Horner's rule p_13 = 1/13!, p_k = 1/k! + r p_(k+1), in floats: with e_k the error of p_k,
   e_k <= |r| e_(k+1) + u |r| (p_(k+1) + e_(k+1)) + u (p_k + e_k) + u/k!, where the last term is
   0 for k <= 2. This gives e_0 <= 2.1 u e^r for |r| <= 0.3466; tests run it in rationals.
5. n - m is added to the exponent, exactly: the result is a normal number.

Together less than 2.5 u: :data:`EXP_ERROR` is 3 u, relative to the true or the computed value.
Below x = m ln 2 - 708 the result is a number between 0 and TINY = 2^-1021, as the true value is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bounds.errors import UndefinedError
from bounds.large.enclosed.upward import U, blocks, upward

Array = NDArray[np.float64]

EXP_ERROR = 3 * U
LARGEST_LOGIT = 709.78
# 2^19/ln 2, the base-2 logarithm of the largest result, is below; 2^20 is what the proof allows.
LARGEST_SHIFT = 800_000.0
_LOWEST = -708.0
LARGEST_SIZE = 2.0**19

_LN2 = 0.6931471805599453
_INVERSE_LN2 = 1.4426950408889634
_C1 = 2977044471.0 * 2.0**-32
_C2 = 1.9082149292705877e-10
_TAYLOR = tuple(1 / math.factorial(k) for k in range(14))
_ROUNDER = 3.0 * 2.0**51
_EXPONENT_BITS = 52
# Four arrays of this many float64 fit in the second-level cache of common processors.
_CACHED = 8192


def exp_in_place(x: Array, shift: Array | None = None) -> None:
    """x <- 2^-shift e^x for a matrix x; within EXP_ERROR, relative, or TINY, absolute.

    Args:
        x: float64, two-dimensional; minus infinity is allowed.
        shift: integers, as a column of float64 with one entry a row, at most 800 000
            in size; 0 unless given.

    Raises:
        UndefinedError: when a result would overflow, an entry is NaN, x is above 2^19, or the
            shift is no such integer.
    """
    rows, columns = x.shape
    shifts = np.zeros((rows, 1)) if shift is None else shift
    _check_range(x, shifts)
    low, rounder = shifts * _LN2 + _LOWEST, _ROUNDER - shifts
    width = min(columns, _CACHED)
    height = max(1, min(rows, _CACHED // width))
    space = np.empty((3, height, width))
    for i in blocks(rows, height):
        for j in blocks(columns, width):
            part = x[i, j]
            np.maximum(part, low[i], out=part)
            _exp(part, rounder[i], space[:, : part.shape[0], : part.shape[1]])


def _check_range(x: Array, shifts: Array) -> None:
    if not (np.abs(shifts).max() <= LARGEST_SHIFT and (shifts == np.rint(shifts)).all()):
        raise UndefinedError("exp: the shift must be an integer of at most 800 000 in size")
    tops = x.max(axis=1, keepdims=True)
    if not (tops - shifts * _LN2 <= LARGEST_LOGIT).all() or not tops.max() <= LARGEST_SIZE:
        raise UndefinedError(f"exp({tops.max():.6g}) overflows; scale the keys or raise gamma")


def _exp(x: Array, rounder: Array, space: Array) -> None:
    """Steps 1 to 5 of the proof; ``space`` holds three arrays of the shape of x."""
    k, n, p = space
    np.multiply(x, _INVERSE_LN2, out=k)
    np.add(k, rounder, out=k)
    np.subtract(k, rounder, out=n)
    np.multiply(n, _C1, out=p)
    np.subtract(x, p, out=x)
    np.multiply(n, _C2, out=n)
    np.subtract(x, n, out=x)
    np.multiply(x, _TAYLOR[13], out=p)
    for coefficient in _TAYLOR[12:0:-1]:
        np.add(p, coefficient, out=p)
        np.multiply(p, x, out=p)
    np.add(p, _TAYLOR[0], out=p)
    # The low bits of k hold n - m in two's complement, since the rounder ends in zeros.
    exponent = k.view(np.int64)
    np.left_shift(exponent, _EXPONENT_BITS, out=exponent)
    np.add(p.view(np.int64), exponent, out=x.view(np.int64))


def exp_ball(value: Array, error: Array) -> tuple[Array, Array]:
    """(E, d) with |e^t - E| <= d for every t with |t - value| <= error; both matrices.

    |e^t - E| <= E (e^error - 1) (1 + 4 u) + EXP_ERROR E + TINY, and e^s - 1 <= s + s^2 for
    0 <= s <= 1.

    Raises:
        UndefinedError: when e^(value + error) overflows, or an entry is NaN.
    """
    E = np.array(value)
    exp_in_place(E)
    if not (error >= 0).all():
        raise UndefinedError("exp: the error of the exponent must be a number >= 0")
    growth = error + error * error
    wide = error > 1.0
    if wide.any():
        widest = np.array(error[wide])[None, :]
        exp_in_place(widest)
        growth[wide] = widest[0]
    with np.errstate(over="ignore"):
        d = upward(E * (growth + EXP_ERROR), 16)
    if not np.isfinite(d).all():
        raise UndefinedError("exp: the error of the exponent is so large that the bound overflows")
    return E, d
