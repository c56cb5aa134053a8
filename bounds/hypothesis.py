"""What a claim assumes, in three kinds that are consumed in three different ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sympy import Basic, latex

if TYPE_CHECKING:
    from bounds.arithmetic.field import Field


class HypothesisKind(StrEnum):
    """Who consumes a hypothesis: the provers and every point, every instance, or lemmas only."""

    SCALAR = "scalar"
    ON_INSTANCES = "on instances"
    STRUCTURAL = "structural"


@dataclass(frozen=True)
class Hypothesis:
    r"""One assumption of a claim.

    ``condition`` is a SymPy Boolean (:math:`\sigma > 0`, ``Eq(a, B.T*B*c)``, ``permutation(P)``):
    provers may use it as a fact and it is checked on every instance. ``holds(instance, field)``
    checks an assumption that has no such form; it returns True, False, or None for "cannot tell".
    ``axiom`` names the cited result (:mod:`bounds.axioms`) that the assumption stands for.
    ``place`` is where the manuscript states it.
    """

    name: str
    kind: HypothesisKind
    statement: str
    condition: Basic | None = None
    holds: Callable[[Any, Field], bool | None] | None = None
    axiom: str | None = None
    place: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.statement}"


def assume(name: str, condition: Basic, *, place: str = "") -> Hypothesis:
    r"""A scalar hypothesis, such as ``assume("noise", sigma > 0)``."""
    return Hypothesis(name, HypothesisKind.SCALAR, latex(condition), condition, place=place)


def on_instances(
    name: str,
    statement: str,
    *,
    condition: Basic | None = None,
    holds: Callable[[Any, Field], bool | None] | None = None,
    place: str = "",
) -> Hypothesis:
    """A hypothesis on matrices or data, checked on every instance before the claim is."""
    return Hypothesis(name, HypothesisKind.ON_INSTANCES, statement, condition, holds, place=place)


def structural(
    name: str,
    statement: str,
    *,
    condition: Basic | None = None,
    axiom: str | None = None,
    place: str = "",
) -> Hypothesis:
    """A hypothesis such as "i.i.d." that no instance can show; only lemmas and axioms consume it.

    With ``axiom``, ``condition`` is what the cited result gives, and may be used by the provers;
    the verdict then lists that axiom.
    """
    kind = HypothesisKind.STRUCTURAL
    return Hypothesis(name, kind, statement, condition, axiom=axiom, place=place)
