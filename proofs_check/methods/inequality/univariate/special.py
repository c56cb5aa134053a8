"""erf and the gamma family on expansions: Taylor, and bracketed asymptotic series."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial
from typing import Any

from flint import arb, fmpq

from proofs_check.arithmetic.tape import compile_tape
from proofs_check.arithmetic.tree import call, symbol
from proofs_check.methods.inequality.univariate import constants
from proofs_check.methods.inequality.univariate.constants import ONE, PI, ZERO, Constant, rational
from proofs_check.methods.inequality.univariate.elementary import (
    enclosed,
    exp,
    function,
    log,
    tends,
)
from proofs_check.methods.inequality.univariate.germ import (
    Germ,
    count_for,
    limits,
    magnitude,
    of_constant,
    raised,
    range_of_small,
    series,
    sign_on,
)
from proofs_check.methods.inequality.univariate.jets import NoJet, jet
from proofs_check.methods.inequality.univariate.scale import NoExpansion
from proofs_check.methods.inequality.univariate.taylor import tree
from proofs_check.methods.inequality.univariate.values import exact_value, hurwitz

Ball = Any

_Z = symbol("z")


def erfc(arg: Germ) -> Germ:
    """erfc g = exp(-g^2)/(g sqrt(pi)) sum (-1)^k (2k-1)!!/(2 g^2)^k; partial sums bracket it."""
    side = tends(arg)
    setting = arg.setting
    if not side:
        return function("erfc", arg)
    if side < 0:
        return of_constant(rational(2), setting) - erfc(-arg)
    if sign_on(arg) != 1:
        raise NoExpansion("an argument that has not left zero yet")
    inverse = raised(arg, Fraction(-1))
    step = inverse * inverse * of_constant(rational(Fraction(-1, 2)), setting)
    count = _reach(step)
    total, term = of_constant(ZERO, setting), of_constant(ONE, setting)
    for k in range(count):
        total = total + term
        term = term * step * of_constant(rational(2 * k + 1), setting)
    total = total + _up_to(term)
    root = of_constant(constants.power(PI, Fraction(-1, 2)), setting)
    return exp(-(arg * arg)) * inverse * root * total


def _reach(step: Germ) -> int:
    """How many terms of an asymptotic series in ``step`` are worth it."""
    return min(count_for(step), 8)


def _up_to(term: Germ) -> Germ:
    """What lies between 0 and a term."""
    scale, ball = magnitude(term)
    return Germ((), (scale, arb(0).union(ball)), term.setting)


def erf(arg: Germ) -> Germ:
    """1 - erfc at infinity."""
    if not tends(arg):
        return function("erf", arg)
    return of_constant(ONE, arg.setting) - erfc(arg)


def _bernoulli(n: int) -> Fraction:
    value = fmpq.bernoulli(n)
    return Fraction(int(value.p), int(value.q))


def _stirling(arg: Germ, weights: Callable[[int], Fraction], first: int) -> Germ:
    """sum_k weight(k) B_2k / g^(2k - 2 + first); the error is between 0 and the next term."""
    if sign_on(arg) != 1:
        raise NoExpansion("an argument that has not left zero yet")
    setting = arg.setting
    inverse = raised(arg, Fraction(-1))
    square = inverse * inverse
    count = _reach(square)
    factor = raised(inverse, Fraction(first))
    total = of_constant(ZERO, setting)
    for k in range(1, count + 2):
        weight = of_constant(rational(weights(k) * _bernoulli(2 * k)), setting)
        term = weight * factor
        total = total + (term if k <= count else _up_to(term))
        factor = factor * square
    return total


def loggamma(arg: Germ) -> Germ:
    """Stirling's series at infinity, Taylor elsewhere, log gamma(1+g) - log g at 0."""
    setting = arg.setting
    if _vanishing(arg):
        return loggamma(arg + of_constant(ONE, setting)) - log(arg)
    if tends(arg) != 1:
        return _polygamma(arg, 0)
    half = of_constant(rational(Fraction(1, 2)), setting)
    start = constants.log(PI.scaled(Fraction(2))).scaled(Fraction(1, 2))
    series_ = _stirling(arg, lambda k: Fraction(1, 2 * k * (2 * k - 1)), 1)
    return (arg - half) * log(arg) - arg + of_constant(start, setting) + series_


def _polygamma(arg: Germ, order: int) -> Germ:
    """The Taylor series of log gamma (its derivatives for order 1, 2) at a positive value."""
    op = ("loggamma", "digamma", "trigamma")[order]
    try:
        large, value, small = limits(arg)
    except NoExpansion:
        return enclosed(op, arg)
    if large.terms or value.sign() <= 0:
        raise NoExpansion(f"{op} of what is not positive and bounded")
    count = count_for(small)
    coefficients = [_polygamma_coefficient(value, k, order) for k in range(count)]
    place = value.ball() + arb(0).union(range_of_small(small))
    try:
        last = jet(compile_tape([tree(op, None, 0)]), place, count + 1)[count]
    except NoJet as error:
        raise NoExpansion(str(error)) from error
    return series(coefficients, last, small)


def _polygamma_coefficient(at: Constant, k: int, order: int) -> Constant:
    """The k-th Taylor coefficient: (n)!/k! times the n-th one of log gamma, n = k + order."""
    n = k + order
    if n < 2:
        return exact_value(call(("loggamma", "digamma")[n], _Z), {"z": at})
    weight = Fraction((-1) ** n * factorial(n), n * factorial(k))
    return hurwitz(n, at).scaled(weight)


def trigamma(arg: Germ) -> Germ:
    """1/g + 1/(2 g^2) + sum_k B_2k / g^(2k+1); the error is between 0 and the next term."""
    if _vanishing(arg):
        shifted = arg + of_constant(ONE, arg.setting)
        return trigamma(shifted) + raised(arg, Fraction(-2))
    if tends(arg) != 1:
        return _polygamma(arg, 2)
    half = of_constant(rational(Fraction(1, 2)), arg.setting)
    inverse = raised(arg, Fraction(-1))
    return inverse + half * inverse * inverse + _stirling(arg, lambda k: Fraction(1), 3)


def _vanishing(arg: Germ) -> bool:
    """Whether a positive argument tends to 0."""
    if not arg.terms or arg.terms[0][0].growth >= 0:
        return False
    if sign_on(arg) != 1:
        raise NoExpansion("an argument that is not seen to be positive")
    return True


def gamma(arg: Germ) -> Germ:
    """exp(log gamma), for positive arguments."""
    if _vanishing(arg):
        return gamma(arg + of_constant(ONE, arg.setting)) * raised(arg, Fraction(-1))
    return exp(loggamma(arg))


def digamma(arg: Germ) -> Germ:
    """log g - 1/(2g) - sum B_2k/(2k g^2k) at infinity."""
    if _vanishing(arg):
        return digamma(arg + of_constant(ONE, arg.setting)) - raised(arg, Fraction(-1))
    if tends(arg) != 1:
        return _polygamma(arg, 1)
    half = of_constant(rational(Fraction(1, 2)), arg.setting)
    tail = _stirling(arg, lambda k: Fraction(1, 2 * k), 2)
    return log(arg) - half * raised(arg, Fraction(-1)) - tail
