"""Expansions of a function on a half-line X >= start: exact leading terms, an enclosed remainder.

With x = p + 1/X, x = p - 1/X, x = X or x = -X they describe one side of a finite point or an
infinite end, not in the limit only but on the whole stretch X >= start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from flint import arb, fmpq

from proofs_check.methods.inequality.univariate.constants import (
    ONE,
    ZERO,
    Constant,
    Unclear,
    power,
)
from proofs_check.methods.inequality.univariate.factors import whole_power
from proofs_check.methods.inequality.univariate.scale import ONE_SCALE, NoExpansion, Scale

Ball = Any
Term = tuple[Scale, Constant]
Rest = tuple[Scale, Ball]


@dataclass(frozen=True)
class Setting:
    """Where expansions hold (X >= start) and how many exact terms they keep."""

    start: Fraction
    order: int


@dataclass(frozen=True)
class Germ:
    """sum of constant * scale, largest first, plus rest: a ball times a scale for each X."""

    terms: tuple[Term, ...]
    rest: Rest | None
    setting: Setting

    @property
    def constant(self) -> Constant | None:
        """The exact value if the function is constant."""
        if self.rest is not None or len(self.terms) > 1:
            return None
        if not self.terms:
            return ZERO
        scale, value = self.terms[0]
        return value if scale == ONE_SCALE else None

    def __add__(self, other: Germ) -> Germ:
        rests = [rest for rest in (self.rest, other.rest) if rest is not None]
        return collected([*self.terms, *other.terms], rests, self.setting)

    def __neg__(self) -> Germ:
        rest = None if self.rest is None else (self.rest[0], -self.rest[1])
        return Germ(tuple((scale, -value) for scale, value in self.terms), rest, self.setting)

    def __sub__(self, other: Germ) -> Germ:
        return self + (-other)

    def __mul__(self, other: Germ) -> Germ:
        terms = [(s * t, a * b) for s, a in self.terms for t, b in other.terms]
        rests: list[Rest] = []
        if other.rest is not None and (self.terms or self.rest is not None):
            scale, ball = magnitude(self)
            rests.append((scale * other.rest[0], ball * other.rest[1]))
        if self.rest is not None and other.terms:
            scale, ball = magnitude(Germ(other.terms, None, self.setting))
            rests.append((scale * self.rest[0], ball * self.rest[1]))
        return collected(terms, rests, self.setting)

    def shifted(self, scale: Scale, factor: Constant) -> Germ:
        """The product with factor * scale."""
        terms = tuple((scale * own, value * factor) for own, value in self.terms)
        rest = None if self.rest is None else (scale * self.rest[0], self.rest[1] * factor.ball())
        return Germ(terms, rest, self.setting)


def of_constant(value: Constant, setting: Setting) -> Germ:
    """A constant function."""
    terms = ((ONE_SCALE, value),) if value.terms else ()
    return Germ(terms, None, setting)


def monomial(scale: Scale, value: Constant, setting: Setting) -> Germ:
    """value * scale."""
    return Germ(((scale, value),), None, setting)


def _order(left: Scale, right: Scale) -> int:
    """Negative if left grows faster."""
    return -left.over(right).growth


def _term_order(left: Term, right: Term) -> int:
    return _order(left[0], right[0])


def collected(terms: Iterable[Term], rests: Sequence[Rest], setting: Setting) -> Germ:
    """The sum, sorted, with what is smaller than the remainder or beyond the order put into it."""
    found: dict[Scale, Constant] = {}
    for scale, value in terms:
        found[scale] = found[scale] + value if scale in found else value
    kept = [(scale, value) for scale, value in found.items() if value.terms]
    kept.sort(key=cmp_to_key(_term_order))
    kept = [term for term in kept if not _vanishes(term[1])]
    scales = [scale for scale, _ in rests]
    if len(kept) > setting.order:
        scales.append(kept[setting.order][0])
    if not scales:
        return Germ(tuple(kept), None, setting)
    top = min(scales, key=cmp_to_key(_order))
    exact = [term for term in kept[: setting.order] if _order(term[0], top) < 0]
    total = arb(0)
    for scale, ball in rests:
        total += ball * _share(scale, top, setting)
    for scale, value in kept[len(exact) :]:
        total += value.ball() * _share(scale, top, setting)
    return Germ(tuple(exact), (top, total), setting)


def _vanishes(value: Constant) -> bool:
    return bool(value.ball().contains(0)) and value.sign() == 0


def _share(small: Scale, large: Scale, setting: Setting) -> Ball:
    """The values of small/large on the half-line: 1, or (0, its largest]."""
    ratio = small.over(large)
    if ratio == ONE_SCALE:
        return arb(1)
    return arb(0).union(ratio.largest(setting.start))


def magnitude(germ: Germ) -> Rest:
    """(scale, ball) with germ/scale in the ball for all X >= start; the leading scale.

    Raises:
        NoExpansion: the germ is exactly zero, or a term does not decrease from ``start`` on.
    """
    if germ.terms:
        top = germ.terms[0][0]
    elif germ.rest is not None:
        return germ.rest
    else:
        raise NoExpansion("zero has no magnitude")
    total = arb(0)
    for scale, value in germ.terms:
        total += value.ball() * _share(scale, top, germ.setting)
    if germ.rest is not None:
        total += germ.rest[1] * _share(germ.rest[0], top, germ.setting)
    return top, total


def sign_on(germ: Germ) -> int | None:
    """The sign on the whole half-line, 0 if exactly zero, None if not seen."""
    if not germ.terms and germ.rest is None:
        return 0
    _, ball = magnitude(germ)
    if ball > 0:
        return 1
    return -1 if ball < 0 else None


def limits(germ: Germ) -> tuple[Germ, Constant, Germ]:
    """The parts that tend to infinity, the constant, and the part that tends to 0.

    Raises:
        NoExpansion: the remainder does not tend to 0.
    """
    if germ.rest is not None and germ.rest[0].growth >= 0:
        raise NoExpansion("the remainder does not tend to zero")
    large = tuple(term for term in germ.terms if term[0].growth > 0)
    small = tuple(term for term in germ.terms if term[0].growth < 0)
    value = ZERO
    for scale, own in germ.terms:
        if scale == ONE_SCALE:
            value = own
    setting = germ.setting
    return Germ(large, None, setting), value, Germ(small, germ.rest, setting)


def range_of_small(small: Germ) -> Ball:
    """All values of a germ that tends to 0, on the half-line."""
    if not small.terms and small.rest is None:
        return arb(0)
    scale, ball = magnitude(small)
    return ball * _share(scale, ONE_SCALE, small.setting)


def bounded_ball(germ: Germ) -> Ball:
    """All values of a bounded germ on the half-line."""
    if not germ.terms and germ.rest is None:
        return arb(0)
    scale, ball = magnitude(germ)
    if scale.growth > 0:
        raise NoExpansion("an unbounded argument")
    return ball * _share(scale, ONE_SCALE, germ.setting)


def fuzzy(ball: Ball, setting: Setting) -> Germ:
    """A function of which only an enclosure of its values is known."""
    if not ball.is_finite():
        raise NoExpansion("no finite enclosure of the values")
    return Germ((), (ONE_SCALE, ball), setting)


def series(coefficients: Sequence[Constant], last: Ball, small: Germ) -> Germ:
    """sum_k<n c_k small^k + last * small^n, where ``last`` encloses the n-th Taylor coefficient
    between 0 and the values of ``small``.
    """
    setting = small.setting
    if not small.terms and small.rest is None:
        return of_constant(coefficients[0], setting)
    result = of_constant(ZERO, setting)
    for value in reversed(coefficients):
        result = result * small + of_constant(value, setting)
    scale, ball = magnitude(small)
    count = len(coefficients)
    if last.is_finite():
        rest = (scale.raised(Fraction(count)), last * whole_power(ball, count))
        return collected(result.terms, [*_present(result.rest), rest], setting)
    raise NoExpansion("no finite remainder")


def _present(rest: Rest | None) -> list[Rest]:
    return [] if rest is None else [rest]


def count_for(small: Germ) -> int:
    """How many Taylor terms reach the order of the setting."""
    if not small.terms:
        return 1
    scale = small.terms[0][0]
    order = small.setting.order
    if scale.rates or scale.power > -1:
        return order
    return max(1, int(-(Fraction(order) // scale.power)) + 1)


def factored(germ: Germ) -> tuple[Scale, Constant, Germ]:
    """germ = constant * scale * (1 + small).

    Raises:
        NoExpansion: the leading term is not known exactly.
    """
    if not germ.terms:
        raise NoExpansion("the leading term is unknown")
    scale, value = germ.terms[0]
    inverse = power(value, Fraction(-1))
    tail = Germ(germ.terms[1:], germ.rest, germ.setting)
    return scale, value, tail.shifted(scale.raised(Fraction(-1)), inverse)


def raised(germ: Germ, exponent: Fraction) -> Germ:
    """germ^exponent; whole powers >= 0 of anything, others need a known leading term.

    Raises:
        NoExpansion, Unclear: no expansion, or the base is not seen to be allowed.
    """
    setting = germ.setting
    if exponent.denominator == 1 and 0 <= exponent <= 12:
        result = of_constant(ONE, setting)
        for _ in range(int(exponent)):
            result = result * germ
        return result
    if not germ.terms and germ.rest is None:
        if exponent > 0:
            return germ
        raise Unclear("a negative power of zero")
    scale, value, small = factored(germ)
    lead = power(value, exponent)
    spread = 1 + range_of_small(small)
    if not spread > 0:
        raise NoExpansion("the leading term does not dominate from here on")
    count = count_for(small)
    coefficients, current = [], Fraction(1)
    for k in range(count):
        coefficients.append(Constant((((), current),)) if current else ZERO)
        current = current * (exponent - k) / (k + 1)
    hull = arb(1).union(spread)
    power_ball = power_of_positive(hull, exponent - count)
    body = series(coefficients, _ball(current) * power_ball, small)
    return body.shifted(scale.raised(exponent), lead)


def power_of_positive(base: Ball, exponent: Fraction) -> Ball:
    """base^exponent for a ball > 0: monotone, so the ends give it (products of balls do not)."""
    low, high = base.lower() ** _ball(exponent), base.upper() ** _ball(exponent)
    return low.union(high)


def _ball(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))
