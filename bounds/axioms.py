"""The cited results taken on trust: a closed, reviewed list. They are tested but not proved here.

An axiom does not lower the status of a claim that rests on it; the verdict lists it. What an axiom
gives has one form, which a claim that uses it must have, with the hypotheses the axiom needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sympy import Basic, Eq, Inverse, MatrixSymbol, Q, Symbol

from bounds.source import MUIRHEAD, Source


@dataclass(frozen=True)
class Axiom:
    """A cited result: its exact statement (LaTeX), where it stands, and which test tries it.

    ``needs(condition)`` gives the hypotheses under which the result says ``condition``, and None
    when ``condition`` is not what it says.
    """

    id: str
    statement: str
    source: Source
    tested_by: str
    needs: Callable[[Basic], tuple[Basic, ...] | None]


def inverse_wishart_mean(M: Any, C: Any, n: Any) -> Eq:
    r""":math:`M = C^{-1}/(n - p - 1)` for p x p matrix symbols M and C."""
    return Eq(M, Inverse(C) / (n - C.shape[0] - 1))


def _inverse_wishart_needs(condition: Basic) -> tuple[Basic, ...] | None:
    """n > p + 1 and C positive definite, when the condition is that of the inverse Wishart mean."""
    symbols = [s for s in condition.free_symbols if isinstance(s, MatrixSymbol)]
    scalars = [s for s in condition.free_symbols if isinstance(s, Symbol)]
    for M in symbols:
        for C in symbols:
            for n in scalars:
                square = C.shape[0] == C.shape[1] and M.shape == C.shape
                distinct = M != C and n not in C.shape
                if square and distinct and condition == inverse_wishart_mean(M, C, n):
                    return n > C.shape[0] + 1, Q.positive_definite(C)
    return None


INVERSE_WISHART_MEAN = Axiom(
    "inverse-wishart-mean",
    r"the $n$ rows of $Z$ are i.i.d. $N(0, C)$, $C$ $p \times p$ positive definite, $n > p + 1$: "
    r"$\mathbb{E}(Z^T Z)^{-1} = C^{-1}/(n - p - 1)$",
    MUIRHEAD.at("Chapter 3, mean of the inverted Wishart distribution"),
    "tests/bounds/test_axioms.py",
    _inverse_wishart_needs,
)

AXIOMS = MappingProxyType({axiom.id: axiom for axiom in (INVERSE_WISHART_MEAN,)})
