"""Whether an expression has a value wherever the goal of a sequent has one.

Identities (``normal.vanishes``) speak only of points where both sides have values; a rule that puts
another form for the goal has to show that the other form has a value.
"""

from __future__ import annotations

from collections.abc import Iterator

from proofs_check.recheck.definedness import Kind, Obligation, conditions, implied, met
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.normal import vanishes
from proofs_check.recheck.ranges import Ranges
from proofs_check.recheck.sequent import Sequent

_STRENGTHS = {
    Kind.POSITIVE: {Kind.POSITIVE},
    Kind.NONNEGATIVE: {Kind.NONNEGATIVE, Kind.POSITIVE},
    Kind.NONZERO: {Kind.NONZERO, Kind.POSITIVE},
}


def show_present(expression: Expr, s: Sequent) -> None:
    """Check that an expression has a value at all points of the region where the goal has one.

    Parts of the goal have. The others are looked at from the inside out: what a part needs must be
    seen from the ranges of the variables, or certainly hold where the goal has a value, apart from
    the way it is written; or it is the same function as a part of the goal, of equal arguments.

    Raises:
        Rejected: it may have no value.
    """
    if not expression.variables() <= set(s.names):
        raise Rejected("a form of the goal has variables that are not there")
    parts = frozenset(s.goal.nodes())
    certain = implied(s.goal)
    ranges = Ranges(dict(s.box))
    for node in _new(expression, parts):
        for one in conditions(node):
            if one in certain or met(one, ranges.of(one.expression)):
                continue
            if not _among(one, certain, s) and not _equal(node, parts, s):
                raise Rejected(f"a form of the goal may have no value: it needs {one}")


def _new(expression: Expr, parts: frozenset[Expr]) -> Iterator[Expr]:
    """The parts of the expression that lie in no part of the goal."""
    pending, seen = [expression], set(parts)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(node.args)


def _among(one: Obligation, certain: frozenset[Obligation], s: Sequent) -> bool:
    """Whether a condition is written in another way among those that certainly hold.

    Where the goal has a value both expressions have one: the given one as a part of what is looked
    at, whose own parts are looked at too.
    """
    strong = [c for c in certain if c.kind in _STRENGTHS[one.kind]]
    box = dict(s.box)
    return any(vanishes(one.expression - c.expression, box) for c in strong)


def _equal(node: Expr, parts: frozenset[Expr], s: Sequent) -> bool:
    """Whether the goal holds the same function of equal arguments."""
    box = dict(s.box)
    return any(
        part.op == node.op
        and len(part.args) == len(node.args)
        and all(vanishes(a - b, box) for a, b in zip(part.args, node.args, strict=True))
        and _same_power(part, node)
        for part in parts
    )


def _same_power(part: Expr, node: Expr) -> bool:
    """Whether powers have the same domain: that of x^3 is larger than that of x^(3 + 0*x)."""
    if node.op != "^":
        return True
    literal = part.args[1].number is not None or node.args[1].number is not None
    return part.args[1] == node.args[1] or not literal
