"""One box of a cover: is f > 0 on all of it? Natural, monotone and Taylor forms in balls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from proofs_check.arithmetic.tape import Tape, ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.ball_ranges import of_interval, range_of
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.jets import NoJet, jet

Ball = Any

TERMS = 7
MOST_BITS = 1200


@dataclass(frozen=True)
class Function:
    """A tree of one variable, known to be defined on the region."""

    node: Node
    name: str
    tape: Tape
    by_range: bool = False

    def at(self, low: Fraction, high: Fraction) -> Ball:
        """The natural enclosure on [low, high]."""
        if self.by_range and low < high:
            box = {self.name: of_interval(Interval(low, high))}
            found = range_of(self.node, box)
            return found.ball() if found.finite else arb.nan()
        return self.tape.run({self.name: ball(low, high)})[0]


def compiled(node: Node, name: str) -> Function:
    """The function of a tree that is defined on the whole region."""
    # Bessel functions of wide balls are slow and wide; they are monotone, which ranges use.
    by_range = any(part.op == "besseli" for part in node.nodes())
    return Function(node, name, compile_tape([node], trusted=True), by_range)


def positive_on(function: Function, low: Fraction, high: Fraction, *, strict: bool = True) -> bool:
    """Whether f > 0 (>= 0 unless strict) is seen on [low, high].

    More bits are taken where cancellation hides the sign at the centre.
    """
    if _seen(function, low, high, strict):
        return True
    middle = (low + high) / 2
    bits = ctx.prec
    while bits < MOST_BITS:
        value = function.at(middle, middle)
        if not value.contains(0) or value.is_exact():
            return False
        bits *= 3
        with ctx.workprec(bits):
            if function.at(middle, middle) > 0:
                return _seen(function, low, high, strict)
    return False


def _seen(function: Function, low: Fraction, high: Fraction, strict: bool) -> bool:
    value = function.at(low, high)
    if value > 0 or (not strict and value >= 0):
        return True
    middle = (low + high) / 2
    try:
        # Bessel functions cost as much as all else, and more the more terms there are.
        terms = 4 if function.by_range else TERMS
        wide = jet(function.tape, ball(low, high), terms)
        centre = jet(function.tape, ball(middle, middle), terms)
    except NoJet:
        return False
    radius = (high - low) / 2
    step = arb(0, 1) * arb(fmpq(radius.numerator, radius.denominator))
    if _taylor_positive(centre, wide, step):
        return True
    side = _slope_sign(centre, wide, step)
    end = low if side > 0 else high
    return bool(side) and bool(function.at(end, end) > 0)


def _taylor_positive(centre: list[Ball], wide: list[Ball], step: Ball) -> bool:
    return any(
        wide[count].is_finite() and bool(_enclosure(centre, wide, step, count) > 0)
        for count in range(1, len(wide))
    )


def _enclosure(centre: list[Ball], wide: list[Ball], step: Ball, count: int) -> Ball:
    """sum_k<count c_k h^k + wide_count h^count, quadratic parts tight where they help."""
    total = wide[count]
    for k in range(count - 1, -1, -1):
        total = centre[k] + total * step
    if count == 2 and wide[2] > 0:
        # f >= c0 - c1^2/(4 w2) for a convex f.
        lower = centre[0] - centre[1] * centre[1] / (4 * wide[2].lower())
        return lower if lower > 0 else total
    return total


def _slope_sign(centre: list[Ball], wide: list[Ball], step: Ball) -> int:
    """The sign of f' on the box if one Taylor form of f' shows it, else 0."""
    for count in range(1, len(wide)):
        total = wide[count] * count
        if not total.is_finite():
            continue
        for k in range(count - 1, 0, -1):
            total = centre[k] * k + total * step
        if total > 0 or total >= 0:
            return 1
        if total < 0 or total <= 0:
            return -1
    return 0
