"""The cited results taken on trust: a closed, reviewed list. They are tested but not proved here.

An axiom does not lower the status of a claim that rests on it; the verdict lists it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from bounds.source import MUIRHEAD, Source


@dataclass(frozen=True)
class Axiom:
    """A cited result: its exact statement (LaTeX), where it stands, and which test tries it."""

    id: str
    statement: str
    source: Source
    tested_by: str


INVERSE_WISHART_MEAN = Axiom(
    "inverse-wishart-mean",
    r"the $n$ rows of $Z$ are i.i.d. $N(0, C)$, $C$ $p \times p$ positive definite, $n > p + 1$: "
    r"$\mathbb{E}(Z^T Z)^{-1} = C^{-1}/(n - p - 1)$",
    MUIRHEAD.at("Chapter 3, mean of the inverted Wishart distribution"),
    "tests/bounds/test_axioms.py",
)

AXIOMS = MappingProxyType({axiom.id: axiom for axiom in (INVERSE_WISHART_MEAN,)})
