"""Polynomials and rational functions of one variable: the sign on an interval, decided exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_poly

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval, literal

Polynomial = Any

HIGHEST_DEGREE = 120


@dataclass(frozen=True)
class Quotient:
    """top/bottom, not reduced, so that zeros of the bottom stay visible."""

    top: Polynomial
    bottom: Polynomial


def rational_function(node: Node, name: str) -> Quotient | None:
    """The tree as a quotient of polynomials, or None if it is none of moderate degree."""
    done: dict[Node, Quotient] = {}
    one = fmpq_poly([1])
    for part in node.nodes():
        args = [done[arg] for arg in part.args if arg in done]
        if part.op == "symbol":
            done[part] = Quotient(fmpq_poly([0, 1]), one)
        elif part.op == "number" and isinstance(part.value, Fraction):
            done[part] = Quotient(fmpq_poly([_rational(part.value)]), one)
        elif len(args) < len(part.args) or part.op not in ("+", "-", "*", "/", "^"):
            return None
        else:
            found = _combined(part, args)
            if found is None or max(found.top.degree(), found.bottom.degree()) > HIGHEST_DEGREE:
                return None
            done[part] = found
    return done[node] if set(node.symbols()) <= {name} else None


def _combined(node: Node, args: list[Quotient]) -> Quotient | None:
    first = args[0]
    if node.op == "-":
        return Quotient(-first.top, first.bottom)
    if node.op == "^":
        exponent = literal(node.args[1])
        if exponent is None or exponent.denominator != 1:
            return None
        size = abs(int(exponent))
        if size * max(first.top.degree(), first.bottom.degree(), 1) > HIGHEST_DEGREE:
            return None
        top, bottom = first.top**size, first.bottom**size
        return Quotient(top, bottom) if exponent >= 0 else Quotient(bottom, top)
    result = first
    for other in args[1:]:
        result = _pair(node.op, result, other)
    return result


def _pair(op: str, a: Quotient, b: Quotient) -> Quotient:
    if op == "+":
        if a.bottom == b.bottom:
            return Quotient(a.top + b.top, a.bottom)
        return Quotient(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
    if op == "*":
        return Quotient(a.top * b.top, a.bottom * b.bottom)
    return Quotient(a.top * b.bottom, a.bottom * b.top)


def _rational(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)


def nonnegative(quotient: Quotient, interval: Interval, *, strict: bool) -> bool:
    """Whether top/bottom >= 0 (> 0) on an interval where bottom has no zero.

    With p = top * bottom: the product of the factors of odd multiplicity must have no zero inside
    and p be positive at one point; when strict, p must have no zero at all in the interval.
    False means that it is certainly not so (or that bottom has a zero there).
    """
    product = quotient.top * quotient.bottom
    if product == 0:
        return not strict
    if roots_in(_square_free(quotient.bottom, every=True), interval):
        return False
    if interval.low is not None and interval.low == interval.high:
        value = product(_rational(interval.low))
        return bool(value > 0) or (value == 0 and not strict)
    odd = _square_free(product, every=False)
    whole = _square_free(product, every=True)
    inside = Interval(interval.low, interval.high, True, True)
    if roots_in(odd, inside) or (strict and roots_in(whole, interval)):
        return False
    return _sign_near(odd, product, inner_point(interval)) >= 0


def _sign_near(odd: Polynomial, product: Polynomial, point: Fraction) -> int:
    """The sign of the product around a point where the odd part is not zero.

    The odd part has the sign of the product up to that of the leading coefficients.
    """
    value = odd(_rational(point))
    sign = (value > 0) - (value < 0)
    leading = product.coeffs()[-1] * odd.coeffs()[-1]
    return int(sign) if leading > 0 else -int(sign)


def _square_free(polynomial: Polynomial, *, every: bool) -> Polynomial:
    """The product of the irreducible factors, all or those of odd multiplicity."""
    result = fmpq_poly([1])
    if polynomial.degree() < 1:
        return result
    for factor, multiplicity in polynomial.factor()[1]:
        if every or multiplicity % 2:
            result *= factor
    return result


def inner_point(interval: Interval) -> Fraction:
    """A simple point inside an interval (its only point if it is one)."""
    low, high = interval.low, interval.high
    if low is not None and high is not None:
        return (low + high) / 2
    if low is not None:
        return low + 1
    return high - 1 if high is not None else Fraction(0)


def roots_in(polynomial: Polynomial, interval: Interval) -> int:
    """How many real roots of a square-free polynomial lie in the interval, by Sturm's theorem."""
    if polynomial.degree() < 1:
        return 0
    chain = _chain(polynomial)
    count = _variations(chain, interval.low, -1) - _variations(chain, interval.high, 1)
    # Sturm counts the roots in (low, high].
    if interval.low is not None and not interval.open_low:
        count += polynomial(_rational(interval.low)) == 0
    if interval.high is not None and (interval.open_high or interval.low == interval.high):
        count -= polynomial(_rational(interval.high)) == 0 and interval.low != interval.high
    return int(count)


def _chain(polynomial: Polynomial) -> list[Polynomial]:
    chain = [polynomial, polynomial.derivative()]
    while chain[-1].degree() > 0:
        rest = chain[-2] % chain[-1]
        if rest == 0:
            break
        size = abs(rest.coeffs()[-1])
        chain.append(-rest / size)
    return chain


def _variations(chain: list[Polynomial], point: Fraction | None, side: int) -> int:
    signs = []
    for polynomial in chain:
        if point is None:
            leading = polynomial.coeffs()[-1]
            value = leading if side > 0 or polynomial.degree() % 2 == 0 else -leading
        else:
            value = polynomial(_rational(point))
        if value != 0:
            signs.append(value > 0)
    return sum(a != b for a, b in pairwise(signs))
