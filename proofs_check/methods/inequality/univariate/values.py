"""Values of the functions of the grammar at exact constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.univariate.constants import (
    ONE,
    PI,
    ZERO,
    Constant,
    E,
    Unclear,
    exp,
    log,
    opaque,
    power,
    rational,
)

Table = Iterable[tuple[Constant, Constant]]


def _half(value: Constant) -> Constant:
    return value.scaled(Fraction(1, 2))


def _sqrt(n: int) -> Constant:
    return power(rational(n), Fraction(1, 2))


def _pi_multiple(value: Constant) -> Fraction | None:
    if not value.terms:
        return Fraction(0)
    monomial, coefficient = value.terms[0]
    return coefficient if len(value.terms) == 1 and monomial == PI.terms[0][0] else None


def _first_sign(value: Constant) -> int:
    return -1 if value.terms and value.terms[0][1] < 0 else 1


def sin(value: Constant) -> Constant:
    """The sine; exact at multiples of pi/6 and pi/4."""
    turn = _pi_multiple(value)
    if turn is not None and turn.denominator in (1, 2, 3, 4, 6):
        return _sine_of_turn(turn % 2)
    return opaque("sin", value) if _first_sign(value) > 0 else -opaque("sin", -value)


def _sine_of_turn(turn: Fraction) -> Constant:
    if turn >= 1:
        return -_sine_of_turn(turn - 1)
    if turn > Fraction(1, 2):
        turn = 1 - turn
    squares = {Fraction(0): 0, Fraction(1, 6): 1, Fraction(1, 4): 2, Fraction(1, 3): 3}
    return _half(_sqrt(squares.get(turn, 4))) if turn else ZERO


def cos(value: Constant) -> Constant:
    """The cosine; exact at multiples of pi/6 and pi/4."""
    turn = _pi_multiple(value)
    if turn is not None and turn.denominator in (1, 2, 3, 4, 6):
        return _sine_of_turn((turn + Fraction(1, 2)) % 2)
    return opaque("cos", value if _first_sign(value) > 0 else -value)


def _odd(
    name: str, table: Callable[[], Iterable[tuple[Constant, Constant]]]
) -> Callable[..., Constant]:
    """An odd function with known values."""

    def run(value: Constant) -> Constant:
        if value.sign() < 0:
            return -run(-value)
        for point, known in table():
            if (point - value).terms == ():
                return known
        return opaque(name, value)

    return run


def _arctangents() -> Table:
    return (
        (ZERO, ZERO),
        (ONE, PI.scaled(Fraction(1, 4))),
        (_sqrt(3), PI.scaled(Fraction(1, 3))),
        (_sqrt(3).scaled(Fraction(1, 3)), PI.scaled(Fraction(1, 6))),
    )


def _arcsines() -> Table:
    return (
        (ZERO, ZERO),
        (rational(Fraction(1, 2)), PI.scaled(Fraction(1, 6))),
        (_half(_sqrt(2)), PI.scaled(Fraction(1, 4))),
        (_half(_sqrt(3)), PI.scaled(Fraction(1, 3))),
        (ONE, PI.scaled(Fraction(1, 2))),
    )


_atan = _odd("atan", _arctangents)
_asin = _odd("asin", _arcsines)
_erf = _odd("erf", lambda: ((ZERO, ZERO),))


def _acos(value: Constant) -> Constant:
    return _half(PI) - _asin(value)


def _cosh(value: Constant) -> Constant:
    return _half(exp(value) + exp(-value))


def _sinh(value: Constant) -> Constant:
    return _half(exp(value) - exp(-value))


def _tanh(value: Constant) -> Constant:
    if not value.terms:
        return ZERO
    grown = exp(value.scaled(Fraction(2)))
    return (grown - ONE) * power(grown + ONE, Fraction(-1))


def _gamma(value: Constant) -> Constant:
    """Exact at whole and half numbers of moderate size."""
    x = value.rational
    if x is None or x.denominator > 2 or not 0 < x <= 40:
        return opaque("gamma", value)
    result, start = (
        (ONE, Fraction(1)) if x.denominator == 1 else (power(PI, Fraction(1, 2)), Fraction(1, 2))
    )
    while start < x:
        result = result.scaled(start)
        start += 1
    return result


def _loggamma(value: Constant) -> Constant:
    return log(_gamma(value)) if value.rational is not None else opaque("loggamma", value)


def _digamma(value: Constant) -> Constant:
    """psi(n) = psi(1) + 1 + ... + 1/(n-1) for whole n > 0."""
    x = value.rational
    if x is None or x.denominator > 1 or not 0 < x <= 40:
        return opaque("digamma", value)
    harmonic = sum((Fraction(1, k) for k in range(1, int(x))), Fraction(0))
    return opaque("digamma", ONE) + rational(harmonic)


def hurwitz(order: int, value: Constant) -> Constant:
    """zeta(order, value) = sum_k (k + value)^-order for order >= 2, value > 0."""
    x = value.rational
    shift = ZERO
    if x is not None and 1 < x <= 40:
        while x > 1:
            x -= 1
            shift = shift - rational(1 / x**order)
    return opaque("hurwitz", rational(order), value if x is None else rational(x)) + shift


def _bessel(order: Constant, value: Constant) -> Constant:
    nu = order.rational
    if nu is not None and nu.denominator == 1:
        nu = abs(nu)
        order = rational(nu)
    if not value.terms and nu is not None and nu >= 0:
        return ONE if nu == 0 else ZERO
    return opaque("besseli", order, value)


def _lambertw(value: Constant) -> Constant:
    if not value.terms:
        return ZERO
    return ONE if value == E else opaque("lambertw", value)


def _cbrt(value: Constant) -> Constant:
    third = Fraction(1, 3)
    return -power(-value, third) if value.sign() < 0 else power(value, third)


def _absolute(value: Constant) -> Constant:
    return -value if value.sign() < 0 else value


def _largest(first: Constant, *others: Constant) -> Constant:
    for other in others:
        first = other if (other - first).sign() > 0 else first
    return first


def _quotient(top: Constant, bottom: Constant) -> Constant:
    return top * power(bottom, Fraction(-1))


def _general_power(base: Constant, exponent: Constant) -> Constant:
    if exponent.rational is not None:
        return power(base, exponent.rational)
    if base.sign() == 0 and exponent.sign() > 0:
        return ZERO
    return exp(exponent * log(base))


def _sum(first: Constant, *others: Constant) -> Constant:
    for other in others:
        first = first + other
    return first


def _product(first: Constant, *others: Constant) -> Constant:
    for other in others:
        first = first * other
    return first


def _floor(value: Constant) -> Constant:
    if value.rational is not None:
        return rational(value.rational.numerator // value.rational.denominator)
    low, high = value.ball().lower().floor(), value.ball().upper().floor()
    if low != high:
        raise Unclear("floor of a number too close to a whole one")
    return rational(int(low.unique_fmpz()))


_FUNCTIONS: Mapping[str, Callable[..., Constant]] = MappingProxyType(
    {
        "+": _sum,
        "*": _product,
        "-": lambda x: -x,
        "/": _quotient,
        "^": _general_power,
        "pi": lambda: PI,
        "e": lambda: E,
        "exp": exp,
        "log": log,
        "sqrt": lambda x: power(x, Fraction(1, 2)),
        "cbrt": _cbrt,
        "sin": sin,
        "cos": cos,
        "tan": lambda x: _quotient(sin(x), cos(x)),
        "asin": _asin,
        "acos": _acos,
        "atan": _atan,
        "sinh": _sinh,
        "cosh": _cosh,
        "tanh": _tanh,
        "erf": _erf,
        "erfc": lambda x: ONE - _erf(x),
        "gamma": _gamma,
        "loggamma": _loggamma,
        "digamma": _digamma,
        "trigamma": lambda x: opaque("trigamma", x),
        "binomial": lambda n, k: _quotient(_gamma(n + ONE), _gamma(k + ONE) * _gamma(n - k + ONE)),
        "besseli": _bessel,
        "lambertw": _lambertw,
        "abs": _absolute,
        "sign": lambda x: rational(x.sign()),
        "max": _largest,
        "min": lambda *xs: -_largest(*(-x for x in xs)),
        "floor": _floor,
    }
)


def exact_value(node: Node, values: Mapping[str, Constant]) -> Constant:
    """The value of a tree at exact constants.

    Raises:
        Unclear: the value is undefined there, or a sign that it depends on cannot be shown.
    """
    done: dict[Node, Constant] = {}
    for part in node.nodes():
        if part.op == "symbol":
            done[part] = values[str(part.value)]
        elif part.op == "number" and isinstance(part.value, Fraction):
            done[part] = rational(part.value)
        else:
            rule = _FUNCTIONS.get(part.op)
            if rule is None:
                raise Unclear(f"no exact rule for {part.op}")
            done[part] = rule(*(done[arg] for arg in part.args))
    return done[node]
