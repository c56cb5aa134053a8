"""Interval rules of the single operations, on pairs (low, high) of balls.

Each low end is below, each high end above every value. An end that is not finite says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, fmpq

Ball = Any
Pair = tuple[Any, Any]
Rule = Callable[[list[Pair], bool], Pair]

NAN: Pair = (arb.nan(), arb.nan())
_LARGEST_POWER = 100_000
_LARGEST_ANGLE = 10**30  # whole numbers far beyond may not fit into memory


def total(args: list[Pair]) -> Pair:
    """The sum."""
    low, high = args[0]
    for a, b in args[1:]:
        low, high = low + a, high + b
    return low, high


def product(counts: Sequence[int], args: list[Pair]) -> Pair:
    """The product of powers; equal factors come as powers, so that squares stay >= 0."""
    result: Pair | None = None
    for count, pair in zip(counts, args, strict=True):
        factor = pair if count == 1 else whole_power(pair, count)
        result = factor if result is None else times(result, factor)
    return NAN if result is None else result


def times(x: Pair, y: Pair) -> Pair:
    """The product of two."""
    (a, b), (c, d) = x, y
    if a >= 0:
        if c >= 0:
            return a * c, b * d
        if d <= 0:
            return b * c, a * d
        return b * c, b * d
    if c >= 0:
        return (a * d, b * c) if b <= 0 else (a * d, b * d)
    if b <= 0 and d <= 0:
        return b * d, a * c
    ends = (a * c, a * d, b * c, b * d)
    if not all(end.is_finite() for end in ends):
        return NAN
    low, high = ends[0], ends[0]
    for end in ends[1:]:
        low, high = low.min(end), high.max(end)
    return low, high


def power(exponent: Fraction | None, base: Pair, other: Pair, clamp: bool) -> Pair:
    """base^exponent; a rational exponent is known exactly."""
    if exponent is None:
        return _general_power(base, other)
    if exponent.denominator == 1:
        n = int(exponent)
        if n > 0:
            return whole_power(base, n)
        if n == 0:
            nonzero = base[0] > 0 or base[1] < 0 or clamp
            return (arb(1), arb(1)) if nonzero else NAN
        return _inverse(whole_power(base, -n))
    low, high = _clamped(base, clamp)
    if not low >= 0:
        return NAN
    up = _root_power(low, abs(exponent)), _root_power(high, abs(exponent))
    return up if exponent > 0 else _inverse(up)


def whole_power(x: Pair, n: int) -> Pair:
    """x^n for n >= 1."""
    low, high = x
    if n > _LARGEST_POWER:
        return NAN
    if n % 2 == 1 or low >= 0:
        return low**n, high**n
    if high <= 0:
        return high**n, low**n
    return arb(0), (-low).max(high) ** n


def _root_power(x: Ball, exponent: Fraction) -> Ball:
    """x^exponent for exponent > 0 and x >= 0 (a ball at 0 may reach below by rounding)."""
    if x == 0:
        return arb(0)
    if exponent == Fraction(1, 2):
        return x.nonnegative_part().sqrt()
    if not x > 0:
        top = x.upper() ** arb(fmpq(exponent.numerator, exponent.denominator))
        return arb(0).union(top)
    return x ** arb(fmpq(exponent.numerator, exponent.denominator))


def _inverse(x: Pair) -> Pair:
    low, high = x
    if low > 0 or high < 0:
        return 1 / high, 1 / low
    if low >= 0 and high > 0:
        return 1 / high, arb.pos_inf()
    return NAN


def _general_power(base: Pair, exponent: Pair) -> Pair:
    """For base >= 0; at a negative base there is a value where the exponent is whole."""
    low, high = base
    if low > 0:
        return _increasing_values(times((low.log(), high.log()), exponent), "exp")
    if low >= 0 and exponent[0] > 0 and high.is_finite():
        # 0 <= x^y <= max(1, high)^(largest exponent)
        top = (high.max(arb(1)).log() * exponent[1]).exp()
        return arb(0), top
    return NAN


def _clamped(x: Pair, clamp: bool) -> Pair:
    """Without what lies below 0, if that is to be ignored."""
    if clamp and not x[0] >= 0:
        return arb(0), x[1].max(arb(0))
    return x


def _increasing_values(x: Pair, name: str) -> Pair:
    return getattr(x[0], name)(), getattr(x[1], name)()


def _increasing(name: str) -> Rule:
    return lambda args, clamp: _increasing_values(args[0], name)


def _log(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    if low > 0:
        return low.log(), high.log()
    if clamp and high > 0:
        return arb.neg_inf(), high.log()
    return NAN


def _cbrt(args: list[Pair], clamp: bool) -> Pair:
    return _signed_root(args[0][0]), _signed_root(args[0][1])


def _signed_root(x: Ball) -> Ball:
    if x == 0:
        return arb(0)
    if x > 0:
        return x.root(3)
    if x < 0:
        return -((-x).root(3))
    if x.is_nan():
        return x
    return _signed_root(x.lower()).union(_signed_root(x.upper()))


def _sine(args: list[Pair], clamp: bool) -> Pair:
    return _wave(args[0], "sin", arb(-1) / 2)


def _cosine(args: list[Pair], clamp: bool) -> Pair:
    return _wave(args[0], "cos", arb(0))


def _wave(x: Pair, name: str, shift: Ball) -> Pair:
    """sin or cos: its extremes lie at (k - shift) pi, maxima at even k."""
    low, high = x
    if not (abs(low) < _LARGEST_ANGLE and abs(high) < _LARGEST_ANGLE) or high - low > 7:
        return arb(-1), arb(1)
    first = (low / arb.pi() + shift).lower().ceil().unique_fmpz()
    last = (high / arb.pi() + shift).upper().floor().unique_fmpz()
    ends = getattr(low, name)(), getattr(high, name)()
    below, above = ends[0].min(ends[1]), ends[0].max(ends[1])
    if first is None or last is None or last - first > 3:
        return arb(-1), arb(1)
    for k in range(int(first), int(last) + 1):
        if k % 2:
            below = arb(-1)
        else:
            above = arb(1)
    return below.max(arb(-1)), above.min(arb(1))


def _tangent(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    whole = low.union(high).tan()
    if not whole.is_finite():
        return NAN
    return low.tan(), high.tan()


def _arc(name: str) -> Rule:
    def rule(args: list[Pair], clamp: bool) -> Pair:
        low, high = args[0]
        if clamp:
            low, high = low.max(arb(-1)), high.min(arb(1))
        first, last = getattr(low, name)(), getattr(high, name)()
        return (last, first) if name == "acos" else (first, last)

    return rule


def _even(name: str) -> Rule:
    def rule(args: list[Pair], clamp: bool) -> Pair:
        low, high = _absolute(args, clamp)
        return getattr(low, name)(), getattr(high, name)()

    return rule


def _absolute(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    if low >= 0:
        return low, high
    if high <= 0:
        return -high, -low
    return arb(0), (-low).max(high)


def _decreasing(name: str) -> Rule:
    return lambda args, clamp: (getattr(args[0][1], name)(), getattr(args[0][0], name)())


def _on_positive(function: Callable[[Pair], Pair]) -> Rule:
    def rule(args: list[Pair], clamp: bool) -> Pair:
        return function(args[0]) if args[0][0] > 0 else NAN

    return rule


def _valley(name: str) -> Callable[[Pair], Pair]:
    """gamma and loggamma on x > 0 fall before 1.4616... and rise after it."""

    def function(x: Pair) -> Pair:
        low, high = x
        a, b = getattr(low, name)(), getattr(high, name)()
        if low >= arb(1.462):
            return a, b
        if high <= arb(1.461):
            return b, a
        bottom = getattr(arb(1.461).union(arb(1.462)), name)()
        return bottom.min(a).min(b), a.max(b)

    return function


def _trigamma(x: Pair) -> Pair:
    return _hurwitz(x[1]), _hurwitz(x[0])


def _hurwitz(x: Ball) -> Ball:
    """trigamma(x) = zeta(2, x)."""
    return arb(2).zeta(x)


def _lambert(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    if clamp and not low > -1 / arb(1).exp():
        return arb(-1), high.lambertw()
    return low.lambertw(), high.lambertw()


def _bessel(args: list[Pair], clamp: bool) -> Pair:
    """I_v(x), increasing in x >= 0 for v >= 0; elsewhere by one ball."""
    (order, order_high), (low, high) = args
    if order >= 0 and low >= 0 and bool(order == order_high):
        return low.bessel_i(order), high.bessel_i(order)
    found = low.union(high).bessel_i(order.union(order_high))
    return found, found


def _binomial(args: list[Pair], clamp: bool) -> Pair:
    n, k = (pair[0].union(pair[1]) for pair in args)
    found = (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()
    return found, found


def _sign(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    if low > 0:
        return arb(1), arb(1)
    if high < 0:
        return arb(-1), arb(-1)
    return arb(-1), arb(1)


def _floor(args: list[Pair], clamp: bool) -> Pair:
    return args[0][0].lower().floor(), args[0][1].upper().floor()


def _choose(args: list[Pair], clamp: bool) -> Pair:
    """choose(a, b, s, t): s where a > b, t where a < b, both where they meet."""
    first, second, above, below = args
    if first[0] > second[1]:
        return above
    if first[1] < second[0]:
        return below
    return above[0].min(below[0]), above[1].max(below[1])


def _largest(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    for a, b in args[1:]:
        low, high = low.max(a), high.max(b)
    return low, high


def _smallest(args: list[Pair], clamp: bool) -> Pair:
    low, high = args[0]
    for a, b in args[1:]:
        low, high = low.min(a), high.min(b)
    return low, high


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "exp": _increasing("exp"),
        "log": _log,
        "cbrt": _cbrt,
        "sin": _sine,
        "cos": _cosine,
        "tan": _tangent,
        "asin": _arc("asin"),
        "acos": _arc("acos"),
        "atan": _increasing("atan"),
        "sinh": _increasing("sinh"),
        "cosh": _even("cosh"),
        "tanh": _increasing("tanh"),
        "erf": _increasing("erf"),
        "erfc": _decreasing("erfc"),
        "gamma": _on_positive(_valley("gamma")),
        "loggamma": _on_positive(_valley("lgamma")),
        "digamma": _on_positive(lambda x: (x[0].digamma(), x[1].digamma())),
        "trigamma": _on_positive(_trigamma),
        "lambertw": _lambert,
        "besseli": _bessel,
        "binomial": _binomial,
        "abs": _absolute,
        "sign": _sign,
        "floor": _floor,
        "choose": _choose,
        "min": _smallest,
        "max": _largest,
    }
)
