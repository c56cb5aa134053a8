"""The scale of growth at X -> infinity: monomials exp(sum c X^r (log X)^s) X^a (log X)^b.

All bounds hold on a whole half-line X >= M, not only in the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from bounds.errors import BoundsError
from proofs_check.methods.inequality.univariate.constants import ZERO, Constant, rational

Ball = Any
Rate = tuple[Fraction, int]


class NoExpansion(BoundsError, ArithmeticError):
    """A function has no expansion of the kind known here, or not on this half-line."""


@dataclass(frozen=True)
class Scale:
    """exp(sum c X^r (log X)^s) X^power (log X)^logs; ``rates`` holds ((r, s), c), largest first."""

    power: Fraction = Fraction(0)
    logs: int = 0
    rates: tuple[tuple[Rate, Constant], ...] = ()

    def __mul__(self, other: Scale) -> Scale:
        if not self.rates and not other.rates:
            return Scale(self.power + other.power, self.logs + other.logs)
        rates = dict(self.rates)
        for rate, value in other.rates:
            rates[rate] = rates[rate] + value if rate in rates else value
        kept = [(rate, rates[rate]) for rate in sorted(rates, reverse=True)]
        return Scale(
            self.power + other.power,
            self.logs + other.logs,
            tuple((rate, value) for rate, value in kept if value.terms),
        )

    def raised(self, exponent: Fraction) -> Scale:
        """The power of the monomial; logarithms allow only whole exponents."""
        logs = self.logs * exponent
        if logs.denominator != 1:
            raise NoExpansion("a fractional power of a logarithm")
        rates = (
            tuple((rate, value.scaled(exponent)) for rate, value in self.rates) if exponent else ()
        )
        return Scale(self.power * exponent, int(logs), rates)

    def over(self, other: Scale) -> Scale:
        """The quotient."""
        if not self.rates and not other.rates:
            return Scale(self.power - other.power, self.logs - other.logs)
        return self * other.raised(Fraction(-1))

    @property
    def growth(self) -> int:
        """1 if it tends to infinity, 0 if it is 1, -1 if it tends to 0."""
        for (r, _), value in self.rates:
            sign = value.sign() if r else 0
            if sign:
                return sign
        sign = (rational(self.power) + self._irrational).sign()
        return sign or (self.logs > 0) - (self.logs < 0)

    @property
    def _irrational(self) -> Constant:
        """The irrational part c of the power of X, kept as exp(c log X)."""
        return dict(self.rates).get((Fraction(0), 1), ZERO)

    def largest(self, start: Fraction) -> Ball:
        """An upper bound on X >= start of a monomial that is 1 or decreases there.

        Raises:
            NoExpansion: it is not seen to decrease from ``start`` on.
        """
        if not self.rates and not self.logs:
            if self.power > 0:
                raise NoExpansion("a monomial that grows")
            return _ball(start) ** _ball(self.power) if self.power else arb(1)
        needed = bool(self.logs) or any(s for (_, s), _ in self.rates)
        x, log = _ball(start), _positive_log(start) if needed else arb(1)
        if not self._decreases(x, log):
            raise NoExpansion("a monomial that does not decrease from here on")
        exponent = arb(0)
        for (r, s), value in self.rates:
            exponent += value.ball() * x ** _ball(r) * log**s
        return exponent.exp() * x ** _ball(self.power) * log**self.logs

    def _decreases(self, x: Ball, log: Ball) -> bool:
        """Whether X d/dX of its logarithm is <= 0 from x on, the leading part against the rest."""
        parts = [
            (r, s, value.ball() * _slope(r, s, value, log)) for (r, s), value in self.rates if r
        ]
        parts.append((Fraction(0), 0, _ball(self.power) + self._irrational.ball()))
        parts.append((Fraction(0), -1, arb(self.logs)))
        while parts and parts[0][2] == 0:
            parts.pop(0)
        if not parts:
            return True
        (r, s, lead), *others = parts
        total = lead
        for other_r, other_s, value in others:
            if value <= 0:
                continue
            total += value.upper() * _largest_power(other_r - r, other_s - s, x, log)
        return bool(total <= 0)


def _slope(r: Fraction, s: int, value: Constant, log: Ball) -> Ball:
    """Bound of X d/dX [X^r L^s] / (X^r L^s) = r + s/L on L >= log, upwards for value > 0 and
    downwards for value < 0, so that value times it is an upper bound.
    """
    ends = (_ball(r), _ball(r) + s / log)
    larger = s > 0
    sign = value.sign()
    if sign > 0:
        return ends[1] if larger else ends[0]
    return ends[0] if larger else ends[1]


def _largest_power(p: Fraction, q: int, x: Ball, log: Ball) -> Ball:
    """Upper bound of X^p L^q on X >= x for (p, q) lexicographically <= (0, 0)."""
    if p == 0 and q <= 0:
        return log**q
    if p > 0 or (p == 0 and q > 0):
        raise NoExpansion("a monomial that grows")
    if q > 0 and not log * _ball(-p) >= q:
        raise NoExpansion("a monomial that does not decrease from here on")
    return x ** _ball(p) * log**q


def _positive_log(start: Fraction) -> Ball:
    if start < 2:
        raise NoExpansion("logarithms need a start of at least 2")
    return _ball(start).log()


def _ball(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


ONE_SCALE = Scale()
