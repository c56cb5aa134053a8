"""Kernels kernel(a, b) = <phi(a), phi(b)>: Gram matrices, and features where they are finite."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Protocol

from bounds.arithmetic.convert import exact
from bounds.arithmetic.field import Field, Matrix
from bounds.arithmetic.linear import entries
from bounds.errors import ParameterError, ShapeError


class Kernel(Protocol):
    """A positive semidefinite kernel on R^dk; points are the rows of a matrix."""

    @property
    def rational(self) -> bool:
        """True when the kernel maps rational points to rational numbers."""

    def feature_dimension(self, dk: int) -> int | None:
        """dphi for keys in R^dk; None when no finite feature map is given here."""

    def features(self, field: Field, K: Matrix) -> Matrix | None:
        """Phi, whose rows are phi(k_l) (L x dphi); None without a finite feature map."""

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        """The matrix of kernel(a_i, b_j), rows by A, columns by B."""


class _InfiniteKernel:
    """The part that kernels without a finite feature map here have in common."""

    def feature_dimension(self, dk: int) -> int | None:
        return None

    def features(self, field: Field, K: Matrix) -> Matrix | None:
        return None


@dataclass(frozen=True)
class LinearKernel:
    """kernel(a, b) = a.b, with phi(k) = k."""

    rational: bool = True

    def feature_dimension(self, dk: int) -> int | None:
        return dk

    def features(self, field: Field, K: Matrix) -> Matrix | None:
        return K

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        return inner_products(field, A, B)


@dataclass(frozen=True)
class FeatureKernel:
    """kernel(a, b) = <phi(a), phi(b)>, phi = all monomials of degree at most ``degree``."""

    degree: int

    def __post_init__(self) -> None:
        _check_degree(self.degree)

    @property
    def rational(self) -> bool:
        return True

    def feature_dimension(self, dk: int) -> int | None:
        return comb(dk + self.degree, self.degree)

    def features(self, field: Field, K: Matrix) -> Matrix:
        rows = entries(field, K)
        factors = [
            chosen
            for size in range(self.degree + 1)
            for chosen in combinations_with_replacement(range(len(rows[0])), size)
        ]
        features = []
        for row in rows:
            monomials = []
            for chosen in factors:
                monomial = field.number(1)
                for j in chosen:
                    monomial = monomial * row[j]
                monomials.append(monomial)
            features.append(monomials)
        return field.from_scalars(features)

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        return inner_products(field, self.features(field, A), self.features(field, B))


@dataclass(frozen=True)
class PolynomialKernel(_InfiniteKernel):
    """kernel(a, b) = (a.b + offset)^degree, offset >= 0.

    Its features are finite but hold square roots of multinomial coefficients, so they are not
    offered: the kernel route is rational, the feature route would not be.
    """

    degree: int
    offset: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        _check_degree(self.degree)
        object.__setattr__(self, "offset", exact("offset", self.offset))
        if self.offset < 0:
            raise ParameterError("offset", self.offset, "must be >= 0 for a positive kernel")

    @property
    def rational(self) -> bool:
        return True

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        offset, degree = field.number(self.offset), Fraction(self.degree)
        products = entries(field, inner_products(field, A, B))
        return field.from_scalars(
            [[field.power(ab + offset, degree) for ab in row] for row in products]
        )


@dataclass(frozen=True)
class GaussianKernel(_InfiniteKernel):
    """kernel(a, b) = exp(-|a - b|^2/(2 gamma)), gamma = ``bandwidth`` > 0."""

    bandwidth: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "bandwidth", positive("bandwidth", self.bandwidth))

    @property
    def rational(self) -> bool:
        return False

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        rate = field.number(-1 / (2 * self.bandwidth))
        distances = entries(field, squared_distances(field, A, B))
        return field.from_scalars([[field.exp(rate * d) for d in row] for row in distances])


@dataclass(frozen=True)
class ExponentialKernel(_InfiniteKernel):
    """kernel(a, b) = exp(a.b/gamma), gamma = ``temperature`` > 0, as in softmax attention."""

    temperature: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperature", positive("temperature", self.temperature))

    @property
    def rational(self) -> bool:
        return False

    def gram(self, field: Field, A: Matrix, B: Matrix) -> Matrix:
        rate = field.number(1 / self.temperature)
        products = entries(field, inner_products(field, A, B))
        return field.from_scalars([[field.exp(rate * ab) for ab in row] for row in products])


def inner_products(field: Field, A: Matrix, B: Matrix) -> Matrix:
    """The matrix of a_i.b_j over the rows of A and B."""
    _check_same_space(field, A, B)
    return field.matmul(A, field.transpose(B))


def squared_distances(field: Field, A: Matrix, B: Matrix) -> Matrix:
    """The matrix of |a_i - b_j|^2 over the rows of A and B.

    Taken from the differences: |a|^2 + |b|^2 - 2 a.b cancels for points close together.
    """
    _check_same_space(field, A, B)
    rows_a, rows_b = entries(field, A), entries(field, B)
    result = []
    for a in rows_a:
        row = []
        for b in rows_b:
            total = field.number(0)
            for x, y in zip(a, b, strict=True):
                total = total + (x - y) * (x - y)
            row.append(total)
        result.append(row)
    return field.from_scalars(result)


def positive(name: str, value: object) -> Fraction:
    """The exact value of a parameter that must be > 0; ParameterError naming it otherwise."""
    number = exact(name, value)
    if number <= 0:
        raise ParameterError(name, number, "must be > 0")
    return number


def _check_degree(degree: int) -> None:
    if isinstance(degree, bool) or not isinstance(degree, int) or degree < 1:
        raise ParameterError("degree", degree, "must be an integer >= 1")


def _check_same_space(field: Field, A: Matrix, B: Matrix) -> None:
    a, b = field.shape(A)[1], field.shape(B)[1]
    if a != b:
        raise ShapeError("A, B", f"points in R^{a} and R^{b}", "must lie in the same space")
