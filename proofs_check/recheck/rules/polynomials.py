"""Polynomials on boxes: terms, factors, Bernstein, discriminants, orders, squares, Gram matrices.

Every rule here works on a goal that is, wherever it has a value, a polynomial in the variables of
the box; the kernel expands the goal, and computes what is below a rule, by itself. Whole numbers
are taken as real, and facts are used by ``gram`` only: both make the region larger. Nothing is
said about definedness, as a polynomial has a value everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from math import comb
from types import MappingProxyType
from typing import Any

from proofs_check.recheck import bernstein, gram
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import DEEPEST, Proof, Rule
from proofs_check.recheck.polynomial import (
    Poly,
    Statement,
    about,
    coefficients_in,
    composed,
    place,
    polynomial,
    quotient,
    ring,
    statement_of,
    times,
    used,
)
from proofs_check.recheck.sequent import Sequent, Side

PolynomialRule = Callable[[Statement, Proof], None]
_HALF_LINE = Side(low=Fraction(0))
_LARGEST_POWER = 400
_MOST_ORDERED = 5
_MOST_ROUNDS = 8
_MOST_TERMS = 2_000  # that a polynomial of its degree may get by substitutions


def prove(s: Statement, p: Proof) -> None:
    """Accept silently when the node, of a rule of this module, proves the statement.

    Raises:
        Rejected: it does not.
    """
    p.budget.spend(1 + len(s.poly) // 50)
    name = p.text("rule")
    rule = _RULES.get(name)
    if rule is None:
        raise Rejected(f"{name[:40]!r} is no rule for polynomials")
    if p.depth > DEEPEST:
        raise Rejected(f"rules nested deeper than {DEEPEST}")
    try:
        rule(s, p)
    except Rejected as error:
        raise error.inside(name) from None


def _number(s: Statement, p: Proof) -> None:
    """A constant."""
    if not s.poly.is_constant():
        raise Rejected("the polynomial is no number")
    value = 0 if s.poly.is_zero() else s.poly.leading_coefficient()
    if value < 0 or (value == 0 and s.strict):
        raise Rejected(f"{value} has the wrong sign")


def _terms(s: Statement, p: Proof) -> None:
    """Every term is >= 0: positive coefficients, and variables that are >= 0 or in even powers.

    For > 0 one term must be, in variables that are.
    """
    sides = [s.sides[name] for name in s.poly.context().names()]
    nonnegative = [side.low is not None and side.low >= 0 for side in sides]
    nonzero = [not side.contains(Fraction(0)) for side in sides]
    positive = False
    for exponents, value in s.poly.to_dict().items():
        fine = all(e % 2 == 0 or ok for e, ok in zip(exponents, nonnegative, strict=True))
        if value < 0 or not fine:
            raise Rejected("a term may be negative")
        positive |= all(e == 0 or ok for e, ok in zip(exponents, nonzero, strict=True))
    if s.strict and not positive:
        raise Rejected("all terms may vanish")


def _factors(s: Statement, p: Proof) -> None:
    """p = c prod f_i^e_i, multiplied out: signs of the factors, even powers need none for >= 0.

    {"factors": [{"of": text, "power": e, "positive": bool, "proof": tree}, ...]}, where
    ``positive: false`` means that the proof is one of -f; squares go without.
    """
    if s.poly.is_zero():
        raise Rejected("the polynomial is zero")
    context = s.poly.context()
    total, sign = context.constant(1), 1
    for node in p.subs("factors"):
        factor, power = polynomial(node.expression("of"), context), node.get("power")
        if type(power) is not int or not 1 <= power <= _LARGEST_POWER or factor.is_zero():
            raise Rejected("a factor must be a nonzero polynomial with a power from 1")
        for _ in range(power):
            total = times(total, factor)
        if "proof" not in node.data:
            if s.strict or power % 2:
                raise Rejected("a factor lacks the proof of its sign")
            continue
        positive = node.get("positive") is True
        prove(s.showing(factor if positive else -factor, s.strict), node.sub("proof"))
        if not positive and power % 2:
            sign = -sign
    content = s.poly.leading_coefficient() / total.leading_coefficient()
    if total * content != s.poly:
        raise Rejected("the factors do not multiply to the polynomial")
    if content * sign < 0:
        raise Rejected("the signs of the factors make the product <= 0")


def _bernstein(s: Statement, p: Proof) -> None:
    """Bernstein coefficients and subdivision: {"variables": [names], "tree": nodes}."""
    context = s.poly.context()
    names = p.items("variables")
    positions = [place(context, name) for name in names]
    if len(set(positions)) != len(positions) or set(used(s.poly)) - set(positions):
        raise Rejected("the variables must be those of the polynomial, each once")
    sides = [s.sides[name] for name in names]
    table = bernstein.table_of(s.poly, positions, sides)
    ends = tuple(bernstein.closed_ends(side) for side in sides)
    bernstein.check(table, s.strict, ends, p.get("tree"), p.budget.spend)


def _discriminant(s: Statement, p: Proof) -> None:
    """a x^2 + b x + c >= 0 for all real x: a >= 0, c >= 0 and 4 a c - b^2 >= 0.

    If a = 0 then b = 0. For > 0 the last must be > 0, so that a > 0.
    {"variable": name, "proofs": [of a, of c, of 4 a c - b^2]}.
    """
    position = place(s.poly.context(), p.text("variable"))
    if s.poly.degrees()[position] != 2:
        raise Rejected("the polynomial is not quadratic in the variable")
    c, b, a = coefficients_in(s.poly, position)
    first, second, third = p.subs("proofs", 3)
    prove(s.showing(a, False), first)
    prove(s.showing(c, False), second)
    prove(s.showing(4 * times(a, c) - times(b, b), s.strict), third)


def _squares(s: Statement, p: Proof) -> None:
    """Where only even powers of x occur, u = x^2 >= 0 is the variable (> 0 if x is never 0).

    {"variables": [names], "proof": tree}.
    """
    context = s.poly.context()
    names = p.items("variables")
    even = {place(context, name) for name in names}
    terms: dict[tuple[int, ...], Any] = {}
    for exponents, value in s.poly.to_dict().items():
        if any(exponents[i] % 2 for i in even):
            raise Rejected("an odd power of a variable occurs")
        terms[tuple(e // 2 if i in even else e for i, e in enumerate(exponents))] = value
    zero = Fraction(0)
    sides = {name: Side(low=zero, open_low=not s.sides[name].contains(zero)) for name in names}
    prove(s.on(context.from_dict(terms), sides), p.sub("proof"))


def _halves(s: Statement, p: Proof) -> None:
    """Where x >= 0, and where x <= 0 with -x in its place: {"variable": name, "proofs": [2]}."""
    context = s.poly.context()
    name = p.text("variable")
    position = place(context, name)
    side = s.sides[name]
    turned = Side(
        None if side.high is None else -side.high,
        None if side.low is None else -side.low,
        side.open_high,
        side.open_low,
    )
    mirrored = composed(s.poly, {position: -context.gens()[position]})
    right, left = p.subs("proofs", 2)
    prove(s.on(s.poly, {name: side.meet(_HALF_LINE)}), right)
    prove(s.on(mirrored, {name: turned.meet(_HALF_LINE)}), left)


def _ordered(s: Statement, p: Proof) -> None:
    """Homogeneous on x >= 0: in each order of the variables, x_a = s, x_b = s + t, ... has
    coefficients >= 0, or the same after repeating (successive differences).

    A polynomial that is not homogeneous is one with another variable h >= 0 at h = 1.
    """
    places = used(s.poly)
    names = s.poly.context().names()
    lows = [s.sides[names[i]].low for i in places]
    if s.strict or any(low is None or low < 0 for low in lows):
        raise Rejected("only for >= 0, and on variables that are >= 0")
    if s.poly.is_zero():
        return
    poly = _homogeneous(s.poly)
    if len(used(poly)) > _MOST_ORDERED:
        raise Rejected(f"more than {_MOST_ORDERED} variables to put in order")
    if comb(poly.total_degree() + len(used(poly)), len(used(poly))) > _MOST_TERMS:
        raise Rejected("the degree is too high to put the variables in order")
    _by_differences(poly, used(poly), _MOST_ROUNDS, set(), p)


def _homogeneous(poly: Poly) -> Poly:
    if len({sum(exponents) for exponents in poly.monoms()}) <= 1:
        return poly
    names = poly.context().names()
    wide = ring([*names, "_" * (1 + max(map(len, names)))])
    degree = poly.total_degree()
    return wide.from_dict({(*e, degree - sum(e)): c for e, c in poly.to_dict().items()})


def _by_differences(poly: Poly, places: list[int], rounds: int, known: set[str], p: Proof) -> None:
    """The polynomial is >= 0 for all values >= 0 of the variables; ``known`` are others that are.

    The rounds left fall at each step, so that no polynomial rests on itself.
    """
    p.budget.spend(1 + len(poly) // 50)
    if all(value >= 0 for value in poly.coeffs()) or str(poly) in known:
        return
    if rounds == 0:
        raise Rejected("the successive differences do not end")
    gens = poly.context().gens()
    for order in permutations(places):
        total, images = poly.context().constant(0), {}
        for i in order:
            total = total + gens[i]
            images[i] = total
        _by_differences(composed(poly, images), places, rounds - 1, known, p)
    known.add(str(poly))


def _quotient(s: Sequent, p: Proof) -> None:
    """A rational function: {"top": text, "bottom": text, "top_proof": ..., "bottom_proof": ...}.

    The goal is T/B with B != 0 wherever it has a value; T bottom = top B as polynomials, so that it
    is top/bottom where bottom > 0.
    """
    context = ring(s.names)
    above, below = quotient(s.goal, context)
    top, bottom = (polynomial(p.expression(key), context) for key in ("top", "bottom"))
    if bottom.is_zero() or times(above, bottom) != times(top, below):
        raise Rejected("the goal is another quotient")
    whole = about(s, top)
    prove(whole.showing(bottom, True), p.sub("bottom_proof"))
    prove(whole, p.sub("top_proof"))


def _gram(s: Statement, p: Proof) -> None:
    """A weighted sum of squares, see :mod:`proofs_check.recheck.gram`."""
    gram.check(s, p)


_RULES: Mapping[str, PolynomialRule] = MappingProxyType(
    {
        "number": _number,
        "terms": _terms,
        "polynomial factors": _factors,
        "bernstein": _bernstein,
        "discriminant": _discriminant,
        "squares": _squares,
        "halves": _halves,
        "ordered": _ordered,
        "gram": _gram,
    }
)


def _outer(rule: PolynomialRule) -> Rule:
    def check(s: Sequent, p: Proof) -> None:
        rule(statement_of(s), p)

    return check


RULES: Mapping[str, Rule] = MappingProxyType(
    {**{name: _outer(rule) for name, rule in _RULES.items()}, "quotient": _quotient}
)
