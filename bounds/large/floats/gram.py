"""Gram matrices of all kernels in float64, with a bound on the error of their entries.

Assumed beyond IEEE arithmetic, as on all float routes: the matrix product of the BLAS is the
conventional one (each entry is a sum of its products, in some order), and ``np.exp`` is right
within two units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, expm1, isfinite, log1p, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError
from bounds.large.inputs import Input

Array = NDArray[np.float64]

U = 2.0**-53  # unit roundoff
EXP_ERROR = 4 * U  # two units in the last place
SMALLEST = 2.0**-1074  # the largest absolute error of an operation that underflows
TILE = 256  # rows and columns computed at a time, so that they stay in the cache
_LARGEST_LOGIT = 709.0  # exp overflows above 709.78
_RANGE = (Fraction(2) ** -1000, Fraction(2) ** 1000)


@dataclass(frozen=True)
class EntryError:
    """|computed - kernel(a, b)| <= relative s(a) s(b) + absolute, with s(a)^2 = kernel(a, a).

    Every positive kernel has |kernel(a, b)| <= s(a) s(b), so that the bound of a product of the
    matrix with a vector w needs s^T |w| and no second matrix. ``absolute`` comes from underflow.
    """

    relative: float
    absolute: float


@dataclass(frozen=True, eq=False)
class SymmetricGram:
    """kernel(A, A), both triangles filled; its 1-norm, and a number that the 2-norm is at least."""

    matrix: Array
    one_norm: float
    two_norm: float


def rounding_growth(n: int) -> float:
    """gamma_n = n u/(1 - n u) >= (1 + u)^n - 1 (Higham, Accuracy and Stability, Lemma 3.1)."""
    return n * U / (1 - n * U)


def cross_gram(kernel: Kernel, A: Input, B: Input, out: Array | None = None) -> Array:
    """The matrix of kernel(a_i, b_j), written into ``out`` (rows of A x rows of B).

    Raises:
        ParameterError: naming the kernel without a float route, or the parameter or array for
            which the kernel overflows.
    """
    result = np.empty((A.rows, B.rows)) if out is None else out
    left, right, fill = _prepared(kernel, A, B)
    fill(left, right, result)
    return result


def symmetric_gram(kernel: Kernel, A: Input) -> SymmetricGram:
    """The matrix of kernel(a_i, a_j): each pair is computed once, tile by tile.

    Raises:
        ParameterError: as :func:`cross_gram`.
    """
    points, _, fill = _prepared(kernel, A, A)
    positive = isinstance(kernel, (GaussianKernel, ExponentialKernel))
    matrix, sums = np.empty((A.rows, A.rows)), np.zeros(A.rows)
    for i in range(0, A.rows, TILE):
        for j in range(0, i + 1, TILE):
            rows, columns = slice(i, i + TILE), slice(j, j + TILE)
            left, right = points[rows], points[columns]
            tile = np.empty((len(left), len(right)))
            fill(left, right, tile)
            matrix[rows, columns] = tile
            matrix[columns, rows] = tile.T
            sizes = tile if positive else np.abs(tile)
            sums[rows] += sizes.sum(axis=1)
            if i != j:
                sums[columns] += sizes.sum(axis=0)
    # the Rayleigh quotient of the vector of ones, where every entry is its own absolute value
    mean = float(sums.mean()) if positive else 0.0
    return SymmetricGram(matrix, float(sums.max()), max(mean, float(matrix.diagonal().max())))


def diagonal(kernel: Kernel, A: Input) -> Array:
    """The numbers kernel(a_i, a_i), with the error of :func:`entry_error`.

    Raises:
        ParameterError: naming the array, or the temperature, for which the kernel overflows.
    """
    if isinstance(kernel, GaussianKernel):
        return np.ones(A.rows)
    features = float_features(kernel, A)
    points = A.array if features is None else features
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", points, points)
        if isinstance(kernel, PolynomialKernel):
            squares = _power(squares + float(kernel.offset), kernel.degree)
        elif isinstance(kernel, ExponentialKernel):
            squares *= _rate(kernel)
            _require_logits(kernel, float(squares.max()))
            squares = np.exp(squares)
    _require_range(kernel, A, squares)
    return np.asarray(squares)


def scales(kernel: Kernel, A: Input) -> Array:
    """The numbers s_i = kernel(a_i, a_i)^(1/2), rounded up."""
    error = entry_error(kernel, A, A)
    squares = diagonal(kernel, A) * (1 + error.relative) / max(1 - error.relative, U)
    return np.asarray(np.sqrt(squares + error.absolute) * (1 + 4 * U))


def entry_error(kernel: Kernel, A: Input, B: Input) -> EntryError:
    """The error of the entries of :func:`cross_gram` and :func:`symmetric_gram`.

    With d terms a product: d u for a.b by Cauchy-Schwarz; (d + 4) u of the exponent -x of the
    Gaussian kernel, so at most max_x x e^-x (d + 4) u = (d + 4) u/e of the entry. An input known
    to a unit e moves |a - b| by e (|a| + |b|), and the Gaussian kernel by at most
    exp(-1/2)/gamma^(1/2) as much.
    """
    return EntryError(_relative_error(kernel, A, B), _underflow(kernel, A, B))


def float_features(kernel: Kernel, A: Input) -> Array | None:
    """Phi in float64, rows phi(a_i), right within :func:`feature_error`; None without finite phi.

    Raises:
        ParameterError: naming the array whose features, or their products, overflow.
    """
    if isinstance(kernel, LinearKernel):
        Phi = A.array
    elif isinstance(kernel, FeatureKernel):
        with np.errstate(over="ignore"):
            Phi = _monomials(A.array, kernel.degree)
    else:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        _require_range(kernel, A, np.einsum("ij,ij->i", Phi, Phi))
    return Phi


def feature_error(kernel: Kernel, A: Input) -> float:
    """|computed - phi(a)| <= feature_error |phi(a)| in norm; one of the monomials is 1."""
    degree = kernel.degree if isinstance(kernel, FeatureKernel) else 1
    rounding = 0 if degree == 1 else degree  # one more than there are products, for underflow
    return _growth(degree * log1p(A.unit) + rounding * log1p(U))


def _relative_error(kernel: Kernel, A: Input, B: Input) -> float:
    d, unit = A.columns, max(A.unit, B.unit)
    if isinstance(kernel, GaussianKernel):
        moved = unit * (_largest_norm(A) + _largest_norm(B)) / sqrt(float(kernel.bandwidth))
        return 0.3716 * rounding_growth(d + 5) + 1.01 * EXP_ERROR + 0.6127 * moved
    if isinstance(kernel, ExponentialKernel):
        largest = _largest_norm(A) * _largest_norm(B) * _rate(kernel)
        logit = largest * (rounding_growth(d + 4) + unit * (2 + unit))
        logit += (d + 8) * SMALLEST * _rate(kernel)
        return _growth(logit) * (1 + EXP_ERROR) + 1.01 * EXP_ERROR
    if isinstance(kernel, PolynomialKernel):
        return _growth(kernel.degree * (log1p(rounding_growth(d + 4)) + 2 * log1p(unit)))
    dphi = kernel.feature_dimension(d) or d
    features = log1p(feature_error(kernel, A)) + log1p(feature_error(kernel, B))
    return _growth(log1p(rounding_growth(dphi + 1)) + features)


def _underflow(kernel: Kernel, A: Input, B: Input) -> float:
    """The part of the error that is not relative: each underflow, times the factors after it."""
    d, a, b = A.columns, 1 + _largest_norm(A), 1 + _largest_norm(B)
    if isinstance(kernel, GaussianKernel):
        return (d + 8) * SMALLEST * (1 + _rate(kernel))
    if isinstance(kernel, ExponentialKernel):
        return 2 * SMALLEST  # that of the logits stands in the relative error
    if isinstance(kernel, PolynomialKernel):
        largest = 1 + a * b + float(kernel.offset)
        return (d + 8) * SMALLEST * kernel.degree * largest ** (kernel.degree - 1)
    if isinstance(kernel, FeatureKernel):
        dphi = comb(d + kernel.degree, d)
        return (dphi + 8) * SMALLEST * kernel.degree * (a * b) ** kernel.degree
    return (d + 8) * SMALLEST


_Fill = Callable[[Array, Array, Array], None]


def _prepared(kernel: Kernel, A: Input, B: Input) -> tuple[Array, Array, _Fill]:
    """Points for A and B, and what writes the kernel of rows of them into an array."""
    left = float_features(kernel, A)
    right = left if B is A else float_features(kernel, B)
    if left is not None and right is not None:
        return left, right, _inner_products
    for points in (A, B):
        diagonal(kernel, points)  # bounds every entry, so nothing else can overflow
    if isinstance(kernel, GaussianKernel):
        return A.array, B.array, _gaussian_fill(kernel, A, B)
    if isinstance(kernel, ExponentialKernel):
        return A.array, B.array, _exponential_fill(kernel)
    if isinstance(kernel, PolynomialKernel):
        return A.array, B.array, _polynomial_fill(kernel)
    remedy = "has no float route; use one of bounds.attention.kernels"
    raise ParameterError("kernel", repr(kernel), remedy)


def _inner_products(left: Array, right: Array, out: Array) -> None:
    np.matmul(left, right.T, out=out)


def _gaussian_fill(kernel: GaussianKernel, A: Input, B: Input) -> _Fill:
    rate = -_rate(kernel)
    for points in (A, B):
        largest = float(np.abs(points.array).max())
        if not isfinite(4.0 * points.columns * largest * largest):
            remedy = "squared distances overflow float64; scale keys, queries and bandwidth"
            raise ParameterError(points.name, f"entries up to {largest:.3g}", remedy)

    def fill(left: Array, right: Array, out: Array) -> None:
        cdist(left, right, "sqeuclidean", out=out)
        out *= rate
        np.exp(out, out=out)

    return fill


def _exponential_fill(kernel: ExponentialKernel) -> _Fill:
    rate = _rate(kernel)

    def fill(left: Array, right: Array, out: Array) -> None:
        np.matmul(left, right.T, out=out)
        out *= rate
        np.exp(out, out=out)

    return fill


def _polynomial_fill(kernel: PolynomialKernel) -> _Fill:
    offset = float(kernel.offset)

    def fill(left: Array, right: Array, out: Array) -> None:
        np.matmul(left, right.T, out=out)
        out += offset
        out[...] = _power(out, kernel.degree)

    return fill


def _power(base: Array, degree: int) -> Array:
    """base^degree by products only, so that its error needs no trust in a power function."""
    result = base
    for bit in bin(degree)[3:]:
        result = result * result
        if bit == "1":
            result = result * base
    return result


def _monomials(X: Array, degree: int) -> Array:
    count, dk = X.shape
    combinations = [
        chosen
        for size in range(degree + 1)
        for chosen in combinations_with_replacement(range(dk), size)
    ]
    place = {chosen: column for column, chosen in enumerate(combinations)}
    Phi = np.empty((count, len(combinations)))
    Phi[:, 0] = 1.0
    for chosen in combinations[1:]:
        np.multiply(Phi[:, place[chosen[:-1]]], X[:, chosen[-1]], out=Phi[:, place[chosen]])
    return Phi


def _rate(kernel: GaussianKernel | ExponentialKernel) -> float:
    """1/(2 gamma) or 1/gamma, rounded once."""
    if isinstance(kernel, GaussianKernel):
        return reciprocal("bandwidth", kernel.bandwidth) / 2
    return reciprocal("temperature", kernel.temperature)


def reciprocal(name: str, value: Fraction) -> float:
    """1/value > 0, rounded once; ParameterError naming a value too large or small for float64."""
    if not _RANGE[0] <= value <= _RANGE[1]:
        size = value.numerator.bit_length() - value.denominator.bit_length()
        raise ParameterError(
            name, f"about 2^{size}", "must lie within 2^-1000 and 2^1000 in float64"
        )
    return float(1 / value)


def _require_logits(kernel: ExponentialKernel, largest: float) -> None:
    if not largest <= _LARGEST_LOGIT:
        remedy = f"logits up to {largest:.4g} overflow exp; raise it, or scale the keys"
        raise ParameterError("temperature", kernel.temperature, remedy)


def _require_range(kernel: Kernel, A: Input, squares: Array) -> None:
    if not np.isfinite(squares).all():
        largest = f"entries up to {np.abs(A.array).max():.3g}"
        raise ParameterError(A.name, largest, f"{kernel} overflows float64; scale the data")


def _largest_norm(A: Input) -> float:
    """The largest |a_i|, rounded up; infinite when its square is."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", A.array, A.array)
    return sqrt(float(squares.max()) + A.columns * SMALLEST) * (1 + rounding_growth(A.columns + 4))


def _growth(exponent: float) -> float:
    """e^x - 1, kept finite."""
    return expm1(min(exponent, 700.0)) * (1 + 8 * U)
