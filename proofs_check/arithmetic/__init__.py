"""Evaluation of SymPy expressions and conditions in any field of :mod:`bounds.arithmetic`."""

from proofs_check.arithmetic.evaluate import UnsupportedExpression, evaluate
from proofs_check.arithmetic.truth import truth

__all__ = ["UnsupportedExpression", "evaluate", "truth"]
