r"""The tokens of a linear-Gaussian model in a triangle: QR of [Phi, V], row block by row block.

For tokens with features Phi (L x dphi) and values V (L x dv) the state holds the upper triangle R
(dphi x dphi) and Y (dphi x dv) with

.. math:: R^T R = \Phi^T\Phi, \qquad R^T Y = \Phi^T V,

found by Householder reflections, which square no condition number, and beside it the moments
themselves, from which the error of R and Y is measured. The prior is no part of it, so the states
of two shards can be merged. Memory: O(dphi (dphi + dv)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bounds.errors import ShapeError
from bounds.large.floats.gram import rounding_growth

Array = NDArray[np.float64]

QR_ROWS, MOMENT_ROWS, _PANEL = 512, 256, 16


@dataclass(frozen=True, eq=False)
class Moments:
    """Phi^T Phi and Phi^T V of some tokens, each as a sum high + low of two floats.

    The blocks of 256 rows are multiplied by the BLAS and added with the rounding kept, so the error
    does not grow with the number of tokens: with ``growth`` = gamma_259,

        |Phi^T Phi - second| <= growth n n^T,    |Phi^T V - cross| <= growth n m^T

    for the column norms n of Phi and m of V. ``value_squares`` are m^2.
    """

    second: Array
    second_low: Array
    cross: Array
    cross_low: Array
    value_squares: Array

    @classmethod
    def empty(cls, dphi: int, dv: int) -> Moments:
        """The moments of no tokens."""
        square, wide = np.zeros((dphi, dphi)), np.zeros((dphi, dv))
        return cls(square, square.copy(), wide, wide.copy(), np.zeros(dv))

    @property
    def growth(self) -> float:
        """The relative error of the moments, gamma_259."""
        return rounding_growth(MOMENT_ROWS + 3)

    def with_rows(self, Phi: Array, V: Array) -> Moments:
        """The moments with more tokens."""
        found = self
        for i in range(0, len(Phi), MOMENT_ROWS):
            rows, values = Phi[i : i + MOMENT_ROWS], V[i : i + MOMENT_ROWS]
            squares = np.einsum("ij,ij->j", values, values)
            none = np.zeros(())
            found = found._plus(rows.T @ rows, none, rows.T @ values, none, squares)
        return found

    def merged(self, other: Moments) -> Moments:
        """The moments of both sets of tokens."""
        return self._plus(
            other.second, other.second_low, other.cross, other.cross_low, other.value_squares
        )

    def _plus(
        self, second: Array, second_low: Array, cross: Array, cross_low: Array, squares: Array
    ) -> Moments:
        total, rest = _two_sum(self.second, second)
        wide, wide_rest = _two_sum(self.cross, cross)
        return Moments(
            total,
            self.second_low + second_low + rest,
            wide,
            self.cross_low + cross_low + wide_rest,
            self.value_squares + squares,
        )


@dataclass(frozen=True, eq=False)
class Triangle:
    """R, Y, the moments and the number of tokens.

    R is None where the moments suffice (Cholesky); ``measuring`` is False where the tokens will be
    read again, so that the moments need not be taken along.

    ``entry_error`` is the largest relative error of an entry of Phi or V, ``input_unit`` the part
    of it that comes from data known to less than float64.
    """

    R: Array | None
    Y: Array
    moments: Moments
    count: int = 0
    entry_error: float = 0.0
    input_unit: float = 0.0
    measuring: bool = True

    @classmethod
    def empty(cls, dphi: int, dv: int, *, reflect: bool = True, moments: bool = True) -> Triangle:
        """No tokens; ``reflect=False`` leaves R and Y out, ``moments=False`` the moments."""
        R = np.zeros((dphi, dphi), order="F") if reflect else None
        Y = np.zeros((dphi, dv), order="F")
        return cls(R, Y, Moments.empty(dphi, dv), measuring=moments)

    @property
    def dphi(self) -> int:
        """The number of features."""
        return len(self.Y)

    def with_rows(
        self, Phi: Array, V: Array, entry_error: float = 0.0, input_unit: float = 0.0
    ) -> Triangle:
        """The state with more tokens: Phi b x dphi, V b x dv.

        Raises:
            ShapeError: naming the array that does not fit.
        """
        if Phi.shape[1:] != (self.dphi,) or V.shape != (len(Phi), self.Y.shape[1]):
            shapes = f"{Phi.shape} and {V.shape}"
            wanted = f"must be b x {self.dphi} and b x {self.Y.shape[1]}"
            raise ShapeError("Phi, V", shapes, wanted)
        R, Y = self.R, self.Y
        if R is not None:
            for i in range(0, len(Phi), QR_ROWS):
                R, Y = _reflected(R, Y, Phi[i : i + QR_ROWS], V[i : i + QR_ROWS])
        return Triangle(
            R,
            Y,
            self.moments.with_rows(Phi, V) if self.measuring else self.moments,
            self.count + len(Phi),
            max(self.entry_error, entry_error),
            max(self.input_unit, input_unit),
            self.measuring,
        )

    def merged(self, other: Triangle) -> Triangle:
        """The state of both sets of tokens.

        Raises:
            ShapeError: the two have other numbers of features or values.
        """
        if self.Y.shape != other.Y.shape or (self.R is None) != (other.R is None):
            shapes = f"{self.Y.shape} and {other.Y.shape}"
            raise ShapeError("other", shapes, "both states must have the same features and values")
        R, Y = self.R, self.Y
        if R is not None and other.R is not None:
            R, Y = _reflected(R, Y, other.R, other.Y)
        return Triangle(
            R,
            Y,
            self.moments.merged(other.moments),
            self.count + other.count,
            max(self.entry_error, other.entry_error),
            max(self.input_unit, other.input_unit),
            self.measuring and other.measuring,
        )

    def with_prior(self, root: float) -> tuple[Array, Array]:
        """The triangle and right side of [Phi; root I] and [V; 0]: R^T R = Phi^T Phi + root^2 I."""
        if self.R is None:
            raise ShapeError("R", None, "this state holds moments only")
        rows = root * np.eye(self.dphi)
        return _reflected(self.R, self.Y, rows, np.zeros_like(self.Y))


def _reflected(R: Array, Y: Array, rows: Array, values: Array) -> tuple[Array, Array]:
    """The triangle of [R; rows] with the same reflections applied to [Y; values]."""
    panel = min(_PANEL, len(R))
    top, V, T, _ = lapack.dtpqrt(0, panel, R, np.array(rows, order="F"), overwrite_b=1)
    right, _, _ = lapack.dtpmqrt(
        0, V, T, Y, np.array(values, order="F"), side="L", trans="T", overwrite_b=1
    )
    return top, right


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b rounded, and what the rounding left out, exactly (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)
