"""Elementary functions on expansions: Taylor at finite values, exact scales at infinite ones."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from flint import arb

from proofs_check.arithmetic.derivative import NoDerivative
from proofs_check.arithmetic.tape import compile_tape
from proofs_check.arithmetic.tree import call, symbol
from proofs_check.methods.inequality.univariate import constants
from proofs_check.methods.inequality.univariate.constants import ONE, PI, ZERO, Constant, rational
from proofs_check.methods.inequality.univariate.germ import (
    Germ,
    bounded_ball,
    collected,
    count_for,
    factored,
    fuzzy,
    limits,
    of_constant,
    power_of_positive,
    raised,
    range_of_small,
    series,
    sign_on,
)
from proofs_check.methods.inequality.univariate.jets import NoJet, jet
from proofs_check.methods.inequality.univariate.scale import ONE_SCALE, NoExpansion, Scale
from proofs_check.methods.inequality.univariate.taylor import coefficients as taylor_coefficients
from proofs_check.methods.inequality.univariate.taylor import tree
from proofs_check.methods.inequality.univariate.values import cos, exact_value, sin

Ball = Any

_Z = symbol("z")


# --- Taylor expansions at a finite value --------------------------------------------------------


def _taylor(op: str, at: Constant, small: Germ, order: Constant | None = None) -> Germ:
    """The Taylor series of an analytic function at an exact value, with exact coefficients."""
    count = count_for(small)
    nu = None if order is None else order.rational
    if order is not None and nu is None:
        raise NoExpansion("an order that is not rational")
    try:
        coefficients = taylor_coefficients(op, at, count, nu)
        place = at.ball() + arb(0).union(range_of_small(small))
        last = jet(compile_tape([tree(op, nu, 0)]), place, count + 1)[count]
    except (NoDerivative, NoJet) as error:
        raise NoExpansion(str(error)) from error
    return series(coefficients, last, small)


def function(op: str, arg: Germ, order: Constant | None = None) -> Germ:
    """An analytic function: Taylor if the argument has a limit, else an enclosure."""
    try:
        large, value, small = limits(arg)
    except NoExpansion:
        return enclosed(op, arg, order)
    if large.terms:
        return enclosed(op, arg, order)
    return _taylor(op, value, small, order)


def enclosed(op: str, arg: Germ, order: Constant | None = None) -> Germ:
    """An enclosure of the values only."""
    if op in ("sin", "cos"):
        return fuzzy(arb(0, 1), arg.setting)
    nu = None if order is None else order.rational
    tape = compile_tape([tree(op, nu, 0)])
    return fuzzy(tape.run({"z": bounded_ball(arg)})[0], arg.setting)


def trigonometric(arg: Germ, quarter: int) -> Germ:
    """sin(arg + quarter * pi/2), by sin^(k)(c) = sin(c + k pi/2)."""
    try:
        large, value, small = limits(arg)
    except NoExpansion:
        return fuzzy(arb(0, 1), arg.setting)
    if large.terms:
        return fuzzy(arb(0, 1), arg.setting)
    sine, cosine = sin(value), cos(value)
    turns = (sine, cosine, -sine, -cosine)
    count = count_for(small)
    coefficients = [
        turns[(k + quarter) % 4].scaled(Fraction(1, factorial(k))) for k in range(count)
    ]
    return series(coefficients, arb(0, 1) / arb(count).fac(), small)


def tangent(arg: Germ) -> Germ:
    """sin/cos."""
    return trigonometric(arg, 0) * raised(trigonometric(arg, 1), Fraction(-1))


# --- exponential and logarithm ------------------------------------------------------------------


def exp(arg: Germ) -> Germ:
    """The exponential; what tends to infinity becomes a scale."""
    try:
        large, value, small = limits(arg)
    except NoExpansion:
        return enclosed("exp", arg)
    count = count_for(small)
    coefficients = [rational(Fraction(1, factorial(k))) for k in range(count)]
    last = arb(0).union(range_of_small(small)).exp() / arb(count).fac()
    body = series(coefficients, last, small)
    scale, factor = ONE_SCALE, constants.exp(value)
    for own, coefficient in large.terms:
        scale = scale * _exponential_scale(own, coefficient)
    return body.shifted(scale, factor)


def _exponential_scale(own: Scale, coefficient: Constant) -> Scale:
    if own.rates:
        raise NoExpansion("an exponential of an exponential")
    if own.power == 0 and own.logs == 1:
        exponent = coefficient.rational
        if exponent is None:
            return Scale(rates=(((Fraction(0), 1), coefficient),))
        return Scale(exponent)
    if own.power <= 0:
        raise NoExpansion("an exponential of powers of logarithms")
    return Scale(rates=(((own.power, own.logs), coefficient),))


def log(arg: Germ) -> Germ:
    """The logarithm of a germ with a positive leading term."""
    if arg.setting.start < 2:
        raise NoExpansion("log X has to be positive: the stretch is too long")
    scale, value, small = factored(arg)
    setting = arg.setting
    spread = 1 + range_of_small(small)
    if not spread > 0:
        raise NoExpansion("the leading term does not dominate from here on")
    if scale.logs:
        raise NoExpansion("a logarithm of a logarithm")
    terms = [(Scale(r, s), c) for (r, s), c in scale.rates]
    if scale.power:
        terms.append((Scale(logs=1), rational(scale.power)))
    terms.append((ONE_SCALE, constants.log(value)))
    count = max(count_for(small), 1)
    coefficients = [ZERO]
    coefficients += [rational(Fraction((-1) ** (k - 1), k)) for k in range(1, count)]
    hull = arb(1).union(spread)
    last = (-1) ** (count - 1) * power_of_positive(hull, Fraction(-count)) / count
    return collected(terms, [], setting) + series(coefficients, last, small)


def tends(arg: Germ) -> int:
    """1 or -1 if the argument tends to +- infinity with a known leading term, else 0."""
    if not arg.terms or arg.terms[0][0].growth <= 0:
        return 0
    return arg.terms[0][1].sign()


def cosh(arg: Germ) -> Germ:
    """The hyperbolic cosine."""
    half = of_constant(rational(Fraction(1, 2)), arg.setting)
    return function("cosh", arg) if not tends(arg) else half * (exp(arg) + exp(-arg))


def sinh(arg: Germ) -> Germ:
    """The hyperbolic sine."""
    half = of_constant(rational(Fraction(1, 2)), arg.setting)
    return function("sinh", arg) if not tends(arg) else half * (exp(arg) - exp(-arg))


def tanh(arg: Germ) -> Germ:
    """The hyperbolic tangent."""
    side = tends(arg)
    if not side:
        return function("tanh", arg)
    if side < 0:
        return -tanh(-arg)
    shrunk = exp(-(arg + arg))
    one = of_constant(ONE, arg.setting)
    return (one - shrunk) * raised(one + shrunk, Fraction(-1))


def atan(arg: Germ) -> Germ:
    """atan g = +-pi/2 - atan(1/g) where g has that sign throughout."""
    side = tends(arg)
    if not side:
        return function("atan", arg)
    if sign_on(arg) != side:
        raise NoExpansion("an argument that has not left zero yet")
    quarter = of_constant(PI.scaled(Fraction(side, 2)), arg.setting)
    return quarter - function("atan", raised(arg, Fraction(-1)))


def arc_cosine(arg: Germ) -> Germ:
    """acos(1 - s) = 2 asin(sqrt(s/2)) at the end of the domain."""
    large, value, _ = limits(arg)
    if large.terms:
        raise NoExpansion("an argument beyond the domain")
    one = of_constant(ONE, arg.setting)
    half = of_constant(rational(Fraction(1, 2)), arg.setting)
    if (value - ONE).terms == ():
        gap = half * (one - arg)
        if sign_on(gap) not in (0, 1):
            raise NoExpansion("an argument beyond 1")
        root = function("asin", raised(gap, Fraction(1, 2)))
        return root + root
    if (value + ONE).terms == ():
        return of_constant(PI, arg.setting) - arc_cosine(-arg)
    return function("acos", arg)


def arc_sine(arg: Germ) -> Germ:
    """The arc sine, up to the ends of its domain."""
    try:
        large, value, _ = limits(arg)
    except NoExpansion:
        return enclosed("asin", arg)
    if large.terms:
        raise NoExpansion("an argument beyond the domain")
    if (value - ONE).terms == () or (value + ONE).terms == ():
        return of_constant(PI.scaled(Fraction(1, 2)), arg.setting) - arc_cosine(arg)
    return function("asin", arg)


def signed(arg: Germ) -> int:
    """The sign of a germ, which has to be seen."""
    sign = sign_on(arg)
    if sign is None:
        raise NoExpansion("a sign that is not seen")
    return sign


def absolute(arg: Germ) -> Germ:
    """The absolute value."""
    return -arg if signed(arg) < 0 else arg


def cbrt(arg: Germ) -> Germ:
    """The odd real cube root."""
    third = Fraction(1, 3)
    return -raised(-arg, third) if signed(arg) < 0 else raised(arg, third)


def sqrt(arg: Germ) -> Germ:
    """The square root of a germ that is seen to be >= 0."""
    if signed(arg) < 0:
        raise NoExpansion("a root of what may be negative")
    return raised(arg, Fraction(1, 2))


def floor(arg: Germ) -> Germ:
    """Constant where the argument stays between two whole numbers; within 1 of a large one."""
    large, value, small = limits(arg)
    if large.terms:
        return arg + fuzzy(arb(-1).union(arb(0)), arg.setting)
    base = exact_value(call("floor", _Z), {"z": value})
    side = signed(small)
    gap = value - base
    if gap.terms == () and side < 0:
        base, gap = base - ONE, ONE
    place = gap.ball() + range_of_small(small)
    above = bool(place > 0) or gap.terms == ()
    below = bool(place < 1) or (gap == ONE and side < 0)
    if not (above and below):
        raise NoExpansion("floor jumps on this stretch")
    return of_constant(base, arg.setting)
