"""Values of trees at rational points in an exact normal form, to find out whether one is 0.

A value is a sum of rational multiples of products of *atoms*: primes and pi and e with rational
exponents, exponentials, logarithms of primes, and functions of values. Equal atoms have equal
normal forms; different atoms may have equal values, so that only ``== 0`` is ever concluded
(a normal form without terms), never ``!= 0``. Only identities that hold for all values in the
domain are used; where none applies, the answer is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt
from types import MappingProxyType
from typing import Any

from flint import ctx, fmpz

from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import LARGEST_LITERAL, Node

# A monomial is a sorted tuple of (atom, exponent); a value maps monomials to coefficients.
Atom = Any
Monomial = tuple[tuple[Atom, Fraction], ...]
Value = Mapping[Monomial, Fraction]

_MOST_TERMS = 200
_LARGEST_FACTORED = 10**12
_ONE: Monomial = ()


class _NoValue(Exception):
    """No rule gives a normal form."""


def exact_value(node: Node, point: Mapping[str, Fraction]) -> Fraction | None:
    """The value at the point where it comes out rational; None: it does not, or is undefined."""
    done: dict[Node, Value] = {}
    try:
        for part in node.nodes():
            args = [done[arg] for arg in part.args]
            if not _is_defined(part, args, point):
                return None
            done[part] = _value(part, args, point)
    except _NoValue:
        return None
    return _rational(done[node])


def _is_defined(node: Node, args: list[Value], point: Mapping[str, Fraction]) -> bool:
    """Whether the node has a value, its arguments having one; the rules check rational ones."""
    if node.op in _EVERYWHERE:
        return True
    if node.op in ("/", "^", "sqrt", "log") and all(_rational(arg) is not None for arg in args):
        return True
    tape = compile_tape([node])
    with ctx.workprec(256):
        (value,) = tape.run({name: ball(x, x) for name, x in point.items()})
        return bool(value.is_finite())


def _rational(value: Value) -> Fraction | None:
    if not value:
        return Fraction(0)
    return value[_ONE] if len(value) == 1 and _ONE in value else None


def _value(node: Node, args: list[Value], point: Mapping[str, Fraction]) -> Value:
    if node.op == "symbol":
        return _number(point[str(node.value)])
    if isinstance(node.value, Fraction):
        return _number(node.value)
    if node.op in ("pi", "e"):
        return {((_key(node.op), Fraction(1)),): Fraction(1)}
    if node.op in ("abs", "min", "max", "sign", "floor"):
        return _choice(node, args, point)
    rule = _RULES.get(node.op)
    return rule(*args) if rule is not None else _function(node.op, args)


def _number(value: Fraction) -> Value:
    if value.numerator.bit_length() + value.denominator.bit_length() > LARGEST_LITERAL:
        raise _NoValue
    return {_ONE: value} if value else {}


def _key(name: str, *parts: Any) -> Atom:
    return (name, *parts)


def _frozen(value: Value) -> tuple[Any, ...]:
    return tuple(sorted(value.items(), key=repr))


def _plus(*values: Value) -> Value:
    total: dict[Monomial, Fraction] = {}
    for value in values:
        for monomial, coefficient in value.items():
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    if len(total) > _MOST_TERMS:
        raise _NoValue
    return {monomial: c for monomial, c in total.items() if c}


def _scaled(value: Value, factor: Fraction) -> Value:
    return {monomial: c * factor for monomial, c in value.items()} if factor else {}


def _times(*values: Value) -> Value:
    result: Value = _number(Fraction(1))
    for value in values:
        if len(result) * len(value) > _MOST_TERMS:
            raise _NoValue
        result = _plus(*(_product(a, b) for a in result.items() for b in value.items()))
    return result


def _product(first: tuple[Monomial, Fraction], second: tuple[Monomial, Fraction]) -> Value:
    powers = dict(first[0])
    for atom, exponent in second[0]:
        powers[atom] = powers.get(atom, Fraction(0)) + exponent
    return _normal(powers, first[1] * second[1])


def _normal(powers: Mapping[Atom, Fraction], coefficient: Fraction) -> Value:
    """Whole powers of primes go into the coefficient, so that sqrt(2)*sqrt(2) is 2."""
    kept: list[tuple[Atom, Fraction]] = []
    for atom, exponent in powers.items():
        whole = exponent.numerator // exponent.denominator if atom[0] == "prime" else 0
        if abs(whole) > 4000:
            raise _NoValue
        if whole:
            coefficient *= Fraction(atom[1]) ** whole
        if exponent - whole:
            kept.append((atom, exponent - whole))
    _number(coefficient)
    return {tuple(sorted(kept, key=repr)): coefficient}


def _single(value: Value) -> tuple[Monomial, Fraction]:
    if len(value) != 1:
        raise _NoValue
    return next(iter(value.items()))


def _is_positive(atom: Atom) -> bool:
    return atom[0] in ("prime", "pi", "e", "exp")


def _power(base: Value, exponent: Value) -> Value:
    power = _rational(exponent)
    if power is None:
        return _exp(_times(exponent, _log(base)))
    if not base and not power:  # 0^0 has no agreed value
        raise _NoValue
    if power.denominator == 1 and 0 <= power <= 64:
        return _times(*[base] * int(power))
    monomial, coefficient = _single(base)
    if power.denominator == 1:
        if abs(power) > 4000:
            raise _NoValue
        _number(Fraction(2) ** min(4000 * 8, int(abs(power)) * _bits(coefficient)))
        powers = {atom: e * power for atom, e in monomial}
        return _normal(powers, coefficient ** int(power))
    if coefficient < 0 or not all(_is_positive(atom) for atom, _ in monomial):
        raise _NoValue
    powers = {atom: e * power for atom, e in monomial}
    for prime, count in _factors(coefficient).items():
        atom = _key("prime", prime)
        powers[atom] = powers.get(atom, Fraction(0)) + count * power
    return _normal(powers, Fraction(1))


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _factors(value: Fraction) -> dict[int, int]:
    """Primes and exponents of a positive rational."""
    if max(value.numerator, value.denominator) > _LARGEST_FACTORED:
        root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
        if root * root != value or max(root.numerator, root.denominator) > _LARGEST_FACTORED:
            raise _NoValue
        return {prime: 2 * count for prime, count in _factors(root).items()}
    found = {int(p): int(k) for p, k in fmpz(value.numerator).factor()}
    for p, k in fmpz(value.denominator).factor():
        found[int(p)] = found.get(int(p), 0) - int(k)
    return found


def _exp(value: Value) -> Value:
    """exp of a sum, term by term: exp(r) = e^r, exp(r log p) = p^r, else an atom with exponent."""
    powers: dict[Atom, Fraction] = {}
    for monomial, coefficient in value.items():
        atom = _key("exp", monomial)
        if monomial == _ONE:
            atom = _key("e")
        elif len(monomial) == 1 and monomial[0][0][0] == "log prime" and monomial[0][1] == 1:
            atom = _key("prime", monomial[0][0][1])
        powers[atom] = powers.get(atom, Fraction(0)) + coefficient
    return _normal(powers, Fraction(1))


def _log(value: Value) -> Value:
    rational = _rational(value)
    if rational is not None and rational <= 0:
        raise _NoValue
    if len(value) != 1:
        return _function("log", [value])
    monomial, coefficient = _single(value)
    if coefficient < 0 or not all(_is_positive(atom) for atom, _ in monomial):
        return _function("log", [value])
    terms: list[Value] = [
        _scaled(_atom(_key("log prime", prime)), Fraction(count))
        for prime, count in _factors(coefficient).items()
    ]
    terms += [_scaled(_log_of_atom(atom), exponent) for atom, exponent in monomial]
    return _plus(*terms)


def _log_of_atom(atom: Atom) -> Value:
    if atom[0] == "e":
        return _number(Fraction(1))
    if atom[0] == "prime":
        return _atom(_key("log prime", atom[1]))
    return {atom[1]: Fraction(1)} if atom[0] == "exp" else _atom(_key("log", atom))


def _atom(atom: Atom) -> Value:
    return {((atom, Fraction(1)),): Fraction(1)}


def _function(name: str, args: list[Value]) -> Value:
    """The value at 0 where it is known, 1 for gamma at 1 and 2, else an atom."""
    if not args[0] and name in _AT_ZERO:
        return _number(Fraction(_AT_ZERO[name]))
    if name in ("gamma", "loggamma") and _rational(args[0]) in (1, 2):
        return _number(Fraction(1 if name == "gamma" else 0))
    if name in _ODD and args[0] and min(args[0].items(), key=repr)[1] < 0:
        inner = _scaled(args[0], Fraction(-1))
        return _scaled(_atom(_key(name, _frozen(inner))), Fraction(-1))
    if name in ("cos", "cosh") and args[0] and min(args[0].items(), key=repr)[1] < 0:
        args = [_scaled(args[0], Fraction(-1))]
    return _atom(_key(name, *map(_frozen, args)))


def _choice(node: Node, args: list[Value], point: Mapping[str, Fraction]) -> Value:
    """abs, min, max, sign and floor, decided exactly or in balls of 256 bits."""
    exact = [_rational(arg) for arg in args]
    known = [value for value in exact if value is not None]
    if len(known) == len(exact):
        return _number(Fraction(_CHOICES[node.op](known)))
    if node.op == "abs":
        return _scaled(args[0], Fraction(_sign_of_gap(node.args[0], None, point)))
    if node.op not in ("min", "max"):
        raise _NoValue
    best = 0
    for i in range(1, len(args)):
        if args[i] == args[best]:
            continue
        larger = _sign_of_gap(node.args[i], node.args[best], point) > 0
        best = i if larger == (node.op == "max") else best
    return args[best]


def _sign_of_gap(first: Node, second: Node | None, point: Mapping[str, Fraction]) -> int:
    tape = compile_tape([first if second is None else first - second])
    with ctx.workprec(256):
        (gap,) = tape.run({name: ball(x, x) for name, x in point.items()})
        if gap > 0:
            return 1
        if gap < 0:
            return -1
    raise _NoValue


def _divided(top: Value, bottom: Value) -> Value:
    return _times(top, _power(bottom, _number(Fraction(-1)))) if bottom else _raise()


def _raise() -> Value:
    raise _NoValue


_EVERYWHERE = frozenset(
    {"number", "symbol", "pi", "e", "+", "*", "-", "exp", "sin", "cos", "atan", "sinh", "cosh",
     "tanh", "erf", "erfc", "cbrt", "abs", "min", "max", "sign", "floor"}
)  # fmt: skip
_AT_ZERO = MappingProxyType(
    {"sin": 0, "tan": 0, "asin": 0, "atan": 0, "sinh": 0, "tanh": 0, "erf": 0, "lambertw": 0,
     "cos": 1, "cosh": 1, "erfc": 1}
)  # fmt: skip
_ODD = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "erf"})
_CHOICES: Mapping[str, Callable[[list[Fraction]], Any]] = MappingProxyType(
    {
        "abs": lambda v: abs(v[0]),
        "min": min,
        "max": max,
        "sign": lambda v: (v[0] > 0) - (v[0] < 0),
        "floor": lambda v: v[0].numerator // v[0].denominator,
    }
)
_HALF = Fraction(1, 2)
_RULES: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {
        "+": _plus,
        "*": _times,
        "-": lambda x: _scaled(x, Fraction(-1)),
        "/": _divided,
        "^": _power,
        "exp": _exp,
        "log": _log,
        "sqrt": lambda x: _power(x, _number(_HALF)) if x else x,
    }
)
