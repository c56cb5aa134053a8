"""Is a function positive on a whole stretch beside a point, or beyond a number?"""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from proofs_check.recheck.constants import Number
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expansion.functions import apply
from proofs_check.recheck.expansion.germ import Germ, Stretch, of_number, sign_on
from proofs_check.recheck.expansion.scale import Scale
from proofs_check.recheck.expansion.waves import without_products
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.formal import Unclear

_BITS = 128
_LARGEST_ORDER = 20
_LARGEST_START_BITS = 2000
_LARGEST_EXPRESSION = 5000


def holds_beside(
    goal: Expr,
    name: str,
    point: Expr | None,
    direction: int,
    start: Fraction,
    order: int,
    strict: bool,
) -> bool:
    """True only if the goal has a value and is > 0 (or is 0 throughout, unless strict) at every
    x = point + direction/X with X >= start; for point None, at every x = direction*X.

    The point itself is not among these x. ``order`` exact terms are kept.
    """
    if direction not in (1, -1) or not 0 < order <= _LARGEST_ORDER or not start > 0:
        return False
    if start.numerator.bit_length() + start.denominator.bit_length() > _LARGEST_START_BITS:
        return False
    if not goal.variables() <= {name} or (point is not None and point.variables()):
        return False
    with ctx.workprec(_BITS):
        try:
            sign = _sign(goal, point, direction, Stretch(start, order))
        except (Rejected, ArithmeticError):
            return False
    return sign > 0 or (sign == 0 and not strict)


def _sign(goal: Expr, point: Expr | None, direction: int, stretch: Stretch) -> int:
    if point is None:
        return sign_on(expansion(without_products(goal), _beyond(direction, stretch)))
    return sign_on(expansion(goal, _beside(stretch.table.of(point), direction, stretch)))


def _beside(point: Number, direction: int, stretch: Stretch) -> Germ:
    step = Germ(((Scale(Fraction(-1)), stretch.number(direction)),), None, stretch)
    return step.plus(point)


def _beyond(direction: int, stretch: Stretch) -> Germ:
    return Germ(((Scale(Fraction(1)), stretch.number(direction)),), None, stretch)


def expansion(expression: Expr, variable: Germ) -> Germ:
    """The germ of an expression in one variable.

    Raises:
        Unclear: it has none of the kind known here, or not on this stretch.
    """
    done: dict[Expr, Germ] = {}
    for count, node in enumerate(expression.nodes()):
        if count > _LARGEST_EXPRESSION:
            raise Unclear("too large an expression")
        if node.op == "var":
            done[node] = variable
        elif not node.args:
            done[node] = of_number(variable.stretch.table.of(node), variable.stretch)
        else:
            done[node] = apply(node, [done[arg] for arg in node.args])
    return done[expression]
