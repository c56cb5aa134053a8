"""Interval arithmetic over many boxes at once in NumPy: a fast search, never a proof.

Ends are doubles, moved outwards by a few units in the last place after each operation. What the
search accepts is checked again in balls before it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import special

from proofs_check.arithmetic.tape import Tape

Array = Any
Pair = tuple[Array, Array]
_ULPS = 4.0e-16
_TINY = 1e-300


class Unsupported(ValueError):
    """An operation that has no vectorised rule."""


def run(tape: Tape, low: Array, high: Array, names: Sequence[str]) -> list[Pair]:
    """Enclosures of all outputs over boxes low[k] <= x <= high[k]; NaN where undefined.

    Raises:
        Unsupported: the tape holds an operation without a rule here.
    """
    place = {name: i for i, name in enumerate(names)}
    count = len(low)
    results: list[Pair] = []
    with np.errstate(all="ignore"):
        for step in tape.instructions:
            if step.op == "symbol":
                i = place[str(step.value)]
                results.append((low[:, i], high[:, i]))
            elif step.op == "number":
                results.append(_constant(float(Fraction(str(step.value))), count))
            elif step.op in _CONSTANTS:
                results.append(_constant(_CONSTANTS[step.op], count))
            elif step.op == "^":
                exponent = _literal(step.args[1], tape)
                results.append(_power(results[step.args[0]], results[step.args[1]], exponent))
            else:
                results.append(_apply(step.op, [results[i] for i in step.args]))
    return [results[i] for i in tape.outputs]


def supported(tape: Tape) -> bool:
    """Whether every operation of the tape has a vectorised rule."""
    known = {"symbol", "number", "^", *_CONSTANTS, *_RULES, *_INCREASING}
    return all(step.op in known for step in tape.instructions)


def _constant(value: float, count: int) -> Pair:
    return np.full(count, np.nextafter(value, -np.inf)), np.full(count, np.nextafter(value, np.inf))


def _literal(position: int, tape: Tape) -> Fraction | None:
    step = tape.instructions[position]
    if step.op == "number":
        return Fraction(str(step.value))
    if step.op == "-":
        inner = _literal(step.args[0], tape)
        return None if inner is None else -inner
    return None


def _apply(op: str, args: list[Pair]) -> Pair:
    if op in _INCREASING:
        function, low, high = _INCREASING[op]
        a, b = args[0]
        return _widened(
            np.where(a >= low, function(np.maximum(a, low)), np.nan),
            np.where(b <= high, function(np.minimum(b, high)), np.nan),
        )
    rule = _RULES.get(op)
    if rule is None:
        raise Unsupported(op)
    return rule(*args)


def _widened(low: Array, high: Array) -> Pair:
    return low - np.abs(low) * _ULPS - _TINY, high + np.abs(high) * _ULPS + _TINY


def _add(*terms: Pair) -> Pair:
    low, high = terms[0]
    for a, b in terms[1:]:
        size = np.maximum(np.abs(low), np.abs(a)) * _ULPS
        low = low + a - size
        size = np.maximum(np.abs(high), np.abs(b)) * _ULPS
        high = high + b + size
    return low, high


def _negated(x: Pair) -> Pair:
    return -x[1], -x[0]


def _multiply(*factors: Pair) -> Pair:
    result = factors[0]
    for factor in factors[1:]:
        if factor is result:
            result = _whole_power(result, 2)
            continue
        ends = [a * b for a in result for b in factor]
        low = np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3]))
        high = np.maximum(np.maximum(ends[0], ends[1]), np.maximum(ends[2], ends[3]))
        result = _widened(low, high)
    return result


def _divide(x: Pair, y: Pair) -> Pair:
    bad = (y[0] <= 0) & (y[1] >= 0)
    low, high = np.where(bad, np.nan, 1 / y[1]), np.where(bad, np.nan, 1 / y[0])
    return _multiply(x, _widened(low, high))


def _power(x: Pair, y: Pair, exponent: Fraction | None) -> Pair:
    if exponent is None:
        return _apply("exp", [_multiply(y, _apply("log", [x]))])
    if exponent.denominator == 1:
        n = int(exponent)
        ones = (np.ones_like(x[0]), np.ones_like(x[0]))
        return _whole_power(x, n) if n >= 0 else _divide(ones, _whole_power(x, -n))
    value = float(exponent)
    low = np.where(x[0] >= 0, x[0], np.nan)
    ends = low**value, x[1] ** value
    return _widened(*ends) if exponent > 0 else _widened(ends[1], ends[0])


def _whole_power(x: Pair, n: int) -> Pair:
    if n % 2:
        return _widened(x[0] ** n, x[1] ** n)
    a, b = _absolute(x)
    low, high = _widened(a**n, b**n)
    return np.maximum(low, 0), high


def _absolute(x: Pair) -> Pair:
    a, b = np.abs(x[0]), np.abs(x[1])
    inside = (x[0] <= 0) & (x[1] >= 0)
    return np.where(inside, 0, np.minimum(a, b)), np.maximum(a, b)


def _square_root(x: Pair) -> Pair:
    """Clipped to the domain, as definedness is shown elsewhere."""
    low, high = _widened(np.sqrt(np.maximum(x[0], 0)), np.sqrt(x[1]))
    return np.maximum(low, 0), high


def _cosine(x: Pair) -> Pair:
    a, b = x
    first, second = np.cos(a), np.cos(b)
    low, high = np.minimum(first, second), np.maximum(first, second)
    slack = 1e-15 * (1 + np.abs(a) + np.abs(b))
    top = np.floor(b / (2 * np.pi) + 1e-12) * 2 * np.pi >= a - slack
    bottom = np.floor((b - np.pi) / (2 * np.pi) + 1e-12) * 2 * np.pi + np.pi >= a - slack
    high = np.where(top, 1.0, np.minimum(high + slack, 1))
    return np.where(bottom, -1.0, np.maximum(low - slack, -1)), high


def _sine(x: Pair) -> Pair:
    half = np.pi / 2
    return _cosine((x[0] - half - 1e-15, x[1] - half + 1e-15))


def _tangent(x: Pair) -> Pair:
    same = np.floor(x[0] / np.pi + 0.5) == np.floor(x[1] / np.pi + 0.5)
    return _widened(np.where(same, np.tan(x[0]), np.nan), np.where(same, np.tan(x[1]), np.nan))


def _hyperbolic_cosine(x: Pair) -> Pair:
    a, b = _absolute(x)
    return _widened(np.cosh(a), np.cosh(b))


def _arc(function: Callable[[Array], Array]) -> Callable[[Pair], Pair]:
    def rule(x: Pair) -> Pair:
        first, second = function(np.clip(x[0], -1, 1)), function(np.clip(x[1], -1, 1))
        return _widened(np.minimum(first, second), np.maximum(first, second))

    return rule


def _sign(x: Pair) -> Pair:
    return np.where(x[0] > 0, 1.0, -1.0), np.where(x[1] < 0, -1.0, 1.0)


def _choose(a: Pair, b: Pair, if_a: Pair, if_b: Pair) -> Pair:
    first, second = a[0] > b[1], b[0] > a[1]
    low = np.where(first, if_a[0], np.where(second, if_b[0], np.minimum(if_a[0], if_b[0])))
    high = np.where(first, if_a[1], np.where(second, if_b[1], np.maximum(if_a[1], if_b[1])))
    return low, high


def _largest(*values: Pair) -> Pair:
    low, high = values[0]
    for a, b in values[1:]:
        low, high = np.maximum(low, a), np.maximum(high, b)
    return low, high


def _smallest(*values: Pair) -> Pair:
    low, high = values[0]
    for a, b in values[1:]:
        low, high = np.minimum(low, a), np.minimum(high, b)
    return low, high


def _decreasing(function: Callable[[Array], Array], low: float) -> Callable[[Pair], Pair]:
    def rule(x: Pair) -> Pair:
        first = np.where(x[0] > low, function(x[1]), np.nan)
        return _widened(first, np.where(x[0] > low, function(x[0]), np.nan))

    return rule


def _log_gamma(x: Pair) -> Pair:
    """Convex on x > 0 with its least value -0.1214862905 at 1.4616321449."""
    first, second = special.gammaln(x[0]), special.gammaln(x[1])
    inside = (x[0] <= 1.461632145) & (x[1] >= 1.461632144)
    low = np.where(inside, -0.12148629054, np.minimum(first, second))
    bad = x[0] <= 0
    return _widened(np.where(bad, np.nan, low), np.where(bad, np.nan, np.maximum(first, second)))


def _gamma(x: Pair) -> Pair:
    low, high = _log_gamma(x)
    return _widened(np.exp(low), np.exp(high))


def _trigamma(x: Array) -> Array:
    return special.polygamma(1, x)


_CONSTANTS = MappingProxyType({"pi": float(np.pi), "e": float(np.e)})
_INF = float("inf")
_INCREASING: Mapping[str, tuple[Callable[[Array], Array], float, float]] = MappingProxyType(
    {
        "exp": (np.exp, -_INF, _INF),
        "log": (lambda x: np.where(x > 0, np.log(x), np.nan), 0.0, _INF),
        "cbrt": (np.cbrt, -_INF, _INF),
        "atan": (np.arctan, -_INF, _INF),
        "sinh": (np.sinh, -_INF, _INF),
        "tanh": (np.tanh, -_INF, _INF),
        "erf": (special.erf, -_INF, _INF),
        "floor": (np.floor, -_INF, _INF),
        "digamma": (lambda x: np.where(x > 0, special.digamma(x), np.nan), 0.0, _INF),
        "lambertw": (lambda x: np.real(special.lambertw(x)), -0.36787944117144233, _INF),
    }
)
_RULES: Mapping[str, Callable[..., Pair]] = MappingProxyType(
    {
        "+": _add,
        "*": _multiply,
        "-": _negated,
        "/": _divide,
        "sqrt": _square_root,
        "cos": _cosine,
        "sin": _sine,
        "tan": _tangent,
        "cosh": _hyperbolic_cosine,
        "asin": _arc(np.arcsin),
        "acos": _arc(np.arccos),
        "erfc": _decreasing(special.erfc, -_INF),
        "trigamma": _decreasing(_trigamma, 0.0),
        "loggamma": _log_gamma,
        "gamma": _gamma,
        "abs": _absolute,
        "sign": _sign,
        "choose": _choose,
        "max": _largest,
        "min": _smallest,
    }
)
