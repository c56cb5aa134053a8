"""The rigorous field: balls of Arb (python-flint), at a precision of one's choice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, ctx

from bounds.arithmetic.ball_eigenvalues import smallest_eigenvalue
from bounds.arithmetic.convert import to_fmpq
from bounds.arithmetic.flint_field import FlintField
from bounds.arithmetic.shapes import check_symmetric, check_system
from bounds.errors import ParameterError, SingularSystemError, UndefinedError

_WIDE = 2.0**-20


class BallField(FlintField):
    """Real balls with ``precision`` bits; every result encloses the true number.

    Arb's operators read the working precision from a global, which :meth:`context` sets and
    restores. Outside of it results are still enclosures, only wider.
    """

    matrix_type = arb_mat
    name = "ball"
    exact = False

    def __init__(self, precision: int = 128) -> None:
        if isinstance(precision, bool) or not isinstance(precision, int) or precision < 2:
            raise ParameterError("precision", precision, "must be an integer of at least 2 bits")
        self.precision = precision

    @contextmanager
    def context(self) -> Iterator[None]:
        before = ctx.prec
        ctx.prec = self.precision
        try:
            yield
        finally:
            ctx.prec = before

    def number(self, value: Fraction | int) -> Any:
        return arb(to_fmpq(value))

    # --- linear algebra ------------------------------------------------------------------------
    def solve(self, A: Any, B: Any) -> Any:
        check_system(self, A, B)
        try:
            X = A.solve(B)
        except ZeroDivisionError:
            X = None
        if X is None or not all(x.is_finite() for x in X.entries()):
            raise SingularSystemError(
                "A",
                f"not certainly invertible at {ctx.prec} bits; raise the precision",
                certain=False,
            )
        return X

    def pseudo_inverse(self, A: Any) -> Any:
        """(A^T A)^-1 A^T or A^T (A A^T)^-1, when balls can show the full column or row rank."""
        T = A.transpose()
        tall = A.nrows() >= A.ncols()
        gram = T * A if tall else A * T
        try:
            return self.solve(gram, T) if tall else self.solve(gram, A).transpose()
        except SingularSystemError:
            raise SingularSystemError(
                "A",
                "full rank not certain, so A^+ is not enclosed; use the rational field",
                certain=False,
            ) from None

    def lambda_min(self, A: Any) -> Any:
        check_symmetric(self, A)
        return smallest_eigenvalue(A)

    def lambda_max(self, A: Any) -> Any:
        check_symmetric(self, A)
        return -smallest_eigenvalue(-A)

    # --- functions of scalars ------------------------------------------------------------------
    def sqrt(self, x: Any) -> Any:
        if not x >= 0:
            certain = bool(x < 0)
            raise UndefinedError(f"sqrt of {self.text(x)}: not certainly >= 0", certain=certain)
        return self.sqrt_nonnegative(x)

    def sqrt_nonnegative(self, x: Any) -> Any:
        if x > 0 or x == 0:
            return x.sqrt()
        if not x.upper() >= 0:
            raise UndefinedError(f"sqrt of {self.text(x)}: no part of it is >= 0")
        return arb(0).union(x.upper().sqrt())

    def exp(self, x: Any) -> Any:
        return x.exp()

    def log(self, x: Any) -> Any:
        if not x > 0:
            certain = bool(x <= 0)
            raise UndefinedError(f"log of {self.text(x)}: not certainly > 0", certain=certain)
        return x.log()

    def power(self, x: Any, exponent: Fraction) -> Any:
        p, q = exponent.numerator, exponent.denominator
        if q == 1 and (p >= 0 or x != 0):
            return whole_power(x, p)
        if x > 0:
            return x ** arb(to_fmpq(exponent))
        if p <= 0 or not x >= 0:
            certain = bool(x < 0 or (p <= 0 and x == 0))
            message = f"({self.text(x)})^({exponent}): the base is not certainly > 0"
            raise UndefinedError(message, certain=certain)
        if x == 0:
            return arb(0)
        return arb(0).union(x.upper() ** arb(to_fmpq(exponent)))

    def pi(self) -> Any:
        return arb.pi()

    def absolute(self, x: Any) -> Any:
        return abs(x)

    def maximum(self, a: Any, b: Any) -> Any:
        return a.max(b)

    def minimum(self, a: Any, b: Any) -> Any:
        return a.min(b)

    def gamma_upper(self, s: Any, x: Any) -> Any:
        if not (s > 0 and x >= 0):
            raise UndefinedError(
                f"Q({self.text(s)}, {self.text(x)}): needs s > 0 and x >= 0 for certain",
                certain=bool(s <= 0 or x < 0),
            )
        if x == 0:
            return arb(1)
        value = x.gamma_upper(s, 1)
        if x.rad() > x.mid() * _WIDE:
            # Q falls with x, so its values at the two ends enclose it much more tightly.
            value = x.lower().gamma_upper(s, 1).union(x.upper().gamma_upper(s, 1))
        return value if value.is_finite() else arb(0).union(1)

    def log_gamma(self, x: Any) -> Any:
        if not x > 0:
            certain = bool(x <= 0)
            raise UndefinedError(f"log_gamma of {self.text(x)}: not certainly > 0", certain=certain)
        return x.lgamma()

    def hull(self, a: Any, b: Any) -> Any:
        return a.union(b)

    # --- decisions and reading out -------------------------------------------------------------
    def less_equal(self, a: Any, b: Any) -> bool | None:
        return True if a <= b else False if a > b else None

    def less(self, a: Any, b: Any) -> bool | None:
        return True if a < b else False if a >= b else None

    def equal(self, a: Any, b: Any) -> bool | None:
        return True if a == b else False if a != b else None

    def to_float(self, x: Any) -> float:
        value = float(x.mid()) if x.is_finite() else math.nan
        if not math.isfinite(value):
            raise UndefinedError(f"{self.text(x)} has no float near it", certain=False)
        return value

    def error(self, x: Any) -> float:
        distance = abs(x - arb(self.to_float(x))).upper()
        bound = float(distance)
        return bound if arb(bound) >= distance else math.nextafter(bound, math.inf)

    def text(self, x: Any) -> str:
        return str(x.str(15))


def whole_power(x: Any, n: int) -> Any:
    """x^n of a ball; over 0 from the ends, where python-flint's own power gives NaN."""
    if x.is_nan():  # Arb says nan^0 = 1
        return x
    if n < 0:
        return 1 / whole_power(x, -n)
    if n == 0 or not x.contains(0) or x.is_exact():
        return x**n
    if n % 2 == 0:
        return arb(0).union(x.abs_upper() ** n)
    return (x.lower() ** n).union(x.upper() ** n) if x.is_finite() else x**n
