"""Affine expressions, and facts about one variable as ranges."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from proofs_check.recheck.expression import Expr
from proofs_check.recheck.sequent import Fact, Sequent, Side


def affine(expression: Expr) -> tuple[dict[str, Fraction], Fraction] | None:
    """({variable: coefficient}, constant), None when it is not affine as written.

    Only sums, and products with numbers, are looked through: they have values everywhere. Variables
    that cancel are left out.
    """
    slopes: dict[str, Fraction] = {}
    constant = Fraction(0)
    pending = [(expression, Fraction(1))]
    while pending:
        node, factor = pending.pop()
        if node.op == "num":
            constant += factor * (node.number or 0)
        elif node.op == "var":
            name = str(node.value)
            slopes[name] = slopes.get(name, Fraction(0)) + factor
        elif node.op == "+":
            pending += [(arg, factor) for arg in node.args]
        elif node.op == "*" and len(node.args) == 2 and node.args[0].number is not None:
            pending.append((node.args[1], factor * node.args[0].number))
        else:
            return None
    return {name: value for name, value in slopes.items() if value}, constant


def tidied(sequent: Sequent) -> Sequent:
    """Facts about a single variable as part of its range; facts that are plainly true dropped."""
    box = dict(sequent.box)
    kept: list[Fact] = []
    for fact in sequent.facts:
        found = affine(fact.expression)
        if found is None or len(found[0]) > 1:
            kept.append(fact)
            continue
        slopes, constant = found
        if not slopes:
            if constant < 0 or (constant == 0 and fact.strict):
                kept.append(fact)
            continue
        ((name, slope),) = slopes.items()
        end = -constant / slope
        side = (
            Side(low=end, open_low=fact.strict)
            if slope > 0
            else Side(high=end, open_high=fact.strict)
        )
        box[name] = box[name].meet(side)
    return replace(sequent, box=tuple(box.items()), facts=tuple(kept))


def extreme(expression: Expr, sequent: Sequent, *, largest: bool) -> Fraction | None:
    """The supremum (infimum) of an affine expression over the box; None where there is none."""
    found = affine(expression)
    if found is None:
        return None
    total = found[1]
    for name, slope in found[0].items():
        side = sequent.side(name)
        end = side.high if (slope > 0) == largest else side.low
        if end is None:
            return None
        total += slope * end
    return total
