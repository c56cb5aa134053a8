"""Float64 matrices that carry an entrywise stated error, and their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bounds.arithmetic.approx import SMALLEST, UNIT_ROUNDOFF, Approx
from bounds.errors import ShapeError, UndefinedError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class ApproxMatrix:
    """Every true entry lies in [values - errors, values + errors]; two r x c arrays."""

    values: Array
    errors: Array

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape != self.errors.shape:
            shapes = f"{self.values.shape} and {self.errors.shape}"
            raise ShapeError("values, errors", shapes, "must be matrices of one shape")
        finite = np.isfinite(self.values).all() and np.isfinite(self.errors).all()
        if not finite or (self.errors < 0).any():
            raise UndefinedError("a float matrix overflows; use the ball field")

    @classmethod
    def exact(cls, values: Array) -> ApproxMatrix:
        """The matrix whose entries are these very floats."""
        return cls(values, np.zeros_like(values))

    @classmethod
    def enclosing(cls, rows: Sequence[Sequence[Fraction | int]]) -> ApproxMatrix:
        """The nearest floats to rational rows, with their exact distances rounded up."""
        return cls.from_scalars([[Approx.enclosing(entry) for entry in row] for row in rows])

    @classmethod
    def from_scalars(cls, rows: Sequence[Sequence[Approx]]) -> ApproxMatrix:
        """The matrix with these entries."""
        values = np.array([[entry.value for entry in row] for row in rows], dtype=np.float64)
        errors = np.array([[entry.error for entry in row] for row in rows], dtype=np.float64)
        return cls(values, errors)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return (rows, columns)

    @property
    def magnitude(self) -> Array:
        """Entrywise upper bound on the absolute values."""
        return enlarged(np.abs(self.values) + self.errors)

    def entry(self, i: int, j: int) -> Approx:
        return Approx(float(self.values[i, j]), float(self.errors[i, j]))

    def transpose(self) -> ApproxMatrix:
        return ApproxMatrix(self.values.T.copy(), self.errors.T.copy())

    def __neg__(self) -> ApproxMatrix:
        return ApproxMatrix(-self.values, self.errors)

    def __add__(self, other: ApproxMatrix) -> ApproxMatrix:
        if self.shape != other.shape:
            raise ShapeError("A + B", f"{self.shape} and {other.shape}", "shapes must agree")
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.values + other.values
            rounding = UNIT_ROUNDOFF * np.abs(values)
            return ApproxMatrix(values, enlarged(self.errors + other.errors + rounding))

    def __sub__(self, other: ApproxMatrix) -> ApproxMatrix:
        return self + (-other)

    def __matmul__(self, other: ApproxMatrix) -> ApproxMatrix:
        r"""A B with :math:`|fl(AB) - AB| \le \gamma_n |A||B|`, whatever the order of summation.

        Higham, *Accuracy and Stability of Numerical Algorithms* (2002), (3.13); n is the inner
        dimension. Sums of underflowed products add n of the smallest floats.
        """
        n = self.shape[1]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values = self.values @ other.values
            size_a, size_b = np.abs(self.values), np.abs(other.values)
            spread = size_a @ other.errors + self.errors @ (size_b + other.errors)
            rounding = 2 * n * UNIT_ROUNDOFF * (size_a @ size_b)
            touched = (self._nonzero() @ other._nonzero()) > 0
            errors = enlarged(spread + rounding, n) + touched * (8 * n * SMALLEST)
            return ApproxMatrix(values, errors)

    def scaled(self, c: Approx) -> ApproxMatrix:
        """c A."""
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values = c.value * self.values
            size = np.abs(self.values) + self.errors
            spread = abs(c.value) * self.errors + c.error * size
            touched = self._nonzero() * float(not c.is_zero())
            errors = enlarged(spread + UNIT_ROUNDOFF * np.abs(values))
            return ApproxMatrix(values, errors + touched * (8 * SMALLEST))

    def _nonzero(self) -> Array:
        """1 where an entry is not certainly 0."""
        return np.where((self.values != 0) | (self.errors != 0), 1.0, 0.0)


def enlarged(bounds: Array, n: int = 1) -> Array:
    """Bounds computed as sums of at most n products, enlarged past their own rounding."""
    return np.asarray(bounds * (1 + 8 * (n + 8) * UNIT_ROUNDOFF), dtype=np.float64)
