"""Exact Taylor coefficients of the functions at exact numbers, by the equations they satisfy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb, factorial
from types import MappingProxyType

from proofs_check.recheck.constants import Number
from proofs_check.recheck.expansion.numbers import evaluated, product

_HALF = Fraction(1, 2)


def coefficients(name: str, at: Number, count: int) -> list[Number]:
    """f^(k)(at)/k! for k < count.

    Raises:
        Unclear: they are not known exactly.
    """
    rule = _RULES.get(name)
    if rule is not None:
        return rule(at, count)
    # f(at), then the coefficients of f' one by one.
    slopes = _SLOPES[name](at, count - 1) if count > 1 else []
    return [at.apply(name), *(slope.scaled(Fraction(1, k + 1)) for k, slope in enumerate(slopes))]


def known(name: str) -> bool:
    """Whether :func:`coefficients` has the function."""
    return name in _RULES or name in _SLOPES


def _power(base: Sequence[Number], exponent: Fraction, count: int) -> list[Number]:
    """(b_0 + b_1 u + ...)^q, from b y' = q b' y."""
    inverse = base[0].inverse()
    found = [base[0].power(exponent)]
    for k in range(1, count):
        total = base[0].table.number(0)
        for j in range(1, min(k, len(base) - 1) + 1):
            total = total + product(base[j], found[k - j]).scaled((j * exponent - k + j) / k)
        found.append(product(total, inverse))
    return found


def _atan_slope(at: Number, count: int) -> list[Number]:
    """1/(1 + (c + u)^2)."""
    one = at.table.number(1)
    return _power((one + at * at, at.scaled(2), one), Fraction(-1), count)


def _asin_slope(at: Number, count: int) -> list[Number]:
    """(1 - (c + u)^2)^(-1/2)."""
    one = at.table.number(1)
    return _power((one - at * at, at.scaled(-2), -one), -_HALF, count)


def _erf_slope(at: Number, count: int) -> list[Number]:
    """2/sqrt(pi) exp(-(c + u)^2) =: y, from y' = -2 (c + u) y."""
    found = [(-(at * at)).apply("exp") * at.table.pi.power(-_HALF).scaled(2)]
    for k in range(1, count):
        total = at * found[k - 1] + (found[k - 2] if k > 1 else at.table.number(0))
        found.append(total.scaled(Fraction(-2, k)))
    return found


def _negative(rule: Callable[[Number, int], list[Number]]) -> Callable[[Number, int], list[Number]]:
    return lambda at, count: [-value for value in rule(at, count)]


def _exp(at: Number, count: int) -> list[Number]:
    start = at.apply("exp")
    return [start.scaled(Fraction(1, factorial(k))) for k in range(count)]


def _cycle(names: Sequence[str], signs: Sequence[int]) -> Callable[[Number, int], list[Number]]:
    """Functions whose derivatives repeat."""

    def rule(at: Number, count: int) -> list[Number]:
        values = [at.apply(name).scaled(sign) for name, sign in zip(names, signs, strict=True)]
        turn = len(values)
        return [values[k % turn].scaled(Fraction(1, factorial(k))) for k in range(count)]

    return rule


def _tanh(at: Number, count: int) -> list[Number]:
    """y' = 1 - y^2."""
    found = [at.apply("tanh")]
    for k in range(count - 1):
        total = at.table.number(0 if k else 1)
        for i in range(k + 1):
            total = total - product(found[i], found[k - i])
        found.append(total.scaled(Fraction(1, k + 1)))
    return found


def _lambertw(at: Number, count: int) -> list[Number]:
    """y' (x + e^y) = 1 with e^y =: z, z' = z y'."""
    found = [at.apply("lambertw")]
    grown = [found[0].apply("exp")]
    inverse = (at + grown[0]).inverse()
    for k in range(1, count):
        total = at.table.number(1 if k == 1 else 0)
        for j in range(1, k):
            factor = grown[j] + at.table.number(1 if j == 1 else 0)
            total = total - product(factor, found[k - j]).scaled(k - j)
        found.append(product(total, inverse).scaled(Fraction(1, k)))
        slopes = [product(grown[k - j], found[j]).scaled(Fraction(j, k)) for j in range(1, k + 1)]
        grown.append(evaluated("+", slopes))
    return found


def _log_gamma(order: int) -> Callable[[Number, int], list[Number]]:
    """log gamma and its derivatives: the n-th one is (-1)^n (n-1)! zeta(n, x) for n > 1."""

    def rule(at: Number, count: int) -> list[Number]:
        found = []
        for k in range(count):
            n = k + order
            if n < 2:
                found.append(at.apply(("loggamma", "digamma")[n]))
            else:
                weight = Fraction((-1) ** n * factorial(n - 1), factorial(k))
                found.append(at.table.number(n).apply("hurwitz", at).scaled(weight))
        return found

    return rule


def bessel(order: Fraction, at: Number, count: int) -> list[Number]:
    """I_v^(k) = 2^-k sum_j C(k, j) I_{v-k+2j}."""
    found = []
    for k in range(count):
        parts = [
            at.table.number(order - k + 2 * j).apply("besseli", at).scaled(comb(k, j))
            for j in range(k + 1)
        ]
        found.append(evaluated("+", parts).scaled(Fraction(1, 2**k * factorial(k))))
    return found


_RULES: Mapping[str, Callable[[Number, int], list[Number]]] = MappingProxyType(
    {
        "exp": _exp,
        "sin": _cycle(("sin", "cos", "sin", "cos"), (1, 1, -1, -1)),
        "cos": _cycle(("cos", "sin", "cos", "sin"), (1, -1, -1, 1)),
        "sinh": _cycle(("sinh", "cosh"), (1, 1)),
        "cosh": _cycle(("cosh", "sinh"), (1, 1)),
        "tanh": _tanh,
        "lambertw": _lambertw,
        "loggamma": _log_gamma(0),
        "digamma": _log_gamma(1),
        "trigamma": _log_gamma(2),
    }
)
_SLOPES: Mapping[str, Callable[[Number, int], list[Number]]] = MappingProxyType(
    {
        "atan": _atan_slope,
        "asin": _asin_slope,
        "acos": _negative(_asin_slope),
        "erf": _erf_slope,
        "erfc": _negative(_erf_slope),
    }
)
