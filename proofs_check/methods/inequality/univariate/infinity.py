"""Infinite ends: from which number on is f > 0? By ranges where they suffice, else by expansion."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.ball_ranges import of_interval, range_of
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.contact import positive_side
from proofs_check.methods.inequality.univariate.waves import without_products

STARTS = tuple(Fraction(2) ** k for k in (2, 4, 6, 9, 12, 16, 20, 28))


@dataclass(frozen=True)
class Tail:
    """f > 0 beyond ``start`` in a direction, by an expansion of an ``order`` (None: by ranges)."""

    direction: int
    start: Fraction
    order: int | None = None


def positive_tail(function: Node, name: str, direction: int, *, strict: bool = True) -> Tail | None:
    """The longest tail direction * x >= start of those tried on which f > 0 (>= 0) is seen."""
    for first in STARTS[:3]:
        if _range_positive(function, name, direction, first, strict):
            return Tail(direction, first)
    written = without_products(function)
    side = positive_side(written, name, None, direction, list(STARTS), strict=strict)
    if side is not None:
        return Tail(direction, side.start, side.order)
    for last in STARTS[3:]:
        if _range_positive(function, name, direction, last, strict):
            return Tail(direction, last)
    return None


def _range_positive(
    function: Node, name: str, direction: int, start: Fraction, strict: bool
) -> bool:
    beyond = Interval(start, None, False, True) if direction > 0 else Interval(None, -start, True)
    with ctx.workprec(64):
        found = range_of(function, {name: of_interval(beyond)})
        return found.positive or (not strict and found.nonnegative)
