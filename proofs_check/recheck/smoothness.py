"""Where a goal that has a value also has derivatives.

All functions here are continuous wherever they have a value, except ``floor``, ``sign`` and
``choose``; and analytic in the inner part of their domain, except ``abs``, ``min`` and ``max``. So
an expression that is known to have a value on a region is differentiable along a variable, with the
slope of ``derivative``, if the arguments of these parts lie off the ends of their domains:

======================  ===============================
part                    condition
======================  ===============================
u^r with 0 < r < 1      u > 0
u^v, v no number        u > 0
cbrt(u)                 u != 0
asin(u), acos(u)        1 - u^2 > 0
lambertw(u)             u + 1/e > 0
besseli(v, u)           u > 0, unless v is whole
======================  ===============================

The other powers need nothing: u^r with r > 1 has slope 0 where u = 0, and a negative r has no value
there. Parts that do not hold the variable are constant along it and need nothing either.

At a kink of abs, min or max the slope has no value. Kinks are apart from each other along the
variable where the difference of the two alternatives is never 0 or has a slope of one sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import (
    JUMPS,
    KINKS,
    MINUS,
    ONE,
    Expr,
    add,
    call,
    mul,
    neg,
    num,
    power,
)
from proofs_check.recheck.kernel import Proof
from proofs_check.recheck.normal import vanishes
from proofs_check.recheck.ranges import Range, Ranges, range_of
from proofs_check.recheck.sequent import Sequent


@dataclass(frozen=True)
class Condition:
    """``expression > 0``, or only ``!= 0``."""

    expression: Expr
    nonzero: bool = False


def moving(goal: Expr, name: str) -> list[Expr]:
    """The parts of the goal that hold the variable, arguments first."""
    found: dict[Expr, bool] = {}
    for node in goal.nodes():
        found[node] = node.value == name if node.op == "var" else any(found[a] for a in node.args)
    return [node for node, holds in found.items() if holds]


def kinked(goal: Expr, name: str) -> bool:
    """Whether the goal may have kinks along the variable."""
    return any(node.op in KINKS for node in moving(goal, name))


def show_kinks_apart(goal: Expr, name: str, region: Sequent) -> None:
    """Check that the goal has finitely many kinks on every segment along the variable.

    To be called for a goal that is differentiable off its kinks on the region.

    Raises:
        Rejected: two alternatives of abs, min or max may be equal all along a segment.
    """
    ranges = Ranges(dict(region.box))
    for node in moving(goal, name):
        for test in _tests(node) if node.op in KINKS else ():
            if not any(_signed(ranges.of(one)) for one in (test, derivative(test, name))):
                raise Rejected(f"the kinks of {str(node)[:80]} may fill a segment")


def _tests(node: Expr) -> Iterator[Expr]:
    """The expressions at whose zeros the part has kinks."""
    if node.op == "abs":
        yield node.args[0]
        return
    value = node.args[0]
    for arg in node.args[1:]:
        yield value - arg
        value = call(node.op, value, arg)


def _signed(found: Range) -> bool:
    return found.positive or found.negative


def conditions(goal: Expr, name: str) -> list[Condition]:
    """What makes the goal differentiable along a variable (off its kinks) where it has a value.

    Raises:
        Rejected: the goal may jump.
    """
    found: dict[Condition, None] = {}
    for node in moving(goal, name):
        if node.op in JUMPS:
            raise Rejected(f"{node.op} jumps along {name}")
        for one in _needs(node):
            found.setdefault(one)
    return list(found)


def _needs(node: Expr) -> Iterator[Condition]:
    if node.op == "^":
        base, exponent = node.args
        value = exponent.number
        if value is None or 0 < value < 1:
            yield Condition(base)
    elif node.op == "cbrt":
        yield Condition(node.args[0], nonzero=True)
    elif node.op in ("asin", "acos"):
        yield Condition(add(ONE, neg(power(node.args[0], num(2)))))
    elif node.op == "lambertw":
        yield Condition(add(node.args[0], call("exp", MINUS)))
    elif node.op == "besseli":
        order = node.args[0].number
        if order is None or order.denominator != 1:
            yield Condition(node.args[1])


def show_smooth(goal: Expr, name: str, region: Sequent, p: Proof) -> None:
    """Check that a goal with values on the region is differentiable along the variable (off kinks).

    Conditions are seen from exact ranges, or proved in the list ``smooth`` (which may be missing):
    ``{"of": text, "positive": bool, "proof": proof}``, where false shows -of > 0.

    Raises:
        Rejected: a condition is not shown.
    """
    for one in conditions(goal, name):
        if not _by_range(one, region):
            _by_proof(one, region, p)


def _by_range(one: Condition, region: Sequent) -> bool:
    found = range_of(one.expression, dict(region.box))
    return found.positive or (one.nonzero and found.negative)


def _by_proof(one: Condition, region: Sequent, p: Proof) -> None:
    entries = p.items("smooth") if "smooth" in p.data else []
    for entry in entries:
        made = p.of(entry)
        if not _same(one.expression, made.expression("of"), region):
            continue
        positive = made.get("positive")
        if positive is not True and not (positive is False and one.nonzero):
            raise Rejected("the entry 'positive' must say the sign that is needed")
        goal = one.expression if positive else mul(MINUS, one.expression)
        made.sub("proof").check(region.showing(goal, True, defined=True))
        return
    raise Rejected(f"nothing shows that {str(one.expression)[:80]} is not 0, where slopes may end")


def _same(needed: Expr, given: Expr, region: Sequent) -> bool:
    """Only to find the entry: what is proved is the needed expression itself."""
    return needed == given or vanishes(needed - given, dict(region.box))
