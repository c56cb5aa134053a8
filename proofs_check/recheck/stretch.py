"""One closed stretch of a line: is f >= 0 on it? Natural, Taylor, convex and monotone forms.

A natural enclosure ignores points where f has no value. The other forms rest on Taylor
coefficients over the whole stretch, whose existence shows that f is smooth on it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from proofs_check.recheck.balls import Program, exact, good
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.sequent import Sequent
from proofs_check.recheck.series import Series

Ball = Any

TERMS = 7
DEEPEST = 8
_MOST_BITS = 1_200
_COST = 2


class Stretch:
    """Goal and facts of a sequent with one variable, made ready to be run on many stretches."""

    def __init__(self, sequent: Sequent, spend: Callable[[int], None]) -> None:
        (self.name,) = sequent.names
        self.strict = sequent.strict
        self.facts = sequent.facts
        self.goal = Program([sequent.goal])
        self.conditions = Program([fact.expression for fact in sequent.facts])
        self.spend = spend
        slow = any(node.op == "besseli" for node in sequent.goal.nodes())
        self.terms = 4 if slow else TERMS
        self._expression = sequent.goal
        self._series: Series | None = None

    def check(self, low: Fraction, high: Fraction) -> None:
        """Accept when on [low, high] the goal holds or a fact fails everywhere.

        Raises:
            Rejected: neither is seen, even after cutting into halves.
        """
        pending = [(low, high, 0)]
        while pending:
            a, b, depth = pending.pop()
            self.spend(_COST)
            if self.fails(a, b) or self._positive(a, b):
                continue
            middle = (a + b) / 2
            if depth >= DEEPEST or a == b or self._refuted(middle):
                raise Rejected(f"the goal is not seen to hold on {self.name} in [{a}, {b}]")
            pending += [(middle, b, depth + 1), (a, middle, depth + 1)]

    def fails(self, low: Fraction, high: Fraction) -> bool:
        """Whether a fact is met nowhere on [low, high]."""
        if not self.facts:
            return False
        pairs = self.conditions.run({self.name: (low, high)}, clamp=True)
        return any(
            bool(top < 0) or (fact.strict and bool(top <= 0))
            for (_, top), fact in zip(pairs, self.facts, strict=True)
        )

    def _refuted(self, point: Fraction) -> bool:
        """Whether the goal is certainly < 0 at a point; only to give up early."""
        _, top = self.goal.run({self.name: (point, point)})[0]
        return bool(top < 0) and not self.fails(point, point)

    def _positive(self, low: Fraction, high: Fraction) -> bool:
        """More bits are taken where cancellation hides the sign in the middle."""
        if self._seen(low, high):
            return True
        middle, bits = (low + high) / 2, 3 * ctx.prec
        while bits <= 3 * _MOST_BITS and self._hidden(middle):
            with ctx.workprec(bits):
                if self._at(middle) > 0:
                    return self._seen(low, high)
            bits *= 3
        return False

    def _hidden(self, point: Fraction) -> bool:
        value = self._at(point)
        return bool(value.contains(0)) and not value.is_exact()

    def _at(self, point: Fraction) -> Ball:
        low, high = self.goal.run({self.name: (point, point)})[0]
        return low.union(high)

    def _seen(self, low: Fraction, high: Fraction) -> bool:
        if good(self.goal.run({self.name: (low, high)}, clamp=True)[0], self.strict):
            return True
        if low == high:
            return False
        middle = (low + high) / 2
        try:
            wide = self._coefficients(exact(low).union(exact(high)))
            centre = self._coefficients(exact(middle))
        except (ArithmeticError, ValueError):
            return False
        step = arb(0, 1) * exact((high - low) / 2)
        if _taylor(centre, wide, step):
            return True
        slope = _slope(centre, wide, step)
        return bool(slope) and bool(self._at(low if slope > 0 else high) > 0)

    def _coefficients(self, at: Ball) -> list[Ball]:
        if self._series is None:
            self._series = Series(self._expression)
        return self._series.coefficients(at, self.terms)


def _taylor(centre: list[Ball], wide: list[Ball], step: Ball) -> bool:
    """f > 0 from f(m + h) in sum_{k<n} c_k h^k + w_n h^n for some n, |h| <= step.

    For convex f also from f >= c_0 + c_1 h + w h^2 >= c_0 - c_1^2/(4 w), w the least w_2.
    """
    if wide[2] > 0 and centre[0] - centre[1] * centre[1] / (4 * wide[2].lower()) > 0:
        return True
    return any(_horner(centre[:n], wide[n], step) > 0 for n in range(1, len(wide)))


def _slope(centre: list[Ball], wide: list[Ball], step: Ball) -> int:
    """The sign of f' on the stretch if a Taylor form of f' shows it, else 0."""
    for n in range(1, len(wide)):
        total = _horner([k * centre[k] for k in range(1, n)], n * wide[n], step)
        if total >= 0:
            return 1
        if total <= 0:
            return -1
    return 0


def _horner(coefficients: list[Ball], last: Ball, step: Ball) -> Ball:
    total = last
    for value in reversed(coefficients):
        total = value + total * step
    return total
