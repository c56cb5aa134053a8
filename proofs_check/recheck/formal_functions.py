"""Sines, absolute values, gamma and other functions of formal sums.

Each rule gives a form that agrees with the function at every point where the function has a value;
see :mod:`formal_powers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from flint import fmpq

from proofs_check.recheck.formal import (
    IMAGINARY,
    ONE,
    PI,
    UNIT,
    ZERO,
    Form,
    Unclear,
    atom,
    from_powers,
    number,
    single,
    whole_power,
)
from proofs_check.recheck.formal_factors import lowest_terms, oriented
from proofs_check.recheck.formal_powers import (
    Signs,
    absolute,
    exponential,
    log_atom,
    logarithm,
    lone,
    number_power,
    power,
    sign_of,
    units,
)

_HALF = Fraction(1, 2)
_MOST_SHIFTS = 40


def _hyperbolic(signs: Signs, form: Form) -> tuple[Form, Form]:
    """(cosh, sinh)."""
    grown, shrunk = exponential(signs, form), exponential(signs, -form)
    return (grown + shrunk).scaled(_HALF), (grown - shrunk).scaled(_HALF)


def _tanh(signs: Signs, form: Form) -> Form:
    cosh, sinh = _hyperbolic(signs, form)
    return sinh * power(signs, cosh, Fraction(-1))


# --- sines --------------------------------------------------------------------------------------
def turned(signs: Signs, form: Form) -> Form:
    """cis(form) = cos(form) + i sin(form) as a product over the terms."""
    result = ONE
    for coefficient, unit in units(lowest_terms(form)):
        result = result * _turn(signs, coefficient, unit)
    return result


def _turn(signs: Signs, coefficient: Fraction, unit: Form) -> Form:
    base = lone(unit)
    if base is not None and base.kind == "pi" and coefficient.denominator in (1, 2, 3, 4, 6):
        return _known_turn(coefficient % 2)
    if base is not None and base.kind in ("atan", "asin") and abs(coefficient) in (1, 2, 3, 4):
        other = power(signs, ONE + base.form * base.form, -Fraction(1, 2))
        pair = (other, base.form * other)
        if base.kind == "asin":
            pair = (power(signs, ONE - base.form * base.form, _HALF), base.form)
        unit_turn = pair[0] + (IMAGINARY * pair[1]).scaled(1 if coefficient > 0 else -1)
        return whole_power(unit_turn, int(abs(coefficient)))
    return from_powers({atom("cis", unit): coefficient})


def _known_turn(halves: Fraction) -> Form:
    return _cosine(halves) + IMAGINARY * _cosine(halves - _HALF)


def _cosine(halves: Fraction) -> Form:
    """cos(halves pi)."""
    halves = abs(halves) % 2
    halves = 2 - halves if halves > 1 else halves
    if halves > _HALF:
        return -_cosine(1 - halves)
    squares = {0: (1, 1), Fraction(1, 6): (3, 4), Fraction(1, 4): (1, 2), Fraction(1, 3): (1, 4)}
    above, below = squares.get(halves, (0, 1))
    return number_power(fmpq(above, below), _HALF) if above else ZERO


def _angle(signs: Signs, form: Form) -> tuple[Form, Form]:
    """(cos, sin)."""
    one, other = turned(signs, form), turned(signs, -form)
    return (one + other).scaled(_HALF), (IMAGINARY * (other - one)).scaled(_HALF)


def _tangent(signs: Signs, form: Form) -> Form:
    cosine, sine = _angle(signs, form)
    return sine * power(signs, cosine, Fraction(-1))


# --- absolute values, choices -------------------------------------------------------------------
def _sign(signs: Signs, form: Form) -> Form:
    """sign(0) counts as having no value."""
    form = lowest_terms(form)
    known = sign_of(signs, form)
    if known is not None:
        if known == 0:
            raise Unclear("the sign of zero")
        return number(known)
    side, base = oriented(form)
    return single(atom("sign", base)).scaled(side)


def _largest(signs: Signs, *forms: Form) -> Form:
    kept: list[Form] = []
    for form in map(lowest_terms, forms):
        if any(signs.nonnegative(other - form) for other in kept):
            continue
        kept = [other for other in kept if not signs.nonnegative(form - other)]
        kept.append(form)
    if len(kept) == 1:
        return kept[0]
    return single(atom("max", *sorted(set(kept), key=lambda f: f.text)))


def _smallest(signs: Signs, *forms: Form) -> Form:
    return -_largest(signs, *(-form for form in forms))


def _choose(signs: Signs, first: Form, second: Form, above: Form, below: Form) -> Form:
    """above where first > second, below where first < second; no value where they meet."""
    if above == below:
        return above
    known = sign_of(signs, lowest_terms(first - second))
    if known:
        return above if known > 0 else below
    side, base = oriented(lowest_terms(first - second))
    pair = (above, below) if side > 0 else (below, above)
    return single(atom("choose", base, *map(lowest_terms, pair)))


def _cube_root(signs: Signs, form: Form) -> Form:
    form = lowest_terms(form)
    third = Fraction(1, 3)
    if signs.nonnegative(form):
        return power(signs, form, third)
    if signs.nonnegative(-form):
        return -power(signs, -form, third)
    side, base = oriented(form)
    return single(atom("cbrt", base)).scaled(side)


# --- odd functions, gamma ------------------------------------------------------------------------
def _odd(name: str) -> Callable[..., Form]:
    """f(-u) = -f(u), f(0) = 0, and the values of the arc functions that are known."""

    def rule(signs: Signs, form: Form) -> Form:
        form = lowest_terms(form)
        if not form.terms:
            return ZERO
        side, base = oriented(form)
        if form.rational is not None:
            side, base = (1, form) if form.rational > 0 else (-1, -form)
        for sign in (1, -1):
            known = _KNOWN.get(name, {}).get(base.scaled(sign))
            if known is not None:
                return PI.scaled(known * sign * side)
        return single(atom(name, base)).scaled(side)

    return rule


_ROOT3, _ROOT2 = (number_power(fmpq(n), _HALF) for n in (3, 2))
_KNOWN: Mapping[str, Mapping[Form, Fraction]] = MappingProxyType(
    {
        "atan": {
            ONE: Fraction(1, 4),
            _ROOT3: Fraction(1, 3),
            _ROOT3.scaled(Fraction(1, 3)): Fraction(1, 6),
        },
        "asin": {
            number(_HALF): Fraction(1, 6),
            _ROOT2.scaled(_HALF): Fraction(1, 4),
            _ROOT3.scaled(_HALF): Fraction(1, 3),
            ONE: _HALF,
        },
    }
)


def _shifted(signs: Signs, form: Form) -> tuple[Form, list[Form]]:
    """(a, [a, a+1, ..., a+n-1]) with a + n the argument, n >= 0 and a > 0 at all points; the
    number that is added in the argument is made small.
    """
    form = lowest_terms(form)
    added: list[Form] = []
    while len(added) < _MOST_SHIFTS and form.terms.get(UNIT, fmpq(0)) >= 1:
        lower = form - ONE
        if not lower.terms or not signs.positive(lower):
            break
        form = lower
        added.insert(0, lower)
    return form, added


def _loggamma(signs: Signs, form: Form) -> Form:
    """log Gamma(a + n) = log Gamma(a) + sum log(a + j)."""
    base, added = _shifted(signs, form)
    total = single(atom("loggamma", base))
    if base == ONE:
        total = ZERO
    elif base == number(_HALF):
        total = log_atom(PI).scaled(_HALF)
    for part in added:
        total = total + logarithm(signs, part)
    return total


def _gamma(signs: Signs, form: Form) -> Form:
    """Gamma = exp(log Gamma), for positive arguments; others count as having no value."""
    return exponential(signs, _loggamma(signs, form))


def _digamma(signs: Signs, form: Form) -> Form:
    base, added = _shifted(signs, form)
    total = single(atom("digamma", base))
    for part in added:
        total = total + power(signs, part, Fraction(-1))
    return total


def hurwitz(signs: Signs, order: Form, form: Form) -> Form:
    """zeta(s, a) = sum over k >= 0 of (a + k)^(-s), for whole s >= 2 and a > 0."""
    size = order.rational
    if size is None or size.denominator != 1 or size < 2:
        raise Unclear("a zeta function of an order that is not whole")
    base, added = _shifted(signs, form)
    total = single(atom("hurwitz", order, base))
    for part in added:
        total = total - power(signs, part, -size)
    return total


def _trigamma(signs: Signs, form: Form) -> Form:
    return hurwitz(signs, number(2), form)


def _binomial(signs: Signs, upper: Form, lower: Form) -> Form:
    """By log Gamma where the three arguments are known to be > 0."""
    arguments = (upper + ONE, lower + ONE, upper - lower + ONE)
    if not all(signs.positive(one) for one in arguments):
        return single(atom("binomial", lowest_terms(upper), lowest_terms(lower)))
    above, first, second = (_loggamma(signs, one) for one in arguments)
    return exponential(signs, above - first - second)


def _bessel(signs: Signs, order: Form, form: Form) -> Form:
    """I_(-n) = I_n for whole n; I_0(0) = 1, I_v(0) = 0 for v > 0."""
    size, form = order.rational, lowest_terms(form)
    if size is not None and size.denominator == 1:
        size = abs(size)
        order = number(size)
        if not form.terms:
            return ZERO if size else ONE
    return single(atom("besseli", order, form))


def _lambert(signs: Signs, form: Form) -> Form:
    form = lowest_terms(form)
    if not form.terms:
        return ZERO
    return ONE if form == single(atom("exp", ONE)) else single(atom("lambertw", form))


def _floor(signs: Signs, form: Form) -> Form:
    value = lowest_terms(form).rational
    if value is not None:
        return number(value.numerator // value.denominator)
    return single(atom("floor", lowest_terms(form)))


def general_power(signs: Signs, base: Form, exponent: Form) -> Form:
    """base^exponent for an exponent that is no rational literal: exp(exponent log base) where the
    base is > 0; at base 0 it is 0 for positive exponents, which the logarithm does not give.
    """
    exponent = lowest_terms(exponent)
    if exponent.rational is not None:
        return power(signs, base, exponent.rational)
    if signs.positive(base):
        return exponential(signs, exponent * logarithm(signs, base))
    return single(atom("pow", lowest_terms(base), exponent))


FUNCTIONS: Mapping[str, Callable[..., Form]] = MappingProxyType(
    {
        "exp": exponential,
        "log": logarithm,
        "cbrt": _cube_root,
        "sin": lambda s, x: _angle(s, x)[1],
        "cos": lambda s, x: _angle(s, x)[0],
        "tan": _tangent,
        "asin": _odd("asin"),
        "acos": lambda s, x: PI.scaled(_HALF) - FUNCTIONS["asin"](s, x),
        "atan": _odd("atan"),
        "sinh": lambda s, x: _hyperbolic(s, x)[1],
        "cosh": lambda s, x: _hyperbolic(s, x)[0],
        "tanh": _tanh,
        "erf": _odd("erf"),
        "erfc": lambda s, x: ONE - FUNCTIONS["erf"](s, x),
        "gamma": _gamma,
        "loggamma": _loggamma,
        "digamma": _digamma,
        "trigamma": _trigamma,
        "hurwitz": hurwitz,
        "binomial": _binomial,
        "besseli": _bessel,
        "lambertw": _lambert,
        "abs": absolute,
        "sign": _sign,
        "floor": _floor,
        "min": _smallest,
        "max": _largest,
        "choose": _choose,
    }
)
