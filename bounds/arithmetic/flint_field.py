"""What the fields over FLINT matrices share: building, reading and multiplying them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bounds.arithmetic.shapes import check_product, check_square


class FlintField:
    """Base of the rational and the ball field; ``matrix_type`` is ``fmpq_mat`` or ``arb_mat``.

    A subclass adds ``number`` and ``solve``, and what it can do besides.
    """

    matrix_type: Any

    def number(self, value: Fraction | int) -> Any:
        raise NotImplementedError

    def solve(self, A: Any, B: Any) -> Any:
        raise NotImplementedError

    def matrix(self, rows: Sequence[Sequence[Fraction | int]]) -> Any:
        return self.from_scalars([[self.number(entry) for entry in row] for row in rows])

    def from_scalars(self, rows: Sequence[Sequence[Any]]) -> Any:
        return self.matrix_type([list(row) for row in rows])

    def identity(self, n: int) -> Any:
        return self.matrix_type([[int(i == j) for j in range(n)] for i in range(n)])

    def zeros(self, rows: int, columns: int) -> Any:
        return self.matrix_type(rows, columns)

    def ones(self, rows: int, columns: int) -> Any:
        return self.matrix_type(rows, columns, [1] * (rows * columns))

    def shape(self, M: Any) -> tuple[int, int]:
        return (M.nrows(), M.ncols())

    def entry(self, M: Any, i: int, j: int) -> Any:
        return M[i, j]

    def matmul(self, A: Any, B: Any) -> Any:
        check_product(self, A, B)
        return A * B

    def transpose(self, A: Any) -> Any:
        return A.transpose()

    def scale(self, c: Any, A: Any) -> Any:
        return c * A

    def inverse(self, A: Any) -> Any:
        return self.solve(A, self.identity(A.nrows()))

    def determinant(self, A: Any) -> Any:
        check_square(self, "A", A)
        return A.det()
