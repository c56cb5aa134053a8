"""Ranges of values with exact ends, and the arithmetic of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import ctx

from proofs_check.recheck.balls import exact
from proofs_check.recheck.constants import Constants, Number, certain_sign
from proofs_check.recheck.formal import Unclear
from proofs_check.recheck.sequent import Side

_LARGEST_EXPONENT = 100_000


@dataclass(frozen=True)
class Range:
    """All values lie between the ends; None is infinite, an open end is never attained."""

    low: Number | None = None
    high: Number | None = None
    open_low: bool = False
    open_high: bool = False

    @property
    def positive(self) -> bool:
        """Whether every value is certainly > 0."""
        sign = None if self.low is None else self.low.sign()
        return sign == 1 or (sign == 0 and self.open_low)

    @property
    def nonnegative(self) -> bool:
        """Whether every value is certainly >= 0."""
        return self.low is not None and self.low.sign() in (0, 1)

    @property
    def negative(self) -> bool:
        """Whether every value is certainly < 0."""
        return (-self).positive

    @property
    def nonpositive(self) -> bool:
        """Whether every value is certainly <= 0."""
        return (-self).nonnegative

    def __neg__(self) -> Range:
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Range(low, high, self.open_high, self.open_low)

    def outward(self, bits: int = 60) -> Side:
        """A side with rational ends that holds all values."""
        low, moved_low = rounded(self.low, bits, down=True)
        high, moved_high = rounded(self.high, bits, down=False)
        return Side(
            low,
            high,
            low is not None and (self.open_low or moved_low),
            high is not None and (self.open_high or moved_high),
        )


EVERYTHING = Range()


class NoValues(Exception):
    """The expression has no value on the box: whatever is said of its values holds."""


def rounded(end: Number | None, bits: int, *, down: bool) -> tuple[Fraction | None, bool]:
    """(rational beyond the end, whether it lies strictly beyond)."""
    if end is None or end.rational is not None:
        return (None if end is None else end.rational), False
    with ctx.workprec(bits):
        ball = end.ball()
        if not ball.is_finite():
            return None, False
        value = rational(ball.lower() if down else ball.upper())
        distance = end.ball() - exact(value)
    return value, bool(distance > 0 if down else distance < 0)


def rational(ball: Any) -> Fraction:
    """An exact ball (a binary fraction) as a rational number."""
    mantissa, exponent = ball.man_exp()
    if abs(int(exponent)) > _LARGEST_EXPONENT:
        raise Unclear("a number too large or too small to be written out")
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class Arithmetic:
    """Ranges of sums, products and powers from those of their parts; ``table`` makes constants."""

    def __init__(self, table: Constants) -> None:
        self.table = table

    def plus(self, x: Range, y: Range) -> Range:
        """The range of a sum."""
        low = None if x.low is None or y.low is None else x.low + y.low
        high = None if x.high is None or y.high is None else x.high + y.high
        return Range(low, high, x.open_low or y.open_low, x.open_high or y.open_high)

    def times(self, x: Range, y: Range) -> Range:
        """The range of a product: its extremes lie at corners."""
        corners = [
            self._corner(a, b)
            for a in ((x.low, x.open_low, -1), (x.high, x.open_high, 1))
            for b in ((y.low, y.open_low, -1), (y.high, y.open_high, 1))
        ]
        (low, open_low), (high, open_high) = self.least(corners, -1), self.least(corners, 1)
        return Range(low, high, open_low, open_high)

    def _corner(
        self, x: tuple[Number | None, bool, int], y: tuple[Number | None, bool, int]
    ) -> tuple[Number | None, bool, int]:
        """(value, open, direction of an infinite one); 0 times an infinite end is 0."""
        signs = [side if end is None else certain_sign(end) for end, _, side in (x, y)]
        zero = self.table.number(0)
        if 0 in signs:
            attained = any(s == 0 and not part[1] for s, part in zip(signs, (x, y), strict=True))
            return zero, not attained, 0
        if x[0] is None or y[0] is None:
            return None, True, signs[0] * signs[1]
        return x[0] * y[0], x[1] or y[1], 0

    def least(
        self, corners: Sequence[tuple[Number | None, bool, int]], side: int
    ) -> tuple[Number | None, bool]:
        """The least (side -1) or greatest (side 1) corner; attained if one of its equals is."""
        best: tuple[Number, bool] | None = None
        for value, opened, direction in corners:
            if value is None:
                if direction == side:
                    return None, True
                continue
            order = 1 if best is None else certain_sign(value - best[0]) * side
            if best is None or order > 0:
                best = (value, opened)
            elif order == 0:
                best = (best[0], best[1] and opened)
        if best is None:
            raise Unclear("no finite corner")
        return best

    def power(self, x: Range, exponent: Fraction) -> Range:
        """The range of x^exponent."""
        if exponent == 0:
            one = self.table.number(1)
            return Range(one, one)
        if exponent < 0:
            return self.inverse(self.power(x, -exponent))
        if exponent.denominator > 1:
            x = self.above(x, Fraction(0))
        elif exponent % 2 == 0:
            x = self.absolute(x)
        return self.increasing(x, lambda end: end.power(exponent))

    def increasing(
        self,
        x: Range,
        function: Callable[[Number], Number],
        low: Number | None = None,
        high: Number | None = None,
    ) -> Range:
        """A strictly increasing function with these limits at infinite ends."""
        return Range(
            low if x.low is None else function(x.low),
            high if x.high is None else function(x.high),
            x.low is None or x.open_low,
            x.high is None or x.open_high,
        )

    def inverse(self, x: Range) -> Range:
        """1/x; the point 0 is no matter."""
        if x.nonnegative:
            zero = x.low is None or x.low.sign() == 0
            low = self.table.number(0) if x.high is None else self._inverted(x.high)
            high = None if zero or x.low is None else x.low.inverse()
            return Range(low, high, x.high is None or x.open_high, x.open_low)
        if x.nonpositive:
            return -self.inverse(-x)
        return EVERYTHING

    @staticmethod
    def _inverted(end: Number) -> Number:
        if end.sign() == 0:
            raise NoValues
        return end.inverse()

    def absolute(self, x: Range) -> Range:
        """|x|."""
        if x.nonnegative:
            return x
        if x.nonpositive:
            return -x
        zero = self.table.number(0)
        if x.low is None or x.high is None:
            return Range(zero, None)
        high, opened = self.least([(-x.low, x.open_low, 0), (x.high, x.open_high, 0)], 1)
        return Range(zero, high, False, opened)

    def above(self, x: Range, bottom: Fraction, *, strictly: bool = False) -> Range:
        """The part of a range that is >= bottom, or > bottom."""
        end = self.table.number(bottom)
        order = 1 if x.high is None else certain_sign(x.high - end)
        if order < 0 or (order == 0 and (strictly or x.open_high)):
            raise NoValues
        if x.low is not None:
            order = certain_sign(x.low - end)
            if order > 0 or (order == 0 and x.open_low):
                return x
        return replace(x, low=end, open_low=strictly)

    def within(self, x: Range, side: Side) -> bool:
        """Whether all values lie in a side."""
        low = side.low is None or self._beyond(x, side.low, strictly=side.open_low)
        high = side.high is None or self._beyond(-x, -side.high, strictly=side.open_high)
        return low and high

    def _beyond(self, x: Range, end: Fraction, *, strictly: bool) -> bool:
        """Whether all values are >= end, or > end."""
        shift = self.table.number(-end)
        moved = self.plus(x, Range(shift, shift))
        return moved.positive if strictly else moved.nonnegative

    def below(self, x: Range, top: Fraction) -> Range:
        """The part of a range that is <= top."""
        return -self.above(-x, -top)
