"""Kernel space in balls of Arb: the law of z phi(q) to any precision, up to some hundred tokens.

Mean V^T M^-1 k and variance tau^2 (kernel(q, q) - k^T M^-1 k) with M = kernel(K, K) + lam I
(I1, I2; arXiv:2212.14852), every operation in balls, so the only assumption is Arb itself. The
precision is doubled until the balls are narrow.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat
from numpy.typing import ArrayLike

from bounds.arithmetic.balls import BallField
from bounds.attention.kernels import ExponentialKernel, GaussianKernel, Kernel
from bounds.errors import ParameterError, SingularSystemError, UndefinedError
from bounds.large.inputs import Array
from bounds.large.problem import Predictive, Problem, query_input
from bounds.large.result import Computed, Route

LARGEST_L = 400
_LARGEST_PRECISION = 8192
# Bits beyond those that a condition number of tr(M)/lam may cost; a sum of 400 costs 9.
_SPARE = 128
_NARROW = 2.0**-64


def kernel_balls(given: Problem, queries: ArrayLike, *, precision: int | None = None) -> Predictive:
    """The law of z phi(q), mean (nq x dv) and variance (nq), in balls; at most 400 tokens.

    ``precision`` is where to begin, in bits; unless given it follows the condition number. The
    balls are at most 2^-64 of the largest mean, or variance; their floats add one rounding.

    Raises:
        ShapeError, ParameterError: naming the array at fault, or more than 400 tokens.
        SingularSystemError: when 8192 bits are too few.
        UndefinedError: when a result is beyond float64.
    """
    Q = query_input(given, queries)
    if given.L > LARGEST_L:
        remedy = f"kernel-balls takes at most {LARGEST_L}; use kernel-residual"
        raise ParameterError("keys", f"{given.L} tokens", remedy)
    condition = _condition(given)
    bits = _SPARE + max(0, math.ceil(math.log2(condition))) if precision is None else precision
    while bits <= _LARGEST_PRECISION:
        field = BallField(bits)
        with field.context():
            law = _law(field, given, Q.array)
            if law is not None and all(_narrow(part) for part in law):
                shape = (Q.rows, given.values.columns)
                mean = _computed(field, law[0], shape, condition)
                return Predictive(mean, _computed(field, law[1], shape[:1], condition))
        bits *= 2
    reason = f"no narrow enclosure at {_LARGEST_PRECISION} bits; raise lam"
    raise SingularSystemError("kernel(K, K) + lam I", reason, certain=False)


def ball_matrix(X: Array) -> Any:
    """The matrix of float64 numbers as exact balls."""
    return arb_mat([[float(x) for x in row] for row in X])


def ball_gram(field: BallField, kernel: Kernel, A: Array, B: Array) -> Any:
    """kernel(a_i, b_j) in balls; symmetric when A is B.

    Squared distances are found by one product, |a|^2 + |b|^2 - 2 a.b, at the bits that it cancels
    more than the precision of ``field``.
    """
    if not isinstance(kernel, (GaussianKernel, ExponentialKernel)):
        return kernel.gram(field, ball_matrix(A), ball_matrix(B))
    logits = _logits(field, kernel, A, B)
    rows, columns = len(A), len(B)
    found: list[list[Any]] = [[None] * columns for _ in range(rows)]
    flat = logits.entries()
    for i in range(rows):
        for j in range(i + 1 if A is B else columns):
            found[i][j] = flat[i * columns + j].exp()
            if A is B:
                found[j][i] = found[i][j]
    return arb_mat(found)


def _logits(
    field: BallField, kernel: GaussianKernel | ExponentialKernel, A: Array, B: Array
) -> Any:
    gamma = kernel.bandwidth if isinstance(kernel, GaussianKernel) else kernel.temperature
    reach = max(float(np.abs(A).max()), float(np.abs(B).max()), 2.0**-500)
    size = 2 * math.log2(reach) + math.log2(A.shape[1]) - _log2(gamma)
    with BallField(field.precision + 8 + max(0, math.ceil(size))).context():
        a, b = ball_matrix(A), ball_matrix(B)
        if isinstance(kernel, ExponentialKernel):
            return (a * b.transpose()) * field.number(1 / gamma)
        left = [[*row, _square(row), 1] for row in a.tolist()]
        right = [[*(-2 * x for x in row), 1, _square(row)] for row in b.tolist()]
        return (arb_mat(left) * arb_mat(right).transpose()) * field.number(-1 / (2 * gamma))


def _log2(value: Fraction) -> float:
    return math.log2(value.numerator) - math.log2(value.denominator)


def _square(row: list[Any]) -> Any:
    total = row[0] * row[0]
    for x in row[1:]:
        total += x * x
    return total


def _condition(given: Problem) -> float:
    """tr(M)/lam, which is above the condition number; kept finite."""
    field = BallField(64)
    K = given.keys.array
    with field.context():
        trace = sum((_at(field, given.model.kernel, K[i : i + 1]) for i in range(given.L)), 0)
        ratio = trace / field.number(given.model.lam) + 1
        return min(float(ratio.upper()), 2.0**1000)


def _at(field: BallField, kernel: Kernel, point: Array) -> Any:
    """kernel(a, a) for one point."""
    if isinstance(kernel, GaussianKernel):
        return field.number(1)
    return ball_gram(field, kernel, point, point)[0, 0]


def _law(field: BallField, given: Problem, Q: Array) -> tuple[Any, Any] | None:
    """Mean and variance as matrices of balls; None when M is not certainly invertible."""
    kernel, K = given.model.kernel, given.keys.array
    M, k = ball_gram(field, kernel, K, K), ball_gram(field, kernel, K, Q)
    lam, tau2 = field.number(given.model.lam), field.number(given.model.prior_variance)
    for i in range(given.L):
        M[i, i] = M[i, i] + lam
    try:
        w = field.solve(M, k)
    except SingularSystemError:
        return None
    mean = w.transpose() * ball_matrix(given.values.array)
    variance = []
    for i in range(len(Q)):
        explained = sum((k[j, i] * w[j, i] for j in range(given.L)), 0)
        variance.append([tau2 * (_at(field, kernel, Q[i : i + 1]) - explained)])
    return mean, arb_mat(variance)


def _narrow(balls: Any) -> bool:
    """Whether every radius is a small part of the largest number."""
    entries = balls.entries()
    if not all(x.is_finite() for x in entries):
        return False
    largest = max((abs(x).upper() for x in entries), default=0)
    return all(x.rad() <= largest * _NARROW for x in entries)


def _computed(field: BallField, balls: Any, shape: tuple[int, ...], condition: float) -> Computed:
    try:
        value = np.array([field.to_float(x) for x in balls.entries()])
        error = np.array([field.error(x) for x in balls.entries()])
    except OverflowError:
        raise UndefinedError("the kernel-balls route goes beyond float64; scale the data") from None
    return Computed(
        value.reshape(shape), error.reshape(shape), Route.KERNEL_BALLS, condition, 0.0, balls=balls
    )
