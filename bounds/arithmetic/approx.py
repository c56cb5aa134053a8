"""Float64 numbers that carry a stated error: ``|x - value| <= error`` for the true number x.

Every operation adds the rounding of the result to the propagated errors. Errors are themselves
computed in floats, so each bound is finally enlarged by 16 roundings and, where a product may
underflow, by a few of the smallest positive floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.arithmetic.convert import float_above
from bounds.errors import ParameterError, UndefinedError

UNIT_ROUNDOFF = 2.0**-53
SMALLEST = 2.0**-1074
_LIBRARY_ULPS = 4 * 2.0**-52


@dataclass(frozen=True, slots=True)
class Approx:
    """A number known to lie in [value - error, value + error]; both finite."""

    value: float
    error: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.error < math.inf):
            raise UndefinedError(
                f"{self.value} +/- {self.error}: a float result overflows; use the ball field"
            )

    @classmethod
    def enclosing(cls, number: Fraction | int) -> Approx:
        """The nearest float, with its exact distance rounded up."""
        number = Fraction(number)
        try:
            value = float(number)
        except OverflowError:
            raise ParameterError("value", number, "too large for a float; use balls") from None
        p, q = value.as_integer_ratio()
        missed = abs(number.numerator * q - p * number.denominator)
        return cls(value, float_above(Fraction(missed, number.denominator * q)) if missed else 0.0)

    @classmethod
    def between(cls, low: float, high: float) -> Approx:
        """An unknown number in [low, high]."""
        middle = low / 2 + high / 2
        return cls(middle, above(max(high - middle, middle - low)))

    @property
    def low(self) -> float:
        """A float at or below every number enclosed."""
        return self.value if not self.error else math.nextafter(self.value - self.error, -math.inf)

    @property
    def high(self) -> float:
        """A float at or above every number enclosed."""
        return self.value if not self.error else math.nextafter(self.value + self.error, math.inf)

    def end_points(self) -> tuple[Fraction, Fraction]:
        """The exact ends value - error and value + error."""
        value, error = Fraction(self.value), Fraction(self.error)
        return value - error, value + error

    def is_zero(self) -> bool:
        """Certainly 0."""
        return self.value == 0.0 and self.error == 0.0

    def __neg__(self) -> Approx:
        return Approx(-self.value, self.error)

    def __add__(self, other: Approx) -> Approx:
        if not isinstance(other, Approx):
            return NotImplemented
        value = self.value + other.value
        # The sum of two floats is exact when it is 0 or subnormal.
        return Approx(value, above(self.error + other.error + UNIT_ROUNDOFF * abs(value)))

    def __sub__(self, other: Approx) -> Approx:
        return self + (-other) if isinstance(other, Approx) else NotImplemented

    def __mul__(self, other: Approx) -> Approx:
        if not isinstance(other, Approx):
            return NotImplemented
        if self.is_zero() or other.is_zero():
            return Approx(0.0)
        value = self.value * other.value
        spread = abs(self.value) * other.error + self.error * (abs(other.value) + other.error)
        return Approx(value, above(spread + UNIT_ROUNDOFF * abs(value) + 8 * SMALLEST))

    def __truediv__(self, other: Approx) -> Approx:
        if not isinstance(other, Approx):
            return NotImplemented
        divisor = below(abs(other.value) - other.error)
        if divisor <= 0.0:
            raise UndefinedError(f"division by {other.value} +/- {other.error}, which may be 0")
        if self.is_zero():
            return Approx(0.0)
        value = self.value / other.value
        spread = self.error + above(abs(value)) * other.error
        if spread or self.error or other.error:
            spread = (spread + 8 * SMALLEST) / divisor
        return Approx(value, above(spread + UNIT_ROUNDOFF * abs(value) + 8 * SMALLEST))


def above(bound: float) -> float:
    """A float above a non-negative bound computed with at most 8 roundings; 0 stays 0."""
    return math.nextafter(bound * (1 + 2.0**-49), math.inf) if bound else 0.0


def below(bound: float) -> float:
    """A float below a bound computed with at most 8 roundings of positive terms."""
    return math.nextafter(bound * (1 - 2.0**-49), -math.inf) if bound > 0 else bound


def rounded(function: Callable[[float], float], at: float, spread: float) -> Approx:
    """A libm result (at most 4 ulp off) plus an already bounded ``spread``."""
    try:
        value = function(at)
    except OverflowError:
        raise UndefinedError(f"a float function overflows at {at}; use the ball field") from None
    return Approx(value, above(spread + _LIBRARY_ULPS * abs(value) + 8 * SMALLEST))
