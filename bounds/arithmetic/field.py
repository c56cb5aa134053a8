"""The one protocol against which every exact quantity of the library is written.

A quantity is coded once, against :class:`Field`, and evaluated in three ways: exactly in the
rationals, rigorously in balls, and quickly in floats that carry a stated error.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, runtime_checkable

# python-flint ships no types, and the scalars of the three fields (fmpq, arb, Approx) share no
# base class; a scalar or matrix is only ever handled by the field that made it.
Scalar: TypeAlias = Any
Matrix: TypeAlias = Any


@runtime_checkable
class Field(Protocol):
    """Numbers and matrices of one kind: rationals, balls, or floats with a stated error.

    The operators ``+ - * /`` and unary ``-`` work on two scalars of one field, ``+``, ``-`` and
    unary ``-`` on two matrices of one field. Scalars of different fields are never mixed; convert
    with :meth:`number`. Work inside ``with field.context():``, which sets the working precision
    and restores the old one.

    Every operation encloses the true result (balls, floats) or is it (rationals). An operation
    that cannot do so raises: :class:`~bounds.errors.NotRational`,
    :class:`~bounds.errors.UndefinedError` or :class:`~bounds.errors.SingularSystemError`.
    """

    @property
    def name(self) -> str:
        """``"rational"``, ``"ball"`` or ``"float"``."""

    @property
    def exact(self) -> bool:
        """True when every scalar is the number itself, without any error."""

    def context(self) -> AbstractContextManager[None]:
        """Set the working precision for a ``with`` block and restore the old one after it."""

    # --- building and reading ------------------------------------------------------------------
    def number(self, value: Fraction | int) -> Scalar:
        """The scalar that encloses a rational number."""

    def matrix(self, rows: Sequence[Sequence[Fraction | int]]) -> Matrix:
        """The matrix with these rational rows (at least one row and one column)."""

    def from_scalars(self, rows: Sequence[Sequence[Scalar]]) -> Matrix:
        """The matrix with these rows of scalars of this field."""

    def identity(self, n: int) -> Matrix:
        """The n x n identity."""

    def zeros(self, rows: int, columns: int) -> Matrix:
        """The matrix of zeros."""

    def ones(self, rows: int, columns: int) -> Matrix:
        """The matrix of ones."""

    def shape(self, M: Matrix) -> tuple[int, int]:
        """(rows, columns)."""

    def entry(self, M: Matrix, i: int, j: int) -> Scalar:
        """The scalar in row i and column j, counted from 0."""

    # --- linear algebra ------------------------------------------------------------------------
    def matmul(self, A: Matrix, B: Matrix) -> Matrix:
        """A B; :class:`~bounds.errors.ShapeError` when the shapes do not fit."""

    def transpose(self, A: Matrix) -> Matrix:
        """A^T."""

    def scale(self, c: Scalar, A: Matrix) -> Matrix:
        """c A."""

    def solve(self, A: Matrix, B: Matrix) -> Matrix:
        """A^-1 B; SingularSystemError when A is not certainly invertible."""

    def inverse(self, A: Matrix) -> Matrix:
        """A^-1; SingularSystemError when A is not certainly invertible."""

    def determinant(self, A: Matrix) -> Scalar:
        """det A."""

    def pseudo_inverse(self, A: Matrix) -> Matrix:
        """The Moore-Penrose inverse A^+; SingularSystemError when the rank is not certain."""

    def lambda_min(self, A: Matrix) -> Scalar:
        """The smallest eigenvalue of a symmetric matrix."""

    def lambda_max(self, A: Matrix) -> Scalar:
        """The largest eigenvalue of a symmetric matrix."""

    # --- functions of scalars ------------------------------------------------------------------
    def sqrt(self, x: Scalar) -> Scalar:
        """The square root; UndefinedError unless x is certainly >= 0."""

    def sqrt_nonnegative(self, x: Scalar) -> Scalar:
        """The square root of a number that the caller's mathematics makes >= 0 (a sum of squares).

        Only the part of the enclosure at or above 0 counts; UndefinedError when there is none.
        """

    def exp(self, x: Scalar) -> Scalar:
        """e^x."""

    def log(self, x: Scalar) -> Scalar:
        """The natural logarithm; UndefinedError unless x is certainly > 0."""

    def power(self, x: Scalar, exponent: Fraction) -> Scalar:
        """x^exponent: x > 0, or x >= 0 and exponent > 0, or an integer exponent (x != 0 if < 0)."""

    def pi(self) -> Scalar:
        """The circle number."""

    def absolute(self, x: Scalar) -> Scalar:
        """|x|."""

    def maximum(self, a: Scalar, b: Scalar) -> Scalar:
        """The larger of two numbers."""

    def minimum(self, a: Scalar, b: Scalar) -> Scalar:
        """The smaller of two numbers."""

    def gamma_upper(self, s: Scalar, x: Scalar) -> Scalar:
        """Q(s, x) = Gamma(s, x)/Gamma(s), regularised upper incomplete gamma (s > 0, x >= 0)."""

    def log_gamma(self, x: Scalar) -> Scalar:
        """log Gamma(x) for x > 0."""

    def hull(self, a: Scalar, b: Scalar) -> Scalar:
        """An unknown number between a and b (exact fields: NotRational unless a = b)."""

    # --- decisions and reading out -------------------------------------------------------------
    def less_equal(self, a: Scalar, b: Scalar) -> bool | None:
        """a <= b, decided from end points; None when the enclosures cannot tell."""

    def less(self, a: Scalar, b: Scalar) -> bool | None:
        """a < b, decided from end points; None when the enclosures cannot tell."""

    def equal(self, a: Scalar, b: Scalar) -> bool | None:
        """a = b; True only if both are known exactly, None when the enclosures cannot tell."""

    def to_float(self, x: Scalar) -> float:
        """The nearest float to the number or to the middle of its enclosure."""

    def error(self, x: Scalar) -> float:
        """A true upper bound on |x - to_float(x)|; 0 if that float is the number itself."""

    def text(self, x: Scalar) -> str:
        """The exact text of a rational; else a short decimal with its radius."""
