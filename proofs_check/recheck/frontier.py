"""Ends of pieces of a line, exactly compared, and the covering of a side from left to right."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import ctx

from proofs_check.recheck.balls import exact, value
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import SLOPES_AT_KINKS, ZERO, Expr, num
from proofs_check.recheck.sequent import Side

Ball = Any

_PRECISIONS = (128, 256, 512, 1024)


@dataclass(frozen=True)
class End:
    """The number ``base + offset``; an irrational base is an expression without variables."""

    base: Expr
    offset: Fraction

    def ball(self) -> Ball:
        """An enclosure, at the precision in force."""
        return value(self.base) + exact(self.offset)

    def moved(self, by: Fraction) -> End:
        """The number ``by`` further right."""
        return End(self.base, self.offset + by)


def end_of(point: Expr | Fraction) -> End:
    """The end at an exact point.

    Raises:
        Rejected: the point holds a variable or has no value.
    """
    if isinstance(point, Fraction):
        return End(ZERO, point)
    if point.number is not None:
        return End(ZERO, point.number)
    if point.variables():
        raise Rejected(f"the point {point} is not a number")
    if any(node.op in SLOPES_AT_KINKS for node in point.nodes()):
        raise Rejected("a point must have one value, and slopes at kinks have several")
    with ctx.workprec(_PRECISIONS[0]):
        if not value(point).is_finite():
            raise Rejected(f"the point {point} has no value")
    return End(point, Fraction(0))


def before(first: End, second: End) -> bool | None:
    """Whether first < second; None when they are equal or too close to tell."""
    if first.base == second.base:
        return None if first.offset == second.offset else first.offset < second.offset
    for bits in _PRECISIONS:
        with ctx.workprec(bits):
            a, b = first.ball(), second.ball()
            if a < b or a > b:
                return bool(a < b)
    return None


@dataclass(frozen=True)
class Piece:
    """The numbers from ``low`` to ``high``; None is an infinite end."""

    low: End | None
    high: End | None
    open_low: bool = False
    open_high: bool = False


class Frontier:
    """How far a side is covered: all its points below ``end``, and ``end`` itself if ``closed``."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.end = None if side.low is None else end_of(side.low)
        self.closed = side.open_low
        self.everything = False

    def add(self, piece: Piece) -> None:
        """Cover more by a piece that leaves no gap.

        Raises:
            Rejected: points between may be left out.
        """
        if self.everything:
            return
        if not self._joined(piece):
            raise Rejected("the pieces leave a gap, or are not in order from left to right")
        if piece.high is None:
            self.everything = True
            return
        if self.end is None or before(self.end, piece.high):
            self.end, self.closed = piece.high, not piece.open_high
        elif self.end == piece.high:
            self.closed = self.closed or not piece.open_high

    def _joined(self, piece: Piece) -> bool:
        if piece.low is None:
            return True
        if self.end is None:
            return False
        if piece.low == self.end:
            return self.closed or not piece.open_low
        return before(piece.low, self.end) is True

    def finish(self) -> None:
        """Accept when the whole side is covered.

        Raises:
            Rejected: its right end is not reached.
        """
        if self.everything:
            return
        if self.side.high is None or self.end is None:
            raise Rejected("the pieces do not reach the infinite end")
        last = end_of(num(self.side.high))
        reached = before(last, self.end) is True
        if not reached and not (last == self.end and (self.closed or self.side.open_high)):
            raise Rejected(f"the pieces do not reach the end {self.side.high}")
