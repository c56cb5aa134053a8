"""What expansions need of exact constants and of balls beyond their own operations."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

from proofs_check.recheck.balls import exact
from proofs_check.recheck.constants import Number, certain_sign
from proofs_check.recheck.formal import Unclear

Ball = Any

_MOST_TERMS = 120
_MOST_PRODUCTS = 1_000


def is_zero(value: Number) -> bool:
    """Whether the value is exactly 0.

    Raises:
        Unclear: it cannot be told.
    """
    return certain_sign(value) == 0 if value.ball().contains(0) else False


def sum_of(first: Number, second: Number) -> Number:
    """The sum.

    Raises:
        Unclear: it has too many terms to go on with.
    """
    found = first + second
    if len(found.form.terms) > _MOST_TERMS:
        raise Unclear(f"a constant of more than {_MOST_TERMS} terms")
    return found


def product(first: Number, second: Number) -> Number:
    """The product.

    Raises:
        Unclear: it would have too many terms to go on with.
    """
    if len(first.form.terms) * len(second.form.terms) > _MOST_PRODUCTS:
        raise Unclear(f"a product of more than {_MOST_PRODUCTS} terms")
    return first * second


def evaluated(name: str, args: list[Number]) -> Number:
    """An operation or function at constants.

    Raises:
        Unclear: it has no value there, or that cannot be told.
    """
    if name == "+":
        return reduce(lambda a, b: a + b, args)
    if name == "*":
        return reduce(lambda a, b: a * b, args)
    if name != "^":
        return args[0].apply(name, *args[1:])
    base, exponent = args
    known = exponent.rational
    return base.power(known) if known is not None else (exponent * base.apply("log")).apply("exp")


def power_of(base: Ball, exponent: Fraction) -> Ball:
    """base^exponent for a ball > 0: monotone, so that the ends give it."""
    power = exact(exponent)
    return (base.lower() ** power).union(base.upper() ** power)
