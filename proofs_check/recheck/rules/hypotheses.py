"""Combinations of hypotheses, regions without points, and whole numbers one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from proofs_check.recheck import normal
from proofs_check.recheck.affine import affine
from proofs_check.recheck.entries import fraction
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import MINUS, Expr, add, mul, neg, num
from proofs_check.recheck.hypotheses import (
    first_whole,
    last_whole,
    met,
    without_points,
)
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.rules.regions import known_fact
from proofs_check.recheck.sequent import Sequent, Side

_MOST_VALUES = 10_000
_LARGEST = 10**30


def farkas(s: Sequent, p: Proof) -> None:
    """``{"multipliers": [[fact, number], ...], "rest"?}``: goal = sum of m*fact + rest, m >= 0.

    Facts may be ends of the box, given as affine texts. ``rest`` is needed only where the
    combination is not affine; the identity is then an exact one that holds where the goal has a
    value, since facts have values on the region.
    """
    if not _combination(s.goal, s.strict, s, p):
        raise Rejected("the combination of the facts is not the goal")


def _combination(goal: Expr, strict: bool, s: Sequent, p: Proof) -> bool:
    terms: list[Expr] = []
    positive = False
    for entry in p.items("multipliers"):
        if not isinstance(entry, list) or len(entry) != 2:
            raise Rejected("a multiplier must be [fact, number]")
        fact, weight = met(p.read(entry[0]), s), fraction(entry[1])
        if fact is None or weight < 0:
            raise Rejected("a multiplier is negative or its fact is not there")
        positive = positive or (weight > 0 and fact.strict)
        terms.append(mul(num(weight), fact.expression))
    difference = add(goal, *map(neg, terms))
    found = affine(difference)
    if found is not None:
        slopes, rest = found
        exact = not slopes
    else:
        rest = fraction(p.get("rest"))
        exact = normal.vanishes(difference - num(rest), dict(s.box))
    return exact and rest >= 0 and (positive or rest > 0 or not strict)


def empty(s: Sequent, p: Proof) -> None:
    """``{}``, ``{"multipliers"}`` or ``{"fact", "proof"}``: the region has no point.

    A side holds no number (no whole one, for a whole variable); or a fact without variables is
    false; or a combination of facts is -1; or a fact is refuted where the others hold: its denial
    is proved there, at all points where the fact has a value at all.
    """
    if any(without_points(side, name in s.integers) for name, side in s.box):
        return
    if any(_false(fact.expression, fact.strict) for fact in s.facts):
        return
    if "multipliers" in p.data:
        if not _combination(MINUS, False, s, p):
            raise Rejected("the combination of the facts is not -1")
        return
    fact, index = known_fact(p.expression("fact"), s)
    others = replace(s, facts=tuple(f for i, f in enumerate(s.facts) if i != index))
    p.sub("proof").check(others.showing(neg(fact.expression), not fact.strict))


def _false(expression: Expr, strict: bool) -> bool:
    if expression.variables():
        return False
    sign = normal.sign(expression)
    return sign is not None and (sign < 0 or (sign == 0 and strict))


def values(s: Sequent, p: Proof) -> None:
    """``{"name", "first", "last", "proofs", "below"?, "above"?}``: a whole number, one by one.

    ``proofs`` are for the values from ``first`` to ``last``; what the side holds beyond is shown
    for all real values by ``below`` and ``above``. There the variable is not whole any more, which
    adds points, so definedness is lost.
    """
    name = p.variable("name", s)
    if name not in s.integers:
        raise Rejected(f"{name} is not whole")
    first, last = _whole(p.get("first")), _whole(p.get("last"))
    if last - first >= _MOST_VALUES:
        raise Rejected(f"more than {_MOST_VALUES} values")
    real = replace(s, integers=s.integers - {name})
    proofs = p.subs("proofs", max(0, last - first + 1))
    for value, proof in zip(range(first, last + 1), proofs, strict=True):
        proof.check(real.narrowed(name, Side(Fraction(value), Fraction(value))))
    least, most = first_whole(s.side(name)), last_whole(s.side(name))
    beyond = replace(real, defined=False)
    if least is None or least < first:
        p.sub("below").check(beyond.narrowed(name, Side(high=Fraction(first - 1))))
    if most is None or most > last:
        p.sub("above").check(beyond.narrowed(name, Side(low=Fraction(last + 1))))


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > _LARGEST:
        raise Rejected("a whole number is needed")
    return value


RULES: Mapping[str, Rule] = MappingProxyType({"farkas": farkas, "empty": empty, "values": values})
