"""Which facts of a sequent a text of the certificate speaks of, and what the box implies.

Facts are met at every point of the region, so they have values there. A text need not be written as
the fact is: rules go on with the sequent's own fact, whose value at the points of the region is
certain.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from proofs_check.recheck import normal
from proofs_check.recheck.affine import affine
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.sequent import Fact, Sequent, Side


def place_of(expression: Expr, s: Sequent) -> int | None:
    """The index of the fact that is ``expression`` up to a positive factor."""
    for index, fact in enumerate(s.facts):
        if fact.expression == expression:
            return index
    wanted = _scaled(expression)
    for index, fact in enumerate(s.facts):
        if wanted is not None and _scaled(fact.expression) == wanted:
            return index
    for index, fact in enumerate(s.facts):
        same = fact.expression.variables() == expression.variables()
        if same and normal.vanishes(fact.expression - expression, dict(s.box)):
            return index
    return None


def _scaled(expression: Expr) -> tuple[dict[str, Fraction], Fraction] | None:
    """An affine expression with first slope 1 or -1; None when it is none, or a number."""
    found = affine(expression)
    if found is None or not found[0]:
        return None
    slopes, constant = found
    size = abs(slopes[min(slopes)])
    return {name: slope / size for name, slope in slopes.items()}, constant / size


def met(expression: Expr, s: Sequent) -> Fact | None:
    """What the region says about a text: a fact of it, or an affine one that the box implies."""
    found = known(expression, s)
    return None if found is None else found[0]


def known(expression: Expr, s: Sequent) -> tuple[Fact, int | None] | None:
    """The same with the place of the fact, which is None where the box implies it."""
    if not expression.variables() <= set(s.names):
        return None
    index = place_of(expression, s)
    if index is not None:
        found = s.facts[index]
        # The text itself is as good when it is affine, and the combination asks for its size.
        return (found if affine(expression) is None else Fact(expression, found.strict)), index
    for strict in (True, False):
        if implied(Fact(expression, strict), s):
            return Fact(expression, strict), None
    return None


def implied(fact: Fact, s: Sequent) -> bool:
    """Whether an affine fact holds by the ranges of its variables alone."""
    found = affine(fact.expression)
    if found is None or not set(found[0]).issubset(s.names):
        return False
    slopes, total = found
    beyond = False
    for name, slope in slopes.items():
        side = s.side(name)
        end, opened = (side.low, side.open_low) if slope > 0 else (side.high, side.open_high)
        if end is None:
            return False
        total += slope * end
        beyond = beyond or opened
    return total > 0 or (total == 0 and (beyond or not fact.strict))


def without_implied(s: Sequent, candidates: int) -> Sequent:
    """The same region without those of the last facts that follow from the box."""
    first = len(s.facts) - candidates
    kept = [f for i, f in enumerate(s.facts) if i < first or not implied(f, s)]
    return replace(s, facts=tuple(kept))


def first_whole(side: Side) -> int | None:
    """The smallest whole number of a side, None without a lower end."""
    if side.low is None:
        return None
    first = ceil(side.low)
    return first + 1 if side.open_low and first == side.low else first


def last_whole(side: Side) -> int | None:
    """The largest whole number of a side, None without an upper end."""
    if side.high is None:
        return None
    last = floor(side.high)
    return last - 1 if side.open_high and last == side.high else last


def without_points(side: Side, whole: bool) -> bool:
    """Whether no number (no whole one) lies in a side."""
    if side.empty:
        return True
    first, last = first_whole(side), last_whole(side)
    return whole and first is not None and last is not None and first > last
