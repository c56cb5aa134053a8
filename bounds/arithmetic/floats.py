"""The fast field: float64 with a stated error that is a true bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat

from bounds.arithmetic.approx import SMALLEST, UNIT_ROUNDOFF, Approx, above, below, rounded
from bounds.arithmetic.approx_matrix import ApproxMatrix
from bounds.arithmetic.balls import BallField
from bounds.arithmetic.float_linear import eigenvalue_end, verified_solve
from bounds.arithmetic.shapes import check_product, check_square, check_symmetric, check_system
from bounds.errors import SingularSystemError, UndefinedError

_BALLS = BallField(96)


class FloatField:
    """Midpoint-radius floats; NumPy does the work, an a-priori rounding analysis the bound.

    No result is clipped or NaN: an overflow raises UndefinedError, a system too ill-conditioned
    SingularSystemError. The bounds assume IEEE 754 doubles rounded to nearest, a BLAS that sums
    products (no Strassen), and a libm within 4 ulp; so floats only search and illustrate.
    """

    name = "float"
    exact = False

    @contextmanager
    def context(self) -> Iterator[None]:
        yield

    def number(self, value: Fraction | int) -> Approx:
        return Approx.enclosing(value)

    def matrix(self, rows: Sequence[Sequence[Fraction | int]]) -> ApproxMatrix:
        return ApproxMatrix.enclosing(rows)

    def from_scalars(self, rows: Sequence[Sequence[Approx]]) -> ApproxMatrix:
        return ApproxMatrix.from_scalars(rows)

    def identity(self, n: int) -> ApproxMatrix:
        return ApproxMatrix.exact(np.eye(n))

    def zeros(self, rows: int, columns: int) -> ApproxMatrix:
        return ApproxMatrix.exact(np.zeros((rows, columns)))

    def ones(self, rows: int, columns: int) -> ApproxMatrix:
        return ApproxMatrix.exact(np.ones((rows, columns)))

    def shape(self, M: ApproxMatrix) -> tuple[int, int]:
        return M.shape

    def entry(self, M: ApproxMatrix, i: int, j: int) -> Approx:
        return M.entry(i, j)

    # --- linear algebra ------------------------------------------------------------------------
    def matmul(self, A: ApproxMatrix, B: ApproxMatrix) -> ApproxMatrix:
        check_product(self, A, B)
        return A @ B

    def transpose(self, A: ApproxMatrix) -> ApproxMatrix:
        return A.transpose()

    def scale(self, c: Approx, A: ApproxMatrix) -> ApproxMatrix:
        return A.scaled(c)

    def solve(self, A: ApproxMatrix, B: ApproxMatrix) -> ApproxMatrix:
        check_system(self, A, B)
        return verified_solve(A, B)

    def inverse(self, A: ApproxMatrix) -> ApproxMatrix:
        return self.solve(A, self.identity(check_square(self, "A", A)))

    def determinant(self, A: ApproxMatrix) -> Approx:
        """det A, taken in balls: the cheap float bound is far too wide."""
        n = check_square(self, "A", A)
        with _BALLS.context():
            rows = [[_ball(A.entry(i, j)) for j in range(n)] for i in range(n)]
            return _from_ball(arb_mat(rows).det())

    def pseudo_inverse(self, A: ApproxMatrix) -> ApproxMatrix:
        """(A^T A)^-1 A^T or A^T (A A^T)^-1, when floats can show the full column or row rank."""
        T = A.transpose()
        tall = A.shape[0] >= A.shape[1]
        try:
            return self.solve(T @ A, T) if tall else self.solve(A @ T, A).transpose()
        except SingularSystemError:
            raise SingularSystemError(
                "A", "full rank not certain, so A^+ is not enclosed; use the rational field"
            ) from None

    def lambda_min(self, A: ApproxMatrix) -> Approx:
        check_symmetric(self, A)
        return eigenvalue_end(A, 0)

    def lambda_max(self, A: ApproxMatrix) -> Approx:
        check_symmetric(self, A)
        return eigenvalue_end(A, -1)

    # --- functions of scalars ------------------------------------------------------------------
    def sqrt(self, x: Approx) -> Approx:
        if x.end_points()[0] < 0:
            raise UndefinedError(f"sqrt of {self.text(x)}: not certainly >= 0")
        return self.sqrt_nonnegative(x)

    def sqrt_nonnegative(self, x: Approx) -> Approx:
        if x.end_points()[1] < 0:
            raise UndefinedError(f"sqrt of {self.text(x)}: no part of it is >= 0")
        if x.is_zero():
            return x
        if x.value <= 0.0:
            return Approx.between(0.0, above(math.sqrt(max(x.high, 0.0))))
        # |sqrt(x) - sqrt(v)| = |x - v|/(sqrt(x) + sqrt(v)), and is at most sqrt(|x - v|).
        spread = min(above(x.error) / below(math.sqrt(x.value)), above(math.sqrt(x.error)))
        return rounded(math.sqrt, x.value, spread)

    def exp(self, x: Approx) -> Approx:
        if x.is_zero():
            return Approx(1.0)
        try:
            if x.error > 1.0:
                return Approx.between(0.0, above(math.exp(x.high)) + 8 * SMALLEST)
            # exp may underflow to 0 while the error factor does not.
            spread = (above(math.exp(x.value)) + 8 * SMALLEST) * above(math.expm1(x.error))
        except OverflowError:
            raise UndefinedError(f"exp of {self.text(x)} overflows; use the ball field") from None
        return rounded(math.exp, x.value, spread)

    def log(self, x: Approx) -> Approx:
        lowest = below(x.value - x.error)
        if lowest <= 0.0:
            raise UndefinedError(f"log of {self.text(x)}: not certainly > 0")
        return rounded(math.log, x.value, above(x.error) / lowest)

    def power(self, x: Approx, exponent: Fraction) -> Approx:
        p, q = exponent.numerator, exponent.denominator
        if q == 1:
            result = _natural_power(x, abs(p))
            return result if p >= 0 else Approx(1.0) / result
        low, high = x.end_points()
        if low > 0:
            return self.exp(self.number(exponent) * self.log(x))
        if p <= 0 or low < 0:
            raise UndefinedError(f"({self.text(x)})^({exponent}): the base is not certainly > 0")
        if high == 0:
            return x
        return Approx.between(0.0, self.power(Approx(x.high), exponent).high)

    def pi(self) -> Approx:
        return Approx(math.pi, 2 * UNIT_ROUNDOFF)

    def absolute(self, x: Approx) -> Approx:
        return Approx(abs(x.value), x.error)

    def maximum(self, a: Approx, b: Approx) -> Approx:
        if self.less_equal(b, a):
            return a
        if self.less_equal(a, b):
            return b
        return Approx.between(max(a.low, b.low), max(a.high, b.high))

    def minimum(self, a: Approx, b: Approx) -> Approx:
        return -self.maximum(-a, -b)

    def gamma_upper(self, s: Approx, x: Approx) -> Approx:
        with _BALLS.context():
            return _from_ball(_BALLS.gamma_upper(_ball(s), _ball(x)))

    def log_gamma(self, x: Approx) -> Approx:
        with _BALLS.context():
            return _from_ball(_BALLS.log_gamma(_ball(x)))

    def hull(self, a: Approx, b: Approx) -> Approx:
        return Approx.between(min(a.low, b.low), max(a.high, b.high))

    # --- decisions and reading out -------------------------------------------------------------
    def less_equal(self, a: Approx, b: Approx) -> bool | None:
        return True if a.high <= b.low else False if a.low > b.high else None

    def less(self, a: Approx, b: Approx) -> bool | None:
        reverse = self.less_equal(b, a)
        return None if reverse is None else not reverse

    def equal(self, a: Approx, b: Approx) -> bool | None:
        if a.error == b.error == 0.0:
            return a.value == b.value
        apart = self.less(a, b) or self.less(b, a)
        return False if apart else None

    def to_float(self, x: Approx) -> float:
        return x.value

    def error(self, x: Approx) -> float:
        return x.error

    def text(self, x: Approx) -> str:
        return f"{x.value:.17g} +/- {x.error:.2g}"


def _natural_power(x: Approx, n: int) -> Approx:
    result = Approx(1.0)
    while n:
        result, n = (result * x if n % 2 else result), n // 2
        x = x * x if n else x
    return result


def _ball(x: Approx) -> arb:
    return arb(x.value, x.error)


def _from_ball(x: arb) -> Approx:
    return Approx(_BALLS.to_float(x), _BALLS.error(x))
