"""Functions on a half-line X >= start: exact leading terms and an enclosed remainder.

With x = p + 1/X, x = p - 1/X, x = X or x = -X they describe one side of a finite point or an
infinite end, not in the limit only but on the whole stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cmp_to_key
from math import floor
from typing import Any

from flint import arb

from proofs_check.recheck.balls import exact, whole_power
from proofs_check.recheck.constants import Constants, Number
from proofs_check.recheck.expansion.numbers import is_zero, power_of, product, sum_of
from proofs_check.recheck.expansion.scale import ONE, Scale
from proofs_check.recheck.formal import Unclear

Ball = Any
Term = tuple[Scale, Number]
Rest = tuple[Scale, Ball]
_LARGEST_PRODUCT = 12


@dataclass(frozen=True)
class Stretch:
    """X >= start, and how many exact terms are kept."""

    start: Fraction
    order: int
    table: Constants = field(default_factory=Constants, compare=False, repr=False)

    def number(self, value: Fraction | int) -> Number:
        """A rational number."""
        return self.table.number(value)

    def constant(self, value: Fraction | int) -> Germ:
        """A rational constant."""
        return of_number(self.number(value), self)


@dataclass(frozen=True)
class Germ:
    """f(X) = sum of number * scale (largest first) + b(X) * scale, b(X) in a ball: ``rest``.

    The equation holds at every X of the stretch; in particular f has a value there.
    """

    terms: tuple[Term, ...]
    rest: Rest | None
    stretch: Stretch

    @property
    def constant(self) -> Number | None:
        """The exact value of a constant function."""
        if self.rest is not None or len(self.terms) > 1:
            return None
        if not self.terms:
            return self.stretch.number(0)
        return self.terms[0][1] if self.terms[0][0] == ONE else None

    def __add__(self, other: Germ) -> Germ:
        return total([self, other])

    def __neg__(self) -> Germ:
        return self.scaled(-1)

    def __sub__(self, other: Germ) -> Germ:
        return self + (-other)

    def __mul__(self, other: Germ) -> Germ:
        """(A + r)(B + q) = AB + (A + r) q + r B."""
        terms = [(s * t, product(a, b)) for s, a in self.terms for t, b in other.terms]
        rests: list[Rest] = []
        if other.rest is not None and (self.terms or self.rest is not None):
            scale, ball = magnitude(self)
            rests.append((scale * other.rest[0], ball * other.rest[1]))
        if self.rest is not None and other.terms:
            scale, ball = magnitude(Germ(other.terms, None, self.stretch))
            rests.append((scale * self.rest[0], ball * self.rest[1]))
        return collected(terms, rests, self.stretch)

    def times(self, scale: Scale, factor: Number) -> Germ:
        """The product with factor * scale."""
        terms = tuple((scale * own, product(value, factor)) for own, value in self.terms)
        rest = None if self.rest is None else (scale * self.rest[0], self.rest[1] * factor.ball())
        return Germ(terms, rest, self.stretch)

    def scaled(self, factor: Fraction | int) -> Germ:
        """A rational multiple, by factor != 0."""
        terms = tuple((scale, value.scaled(factor)) for scale, value in self.terms)
        ball = exact(Fraction(factor))
        rest = None if self.rest is None else (self.rest[0], self.rest[1] * ball)
        return Germ(terms, rest, self.stretch)

    def plus(self, value: Number | int | Fraction) -> Germ:
        """The sum with a constant."""
        number = value if isinstance(value, Number) else self.stretch.number(value)
        return self + of_number(number, self.stretch)


def of_number(value: Number, stretch: Stretch) -> Germ:
    """A constant."""
    return Germ(((ONE, value),) if value.form.terms else (), None, stretch)


def fuzzy(ball: Ball, stretch: Stretch) -> Germ:
    """A function with all values in a ball."""
    if not ball.is_finite():
        raise Unclear("no finite enclosure of the values")
    return Germ((), (ONE, ball), stretch)


def total(germs: Sequence[Germ]) -> Germ:
    """The sum."""
    terms = [term for germ in germs for term in germ.terms]
    rests = [germ.rest for germ in germs if germ.rest is not None]
    return collected(terms, rests, germs[0].stretch)


def _compared(left: Scale, right: Scale) -> int:
    """Negative if left grows faster."""
    return -left.over(right).growth


def _largest_first(scales: Iterable[Scale]) -> list[Scale]:
    found = list(scales)
    if any(scale.rates for scale in found):
        return sorted(found, key=cmp_to_key(_compared))
    return sorted(found, key=lambda scale: (scale.power, scale.logs), reverse=True)


def collected(terms: Iterable[Term], rests: Sequence[Rest], stretch: Stretch) -> Germ:
    """The sum, sorted; terms below the remainder or beyond the order become part of it."""
    rests = [(scale, ball) for scale, ball in rests if not ball.is_zero()]
    found: dict[Scale, Number] = {}
    for scale, value in terms:
        found[scale] = sum_of(found[scale], value) if scale in found else value
    order = _largest_first(scale for scale, value in found.items() if value.form.terms)
    top = _largest_first(scale for scale, _ in rests)[0] if rests else None
    exact: list[Term] = []
    small: list[Rest] = list(rests)
    for scale in order:
        value = found[scale]
        if top is not None and _compared(scale, top) >= 0:
            small.append((scale, value.ball()))
        elif not is_zero(value):
            if len(exact) < stretch.order:
                exact.append((scale, value))
                continue
            # The remainder grows to the first term that is no longer kept.
            top = scale
            small.append((scale, value.ball()))
    if top is None:
        return Germ(tuple(exact), None, stretch)
    ball = arb(0)
    for scale, part in small:
        ball += part * _share(scale, top, stretch)
    return Germ(tuple(exact), (top, ball), stretch)


def _share(small: Scale, large: Scale, stretch: Stretch) -> Ball:
    """The values of small/large on the stretch: 1, or in (0, the largest]."""
    if small == large:
        return arb(1)
    return arb(0).union(small.over(large).largest(stretch.start))


def magnitude(germ: Germ) -> Rest:
    """(scale, ball) with germ/scale in the ball on the stretch; the leading scale.

    Raises:
        Unclear: the germ is exactly zero, or a term is not seen to be smaller than the leading one.
    """
    if not germ.terms:
        if germ.rest is None:
            raise Unclear("zero has no magnitude")
        return germ.rest
    top = germ.terms[0][0]
    ball = arb(0)
    for scale, value in germ.terms:
        ball += value.ball() * _share(scale, top, germ.stretch)
    if germ.rest is not None:
        ball += germ.rest[1] * _share(germ.rest[0], top, germ.stretch)
    return top, ball


def sign_on(germ: Germ) -> int:
    """The sign on the whole stretch, 0 if exactly zero.

    Raises:
        Unclear: it is not seen.
    """
    if not germ.terms and germ.rest is None:
        return 0
    ball = magnitude(germ)[1]
    if ball > 0 or ball < 0:
        return 1 if ball > 0 else -1
    raise Unclear("a sign that is not seen")


def limits(germ: Germ) -> tuple[Germ, Number, Germ]:
    """The parts that tend to infinity, the constant, and the part that tends to 0.

    Raises:
        Unclear: the remainder does not tend to 0.
    """
    if germ.rest is not None and germ.rest[0].growth >= 0:
        raise Unclear("the remainder does not tend to zero")
    large: list[Term] = []
    small: list[Term] = []
    value = germ.stretch.number(0)
    for scale, own in germ.terms:
        if scale == ONE:
            value = own
        else:
            (large if scale.growth > 0 else small).append((scale, own))
    stretch = germ.stretch
    return Germ(tuple(large), None, stretch), value, Germ(tuple(small), germ.rest, stretch)


def bounded(germ: Germ) -> Ball:
    """All values of a bounded germ on the stretch.

    Raises:
        Unclear: it is not seen to be bounded.
    """
    if not germ.terms and germ.rest is None:
        return arb(0)
    scale, ball = magnitude(germ)
    return ball * _share(scale, ONE, germ.stretch)


def series(coefficients: Sequence[Number], last: Ball, small: Germ) -> Germ:
    """sum_k<n c_k small^k + last * small^n, with ``last`` around the n-th Taylor coefficient at all
    points between the centre and the values (Lagrange's remainder).
    """
    stretch = small.stretch
    if not small.terms and small.rest is None:
        return of_number(coefficients[0], stretch)
    if not last.is_finite():
        raise Unclear("no finite remainder")
    result = stretch.constant(0)
    for value in reversed(coefficients):
        result = (result * small).plus(value)
    scale, ball = magnitude(small)
    count = len(coefficients)
    rest = (scale.raised(count), last * whole_power(ball, count))
    present = [] if result.rest is None else [result.rest]
    return collected(result.terms, [*present, rest], stretch)


def count_for(small: Germ) -> int:
    """How many Taylor terms reach the order of the stretch."""
    if not small.terms:
        return 1
    scale, order = small.terms[0][0], small.stretch.order
    if scale.rates or scale.power > -1:
        return order
    return max(1, 1 - floor(order / scale.power))


def factored(germ: Germ) -> tuple[Scale, Number, Germ]:
    """germ = number * scale * (1 + small), with 1 + small > 0 on the stretch.

    Raises:
        Unclear: the leading term is not known exactly or does not dominate from the start on.
    """
    if not germ.terms:
        raise Unclear("the leading term is unknown")
    scale, value = germ.terms[0]
    tail = Germ(germ.terms[1:], germ.rest, germ.stretch)
    small = tail.times(scale.raised(-1), value.inverse())
    if not 1 + bounded(small) > 0:
        raise Unclear("the leading term does not dominate from here on")
    return scale, value, small


def raised(germ: Germ, exponent: Fraction) -> Germ:
    """germ^exponent, by the binomial series round its leading term.

    Raises:
        Unclear: no expansion, or the base is not seen to be allowed.
    """
    if exponent.denominator == 1 and 0 < exponent <= _LARGEST_PRODUCT:
        result = germ
        for _ in range(int(exponent) - 1):
            result = result * germ
        return result
    if not germ.terms and germ.rest is None and exponent > 0:
        return germ
    scale, value, small = factored(germ)
    lead = value.power(exponent)
    count = count_for(small)
    coefficients, current = [], Fraction(1)
    for k in range(count):
        coefficients.append(germ.stretch.number(current))
        current = current * (exponent - k) / (k + 1)
    hull = arb(1).union(1 + bounded(small))
    body = series(coefficients, exact(current) * power_of(hull, exponent - count), small)
    return body.times(scale.raised(exponent), lead)
