"""Functions that are identically zero on an interval, shown by a formal computation.

The tree is evaluated with the variable as a named number that stands at a sample point. If all
its functions are analytic wherever they are defined, a form that reduces to 0 vanishes near the
sample, hence on the whole interval.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval, literal
from proofs_check.methods.inequality.univariate.constants import Atom, Constant, Unclear, rational
from proofs_check.methods.inequality.univariate.sturm import inner_point
from proofs_check.methods.inequality.univariate.values import exact_value

_ANALYTIC = frozenset(
    {"symbol", "number", "pi", "e", "+", "-", "*", "/", "exp", "log", "sin", "cos", "tan", "atan"}
    | {"sinh", "cosh", "tanh", "erf", "erfc", "loggamma"}
)


def identically_zero(node: Node, name: str, interval: Interval) -> dict[str, Any] | None:
    """The proof that the tree, defined on the interval, is zero on all of it, if that is seen."""
    if not all(_analytic(part) for part in node.nodes()):
        return None
    point = inner_point(interval)
    # A sample away from the simple points, where branches of rules for special values wait.
    if interval.low is None or interval.low != interval.high:
        point = _generic(interval, point)
    if not compile_tape([node]).run({name: ball(point, point)})[0].contains(0):
        return None
    if _formally_zero(node, name, point):
        return {"rule": "identity"}
    place = _constant_zero(node, name, interval, point)
    return None if place is None else {"rule": "level", "point": str(place)}


def _formally_zero(node: Node, name: str, point: Fraction) -> bool:
    atom = Atom("variable", rational(point), f"<{name} at {point}>")
    variable = Constant(((((atom, Fraction(1)),), Fraction(1)),))
    try:
        return exact_value(node, {name: variable}).sign() == 0
    except Unclear:
        return False


def _constant_zero(node: Node, name: str, interval: Interval, point: Fraction) -> Fraction | None:
    """By a derivative that is zero, and the value 0 at a simple point."""
    try:
        slope = derivative(node, name)
    except NoDerivative:
        return None
    if not _formally_zero(slope, name, point):
        return None
    for place in (Fraction(0), Fraction(1), Fraction(1, 2), inner_point(interval)):
        try:
            if interval.contains(place) and not exact_value(node, {name: rational(place)}).sign():
                return place
        except Unclear:
            continue
    return None


def _generic(interval: Interval, point: Fraction) -> Fraction:
    width = Fraction(1)
    if interval.low is not None and interval.high is not None:
        width = (interval.high - interval.low) / 4
    return point + width * Fraction(271, 1009)


def _analytic(node: Node) -> bool:
    if node.op == "^":
        value = literal(node.args[1])
        return value is not None and value.denominator == 1
    return node.op in _ANALYTIC
