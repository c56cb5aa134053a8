"""Rewriting rules of the normal form, one for each function; each holds wherever f is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import floor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from proofs_check.arithmetic.tree import PI, Node, call, number
from proofs_check.methods.inequality.polynomial.rational import (
    NotRational,
    Poly,
    fraction,
    rational,
)

if TYPE_CHECKING:
    from proofs_check.methods.inequality.multivariate.normal import Quotient, Table

_LARGEST_MULTIPLE = 40


def make(table: Table, top: Poly) -> Quotient:
    """A polynomial as a quotient."""
    return table.quotient(top, table.one)


def terms(table: Table, value: Quotient) -> Iterator[tuple[Fraction, Quotient]]:
    """(c, m) for the terms c m of top/bottom; m has coefficient 1 and is cancelled."""
    for exponents, coefficient in value.top.to_dict().items():
        monomial = table.context.from_dict({exponents: 1})
        yield fraction(coefficient), table.quotient(monomial, value.bottom)


def _kind(table: Table, unit: Quotient) -> tuple[str, Quotient] | None:
    """(kind, argument) when the quotient is a single atom."""
    if unit.bottom != 1:
        return None
    for position, inner in table.inner.items():
        if unit.top == table.gens[position]:
            return inner
    return None


def exponential(table: Table, value: Quotient) -> Quotient:
    """exp of a sum as a product: exp(c m) = exp(m/Q)^(cQ); exp(c log u) = u^c."""
    result = table.constant(1)
    for coefficient, unit in terms(table, value):
        kind = _kind(table, unit)
        if kind is not None and kind[0] == "log":
            factor = root_power(table, kind[1], coefficient)
        else:
            factor = _exponential_atom(table, coefficient, unit)
        result = table.product(result, factor)
    return result


def _exponential_atom(table: Table, coefficient: Fraction, unit: Quotient) -> Quotient:
    key = f"exp:{unit}"
    power = table.scaled(key, coefficient)
    base = table.product(unit, table.constant(Fraction(1, table.scales[key])))
    position = table.atom(key, call("exp", table.tree_of(base)), "exp", base)
    return table.whole_power(make(table, table.gens[position]), power)


def logarithm(table: Table, value: Quotient) -> Quotient:
    """log of a product of certainly positive factors as a sum; otherwise an atom."""
    found = table.parts(value)
    if found is None or found[0] <= 0:
        return _logarithm_atom(table, value)
    total = _logarithm_of_number(table, found[0])
    for factor, exponent in found[1]:
        part = _logarithm_of_factor(table, make(table, factor))
        total = table.sum(total, table.product(part, table.constant(exponent)))
    return total


def _logarithm_atom(table: Table, value: Quotient) -> Quotient:
    node = call("log", table.tree_of(value))
    return make(table, table.gens[table.atom(f"log:{value}", node, "log", value)])


def _logarithm_of_factor(table: Table, factor: Quotient) -> Quotient:
    kind = _kind(table, factor)
    if kind is not None and kind[0] == "exp":
        return kind[1]
    if kind is not None and kind[0].startswith("root"):
        inner = logarithm(table, kind[1])
        return table.product(inner, table.constant(Fraction(1, int(kind[0][4:]))))
    return _logarithm_atom(table, factor)


def _primes(value: Fraction) -> Iterator[tuple[int, int]]:
    from proofs_check.methods.inequality.multivariate.normal import prime_powers

    for sign, part in ((1, value.numerator), (-1, value.denominator)):
        for prime, exponent in prime_powers(part):
            if prime != 1:
                yield prime, sign * exponent


def _logarithm_of_number(table: Table, value: Fraction) -> Quotient:
    total = table.constant(0)
    for prime, exponent in _primes(value):
        atom = _logarithm_atom(table, table.constant(prime))
        total = table.sum(total, table.product(atom, table.constant(exponent)))
    return total


def root_power(table: Table, value: Quotient, exponent: Fraction) -> Quotient:
    """u^(p/q), u >= 0, as a product over the factors of u that are certainly positive."""
    if exponent.denominator == 1:
        return table.whole_power(value, int(exponent))
    if value.top.is_zero() and exponent > 0:
        return table.constant(0)
    found = table.parts(value, weak=True)
    if found is None or found[0] <= 0:
        return _root_atom(table, value, exponent)
    result = table.constant(1)
    for prime, power in _primes(found[0]):
        factor = _root_atom(table, table.constant(prime), exponent * power)
        result = table.product(result, factor)
    for part, power in found[1]:
        kind = _kind(table, make(table, part))
        if kind is not None and kind[0] == "exp":
            scaled = table.product(kind[1], table.constant(exponent * power))
            factor = exponential(table, scaled)
        else:
            factor = _root_atom(table, make(table, part), exponent * power)
        result = table.product(result, factor)
    return result


def _root_atom(table: Table, value: Quotient, exponent: Fraction) -> Quotient:
    if exponent.denominator == 1:
        return table.whole_power(value, int(exponent))
    if value.bottom != 1 and table.sign(value.bottom) == 1:
        # (a/b)^(p/q) = (a b^(q-1))^(p/q) / b^p
        whole = table.related(value.top * value.bottom ** (exponent.denominator - 1))
        below = table.whole_power(make(table, value.bottom), -exponent.numerator)
        return table.product(_root_atom(table, make(table, whole), exponent), below)
    if value.bottom != 1:
        node = table.tree_of(value) ** number(exponent)
        position = table.atom(f"power:{exponent}:{value}", node, "power", value)
        return make(table, table.gens[position])
    degree = exponent.denominator
    inner = table.tree_of(value)
    node = call("sqrt", inner) if degree == 2 else inner ** number(Fraction(1, degree))
    position = table.atom(f"root{degree}:{value}", node, f"root{degree}", value)
    table.relations[position] = (degree, value.top)
    return table.whole_power(make(table, table.gens[position]), exponent.numerator)


# --- sines ------------------------------------------------------------------------------------
def _angle(table: Table, value: Quotient) -> tuple[Quotient, Quotient]:
    """(cos, sin) of a sum by the addition theorems."""
    cosine, sine = table.constant(1), table.constant(0)
    for coefficient, unit in terms(table, value):
        c, s = _multiple(table, coefficient, unit)
        cosine, sine = (
            table.sum(table.product(cosine, c), negated(table.product(sine, s))),
            table.sum(table.product(sine, c), table.product(cosine, s)),
        )
    return cosine, sine


def negated(value: Quotient) -> Quotient:
    """-value."""
    return type(value)(-value.top, value.bottom)


def _multiple(table: Table, coefficient: Fraction, unit: Quotient) -> tuple[Quotient, Quotient]:
    kind = _kind(table, unit)
    if kind is not None and kind[0] == "pi":
        return _known_angle(table, coefficient)
    key = f"angle:{unit}"
    count = table.scaled(key, coefficient)
    if abs(count) > _LARGEST_MULTIPLE:
        raise NotRational("a large multiple of an angle")
    base = table.product(unit, table.constant(Fraction(1, table.scales[key])))
    first = _angle_atoms(table, key, base)
    cosine, sine = table.constant(1), table.constant(0)
    for _ in range(abs(count)):
        cosine, sine = (
            table.sum(table.product(cosine, first[0]), negated(table.product(sine, first[1]))),
            table.sum(table.product(sine, first[0]), table.product(cosine, first[1])),
        )
    return cosine, sine if count >= 0 else negated(sine)


def _angle_atoms(table: Table, key: str, base: Quotient) -> tuple[Quotient, Quotient]:
    inner = table.tree_of(base)
    cosine = table.atom(f"cos{key}", call("cos", inner), "cos", base)
    sine = table.atom(f"sin{key}", call("sin", inner), "sin", base)
    table.relations[sine] = (2, 1 - table.gens[cosine] ** 2)
    return make(table, table.gens[cosine]), make(table, table.gens[sine])


def _known_angle(table: Table, turns: Fraction) -> tuple[Quotient, Quotient]:
    """(cos, sin) of a rational multiple of pi with denominator 1, 2, 3, 4 or 6."""
    halves = turns % 2
    if halves.denominator not in (1, 2, 3, 4, 6):
        key = f"turns:{halves}"
        return _angle_atoms(table, key, _turned(table, halves))
    return _cosine_of_turns(table, halves), _cosine_of_turns(table, halves - Fraction(1, 2))


def _turned(table: Table, turns: Fraction) -> Quotient:
    return table.product(table.plain(PI, []), table.constant(turns))


def _cosine_of_turns(table: Table, turns: Fraction) -> Quotient:
    turns = abs(turns) % 2
    turns = 2 - turns if turns > 1 else turns
    if turns > Fraction(1, 2):
        return negated(_cosine_of_turns(table, 1 - turns))
    squares = {
        Fraction(0): Fraction(1),
        Fraction(1, 6): Fraction(3, 4),
        Fraction(1, 4): Fraction(1, 2),
        Fraction(1, 3): Fraction(1, 4),
        Fraction(1, 2): Fraction(0),
    }
    return root_power(table, table.constant(squares[turns]), Fraction(1, 2))


def _tangent(table: Table, value: Quotient) -> Quotient:
    cosine, sine = _angle(table, value)
    return table.product(sine, table.whole_power(cosine, -1))


def _hyperbolic(table: Table, value: Quotient) -> tuple[Quotient, Quotient]:
    """(cosh, sinh) by exponentials."""
    grown, shrunk = exponential(table, value), exponential(table, negated(value))
    half = table.constant(Fraction(1, 2))
    return (
        table.product(half, table.sum(grown, shrunk)),
        table.product(half, table.sum(grown, negated(shrunk))),
    )


def _tanh(table: Table, value: Quotient) -> Quotient:
    cosh, sinh = _hyperbolic(table, value)
    return table.product(sinh, table.whole_power(cosh, -1))


# --- the rest ---------------------------------------------------------------------------------
def _odd(op: str, at_one: Fraction | None) -> Callable[[Any, Any], Any]:
    """Odd functions: f(0) = 0, f(-x) = -f(x), f(1) = at_one pi when it is known."""

    def rule(table: Table, value: Quotient) -> Quotient:
        if value.top.is_zero():
            return table.constant(0)
        if value.top.leading_coefficient() < 0:
            return negated(rule(table, negated(value)))
        if at_one is not None and str(value) == str(table.constant(1)):
            return _turned(table, at_one)
        return table.plain(Node(op), [value])

    return rule


def _absolute(table: Table, value: Quotient) -> Quotient:
    sign = _sign_of(table, value)
    if sign is None:
        lead = value.top.leading_coefficient() if not value.top.is_zero() else 1
        return table.plain(Node("abs"), [value if lead > 0 else negated(value)])
    return value if sign >= 0 else negated(value)


def _sign_of(table: Table, value: Quotient) -> int | None:
    """Sign on the whole region: -1, 1; 0 for the zero function; None when it is not known."""
    if value.top.is_zero():
        return 0
    top, bottom = table.sign(value.top), table.sign(value.bottom)
    return None if top is None or bottom is None else top * bottom


def _sign(table: Table, value: Quotient) -> Quotient:
    sign = _sign_of(table, value)
    return table.plain(Node("sign"), [value]) if sign is None else table.constant(sign)


def _choice(op: str) -> Callable[..., Any]:
    def rule(table: Table, *values: Quotient) -> Quotient:
        best = values[0]
        for value in values[1:]:
            sign = _sign_of(table, table.sum(best, negated(value)))
            if sign is None:
                best = table.plain(Node(op), [best, value])
            elif (sign < 0) == (op == "max"):
                best = value
        return best

    return rule


def _logarithm_of_gamma(table: Table, value: Quotient) -> Quotient:
    """log Gamma(a + n) = log Gamma(a) + sum log(a + j), as far down as a stays positive."""
    base, added = _shifted(table, value)
    total = table.constant(0)
    if base.top.is_constant() and base.bottom == 1 and base.top == 1:
        pass
    else:
        total = table.plain(Node("loggamma"), [base])
    for part in added:
        total = table.sum(total, logarithm(table, part))
    return total


def _gamma(table: Table, value: Quotient) -> Quotient:
    """Gamma(a + n) = a (a + 1) ... (a + n - 1) Gamma(a); Gamma(1) = 1."""
    base, added = _shifted(table, value)
    unit = base.bottom == 1 and base.top == 1
    result = table.constant(1) if unit else table.plain(Node("gamma"), [base])
    for part in added:
        result = table.product(result, part)
    return result


def _digamma(table: Table, value: Quotient) -> Quotient:
    base, added = _shifted(table, value)
    total = table.plain(Node("digamma"), [base])
    for part in added:
        total = table.sum(total, table.whole_power(part, -1))
    return total


def _shifted(table: Table, value: Quotient) -> tuple[Quotient, list[Quotient]]:
    """(a, [a, a+1, ..., a+n-1]) for the argument a + n; a > 0 on the region."""
    if value.bottom != 1:
        return value, []
    origin = tuple([0] * len(table.gens))
    constant = fraction(rational(0) + value.top.to_dict().get(origin, 0))
    pure = value.top.is_constant()
    for count in range(min(floor(constant), 20), 0, -1):
        base = value.top - count
        if table.sign(base) == 1 and not (pure and base == 0):
            return make(table, base), [make(table, base + j) for j in range(count)]
    return value, []


RULES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "e": lambda t: exponential(t, t.constant(1)),
        "exp": exponential,
        "log": logarithm,
        "sqrt": lambda t, x: root_power(t, x, Fraction(1, 2)),
        "cos": lambda t, x: _angle(t, x)[0],
        "sin": lambda t, x: _angle(t, x)[1],
        "tan": _tangent,
        "cosh": lambda t, x: _hyperbolic(t, x)[0],
        "sinh": lambda t, x: _hyperbolic(t, x)[1],
        "tanh": _tanh,
        "asin": _odd("asin", Fraction(1, 2)),
        "atan": _odd("atan", Fraction(1, 4)),
        "erf": _odd("erf", None),
        "abs": _absolute,
        "sign": _sign,
        "max": _choice("max"),
        "min": _choice("min"),
        "gamma": _gamma,
        "loggamma": _logarithm_of_gamma,
        "digamma": _digamma,
    }
)
