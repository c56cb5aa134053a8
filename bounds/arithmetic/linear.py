"""The few vector operations that are the same in every field."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.arithmetic.field import Field, Matrix, Scalar


def column(field: Field, entries: Sequence[Scalar]) -> Matrix:
    """The n x 1 matrix with these scalars."""
    return field.from_scalars([[entry] for entry in entries])


def entries(field: Field, M: Matrix) -> list[list[Scalar]]:
    """The scalars of a matrix, row by row."""
    rows, columns = field.shape(M)
    return [[field.entry(M, i, j) for j in range(columns)] for i in range(rows)]


def dot(field: Field, a: Matrix, b: Matrix) -> Scalar:
    """<a, b> of two columns."""
    return field.entry(field.matmul(field.transpose(a), b), 0, 0)


def quadratic(field: Field, a: Matrix, M: Matrix) -> Scalar:
    """a^T M a for a column a."""
    return dot(field, a, field.matmul(M, a))


def norm(field: Field, a: Matrix) -> Scalar:
    """The Euclidean norm |a| of a column."""
    return field.sqrt_nonnegative(dot(field, a, a))


def trace(field: Field, M: Matrix) -> Scalar:
    """tr M."""
    total = field.number(0)
    for i in range(field.shape(M)[0]):
        total = total + field.entry(M, i, i)
    return total


def ridge(field: Field, M: Matrix, lam: Scalar) -> Matrix:
    """M + lam I."""
    return M + field.scale(lam, field.identity(field.shape(M)[0]))
