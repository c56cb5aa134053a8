"""The scale of growth as X -> infinity: exp(sum c X^r (log X)^s) X^a (log X)^b.

All bounds hold on a whole half-line X >= start, not only in the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from proofs_check.recheck.balls import exact
from proofs_check.recheck.constants import Number, certain_sign
from proofs_check.recheck.formal import Unclear

Ball = Any
Rate = tuple[Fraction, int]
_ZERO = Fraction(0)
LOGARITHM: Rate = (_ZERO, 1)
_LEAST_START_OF_LOGS = 2
_LARGEST_WHOLE = 64


@dataclass(frozen=True)
class Scale:
    """The monomial; ``rates`` holds ((r, s), c) by falling (r, s), r > 0 or (r, s) = (0, 1)."""

    power: Fraction = _ZERO
    logs: int = 0
    rates: tuple[tuple[Rate, Number], ...] = ()

    def __mul__(self, other: Scale) -> Scale:
        power, logs = self.power + other.power, self.logs + other.logs
        if not self.rates and not other.rates:
            return Scale(power, logs)
        rates = dict(self.rates)
        for rate, value in other.rates:
            rates[rate] = rates[rate] + value if rate in rates else value
        kept = tuple((rate, rates[rate]) for rate in sorted(rates, reverse=True))
        return Scale(power, logs, tuple((rate, value) for rate, value in kept if value.form.terms))

    def raised(self, exponent: Fraction | int) -> Scale:
        """The power of the monomial; logarithms allow only whole exponents."""
        logs = self.logs * Fraction(exponent)
        if logs.denominator != 1:
            raise Unclear("a fractional power of a logarithm")
        rates = tuple((rate, value.scaled(exponent)) for rate, value in self.rates)
        return Scale(self.power * exponent, int(logs), rates if exponent else ())

    def over(self, other: Scale) -> Scale:
        """The quotient."""
        if not self.rates and not other.rates:
            return Scale(self.power - other.power, self.logs - other.logs)
        return self * other.raised(-1)

    @property
    def growth(self) -> int:
        """1 if it tends to infinity, 0 if it is 1, -1 if it tends to 0."""
        for (r, _), value in self.rates:
            sign = certain_sign(value) if r else 0
            if sign:
                return sign
        irrational = dict(self.rates).get(LOGARITHM)
        if irrational is None:
            sign = (self.power > 0) - (self.power < 0)
        else:
            sign = certain_sign(irrational + irrational.table.number(self.power))
        return sign or (self.logs > 0) - (self.logs < 0)

    def largest(self, start: Fraction) -> Ball:
        """An upper bound on X >= start, for a monomial that does not increase there.

        Raises:
            Unclear: it is not seen to decrease from ``start`` on.
        """
        if not self.rates and not self.logs:
            if self.power > 0:
                raise Unclear("a monomial that grows")
            return _power(start, self.power)
        if start < _LEAST_START_OF_LOGS:
            raise Unclear("logarithms need a start of at least 2")
        log = exact(start).log()
        if not self._falls(start, log):
            raise Unclear("a monomial that does not decrease from here on")
        exponent = arb(0)
        for (r, s), value in self.rates:
            exponent += value.ball() * _power(start, r) * log**s
        return exponent.exp() * _power(start, self.power) * log**self.logs

    def _falls(self, start: Fraction, log: Ball) -> bool:
        """Whether X d/dX of its logarithm, sum of a X^p L^q, is <= 0 on X >= start: the leading
        part against the largest values of the others that are positive, all over X^p L^q.
        """
        parts: dict[Rate, Ball] = {(_ZERO, 0): exact(self.power), (_ZERO, -1): arb(self.logs)}
        for (r, s), value in self.rates:
            ball = value.ball()
            for rate, part in (((r, s), ball * exact(r)), ((r, s - 1), ball * s)):
                parts[rate] = parts[rate] + part if rate in parts else part
        ordered = [(rate, parts[rate]) for rate in sorted(parts, reverse=True)]
        ordered = [(rate, part) for rate, part in ordered if not part.is_zero()]
        if not ordered:
            return True
        (p, q), total = ordered[0]
        for (r, s), part in ordered[1:]:
            if not part <= 0:
                total += part.upper() * _largest_power(r - p, s - q, start, log)
        return bool(total <= 0)


def _largest_power(p: Fraction, q: int, start: Fraction, log: Ball) -> Ball:
    """The largest X^p L^q on X >= start for (p, q) < (0, 0)."""
    if q > 0 and not log * exact(-p) >= q:
        raise Unclear("a monomial that does not decrease from here on")
    return _power(start, p) * log**q


def _power(start: Fraction, exponent: Fraction) -> Ball:
    if exponent.denominator == 1 and abs(exponent) <= _LARGEST_WHOLE:
        return exact(start ** int(exponent))
    return exact(start) ** exact(exponent)


ONE = Scale()
