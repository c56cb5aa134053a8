"""Shape and symmetry checks that all three fields share."""

from __future__ import annotations

from typing import Protocol

from bounds.arithmetic.field import Field, Matrix
from bounds.errors import ParameterError, ShapeError


class Shaped(Protocol):
    """Whatever knows the shape of its matrices."""

    def shape(self, M: Matrix) -> tuple[int, int]: ...


def check_product(field: Shaped, A: Matrix, B: Matrix) -> None:
    """ShapeError unless A B is defined."""
    (rows, inner), (inner_b, columns) = field.shape(A), field.shape(B)
    if inner != inner_b:
        shapes = f"{rows} x {inner} times {inner_b} x {columns}"
        raise ShapeError("A B", shapes, "the inner dimensions must agree")


def check_square(field: Shaped, name: str, A: Matrix) -> int:
    """The size of a square matrix; ShapeError naming it otherwise."""
    rows, columns = field.shape(A)
    if rows != columns:
        raise ShapeError(name, f"{rows} x {columns}", "must be square")
    return rows


def check_system(field: Shaped, A: Matrix, B: Matrix) -> None:
    """ShapeError unless A is square and A X = B is defined."""
    n = check_square(field, "A", A)
    if field.shape(B)[0] != n:
        rows, columns = field.shape(B)
        raise ShapeError("B", f"{rows} x {columns}", f"must have {n} rows, as A has")


def check_symmetric(field: Field, A: Matrix) -> int:
    """The size of A; ParameterError with the offending pair when A is certainly not symmetric."""
    n = check_square(field, "A", A)
    for i in range(n):
        for j in range(i):
            a, b = field.entry(A, i, j), field.entry(A, j, i)
            if field.equal(a, b) is False:
                pair = f"A[{i}, {j}] = {field.text(a)}, A[{j}, {i}] = {field.text(b)}"
                raise ParameterError("A", pair, "must be symmetric")
    return n
