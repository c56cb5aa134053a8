"""The few matrix notions that SymPy lacks: pseudo-inverse and "is a permutation matrix"."""

from __future__ import annotations

from typing import Any

from sympy import Predicate
from sympy.matrices.expressions import MatrixExpr


class PseudoInverse(MatrixExpr):
    r"""Moore-Penrose inverse :math:`M^+` of a matrix expression, shape (columns, rows).

    It is determined by the four Penrose equations
    :math:`M M^+ M = M,\ M^+ M M^+ = M^+,\ (M M^+)^T = M M^+,\ (M^+ M)^T = M^+ M`
    (R. Penrose, *A generalized inverse for matrices*, 1955).
    """

    def __new__(cls, arg: MatrixExpr) -> PseudoInverse:
        return MatrixExpr.__new__(cls, arg)  # type: ignore[no-any-return]

    @property
    def arg(self) -> Any:
        return self.args[0]

    @property
    def shape(self) -> tuple[Any, Any]:
        rows, cols = self.arg.shape
        return (cols, rows)

    def _latex(self, printer: Any) -> str:
        return rf"{printer.parenthesize(self.arg, 1000)}^{{+}}"

    def _sympystr(self, printer: Any) -> str:
        return f"({printer._print(self.arg)})^+"

    def _pretty(self, printer: Any) -> Any:
        from sympy.printing.pretty.stringpict import prettyForm

        return prettyForm(*printer._print(self.arg).parens()) ** prettyForm("+")


class PermutationPredicate(Predicate):
    """``permutation(P)``: P is a permutation matrix, so P^T P = P P^T = I, P 1 = P^T 1 = 1."""

    name = "permutation"


permutation = PermutationPredicate()
