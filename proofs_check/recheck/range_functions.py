"""Ranges of functions, by monotonicity; arguments outside a domain are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import floor
from types import MappingProxyType
from typing import Any

from flint import arb, ctx

from proofs_check.recheck import enclosures
from proofs_check.recheck.constants import Number, certain_sign
from proofs_check.recheck.formal import Unclear
from proofs_check.recheck.range_arithmetic import (
    EVERYTHING,
    Arithmetic,
    Range,
    rational,
)

_BITS = 128
_LARGEST_ANGLE = 10**30


def exponential_range(ranges: Arithmetic, x: Range) -> Range:
    """exp."""
    return ranges.increasing(x, lambda end: end.apply("exp"), ranges.table.number(0))


def logarithm_range(ranges: Arithmetic, x: Range) -> Range:
    """log, of the part of the range that is > 0."""
    x = ranges.above(x, Fraction(0), strictly=True)
    high = None if x.high is None else x.high.apply("log")
    if x.low is None or x.low.sign() == 0:
        return Range(None, high, True, x.open_high)
    return Range(x.low.apply("log"), high, x.open_low, x.open_high)


def _monotone(name: str, low: str | None = None, high: str | None = None) -> Callable[..., Range]:
    """An increasing function on the line; limits as texts of constants."""

    def rule(ranges: Arithmetic, x: Range) -> Range:
        ends = [_limit(ranges, text) for text in (low, high)]
        return ranges.increasing(x, lambda end: end.apply(name), *ends)

    return rule


def _limit(ranges: Arithmetic, text: str | None) -> Number | None:
    if text is None:
        return None
    if text.endswith("pi/2"):
        half = ranges.table.pi.scaled(Fraction(1, 2))
        return -half if text[0] == "-" else half
    return ranges.table.number(int(text))


def _even(name: str) -> Callable[..., Range]:
    """An even function that increases on x >= 0."""
    return lambda ranges, x: ranges.increasing(ranges.absolute(x), lambda end: end.apply(name))


def _arc(name: str) -> Callable[..., Range]:
    def rule(ranges: Arithmetic, x: Range) -> Range:
        x = ranges.below(ranges.above(x, Fraction(-1)), Fraction(1))
        if name == "asin":
            return ranges.increasing(x, lambda end: end.apply("asin"))
        return -ranges.increasing(x, lambda end: -end.apply("acos"))

    return rule


def _complement(ranges: Arithmetic, x: Range) -> Range:
    """erfc = 1 - erf."""
    rule = _monotone("erf", "-1", "1")
    one = ranges.table.number(1)
    return ranges.plus(Range(one, one), -rule(ranges, x))


def _wave(name: str, shift: Fraction) -> Callable[..., Range]:
    """sin or cos: maxima at (k - shift) pi for even k, minima at odd k."""

    def rule(ranges: Arithmetic, x: Range) -> Range:
        one = ranges.table.number(1)
        whole = Range(-one, one)
        if x.low is None or x.high is None:
            return whole
        first, last = -_floor(ranges, -x.low, -shift), _floor(ranges, x.high, shift)
        if last - first > 1:
            return whole
        ends = [(end.apply(name), opened, 0) for end, opened in
                ((x.low, x.open_low), (x.high, x.open_high))]  # fmt: skip
        low, high = ranges.least(ends, -1), ranges.least(ends, 1)
        for k in range(first, last + 1):
            if k % 2:
                low = (-one, False)
            else:
                high = (one, False)
        return Range(low[0], high[0], low[1], high[1])

    return rule


def _floor(ranges: Arithmetic, end: Number, shift: Fraction) -> int:
    """A whole number that is >= every whole number <= end/pi + shift."""
    turns = end * ranges.table.pi.inverse() + ranges.table.number(shift)
    if turns.rational is not None:
        return floor(turns.rational)
    with ctx.workprec(_BITS):
        upper = turns.ball().upper()
        found = upper.floor().unique_fmpz() if abs(upper) < _LARGEST_ANGLE else None
    if found is None:
        raise Unclear("an angle too large")
    return int(found)


def _tangent(ranges: Arithmetic, x: Range) -> Range:
    """On one branch between poles, ends of the branch included as infinite ones."""
    if x.low is None or x.high is None:
        return EVERYTHING
    half = ranges.table.pi.scaled(Fraction(1, 2))
    branch = _floor(ranges, x.low, Fraction(1, 2))
    bottom = ranges.table.pi.scaled(branch) - half
    top = bottom + ranges.table.pi
    orders = certain_sign(x.low - bottom), certain_sign(top - x.high)
    if min(orders) < 0:
        return EVERYTHING
    return Range(
        x.low.apply("tan") if orders[0] else None,
        x.high.apply("tan") if orders[1] else None,
        x.open_low or not orders[0],
        x.open_high or not orders[1],
    )


def _valley(name: str, bottom: Fraction) -> Callable[..., Range]:
    """gamma and loggamma on x > 0: they fall up to 1.4616... and rise after it; the least value is
    a little above ``bottom``.
    """

    def rule(ranges: Arithmetic, x: Range) -> Range:
        x = ranges.above(x, Fraction(0), strictly=True)
        rising = ranges.table.number(Fraction(1462, 1000))
        falling = ranges.table.number(Fraction(1461, 1000))
        if x.low is not None and certain_sign(x.low - rising) >= 0:
            return ranges.increasing(x, lambda end: end.apply(name))
        low = ranges.table.number(bottom)
        if x.high is None or x.low is None:
            return Range(low, None, True)
        ends: list[tuple[Number | None, bool, int]] = [(x.high.apply(name), x.open_high, 0)]
        ends.append((None, True, 1) if x.low.sign() == 0 else (x.low.apply(name), x.open_low, 0))
        high = ranges.least(ends, 1)
        if certain_sign(falling - x.high) >= 0:
            return Range(x.high.apply(name), high[0], x.open_high, high[1])
        return Range(low, high[0], True, high[1])

    return rule


def _digamma(ranges: Arithmetic, x: Range) -> Range:
    x = ranges.above(x, Fraction(0), strictly=True)
    return _from_zero(ranges, x, "digamma", None)


def _trigamma(ranges: Arithmetic, x: Range) -> Range:
    """Decreasing from infinity to 0 on x > 0."""
    x = ranges.above(x, Fraction(0), strictly=True)
    low = ranges.table.number(0) if x.high is None else x.high.apply("trigamma")
    zero = x.low is None or x.low.sign() == 0
    high = None if zero or x.low is None else x.low.apply("trigamma")
    return Range(low, high, x.high is None or x.open_high, x.open_low)


def _from_zero(ranges: Arithmetic, x: Range, name: str, top: Number | None) -> Range:
    """An increasing function on x > 0 that comes from -infinity."""
    zero = x.low is None or x.low.sign() == 0
    low = None if zero or x.low is None else x.low.apply(name)
    high = top if x.high is None else x.high.apply(name)
    return Range(low, high, x.open_low, x.high is None or x.open_high)


def _lambert(ranges: Arithmetic, x: Range) -> Range:
    """Increasing on [-1/e, oo) from -1."""
    low: Number | None = None
    if x.low is not None:
        try:
            low = x.low.apply("lambertw")
        except Unclear:
            low = None
    high = None if x.high is None else x.high.apply("lambertw")
    if low is None:
        return Range(ranges.table.number(-1), high, False, x.open_high)
    return Range(low, high, x.open_low, x.open_high)


def _bessel(ranges: Arithmetic, order: Range, x: Range) -> Range:
    """I_v increases on x >= 0 for v >= 0; it is even or odd for whole v."""
    size = None if order.low is None else order.low.rational
    if size is None or order.high is None or order.high.rational != size or size < 0:
        return EVERYTHING
    nu = ranges.table.number(size)

    def value(end: Number) -> Number:
        return nu.apply("besseli", end)

    if size.denominator > 1:
        return ranges.increasing(ranges.above(x, Fraction(0)), value)
    if size % 2 == 0:
        return ranges.increasing(ranges.absolute(x), value)
    return ranges.increasing(x, value)


def _sign_range(ranges: Arithmetic, x: Range) -> Range:
    one = ranges.table.number(1)
    return Range(
        one if x.positive else -one, -one if x.negative else one, False, False
    )  # fmt: skip


def _floors(ranges: Arithmetic, x: Range) -> Range:
    """Whole numbers between the floors of the ends."""
    low = None if x.low is None else x.low.apply("floor")
    high = None if x.high is None else x.high.apply("floor")
    return Range(low, high)


def _largest(ranges: Arithmetic, *values: Range) -> Range:
    best = values[0]
    for value in values[1:]:
        best = _larger(ranges, best, value)
    return best


def _larger(ranges: Arithmetic, x: Range, y: Range) -> Range:
    """max(x, y) is at least both low ends and at most the greater high end."""
    if x.low is None or y.low is None:
        low, open_low = (y.low, y.open_low) if x.low is None else (x.low, x.open_low)
    else:
        order = certain_sign(x.low - y.low)
        low = y.low if order < 0 else x.low
        open_low = {1: x.open_low, -1: y.open_low}.get(order, x.open_low or y.open_low)
    if x.high is None or y.high is None:
        return Range(low, None, open_low, True)
    high, open_high = ranges.least([(x.high, x.open_high, 0), (y.high, y.open_high, 0)], 1)
    return Range(low, high, open_low, open_high)


def _smallest(ranges: Arithmetic, *values: Range) -> Range:
    return -_largest(ranges, *(-value for value in values))


def _choose(ranges: Arithmetic, first: Range, second: Range, above: Range, below: Range) -> Range:
    """One of two values; both where the order of the first two is not known."""
    order = ranges.plus(first, -second)
    if order.positive or order.negative:
        return above if order.positive else below
    high = _larger(ranges, above, below)
    low = -_larger(ranges, -above, -below)
    return Range(low.low, high.high, False, False)


def bounded(ranges: Arithmetic, name: str, args: Sequence[Range]) -> Range:
    """Functions without a rule here: the enclosure of bounded arguments."""
    pairs = []
    with ctx.workprec(_BITS):
        for x in args:
            if x.low is None or x.high is None:
                return EVERYTHING
            pairs.append((x.low.ball(), x.high.ball()))
        rule = enclosures.RULES.get(name)
        if rule is None:
            return EVERYTHING
        low, high = rule(pairs, True)
        ends = [_outer(ranges, low.lower()), _outer(ranges, high.upper())]
    return Range(ends[0], ends[1])


def _outer(ranges: Arithmetic, end: Any) -> Number | None:
    return ranges.table.number(rational(end)) if arb(end).is_finite() else None


RULES: Mapping[str, Callable[..., Range]] = MappingProxyType(
    {
        "exp": exponential_range,
        "log": logarithm_range,
        "cbrt": _monotone("cbrt"),
        "sinh": _monotone("sinh"),
        "tanh": _monotone("tanh", "-1", "1"),
        "atan": _monotone("atan", "-pi/2", "pi/2"),
        "erf": _monotone("erf", "-1", "1"),
        "erfc": _complement,
        "cosh": _even("cosh"),
        "asin": _arc("asin"),
        "acos": _arc("acos"),
        "sin": _wave("sin", Fraction(-1, 2)),
        "cos": _wave("cos", Fraction(0)),
        "tan": _tangent,
        "gamma": _valley("gamma", Fraction(8856, 10000)),
        "loggamma": _valley("loggamma", Fraction(-1215, 10000)),
        "digamma": _digamma,
        "trigamma": _trigamma,
        "lambertw": _lambert,
        "besseli": _bessel,
        "abs": lambda ranges, x: ranges.absolute(x),
        "sign": _sign_range,
        "floor": _floors,
        "max": _largest,
        "min": _smallest,
        "choose": _choose,
    }
)
