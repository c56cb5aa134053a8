"""Rational functions in finitely many atoms, with exact rational coefficients (FLINT)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

ATOM_LIMIT = 96


@cache
def polynomial_ring() -> Any:
    """QQ[x0, ..., x95]; the meaning of each atom is kept by the algebra that uses it."""
    return fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(ATOM_LIMIT)), Ordering.lex)


@cache
def _generators() -> tuple[Any, ...]:
    return tuple(polynomial_ring().gens())


def used_atoms(polynomial: Any) -> frozenset[int]:
    """The atoms that occur in a polynomial."""
    return frozenset(i for i, d in enumerate(polynomial.degrees()) if d > 0)


def coefficients_in(polynomial: Any, atom: int) -> dict[int, Any]:
    """The coefficients (polynomials without the atom) of the powers of one atom."""
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for exponents, value in polynomial.to_dict().items():
        rest = (*exponents[:atom], 0, *exponents[atom + 1 :])
        parts.setdefault(exponents[atom], {})[rest] = value
    return {d: polynomial_ring().from_dict(part) for d, part in parts.items()}


@dataclass(frozen=True, eq=False)
class Ratio:
    """A quotient of polynomials in lowest terms with monic denominator.

    Whoever divides must first show that the divisor is not zero: the class only computes.
    """

    num: Any
    den: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and bool(self.num == other.num and self.den == other.den)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_zero(self) -> bool:
        return bool(self.num.is_zero())

    @property
    def is_one(self) -> bool:
        return bool(self.num.is_one() and self.den.is_one())

    @property
    def is_constant(self) -> bool:
        return bool(self.num.is_constant() and self.den.is_constant())

    def __add__(self, other: Ratio) -> Ratio:
        if self.den == other.den:
            return quotient(self.num + other.num, self.den)
        return quotient(self.num * other.den + other.num * self.den, self.den * other.den)

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        return quotient(self.num * other.num, self.den * other.den)

    def __truediv__(self, other: Ratio) -> Ratio:
        return quotient(self.num * other.den, self.den * other.num)

    def power(self, exponent: int) -> Ratio:
        if exponent < 0:
            return ONE() / self.power(-exponent)
        return Ratio(self.num**exponent, self.den**exponent)

    def atoms(self) -> frozenset[int]:
        return used_atoms(self.num) | used_atoms(self.den)

    def key(self) -> str:
        """A string that determines the value."""
        return f"({self.num})/({self.den})"

    def substitute(self, atom: int, value: Ratio) -> Ratio:
        """The rational function with ``value`` put in for one atom."""
        return _evaluate(self.num, atom, value) / _evaluate(self.den, atom, value)


def quotient(num: Any, den: Any) -> Ratio:
    """num / den in lowest terms; ZeroDivisionError if den is the zero polynomial."""
    if den.is_zero():
        raise ZeroDivisionError("quotient by the zero polynomial")
    if num.is_zero():
        return ZERO()
    if not den.is_constant():
        common = num.gcd(den)
        num, den = num // common, den // common
    scale = 1 / den.leading_coefficient()
    return Ratio(num * scale, den * scale)


def _evaluate(polynomial: Any, atom: int, value: Ratio) -> Ratio:
    parts = coefficients_in(polynomial, atom)
    degree = max(parts, default=0)
    top = polynomial_ring().from_dict({})
    for d, part in parts.items():
        top += part * value.num**d * value.den ** (degree - d)
    return quotient(top, value.den**degree)


@cache
def ZERO() -> Ratio:
    return constant(0)


@cache
def ONE() -> Ratio:
    return constant(1)


def constant(value: Any) -> Ratio:
    """A rational number (int or fmpq)."""
    ring = polynomial_ring()
    return Ratio(ring.constant(fmpq(value)), ring.constant(fmpq(1)))


def of_polynomial(polynomial: Any) -> Ratio:
    return Ratio(polynomial, polynomial_ring().constant(fmpq(1)))


def variable(atom: int) -> Ratio:
    """The atom itself as a rational function."""
    return of_polynomial(_generators()[atom])


def total(values: Iterable[Ratio]) -> Ratio:
    result = ZERO()
    for value in values:
        result = result + value
    return result
