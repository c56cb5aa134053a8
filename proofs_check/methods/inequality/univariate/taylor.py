"""Exact Taylor coefficients of analytic functions at exact constants, by their recurrences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from types import MappingProxyType

from proofs_check.arithmetic.derivative import derivative
from proofs_check.arithmetic.tree import Node, call, number, symbol
from proofs_check.methods.inequality.univariate.constants import (
    ONE,
    PI,
    ZERO,
    Constant,
    exp,
    power,
    rational,
)
from proofs_check.methods.inequality.univariate.scale import NoExpansion
from proofs_check.methods.inequality.univariate.values import exact_value

MOST_DERIVATIVES = 7

_Z = symbol("z")


def coefficients(
    op: str, at: Constant, count: int, order: Fraction | None = None
) -> list[Constant]:
    """f^(k)(at)/k! for k < count; ``order`` is that of a Bessel function.

    Raises:
        NoExpansion, Unclear, NoDerivative: they are not known exactly.
    """
    if order is not None:
        return _bessel(order, at, count)
    slopes = _SLOPES.get(op)
    if slopes is not None:
        start = exact_value(call(op, _Z), {"z": at})
        steps = slopes(at, max(count - 1, 0))
        return [start, *(s.scaled(Fraction(1, k)) for k, s in enumerate(steps, start=1))][:count]
    if op in ("sinh", "cosh"):
        return _hyperbolic(op, at, count)
    if op == "tanh":
        return _tanh(at, count)
    if count > MOST_DERIVATIVES:
        raise NoExpansion(f"{op} has no exact coefficients of this order")
    return [
        exact_value(tree(op, None, k), {"z": at}).scaled(Fraction(1, factorial(k)))
        for k in range(count)
    ]


@lru_cache(maxsize=512)
def tree(op: str, order: Fraction | None, count: int) -> Node:
    """The count-th derivative of a function of z."""
    if count:
        return derivative(tree(op, order, count - 1), "z")
    return call(op, _Z) if order is None else call(op, number(order), _Z)


def _atan(at: Constant, count: int) -> list[Constant]:
    """Coefficients of 1/(1 + z^2)."""
    inverse = power(ONE + at * at, Fraction(-1))
    found: list[Constant] = []
    for k in range(count):
        if k == 0:
            found.append(inverse)
            continue
        total = (at * found[k - 1]).scaled(Fraction(2))
        total = total + found[k - 2] if k > 1 else total
        found.append(-(total * inverse))
    return found


def _asin(at: Constant, count: int) -> list[Constant]:
    """Coefficients of (1 - z^2)^(-1/2) by the recurrence of powers."""
    base = ONE - at * at
    inverse = power(base, Fraction(-1))
    parts = (base, at.scaled(Fraction(-2)), -ONE)
    found = [power(base, Fraction(-1, 2))]
    for k in range(1, count):
        total = ZERO
        for j in range(1, min(k, 2) + 1):
            weight = Fraction(-j, 2) - (k - j)
            total = total + (parts[j] * found[k - j]).scaled(weight / k)
        found.append(total * inverse)
    return found[:count]


def _acos(at: Constant, count: int) -> list[Constant]:
    return [-value for value in _asin(at, count)]


def _erf(at: Constant, count: int) -> list[Constant]:
    """Coefficients of 2/sqrt(pi) exp(-z^2) from E' = -2 z E."""
    found = [exp(-(at * at)) * power(PI, Fraction(-1, 2)).scaled(Fraction(2))]
    for k in range(count - 1):
        total = at * found[k] + (found[k - 1] if k else ZERO)
        found.append(total.scaled(Fraction(-2, k + 1)))
    return found[:count]


def _erfc(at: Constant, count: int) -> list[Constant]:
    return [-value for value in _erf(at, count)]


def _hyperbolic(op: str, at: Constant, count: int) -> list[Constant]:
    pair = [exact_value(call(name, _Z), {"z": at}) for name in ("sinh", "cosh")]
    start = 0 if op == "sinh" else 1
    return [pair[(k + start) % 2].scaled(Fraction(1, factorial(k))) for k in range(count)]


def _tanh(at: Constant, count: int) -> list[Constant]:
    """y' = 1 - y^2."""
    found = [exact_value(call("tanh", _Z), {"z": at})]
    for k in range(count - 1):
        total = ONE if k == 0 else ZERO
        for i in range(k + 1):
            total = total - found[i] * found[k - i]
        found.append(total.scaled(Fraction(1, k + 1)))
    return found[:count]


def _bessel(order: Fraction, at: Constant, count: int) -> list[Constant]:
    """I_nu^(k) = 2^-k sum_j C(k, j) I_{nu-k+2j}."""
    found = []
    for k in range(count):
        total = ZERO
        for j in range(k + 1):
            nu = rational(order - k + 2 * j)
            value = exact_value(call("besseli", symbol("n"), _Z), {"n": nu, "z": at})
            total = total + value.scaled(Fraction(comb(k, j)))
        found.append(total.scaled(Fraction(1, 2**k * factorial(k))))
    return found


_SLOPES: Mapping[str, Callable[[Constant, int], list[Constant]]] = MappingProxyType(
    {"atan": _atan, "asin": _asin, "acos": _acos, "erf": _erf, "erfc": _erfc}
)
