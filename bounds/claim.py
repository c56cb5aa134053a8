"""A claim: one relation between two sides, under hypotheses, with everything needed to check it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import Basic, Rational

from bounds.derivation import Derivation
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import Hypothesis
from bounds.quantity import Quantity
from bounds.relation import Limit, Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.well_formed import check_claim

if TYPE_CHECKING:
    from bounds.models.strategy import Strategy

ID_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*\Z")


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A statement near a claim: what it changes. What is left at None stays as in the claim.

    ``drop`` names hypotheses that are left out, ``add`` gives new ones.
    """

    name: str
    why: str
    lhs: Basic | None = None
    rhs: Basic | None = None
    relation: Relation | None = None
    tail: Tail | None = None
    limit: Limit | None = None
    drop: tuple[str, ...] = ()
    add: tuple[Hypothesis, ...] = ()
    instances: Strategy[Any] | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True, kw_only=True)
class Mutant(Neighbour):
    """A false neighbour. ``why`` is the witness or the argument of its falsity."""


@dataclass(frozen=True, kw_only=True)
class Variant(Neighbour):
    """The claim as printed in some source, with the status it is expected to get."""

    source: Source
    expected: Status


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One relation of the theory.

    Args:
        id: ``result.part``, such as ``I2.bound``; a result of one part may leave the part out.
        title: one line.
        lhs, rhs: plain SymPy expressions; they are kept apart so that SymPy never folds the
            relation away, and can be differentiated, substituted, plotted and printed.
        relation: see :class:`~bounds.relation.Relation`; TAIL needs ``tail``, LIMIT ``limit``.
        hypotheses: every assumption, also the sign of every symbol.
        quantities: the symbols that are computed on instances.
        instances: where instances come from; None for a claim without numbers.
        source: paper and place; says whose the constants are.
        expected: the status this claim is expected to get; CI is red when it is not met.

    Raises:
        ClaimDefinitionError: the claim is put together wrongly; the message names the claim.
    """

    id: str
    title: str
    lhs: Basic
    rhs: Basic
    source: Source
    relation: Relation = Relation.LE
    hypotheses: tuple[Hypothesis, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    instances: Strategy[Any] | None = None
    tail: Tail | None = None
    limit: Limit | None = None
    derivation: Derivation | None = None
    mutants: tuple[Mutant, ...] = ()
    variants: tuple[Variant, ...] = ()
    tags: tuple[str, ...] = ()
    expected: Status = Status.PROVED

    def __post_init__(self) -> None:
        base = self.id.split("~")[0].split("@")[0]
        self._require(ID_PATTERN.match(base) is not None, "an id looks like I2.bound")
        for name in ("lhs", "rhs"):
            if type(getattr(self, name)) in (int, Fraction):
                object.__setattr__(self, name, Rational(getattr(self, name)))
        check_claim(self)

    @cached_property
    def free_symbols(self) -> frozenset[Any]:
        """Every symbol of a side, a condition, a formula or the failure probability."""
        return frozenset().union(*(part.free_symbols for part in self.parts()))

    def parts(self) -> list[Any]:
        """Every expression the claim is made of: sides, conditions, formulas, failure."""
        parts: list[Any] = [self.lhs, self.rhs]
        parts += [h.condition for h in self.hypotheses if h.condition is not None]
        parts += [q.formula for q in self.quantities if q.formula is not None]
        if self.tail is not None:
            parts.append(self.tail.failure)
        return parts

    @property
    def result(self) -> str:
        """The result this claim is a part of: ``I2`` for ``I2.bound``."""
        return self.id.split(".")[0].split("~")[0].split("@")[0]

    @property
    def neighbours(self) -> tuple[Neighbour, ...]:
        """Mutants and variants together."""
        return self.mutants + self.variants

    def mutated(self, mutant: Mutant) -> Claim:
        """The false claim that ``mutant`` describes; its id is ``ID~mutant``."""
        return replace(self._changed(mutant), id=f"{self.id}~{mutant.name}")

    def as_printed(self, variant: Variant) -> Claim:
        """The claim that ``variant`` describes; its id is ``ID@variant``."""
        return replace(
            self._changed(variant),
            id=f"{self.id}@{variant.name}",
            source=variant.source,
            expected=variant.expected,
        )

    def without(self, hypothesis: str) -> Claim:
        """The same claim with one hypothesis left out, and without its neighbours."""
        kept = tuple(h for h in self.hypotheses if h.name != hypothesis)
        return replace(self, hypotheses=kept, mutants=(), variants=())

    def _changed(self, other: Neighbour) -> Claim:
        given: dict[str, Any] = {
            name: value
            for name in ("lhs", "rhs", "relation", "tail", "limit", "instances")
            if (value := getattr(other, name)) is not None
        }
        kept = tuple(h for h in self.hypotheses if h.name not in other.drop)
        return replace(
            self,
            title=f"{self.title} [{other.name}]",
            hypotheses=kept + other.add,
            derivation=other.derivation,
            mutants=(),
            variants=(),
            **given,
        )

    def _require(self, condition: bool, message: str) -> None:
        if not condition:
            raise ClaimDefinitionError(f"claim {self.id!r}: {message}")
