"""The operations and functions on germs: analytic ones by Taylor, at infinity by asymptotics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, fmpq

from proofs_check.recheck.constants import Number, certain_sign
from proofs_check.recheck.expansion.analytic import enclosed, expanded, function
from proofs_check.recheck.expansion.germ import (
    Germ,
    bounded,
    collected,
    count_for,
    factored,
    fuzzy,
    limits,
    magnitude,
    of_number,
    raised,
    series,
    sign_on,
    total,
)
from proofs_check.recheck.expansion.numbers import evaluated, power_of
from proofs_check.recheck.expansion.scale import LOGARITHM, ONE, Scale
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.formal import Unclear

Ball = Any

_HALF = Fraction(1, 2)
_MINUS = Fraction(-1)
_MOST_ASYMPTOTIC = 8
_LEAST_START_OF_LOGS = 2


def apply(node: Expr, args: list[Germ]) -> Germ:
    """The germ of an operation or function.

    Raises:
        Unclear: it has no expansion known here, or none on this stretch.
    """
    fixed = [arg.constant for arg in args]
    known = [value for value in fixed if value is not None]
    if node.op == "^":
        return _power(node, args, known)
    if len(known) == len(args):
        return of_number(evaluated(node.op, known), args[0].stretch)
    if node.op == "+":
        return total(args)
    if node.op == "*":
        result = args[0]
        for arg in args[1:]:
            result = result * arg
        return result
    if node.op == "besseli":
        order = None if fixed[0] is None else fixed[0].rational
        if order is None:
            raise Unclear("a Bessel function whose order is not rational")
        return function(node.op, args[1], order)
    if node.op in ("max", "min"):
        return _largest(args, 1 if node.op == "max" else -1)
    if len(args) != 1:
        raise Unclear(f"{node.op} has no expansion here")
    rule = _RULES.get(node.op)
    return rule(args[0]) if rule is not None else function(node.op, args[0])


def _power(node: Expr, args: list[Germ], known: list[Number]) -> Germ:
    """A literal exponent has the rules of that number, any other exponent needs a base > 0."""
    base, exponent = args
    literal = node.args[1].number
    if literal is None and sign_on(base) != 1:
        raise Unclear("a power of what is not seen to be positive")
    if len(known) == len(args):
        return of_number(evaluated("^", known), base.stretch)
    fixed = exponent.constant
    value = None if fixed is None else fixed.rational
    return exp(exponent * log(base)) if value is None else raised(base, value)


def _largest(args: list[Germ], side: int) -> Germ:
    best = args[0]
    for arg in args[1:]:
        best = arg if sign_on(arg - best) * side > 0 else best
    return best


def tends(arg: Germ) -> int:
    """1 or -1 if the germ tends to that infinity with a known leading term, else 0."""
    if not arg.terms or arg.terms[0][0].growth <= 0:
        return 0
    return certain_sign(arg.terms[0][1])


# --- exponential, logarithm and what is made of them --------------------------------------------


def exp(arg: Germ) -> Germ:
    """exp; what tends to infinity becomes a scale."""
    try:
        large, value, small = limits(arg)
    except Unclear:
        return enclosed("exp", arg)
    scale = ONE
    for own, coefficient in large.terms:
        scale = scale * _exponential(own, coefficient)
    return expanded("exp", value.scaled(0), small).times(scale, value.apply("exp"))


def _exponential(own: Scale, coefficient: Number) -> Scale:
    """exp(coefficient * own) for a scale that tends to infinity."""
    rate = (own.power, own.logs)
    if own.rates or (own.power <= 0 and rate != LOGARITHM):
        raise Unclear("an exponential that is no scale")
    exponent = coefficient.rational
    if rate == LOGARITHM and exponent is not None:
        return Scale(exponent)
    return Scale(rates=((rate, coefficient),))


def log(arg: Germ) -> Germ:
    """log(c S (1 + s)) = log c + log S + log(1 + s)."""
    scale, value, small = factored(arg)
    if scale.logs:
        raise Unclear("a logarithm of a logarithm")
    if scale != ONE and arg.stretch.start < _LEAST_START_OF_LOGS:
        raise Unclear("log X has to be positive: the stretch is too long")
    terms = [(Scale(r, s), c) for (r, s), c in scale.rates]
    terms.append((Scale(logs=1), arg.stretch.number(scale.power)))
    terms.append((ONE, value.apply("log")))
    count = count_for(small)
    weights = [arg.stretch.number(Fraction((-1) ** (k - 1), k) if k else 0) for k in range(count)]
    hull = arb(1).union(1 + bounded(small))
    last = (-1) ** (count - 1) * power_of(hull, Fraction(-count)) / count
    return collected(terms, [], arg.stretch) + series(weights, last, small)


def _hyperbolic(name: str, sign: int) -> Callable[[Germ], Germ]:
    """cosh (sign 1) and sinh (-1)."""

    def rule(arg: Germ) -> Germ:
        if not tends(arg):
            return function(name, arg)
        return (exp(arg) + exp(-arg).scaled(sign)).scaled(_HALF)

    return rule


def _tanh(arg: Germ) -> Germ:
    """(1 - s)/(1 + s) with s = exp(-2 g) for g > 0."""
    side = tends(arg)
    if not side:
        return function("tanh", arg)
    if side < 0:
        return -_tanh(-arg)
    shrunk = exp(arg.scaled(-2))
    return (-shrunk).plus(1) * raised(shrunk.plus(1), _MINUS)


# --- angles -------------------------------------------------------------------------------------


def _tan(arg: Germ) -> Germ:
    return function("sin", arg) * raised(function("cos", arg), _MINUS)


def _atan(arg: Germ) -> Germ:
    """+-pi/2 - atan(1/g) where g has that sign throughout."""
    side = tends(arg)
    if not side:
        return function("atan", arg)
    if sign_on(arg) != side:
        raise Unclear("an argument that has not left zero yet")
    inverse = function("atan", raised(arg, _MINUS))
    return (-inverse).plus(arg.stretch.table.pi.scaled(Fraction(side, 2)))


def _acos(arg: Germ) -> Germ:
    """acos(1 - s) = 2 asin(sqrt(s/2)) and acos(-g) = pi - acos(g) at the ends of the domain."""
    _, value, _ = limits(arg)
    if value.rational == -1:
        return (-_acos(-arg)).plus(arg.stretch.table.pi)
    if value.rational != 1:
        return function("acos", arg)
    gap = (-arg).plus(1).scaled(_HALF)
    return function("asin", raised(gap, _HALF)).scaled(2)


def _asin(arg: Germ) -> Germ:
    """Up to the ends of its domain."""
    try:
        _, value, _ = limits(arg)
    except Unclear:
        return enclosed("asin", arg)
    if value.rational in (1, -1):
        return (-_acos(arg)).plus(arg.stretch.table.pi.scaled(_HALF))
    return function("asin", arg)


# --- the error function and the gamma family ----------------------------------------------------


def _up_to(term: Germ) -> Germ:
    """What lies between 0 and a term."""
    scale, ball = magnitude(term)
    return Germ((), (scale, arb(0).union(ball)), term.stretch)


def _erfc(arg: Germ) -> Germ:
    """exp(-g^2)/(g sqrt(pi)) sum_k (-1)^k (2k-1)!!/(2 g^2)^k, bracketed by its partial sums."""
    side = tends(arg)
    if not side:
        return function("erfc", arg)
    if side < 0:
        return (-_erfc(-arg)).plus(2)
    if sign_on(arg) != 1:
        raise Unclear("an argument that has not left zero yet")
    inverse = raised(arg, _MINUS)
    step = (inverse * inverse).scaled(-_HALF)
    term = arg.stretch.constant(1)
    terms = [term]
    for k in range(min(count_for(step), _MOST_ASYMPTOTIC)):
        term = (term * step).scaled(2 * k + 1)
        terms.append(term)
    terms[-1] = _up_to(terms[-1])
    front = exp(-(arg * arg)) * inverse
    return front.times(ONE, arg.stretch.table.pi.power(-_HALF)) * total(terms)


def _erf(arg: Germ) -> Germ:
    return (-_erfc(arg)).plus(1) if tends(arg) else function("erf", arg)


def _bernoulli(n: int) -> Fraction:
    value = fmpq.bernoulli(n)
    return Fraction(int(value.p), int(value.q))


def _stirling(arg: Germ, weight: Callable[[int], Fraction], first: int) -> Germ:
    """sum_k weight(k) B_2k / g^(2k - 2 + first) for g > 0; the error of the asymptotic series of
    log gamma and of its derivatives is between 0 and the next term.
    """
    if sign_on(arg) != 1:
        raise Unclear("an argument that has not left zero yet")
    inverse = raised(arg, _MINUS)
    square = inverse * inverse
    factor = raised(inverse, Fraction(first))
    terms = []
    for k in range(1, min(count_for(square), _MOST_ASYMPTOTIC) + 2):
        terms.append(factor.scaled(weight(k) * _bernoulli(2 * k)))
        factor = factor * square
    terms[-1] = _up_to(terms[-1])
    return total(terms)


def _vanishing(arg: Germ) -> bool:
    """Whether a positive argument tends to 0."""
    if not arg.terms or arg.terms[0][0].growth >= 0:
        return False
    if sign_on(arg) != 1:
        raise Unclear("an argument that is not seen to be positive")
    return True


def _loggamma(arg: Germ) -> Germ:
    """(g - 1/2) log g - g + log(2 pi)/2 + sum B_2k/(2k (2k-1) g^(2k-1)); at 0 by a shift."""
    if _vanishing(arg):
        return _loggamma(arg.plus(1)) - log(arg)
    if tends(arg) != 1:
        return function("loggamma", arg)
    tail = _stirling(arg, lambda k: Fraction(1, 2 * k * (2 * k - 1)), 1)
    start = arg.stretch.table.pi.scaled(2).apply("log").scaled(_HALF)
    return (arg.plus(-_HALF) * log(arg) - arg + tail).plus(start)


def _gamma(arg: Germ) -> Germ:
    """exp(log gamma), for positive arguments."""
    if _vanishing(arg):
        return _gamma(arg.plus(1)) * raised(arg, _MINUS)
    return exp(_loggamma(arg))


def _digamma(arg: Germ) -> Germ:
    """log g - 1/(2g) - sum B_2k/(2k g^2k)."""
    if _vanishing(arg):
        return _digamma(arg.plus(1)) - raised(arg, _MINUS)
    if tends(arg) != 1:
        return function("digamma", arg)
    half = raised(arg, _MINUS).scaled(_HALF)
    return log(arg) - half - _stirling(arg, lambda k: Fraction(1, 2 * k), 2)


def _trigamma(arg: Germ) -> Germ:
    """1/g + 1/(2 g^2) + sum B_2k/g^(2k+1)."""
    if _vanishing(arg):
        return _trigamma(arg.plus(1)) + raised(arg, Fraction(-2))
    if tends(arg) != 1:
        return function("trigamma", arg)
    inverse = raised(arg, _MINUS)
    half = (inverse * inverse).scaled(_HALF)
    return inverse + half + _stirling(arg, lambda k: Fraction(1), 3)


# --- functions with kinks and jumps -------------------------------------------------------------


def _abs(arg: Germ) -> Germ:
    return -arg if sign_on(arg) < 0 else arg


def _cbrt(arg: Germ) -> Germ:
    """The odd real root."""
    third = Fraction(1, 3)
    return -raised(-arg, third) if sign_on(arg) < 0 else raised(arg, third)


def _sign(arg: Germ) -> Germ:
    return arg.stretch.constant(sign_on(arg))


def _floor(arg: Germ) -> Germ:
    """Constant between two whole numbers; within 1 of an argument that tends to infinity."""
    large, value, small = limits(arg)
    if large.terms:
        return arg + fuzzy(arb(-1).union(arb(0)), arg.stretch)
    base = value.apply("floor")
    side = sign_on(small)
    if value == base and side < 0:
        base = base - arg.stretch.number(1)
    gap = (value - base).ball() + bounded(small)
    above = bool(gap >= 0) or (value == base and side >= 0)
    below = bool(gap < 1) or ((value - base).rational == 1 and side < 0)
    if not (above and below):
        raise Unclear("floor jumps on this stretch")
    return of_number(base, arg.stretch)


_RULES: Mapping[str, Callable[[Germ], Germ]] = MappingProxyType(
    {
        "exp": exp,
        "log": log,
        "cbrt": _cbrt,
        "tan": _tan,
        "atan": _atan,
        "asin": _asin,
        "acos": _acos,
        "sinh": _hyperbolic("sinh", -1),
        "cosh": _hyperbolic("cosh", 1),
        "tanh": _tanh,
        "erf": _erf,
        "erfc": _erfc,
        "gamma": _gamma,
        "loggamma": _loggamma,
        "digamma": _digamma,
        "trigamma": _trigamma,
        "abs": _abs,
        "sign": _sign,
        "floor": _floor,
    }
)
