"""Simpler problems that say the same: affine constraints as ranges, equalities used up, variables
that do not matter left out. A witness of the simpler problem is carried back to the one given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.tree import Node, literal, number, symbol
from proofs_check.methods.inequality.points import Point
from proofs_check.methods.inequality.problem import Constraint, Interval, Problem

_POLYNOMIAL = frozenset({"number", "symbol", "+", "-", "*", "/"})


@dataclass(frozen=True)
class Reduction:
    """A simpler problem, and how a point of it becomes one of the problem given (or None).

    ``steps`` are the rules of the checker that lead to the simpler problem, outermost first.
    """

    problem: Problem
    lift: Callable[[Point], Point | None]
    steps: tuple[Mapping[str, Any], ...] = ()

    def around(self, proof: Mapping[str, Any]) -> Mapping[str, Any]:
        """The proof of the problem given, from one of the simpler problem."""
        for step in reversed(self.steps):
            proof = {**step, "proof": proof}
        return proof


def reduce(problem: Problem) -> Reduction:
    """Ranges from constraints, then equalities and fixed variables replaced.

    Variables without a part in goal and constraints stay: see :func:`without_bystanders`.
    """
    reduction = Reduction(problem, lambda point: point)
    for _ in range(2 * len(problem.box) + 1):
        following = _step(reduction.problem)
        if following is None:
            break
        reduction = Reduction(
            following.problem,
            _composed(reduction.lift, following.lift),
            reduction.steps + following.steps,
        )
    return reduction


def _composed(
    outer: Callable[[Point], Point | None], inner: Callable[[Point], Point | None]
) -> Callable[[Point], Point | None]:
    def lift(point: Point) -> Point | None:
        found = inner(point)
        return None if found is None else outer(found)

    return lift


def _step(problem: Problem) -> Reduction | None:
    ranged = _with_ranges(problem)
    if ranged is not None:
        return ranged
    for name, interval in problem.box:
        if interval.low is not None and _is_fixed(problem, name):
            return _substituted(problem, name, number(interval.low))
    return _with_equality_used(problem) or _with_slack(problem)


def _is_fixed(problem: Problem, name: str) -> bool:
    """Whether the range holds one number that the variable may take."""
    interval = problem.interval(name)
    if interval.low is None or interval.low != interval.high or interval.empty:
        return False
    return name not in problem.integers or interval.low.denominator == 1


def affine_in(node: Node, name: str) -> tuple[Fraction, Node] | None:
    """(a, b) when the tree is a*name + b with rational a and b free of ``name``, else None.

    Only for polynomials in the operations + - * and division by numbers: there, algebra changes
    nothing about where the tree is defined.
    """
    for part in node.nodes():
        if part.op not in _POLYNOMIAL or (part.op == "/" and not literal(part.args[1])):
            return None
    try:
        slope = literal(derivative(node, name))
    except NoDerivative:
        return None
    return None if slope is None else (slope, node.replaced({name: number(0)}))


def _with_ranges(problem: Problem) -> Reduction | None:
    """Constraints a*x + b >= 0 in one variable become ranges."""
    box = dict(problem.box)
    kept: list[Constraint] = []
    for constraint in problem.constraints:
        found = _range(constraint)
        if found is None:
            kept.append(constraint)
        else:
            name, interval = found
            box[name] = box[name].intersected(interval)
    if len(kept) == len(problem.constraints):
        return None
    changed = replace(problem, box=tuple(box.items()), constraints=tuple(kept))
    return Reduction(changed, lambda point: point)


def _range(constraint: Constraint) -> tuple[str, Interval] | None:
    names = constraint.expression.symbols()
    if len(names) != 1:
        return None
    parts = affine_in(constraint.expression, names[0])
    if parts is None or parts[0] == 0:
        return None
    offset = literal(parts[1])
    if offset is None:
        return None
    end = -offset / parts[0]
    if parts[0] > 0:
        return names[0], Interval(low=end, open_low=constraint.strict)
    return names[0], Interval(high=end, open_high=constraint.strict)


def _with_equality_used(problem: Problem) -> Reduction | None:
    """An equality (two opposite constraints) solved for a variable in which it is affine."""
    for first in problem.constraints:
        for second in problem.constraints:
            if first is second or first.strict or second.strict:
                continue
            if not _opposite(first.expression, second.expression):
                continue
            solved = _solved(problem, first.expression)
            if solved is not None:
                rest = tuple(c for c in problem.constraints if c not in (first, second))
                return _substituted(replace(problem, constraints=rest), *solved)
    return None


def _opposite(first: Node, second: Node) -> bool:
    """Whether the trees are a - b and b - a as :mod:`problem` writes an equality."""
    return _sides(first) == tuple(reversed(_sides(second)))


def _sides(node: Node) -> tuple[Node, ...]:
    if node.op == "+" and len(node.args) == 2 and node.args[1].op == "-":
        return (node.args[0], node.args[1].args[0])
    return (node, number(0))


def _with_slack(problem: Problem) -> Reduction | None:
    """x <= y becomes y = x + s with s >= 0, where no other end of the range of y is in the way.

    That turns an affine constraint into a plain range; it holds for a variable without an upper
    end whose lower end follows from the ranges of the others.
    """
    for constraint in problem.constraints:
        for name in constraint.expression.symbols():
            side = problem.interval(name)
            parts = affine_in(constraint.expression, name)
            if parts is None or parts[0] == 0 or problem.integers:
                continue
            free = side.high is None if parts[0] > 0 else side.low is None
            slack = _fresh(problem)
            value = number(1 / parts[0]) * (symbol(slack) - parts[1])
            box = (*problem.box, (slack, Interval(Fraction(0), None, constraint.strict, False)))
            if free and _implied(value, side, dict(box)):
                rest = tuple(c for c in problem.constraints if c is not constraint)
                open_side = tuple((n, Interval() if n == name else s) for n, s in box)
                changed = replace(problem, box=open_side, constraints=rest)
                step = {"rule": "gap", "name": name, "new": slack}
                step |= {"fact": str(constraint.expression), "value": str(tidied(value))}
                reduction = replace(_substituted(changed, name, value), steps=(step,))
                return _without(reduction, slack)
    return None


def _fresh(problem: Problem) -> str:
    used = set(problem.names)
    return next(name for i in range(len(used) + 1) if (name := f"slack{i or ''}") not in used)


def _without(reduction: Reduction, slack: str) -> Reduction:
    """The reduction whose points forget the slack."""

    def lift(point: Point) -> Point | None:
        found = reduction.lift(point)
        return None if found is None else {n: v for n, v in found.items() if n != slack}

    return Reduction(reduction.problem, lift, reduction.steps)


def _implied(value: Node, side: Interval, box: Mapping[str, Interval]) -> bool:
    """Whether an affine tree stays in a half-line, by the ranges of its variables alone."""
    for end, sign, is_open in ((side.low, 1, side.open_low), (side.high, -1, side.open_high)):
        if end is None:
            continue
        found = _least(value if sign > 0 else -value, box)
        if found is None or found < sign * end or (found == sign * end and is_open):
            return False
    return True


def _least(node: Node, box: Mapping[str, Interval]) -> Fraction | None:
    """The infimum of an affine tree over a box; None when there is none."""
    total = Fraction(0)
    for name in node.symbols():
        parts = affine_in(node, name)
        if parts is None:
            return None
        end = box[name].low if parts[0] > 0 else box[name].high
        if parts[0] != 0 and end is None:
            return None
        total += parts[0] * (end or 0)
        node = parts[1]
    offset = literal(node)
    return None if offset is None else total + offset


def _solved(problem: Problem, zero: Node) -> tuple[str, Node] | None:
    for name in zero.symbols():
        parts = affine_in(zero, name) if name not in problem.integers else None
        if parts is not None and parts[0] != 0:
            return name, number(-1 / parts[0]) * parts[1]
    return None


def _substituted(problem: Problem, name: str, value: Node) -> Reduction:
    """``name`` replaced by a tree; its range becomes constraints on the tree."""
    interval = problem.interval(name)
    value = tidied(value)
    added: list[Constraint] = []
    known = literal(value)
    inside = known is not None and interval.contains(known)
    if not inside and interval.low is not None:
        added.append(Constraint(value - number(interval.low), interval.open_low))
    if not inside and interval.high is not None:
        added.append(Constraint(number(interval.high) - value, interval.open_high))
    values = {name: value}
    kept = [Constraint(c.expression.replaced(values), c.strict) for c in problem.constraints]
    changed = Problem(
        problem.goal.replaced(values),
        problem.strict,
        tuple((n, side) for n, side in problem.box if n != name),
        (*kept, *added),
        problem.integers - {name},
    )

    def lift(point: Point) -> Point | None:
        found = exact_value(value, point)
        return None if found is None else {**point, name: found}

    return Reduction(changed, lift, ({"rule": "put", "name": name, "value": str(value)},))


def tidied(node: Node) -> Node:
    """An affine tree written as a sum of multiples of its variables; others as they are."""
    terms: list[Node] = []
    rest = node
    for name in node.symbols():
        parts = affine_in(rest, name)
        if parts is None:
            return node
        factor, rest = parts
        if factor:
            one = symbol(name)
            terms.append(one if factor == 1 else -one if factor == -1 else number(factor) * one)
    offset = literal(rest)
    if offset is None:
        return node
    kept = [number(offset), *terms] if offset or not terms else terms
    return kept[0] if len(kept) == 1 else Node("+", tuple(kept))


def without_bystanders(problem: Problem) -> Problem:
    """The problem without variables that no chain of constraints joins to the goal.

    Right only when the hypotheses on them can be met; the caller has a point that meets all.
    """
    linked = set(problem.goal.symbols())
    for _ in problem.box:
        for constraint in problem.constraints:
            names = constraint.expression.symbols()
            if linked.intersection(names):
                linked.update(names)
    return Problem(
        problem.goal,
        problem.strict,
        tuple((name, side) for name, side in problem.box if name in linked),
        tuple(c for c in problem.constraints if linked.issuperset(c.expression.symbols())),
        frozenset(problem.integers & linked),
    )


def bystanders_left(
    problem: Problem, smaller: Problem, proof: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The proof of a problem from one of the problem :func:`without_bystanders`."""
    if smaller == problem:
        return proof
    gone = [name for name in problem.names if name not in smaller.names]
    facts = [str(c.expression) for c in smaller.constraints]
    return {"rule": "weaken", "variables": gone, "facts": facts, "proof": proof}


def completed(point: Point, example: Mapping[str, Fraction]) -> Point:
    """A point of the problem without bystanders, with their values from an example."""
    return {**example, **point}
