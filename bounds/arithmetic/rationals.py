"""The exact field: flint rationals, every result the number itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from bounds.arithmetic.convert import float_above, to_fmpq, to_fraction
from bounds.arithmetic.flint_field import FlintField
from bounds.arithmetic.shapes import check_symmetric, check_system
from bounds.errors import NotRational, SingularSystemError, UndefinedError

LONGEST_POWER = 10**6  # bits; longer powers are left to balls


class RationalField(FlintField):
    """Q, by flint's ``fmpq`` and ``fmpq_mat``.

    Raises :class:`~bounds.errors.NotRational` when an operation leaves Q; roots, powers and
    eigenvalues that happen to be rational are returned.
    """

    matrix_type = fmpq_mat
    name = "rational"
    exact = True

    @contextmanager
    def context(self) -> Iterator[None]:
        yield

    def number(self, value: Fraction | int) -> Any:
        return to_fmpq(value)

    # --- linear algebra ------------------------------------------------------------------------
    def solve(self, A: Any, B: Any) -> Any:
        check_system(self, A, B)
        try:
            return A.solve(B)
        except ZeroDivisionError:
            raise SingularSystemError("A", "the matrix is singular") from None

    def pseudo_inverse(self, A: Any) -> Any:
        """A^+ = F^T (F F^T)^-1 (C^T C)^-1 C^T for the full-rank factorisation A = C F."""
        echelon, rank = A.rref()
        if rank == 0:
            return self.zeros(A.ncols(), A.nrows())
        F = [[echelon[i, j] for j in range(A.ncols())] for i in range(rank)]
        pivots = [next(j for j, x in enumerate(row) if x != 0) for row in F]
        C = fmpq_mat([[A[i, j] for j in pivots] for i in range(A.nrows())])
        Fm = fmpq_mat(F)
        right = Fm.transpose() * (Fm * Fm.transpose()).inv()
        return right * (C.transpose() * C).inv() * C.transpose()

    def lambda_min(self, A: Any) -> Any:
        """The smallest eigenvalue if rational: a rational root r with A - r I >= 0."""
        check_symmetric(self, A)
        for root in sorted(root for root, _ in A.charpoly().roots()):
            if _positive_semidefinite(A - root * self.identity(A.nrows())):
                return root
            break
        raise NotRational("the smallest eigenvalue of A")

    def lambda_max(self, A: Any) -> Any:
        try:
            return -self.lambda_min(-A)
        except NotRational:
            raise NotRational("the largest eigenvalue of A") from None

    # --- functions of scalars ------------------------------------------------------------------
    def sqrt(self, x: Any) -> Any:
        return self.power(x, Fraction(1, 2))

    def sqrt_nonnegative(self, x: Any) -> Any:
        return self.sqrt(x)

    def exp(self, x: Any) -> Any:
        if x != 0:
            raise NotRational(f"exp({x})")
        return fmpq(1)

    def log(self, x: Any) -> Any:
        if x <= 0:
            raise UndefinedError(f"log({x}): the argument must be > 0")
        if x != 1:
            raise NotRational(f"log({x})")
        return fmpq(0)

    def power(self, x: Any, exponent: Fraction) -> Any:
        p, q = exponent.numerator, exponent.denominator
        if (x == 0 and p < 0) or (x < 0 and q > 1):
            raise UndefinedError(f"({x})^({exponent}) is undefined")
        length = abs(p) * max(int(x.p).bit_length(), int(x.q).bit_length())
        if length > LONGEST_POWER * q and abs(x) != 1 and x != 0:
            raise NotRational(f"({x})^({exponent}), written out,")
        if q == 1:
            return x**p
        numerator, exact_n = x.p.root(q), x.p
        denominator, exact_d = x.q.root(q), x.q
        if numerator**q != exact_n or denominator**q != exact_d:
            raise NotRational(f"({x})^({exponent})")
        return fmpq(numerator, denominator) ** p

    def pi(self) -> Any:
        raise NotRational("pi")

    def absolute(self, x: Any) -> Any:
        return abs(x)

    def maximum(self, a: Any, b: Any) -> Any:
        return b if a < b else a

    def minimum(self, a: Any, b: Any) -> Any:
        return b if b < a else a

    def gamma_upper(self, s: Any, x: Any) -> Any:
        if s <= 0 or x < 0:
            raise UndefinedError(f"Q({s}, {x}): needs s > 0 and x >= 0")
        if x != 0:
            raise NotRational(f"Q({s}, {x})")
        return fmpq(1)

    def log_gamma(self, x: Any) -> Any:
        if x <= 0:
            raise UndefinedError(f"log_gamma({x}): the argument must be > 0")
        if x not in (1, 2):
            raise NotRational(f"log_gamma({x})")
        return fmpq(0)

    def hull(self, a: Any, b: Any) -> Any:
        if a != b:
            raise NotRational(f"an unknown number between {a} and {b}")
        return a

    # --- decisions and reading out -------------------------------------------------------------
    def less_equal(self, a: Any, b: Any) -> bool | None:
        return bool(a <= b)

    def less(self, a: Any, b: Any) -> bool | None:
        return bool(a < b)

    def equal(self, a: Any, b: Any) -> bool | None:
        return bool(a == b)

    def to_float(self, x: Any) -> float:
        try:
            return float(to_fraction(x))
        except OverflowError:
            raise UndefinedError("the number is too large for a float", certain=False) from None

    def error(self, x: Any) -> float:
        return float_above(abs(to_fraction(x) - Fraction(self.to_float(x))))

    def text(self, x: Any) -> str:
        return str(x)


def _positive_semidefinite(A: Any) -> bool:
    """The coefficients of det(t I - A) alternate in sign exactly when no eigenvalue is < 0."""
    coefficients = A.charpoly().coeffs()
    n = len(coefficients) - 1
    return all((-1) ** (n - k) * c >= 0 for k, c in enumerate(coefficients))
