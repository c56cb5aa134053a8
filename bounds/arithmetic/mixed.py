"""Exact as long as possible: rationals, then roots with a separation bound, then plain balls.

This is the field in which claims are decided on instances. It never loses an exact zero before it
must, so that ties, the normal case of tight bounds, come out as ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from flint import arb_mat, fmpq, fmpq_mat

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.rationals import RationalField
from bounds.arithmetic.separation import Real, ball_of, is_rational, separation_of
from bounds.errors import NotRational

LARGEST_EXACT_EXPONENT = 64


class MixedField:
    """Scalars are ``fmpq`` or :class:`~bounds.arithmetic.separation.Real`, matrices ``fmpq_mat`` or
    ``arb_mat``; balls have ``precision`` bits. Comparisons are three-valued; equality of numbers
    made with roots is decided when the precision suffices for their separation bound.
    """

    name = "mixed"
    exact = False

    def __init__(self, precision: int = 128) -> None:
        self._balls = BallField(precision)
        self._rationals = RationalField()
        self.precision = precision

    def context(self) -> AbstractContextManager[None]:
        return self._balls.context()

    # --- building and reading ------------------------------------------------------------------
    def number(self, value: Fraction | int) -> Any:
        return self._rationals.number(value)

    def matrix(self, rows: Sequence[Sequence[Fraction | int]]) -> Any:
        return self._rationals.matrix(rows)

    def from_scalars(self, rows: Sequence[Sequence[Any]]) -> Any:
        if all(is_rational(x) for row in rows for x in row):
            return self._rationals.from_scalars(rows)
        return arb_mat([[ball_of(x) for x in row] for row in rows])

    def identity(self, n: int) -> Any:
        return self._rationals.identity(n)

    def zeros(self, rows: int, columns: int) -> Any:
        return self._rationals.zeros(rows, columns)

    def ones(self, rows: int, columns: int) -> Any:
        return self._rationals.ones(rows, columns)

    def shape(self, M: Any) -> tuple[int, int]:
        return self._rationals.shape(M)

    def entry(self, M: Any, i: int, j: int) -> Any:
        return _scalar(M[i, j])

    # --- linear algebra ------------------------------------------------------------------------
    def matmul(self, A: Any, B: Any) -> Any:
        return self._balls.matmul(A, B)

    def transpose(self, A: Any) -> Any:
        return A.transpose()

    def scale(self, c: Any, A: Any) -> Any:
        return c.ball * arb_mat(A) if isinstance(c, Real) else c * A

    def solve(self, A: Any, B: Any) -> Any:
        if isinstance(A, fmpq_mat) and isinstance(B, fmpq_mat):
            return self._rationals.solve(A, B)
        return self._balls.solve(arb_mat(A), arb_mat(B))

    def inverse(self, A: Any) -> Any:
        return self._matrix("inverse", A)

    def determinant(self, A: Any) -> Any:
        return self._matrix("determinant", A)

    def pseudo_inverse(self, A: Any) -> Any:
        return self._matrix("pseudo_inverse", A)

    def lambda_min(self, A: Any) -> Any:
        return self._matrix("lambda_min", A)

    def lambda_max(self, A: Any) -> Any:
        return self._matrix("lambda_max", A)

    def _matrix(self, operation: str, A: Any) -> Any:
        """The operation in the rationals where A and the result are rational, else in balls."""
        if isinstance(A, fmpq_mat):
            try:
                return getattr(self._rationals, operation)(A)
            except NotRational:
                pass
        return _scalar(getattr(self._balls, operation)(arb_mat(A)))

    # --- functions of scalars ------------------------------------------------------------------
    def sqrt(self, x: Any) -> Any:
        return self.power(x, Fraction(1, 2))

    def sqrt_nonnegative(self, x: Any) -> Any:
        if isinstance(x, Real) and x.sign() is None:
            return Real(self._balls.sqrt_nonnegative(x.ball))
        return self.sqrt(x)

    def power(self, x: Any, exponent: Fraction) -> Any:
        p, q = exponent.numerator, exponent.denominator
        if abs(p) > LARGEST_EXACT_EXPONENT or q > LARGEST_EXACT_EXPONENT:
            return self._large_power(x, exponent)
        if is_rational(x):
            try:
                return self._rationals.power(x, exponent)
            except NotRational:
                return _integer_power(self._root(x, q), p)
        sign = x.sign()
        if sign == 0:
            return self._rationals.power(self.number(0), exponent)
        if sign is None or (sign < 0 and q > 1):
            return Real(self._balls.power(x.ball, exponent))
        return _integer_power(x if q == 1 else self._root(x, q), p)

    def _large_power(self, x: Any, exponent: Fraction) -> Any:
        if is_rational(x) and (x == 0 or x == 1):
            return self._rationals.power(x, exponent)
        return Real(self._balls.power(ball_of(x), exponent))

    def _root(self, x: Any, index: int) -> Any:
        """The index-th root of a positive number."""
        known = separation_of(x)
        key: object = str(x) if is_rational(x) else object()
        ball = self._balls.power(ball_of(x), Fraction(1, index))
        separation = None if known is None else known.root(index, key)
        return Real(ball, separation, (x, index) if is_rational(x) else None)

    def exp(self, x: Any) -> Any:
        return self._function("exp", x)

    def log(self, x: Any) -> Any:
        return self._function("log", x)

    def pi(self) -> Any:
        return Real(self._balls.pi())

    def absolute(self, x: Any) -> Any:
        sign = _sign(x)
        if sign is None:
            return Real(abs(ball_of(x)))
        return -x if sign < 0 else x

    def maximum(self, a: Any, b: Any) -> Any:
        order = self.less_equal(a, b)
        return Real(ball_of(a).max(ball_of(b))) if order is None else b if order else a

    def minimum(self, a: Any, b: Any) -> Any:
        order = self.less_equal(a, b)
        return Real(ball_of(a).min(ball_of(b))) if order is None else a if order else b

    def gamma_upper(self, s: Any, x: Any) -> Any:
        return Real(self._balls.gamma_upper(ball_of(s), ball_of(x)))

    def log_gamma(self, x: Any) -> Any:
        return Real(self._balls.log_gamma(ball_of(x)))

    def hull(self, a: Any, b: Any) -> Any:
        return Real(ball_of(a).union(ball_of(b)))

    def _function(self, name: str, x: Any) -> Any:
        if is_rational(x):
            try:
                return getattr(self._rationals, name)(x)
            except NotRational:
                pass
        elif x.sign() == 0:
            return getattr(self._rationals, name)(self.number(0))
        function: Callable[[Any], Any] = getattr(self._balls, name)
        return Real(function(ball_of(x)))

    # --- decisions and reading out -------------------------------------------------------------
    def less_equal(self, a: Any, b: Any) -> bool | None:
        sign = _sign(a - b)
        if sign is None:
            return self._balls.less_equal(ball_of(a), ball_of(b))
        return sign <= 0

    def less(self, a: Any, b: Any) -> bool | None:
        sign = _sign(a - b)
        return None if sign is None else sign < 0

    def equal(self, a: Any, b: Any) -> bool | None:
        sign = _sign(a - b)
        return None if sign is None else sign == 0

    def to_float(self, x: Any) -> float:
        return self._rationals.to_float(x) if is_rational(x) else self._balls.to_float(x.ball)

    def error(self, x: Any) -> float:
        return self._rationals.error(x) if is_rational(x) else self._balls.error(x.ball)

    def text(self, x: Any) -> str:
        return self._rationals.text(x) if is_rational(x) else self._balls.text(x.ball)


def _scalar(x: Any) -> Any:
    """A matrix entry or a ball as a scalar of this field; matrices and rationals pass."""
    return x if is_rational(x) or isinstance(x, (fmpq_mat, arb_mat)) else Real(x)


def _sign(x: Any) -> int | None:
    if isinstance(x, Real):
        return x.sign()
    return 0 if x == 0 else 1 if x > 0 else -1


def _integer_power(x: Real, exponent: int) -> Any:
    """x^exponent by squaring, so that the separation follows; exact where x is a rational root."""
    if x.power is not None and exponent % x.power[1] == 0:
        return x.power[0] ** (exponent // x.power[1])
    if exponent < 0:
        return fmpq(1) / _integer_power(x, -exponent)
    if exponent == 0:
        return fmpq(1)
    result: Any = None
    square: Any = x
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        square, exponent = square * square, exponent >> 1
    return result
