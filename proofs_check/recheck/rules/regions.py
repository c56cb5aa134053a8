"""Other regions: substitution, new variables, weakening, cutting.

Every rule here maps each point of the region to a point of a smaller problem at which the goal has
the same value. So what holds there holds here, and a goal that is shown to have values there
(``total``) has them here. ``defined`` goes the other way: it is handed down only where every point
of the smaller region comes from a point of this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from proofs_check.recheck import normal
from proofs_check.recheck.affine import affine, extreme
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.entries import fraction, side_of
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr, mul, neg, num, replaced, var
from proofs_check.recheck.hypotheses import (
    implied,
    known,
    place_of,
    without_implied,
    without_points,
)
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Fact, Sequent, Side, everywhere, range_facts


def put(s: Sequent, p: Proof) -> None:
    """``{"name", "value", "proof"}``: a variable replaced by the polynomial that it equals.

    It does because its side is one point, or because two facts say k*(x - value) >= 0 with a
    positive and with a negative k; where the side is empty nothing is to be shown. A polynomial has
    a value everywhere, so the identity that shows this holds at every point of the region. No point
    is new if those facts are polynomials too.
    """
    name, value = p.variable("name", s), p.expression("value")
    _belongs(value, set(s.names) - {name})
    side = s.side(name)
    if side.empty:
        return  # no point, nothing to show
    used: set[int] = set()
    if value.number is None or not side.low == side.high == value.number:
        used = _equality(name, value, s)
    facts = tuple(fact for i, fact in enumerate(s.facts) if i not in used)
    same = s.defined and all(everywhere(s.facts[i].expression) for i in used)
    p.sub("proof").check(replace(s, facts=facts, defined=same).put(name, value))


def _equality(name: str, value: Expr, s: Sequent) -> set[int]:
    """The indices of two facts that together say x = value."""
    found: dict[bool, int] = {}
    gap = var(name) - value
    for index, fact in enumerate(s.facts):
        slope = _slope(fact.expression, name)
        if slope is None or (slope > 0) in found:
            continue
        if _zero(fact.expression - mul(num(slope), gap), s):
            found[slope > 0] = index
    if len(found) < 2:
        raise Rejected(f"the facts do not say that {name} is the value given")
    return set(found.values())


def _slope(expression: Expr, name: str) -> Fraction | None:
    """The slope in a variable if it is plainly a number other than 0."""
    if name not in expression.variables():
        return None
    try:
        slope = derivative(expression, name).number
    except Rejected:
        return None
    return slope or None


def _zero(expression: Expr, s: Sequent) -> bool:
    found = affine(expression)
    if found is not None:
        return not found[0] and not found[1]
    return normal.vanishes(expression, dict(s.box))


def _belongs(value: Expr, names: set[str]) -> None:
    if not value.variables() <= names:
        raise Rejected("the value has variables that are not there")
    if not everywhere(value):
        raise Rejected("the value must be a polynomial, so that it exists everywhere")


def gap(s: Sequent, p: Proof) -> None:
    """``{"name", "new", "fact", "value", "high"?, "proof"}``: a fact f >= 0 as a variable t = f.

    ``value`` is the old variable in terms of t and the others: a polynomial that gives back the
    variable when t is replaced by f, so a point (x, rest) goes to (f(x, rest), rest). t lies in
    [0, high] (0 excluded for a strict fact), where ``high`` is checked by the box. Facts that say
    where the old variable lies are left out where the box implies them.

    No point is new if f is a polynomial and the identity f(value) = t holds too.
    """
    name, new = p.variable("name", s), p.text("new")
    fresh = var(new)
    if new in s.names or read_expression(new) != fresh:
        raise Rejected(f"{new[:40]!r} is no new variable")
    fact, index = known_fact(p.expression("fact"), s)
    value = p.expression("value")
    _belongs(value, (set(s.names) - {name}) | {new})
    if not _zero(replaced(value, {fresh: fact.expression}) - var(name), s):
        raise Rejected(f"{name} does not come back when {new} is replaced")
    side = Side(Fraction(0), _upper(fact, s, p), fact.strict, open_high=False)
    exchange = {var(name): value}
    others = [f for i, f in enumerate(s.facts) if i != index]
    ends = range_facts(value, s.side(name))
    sub = Sequent(
        replaced(s.goal, exchange),
        s.strict,
        (*((n, old) for n, old in s.box if n != name), (new, side)),
        (*(Fact(replaced(f.expression, exchange), f.strict) for f in others), *ends),
        s.integers - {name},
        defined=False,
        total=s.total,
    )
    # The fact that goes is the one of the sequent, however it is written in the certificate.
    gone = fact.expression if index is None else s.facts[index].expression
    same = s.defined and name not in s.integers and everywhere(gone)
    if same and _zero(replaced(fact.expression, exchange) - fresh, sub):
        sub = replace(sub, defined=True)
    p.sub("proof").check(without_implied(sub, len(ends)))


def _upper(fact: Fact, s: Sequent, p: Proof) -> Fraction | None:
    if p.data.get("high") is None:
        return None
    high = fraction(p.get("high"))
    largest = extreme(fact.expression, s, largest=True)
    if largest is None or largest > high:
        raise Rejected("the new variable may lie beyond its upper end")
    return high


def known_fact(expression: Expr, s: Sequent) -> tuple[Fact, int | None]:
    """The fact meant, and its place unless it is the box that implies it.

    Raises:
        Rejected: there is no such fact.
    """
    found = known(expression, s)
    if found is None:
        raise Rejected("there is no such fact")
    return found


def weaken(s: Sequent, p: Proof) -> None:
    """``{"facts"?, "integers"?, "variables"?, "box"?, "proof"}``: a larger region.

    Kept facts and whole variables are listed (all are kept by default), ``variables`` are left out,
    ``box`` has wider sides [low, high, open_low, open_high]. Variables that are left out must not
    occur in the goal or in kept facts: a point loses its coordinate and stays in the region.

    Definedness survives if no point is new: no fact, wholeness or side is given up, and the
    variables left out run freely through sides that hold a number.
    """
    gone = {_known(name, s) for name in p.items("variables")} if "variables" in p.data else set()
    facts = _kept(s, p)
    used = s.goal.variables().union(*(f.expression.variables() for f in facts))
    if gone & used:
        raise Rejected(f"{min(gone & used)} is in use and cannot be left out")
    box = _wider(s, p)
    whole = s.integers
    if "integers" in p.data:
        whole = frozenset(_known(name, s) for name in p.items("integers"))
        if not whole <= s.integers:
            raise Rejected("only whole variables can stay whole")
    free = all(not without_points(s.side(n), n in s.integers) for n in gone)
    same = facts == s.facts and whole == s.integers and box == s.box and free
    sub = Sequent(
        s.goal,
        s.strict,
        tuple((n, side) for n, side in box if n not in gone),
        facts,
        whole - gone,
        defined=s.defined and same,
        total=s.total,
    )
    p.sub("proof").check(sub)


def _known(name: Any, s: Sequent) -> str:
    if not isinstance(name, str) or name not in s.names:
        raise Rejected("a list of variables names what is none")
    return name


def _kept(s: Sequent, p: Proof) -> tuple[Fact, ...]:
    """The facts listed; those that the box implies need no place in the list of facts."""
    if "facts" not in p.data:
        return s.facts
    places = set()
    for text in p.items("facts"):
        expression = p.read(text)
        index = place_of(expression, s)
        if index is not None:
            places.add(index)
        elif not implied(Fact(expression, strict=False), s):
            raise Rejected("a fact to be kept is not there")
    return tuple(fact for i, fact in enumerate(s.facts) if i in places)


def _wider(s: Sequent, p: Proof) -> tuple[tuple[str, Side], ...]:
    given = p.data.get("box", {})
    if not isinstance(given, Mapping) or not set(given) <= set(s.names):
        raise Rejected("'box' must give sides of variables")
    box = tuple((n, side_of(given[n]) if n in given else old) for n, old in s.box)
    for (name, side), (_, old) in zip(box, s.box, strict=True):
        if not old.within(side):
            raise Rejected(f"the side of {name} is not wider")
    return box


def tighten(s: Sequent, p: Proof) -> None:
    """``{"proof"}``: affine facts bound their variables, given the sides of the others.

    The region stays the same, only its box shrinks; so definedness is kept.
    """
    for _ in range(2):
        for fact in s.facts:
            found = affine(fact.expression)
            for name, slope in (found[0] if found else {}).items():
                others = fact.expression - mul(num(slope), var(name))
                most = extreme(others, s, largest=True)
                if most is not None:
                    end = -most / slope
                    s = s.narrowed(name, Side(low=end) if slope > 0 else Side(high=end))
    p.sub("proof").check(s)


def cut(s: Sequent, p: Proof) -> None:
    """``{"test", "proofs": [where test >= 0, where test <= 0], "defined"?}``: the region in two.

    The test must have a value on the whole region, or points without one lie in neither part: it is
    a polynomial, or ``defined`` shows it by ``define`` for the goal 0*test.
    """
    test = p.expression("test")
    if not test.variables() <= set(s.names):
        raise Rejected("the test has variables that are not there")
    if not everywhere(test):
        p.sub("defined").check(valued(test, s))
    above, below = p.subs("proofs", 2)
    above.check(s.assuming(Fact(test, strict=False)))
    below.check(s.assuming(Fact(neg(test), strict=False)))


def valued(expression: Expr, s: Sequent) -> Sequent:
    """The statement that an expression has a value on the whole region: 0*it >= 0, total."""
    return replace(s.showing(mul(num(0), expression), strict=False), total=True)


RULES: Mapping[str, Rule] = MappingProxyType(
    {"put": put, "gap": gap, "weaken": weaken, "tighten": tighten, "cut": cut}
)
