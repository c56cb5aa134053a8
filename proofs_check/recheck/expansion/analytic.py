"""Analytic functions of germs: Taylor's formula at a finite limit, else an enclosure of values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from proofs_check.recheck.balls import Program, hull, whole_power
from proofs_check.recheck.constants import Number
from proofs_check.recheck.expansion import taylor
from proofs_check.recheck.expansion.germ import (
    Germ,
    Stretch,
    bounded,
    count_for,
    fuzzy,
    limits,
    series,
)
from proofs_check.recheck.expression import Expr, call, num, var
from proofs_check.recheck.formal import Unclear
from proofs_check.recheck.series import NoSeries, Series

Ball = Any

_Z = var("z")
_LOG_GAMMA = {"loggamma": 0, "digamma": 1, "trigamma": 2}


def function(name: str, arg: Germ, order: Fraction | None = None) -> Germ:
    """f(arg) for f analytic round the values of arg; ``order`` is that of a Bessel function.

    Raises:
        Unclear: neither a limit nor bounds of the values are seen, or f is not analytic there.
    """
    try:
        large, value, small = limits(arg)
    except Unclear:
        return enclosed(name, arg, order)
    if large.terms:
        return enclosed(name, arg, order)
    return expanded(name, value, small, order)


def expanded(name: str, at: Number, small: Germ, order: Fraction | None = None) -> Germ:
    """Taylor's formula at an exact number."""
    count = count_for(small)
    values = arb(0).union(bounded(small)) + at.ball()
    if order is not None:
        coefficients = taylor.bessel(order, at, count)
    elif taylor.known(name):
        coefficients = taylor.coefficients(name, at, count)
    else:
        raise Unclear(f"{name} has no Taylor series here")
    return series(coefficients, _last(name, values, count, order), small)


def _last(name: str, values: Ball, count: int, order: Fraction | None) -> Ball:
    """A ball round f^(n)(x)/n! for all x in a ball, n = count."""
    if name in ("sin", "cos"):
        return arb(0, 1) / arb(count).fac()
    if name == "exp":
        return values.exp() / arb(count).fac()
    if name == "atan":
        # (n-1)! cos^n t sin n(t + pi/2) with t = atan x
        turn = values.atan()
        return whole_power(turn.cos(), count) * (count * (turn + arb.pi() / 2)).sin() / count
    if name in _LOG_GAMMA and count + _LOG_GAMMA[name] > 1:
        return _last_of_log_gamma(values, count, _LOG_GAMMA[name])
    try:
        return Series(_written(name, order)).coefficients(values, count + 1)[count]
    except NoSeries as error:
        raise Unclear(str(error)) from None


def _last_of_log_gamma(values: Ball, count: int, order: int) -> Ball:
    """(-1)^n (n-1)!/k! zeta(n, x) with n = k + order, which falls in x > 0."""
    if not values > 0:
        raise Unclear("log gamma and its derivatives are used on x > 0 only")
    n = arb(count + order)
    zeta = n.zeta(values.lower()).union(n.zeta(values.upper()))
    return (-1) ** (count + order) * zeta * (n - 1).fac() / arb(count).fac()


def enclosed(name: str, arg: Germ, order: Fraction | None = None) -> Germ:
    """An enclosure of the values only."""
    if name in ("sin", "cos"):
        return waves(arg.stretch)
    values = bounded(arg)
    pair = Program([_written(name, order)]).pairs({"z": (values.lower(), values.upper())})[0]
    return fuzzy(hull(pair), arg.stretch)


def waves(stretch: Stretch) -> Germ:
    """What sine and cosine of anything are."""
    return fuzzy(arb(0, 1), stretch)


def _written(name: str, order: Fraction | None) -> Expr:
    return call(name, _Z) if order is None else call(name, num(order), _Z)
