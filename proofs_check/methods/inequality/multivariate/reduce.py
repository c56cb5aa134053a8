"""Steps from a problem to smaller ones: cases, changes of variables, faces, homogeneity.

Each step says why the smaller problems imply the larger one; none of them proves anything alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.tree import ONE, Node, number, symbol
from proofs_check.methods.inequality.multivariate.normal import is_zero
from proofs_check.methods.inequality.multivariate.program import Program
from proofs_check.methods.inequality.polynomial.rational import (
    NotRational,
    fraction,
    horner,
    rational_function,
)
from proofs_check.methods.inequality.problem import Constraint, Interval, Problem

Array = Any
_SAMPLES = 160
_HIGHEST_ORDER = 6


def sides(problem: Problem) -> dict[str, Interval]:
    """The box as a mapping."""
    return dict(problem.box)


def vanishes(node: Node, problem: Problem) -> bool:
    """Whether a tree is proved to be zero wherever it is defined on the box."""
    return is_zero(node, problem.names, sides(problem))


def slope(problem: Problem, name: str) -> Node | None:
    """d goal/d name; None where the goal may jump or has no derivative."""
    if any(node.op in ("sign", "floor") for node in problem.goal.nodes()):
        return None
    try:
        return derivative(problem.goal, name)
    except NoDerivative:
        return None


def kinked(node: Node) -> bool:
    """Whether the tree may have kinks or jumps."""
    return any(n.op in ("abs", "min", "max", "sign", "floor") for n in node.nodes())


# --- samples ----------------------------------------------------------------------------------
def samples(problem: Problem, count: int = _SAMPLES) -> Array:
    """Random points of the region in doubles (for guesses only); half-lines by t/(1-t)."""
    source = np.random.default_rng(7)
    unit = source.random((4 * count, len(problem.box)))
    columns = []
    for axis, (_, side) in enumerate(problem.box):
        t = unit[:, axis]
        if side.low is not None and side.high is not None:
            columns.append(float(side.low) + (float(side.high) - float(side.low)) * t)
        elif side.low is not None:
            columns.append(float(side.low) + (t / (1 - t)) ** 2)
        elif side.high is not None:
            columns.append(float(side.high) - (t / (1 - t)) ** 2)
        else:
            columns.append(np.tan(np.pi * (t - 0.5)))
    points = np.stack(columns, axis=1)
    if problem.constraints:
        program = Program(tuple(c.expression for c in problem.constraints), problem.names)
        if program.vectorised:
            fine = np.ones(len(points), dtype=bool)
            for value in program.at(points):
                fine &= value >= 0
            points = points[fine]
    return points[:count]


def sampled(node: Node, problem: Problem) -> Array | None:
    """Values of a tree at the samples, without NaN; None when it cannot be sampled."""
    program = Program((node,), problem.names)
    if not program.vectorised:
        return None
    points = samples(problem)
    if not len(points):
        return None
    values = program.at(points)[0]
    kept = values[np.isfinite(values)]
    return kept if len(kept) else None


def likely_sign(node: Node, problem: Problem) -> int | None:
    """1 or -1 when all samples have that sign or are nearly 0; 0 when they differ, None unknown."""
    values = sampled(node, problem)
    if values is None:
        return None
    tiny = 1e-9 * float(np.median(np.abs(values))) + 1e-13
    if (values >= -tiny).all():
        return 1
    return -1 if (values <= tiny).all() else 0


def zero_at_corner(problem: Problem) -> bool:
    """Whether the goal seems to be 0 or less at a corner of the region: > 0 is then hopeless."""
    ends = [
        [
            float(v)
            for v, opened in ((s.low, s.open_low), (s.high, s.open_high))
            if v is not None and not opened
        ]
        for _, s in problem.box
    ]
    program = Program((problem.goal,), problem.names)
    if problem.constraints or not all(ends) or len(ends) > 8 or not program.vectorised:
        return False
    values = program.at(np.array(list(product(*ends))))[0]
    return bool((values <= 1e-280).any())


def derivatives(goal: Node, name: str, last: Node, *, down: bool) -> list[Node]:
    """The goal and its derivatives before ``last``; their signs change each time if not ``down``.

    Empty if ``last`` is no derivative of a low order.
    """
    found = [goal]
    while len(found) <= _HIGHEST_ORDER:
        slope = derivative(found[-1], name)
        slope = slope if down else -slope
        if slope == last:
            return found
        found.append(slope)
    return []


# --- faces ------------------------------------------------------------------------------------
def face(problem: Problem, name: str, value: Fraction) -> Problem:
    """The problem with one variable set to a number."""
    return substituted(problem, name, number(value))


def put(goal: Node, name: str, value: Fraction) -> Node:
    """A goal with one variable set to a number, as it comes out."""
    return goal.replaced({name: number(value)})


def opened(problem: Problem, name: str) -> Problem:
    """The problem without the ends of one variable."""
    side = replace(problem.interval(name), open_low=True, open_high=True)
    return replace(problem, box=tuple((n, side if n == name else s) for n, s in problem.box))


def closed(problem: Problem, name: str, end: int) -> Problem:
    """The problem with one end (0: low, 1: high) of a variable in its side."""
    side = problem.interval(name)
    side = replace(side, open_high=False) if end else replace(side, open_low=False)
    return replace(problem, box=tuple((n, side if n == name else s) for n, s in problem.box))


def substituted(problem: Problem, name: str, value: Node) -> Problem:
    """The problem with one variable replaced; a constraint that became a number is kept."""
    put = {name: value}
    return replace(
        problem,
        goal=tidied(problem.goal.replaced(put)),
        box=tuple((n, side) for n, side in problem.box if n != name),
        constraints=tuple(
            Constraint(c.expression.replaced(put), c.strict) for c in problem.constraints
        ),
        integers=problem.integers - {name},
    )


def without(problem: Problem, name: str) -> Problem:
    """The problem without a variable, which its goal (to be replaced) and constraints lack."""
    box = tuple((n, side) for n, side in problem.box if n != name)
    return replace(problem, box=box)


def free(problem: Problem, name: str) -> bool:
    """Whether a variable runs through reals and occurs in no constraint."""
    symbols = {n for c in problem.constraints for n in c.expression.symbols()}
    return name not in symbols and name not in problem.integers


def may_move(problem: Problem, name: str, downwards: bool) -> bool:
    """Whether moving a variable to its end keeps all constraints: linear with the right sign."""
    for constraint in problem.constraints:
        found = linear(constraint.expression, problem.names)
        if found is None:
            return False
        coefficient = found[0].get(name, Fraction(0))
        if coefficient > 0 if downwards else coefficient < 0:
            return False
    return True


def linear(node: Node, names: Sequence[str]) -> tuple[dict[str, Fraction], Fraction] | None:
    """({name: coefficient}, constant) of a linear tree, else None."""
    try:
        quotient = rational_function(node, names)
    except NotRational:
        return None
    if quotient.bottom != 1 or quotient.divisors:
        return None
    found: dict[str, Fraction] = {}
    constant = Fraction(0)
    for exponents, value in quotient.top.to_dict().items():
        total = sum(exponents)
        if total > 1:
            return None
        if total == 0:
            constant = fraction(value)
        else:
            found[names[list(exponents).index(1)]] = fraction(value)
    return found, constant


def points(problem: Problem) -> dict[str, Fraction]:
    """The variables that have a single value."""
    return {
        name: side.low
        for name, side in problem.box
        if side.low is not None and side.low == side.high and not side.empty
    }


def settled(problem: Problem) -> Problem:
    """With linear constraints on a single variable in the box, and without plainly true ones."""
    box = dict(problem.box)
    kept: list[Constraint] = []
    for constraint in problem.constraints:
        found = linear(constraint.expression, problem.names)
        slopes = {n: c for n, c in found[0].items() if c} if found is not None else {}
        if found is None or len(slopes) > 1:
            kept.append(constraint)
        elif not slopes:
            if found[1] < 0 or (found[1] == 0 and constraint.strict):
                kept.append(constraint)
        else:
            ((name, c),) = slopes.items()
            end, opened = -found[1] / c, constraint.strict
            low, high = Interval(low=end, open_low=opened), Interval(high=end, open_high=opened)
            box[name] = box[name].intersected(low if c > 0 else high)
    return replace(problem, box=tuple(box.items()), constraints=tuple(kept))


def unused_dropped(problem: Problem) -> Problem:
    """Without variables that occur nowhere (their sides must not be empty)."""
    seen = set(problem.goal.symbols())
    for constraint in problem.constraints:
        seen |= set(constraint.expression.symbols())
    kept = tuple((n, s) for n, s in problem.box if n in seen or s.empty)
    return replace(problem, box=kept, integers=problem.integers & {n for n, _ in kept})


def tidied(node: Node) -> Node:
    """The tree with polynomial parts written shortly, such as t for (y + t) - y."""
    names = node.symbols()
    leaves = [symbol(name) for name in names]
    done: dict[Node, Node] = {}
    polynomial: dict[Node, bool] = {}
    for part in node.nodes():
        args = tuple(done[arg] for arg in part.args)
        made = part if args == part.args else Node(part.op, args, part.value)
        polynomial[part] = part.op in ("number", "symbol") or (
            part.op in ("+", "-", "*") and all(polynomial[arg] for arg in part.args)
        )
        done[part] = made
        if polynomial[part] and part.args:
            short = horner(rational_function(made, names).top, leaves)
            if sum(1 for _ in short.nodes()) < sum(1 for _ in made.nodes()):
                done[part] = short
    return done[node]


# --- cases ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Choice:
    """``node`` is ``first`` where ``test >= 0`` and ``second`` where ``test <= 0``."""

    node: Node
    test: Node
    first: Node
    second: Node

    @property
    def single(self) -> bool:
        """Whether there is nothing to choose: a maximum or minimum of one."""
        return self.node.op != "abs" and len(self.node.args) == 1


def choices(problem: Problem) -> list[Choice]:
    """abs, min and max of the goal, inner ones first; those with a linear test before others."""
    found = [c for c in (_choice_at(node) for node in problem.goal.nodes()) if c is not None]
    return sorted(found, key=lambda c: linear(c.test, problem.names) is None)


def _choice_at(node: Node) -> Choice | None:
    if node.op == "abs":
        return Choice(node, node.args[0], node.args[0], -node.args[0])
    if node.op in ("min", "max") and len(node.args) > 1:
        a, b, *others = node.args
        first, second = (a, b) if node.op == "max" else (b, a)
        return Choice(
            node, a - b, _folded(node.op, first, others), _folded(node.op, second, others)
        )
    if node.op in ("min", "max"):
        return Choice(node, ONE, node.args[0], node.args[0])
    return None


def _folded(op: str, value: Node, others: Sequence[Node]) -> Node:
    return Node(op, (value, *others)) if others else value


def tests(goal: Node) -> list[Node]:
    """The expressions at whose zeros abs, min and max have kinks."""
    found = []
    for node in goal.nodes():
        if node.op == "abs":
            found.append(node.args[0])
        elif node.op in ("min", "max"):
            value = node.args[0]
            for arg in node.args[1:]:
                found.append(value - arg)
                value = Node(node.op, (value, arg))
    return found


def exchanged(problem: Problem, old: Node, new: Node) -> Problem:
    """The problem with a part of the goal written differently."""
    done: dict[Node, Node] = {}
    for node in problem.goal.nodes():
        if node == old:
            done[node] = new
        else:
            args = tuple(done[arg] for arg in node.args)
            done[node] = node if args == node.args else Node(node.op, args, node.value)
    return replace(problem, goal=done[problem.goal])


def constrained(problem: Problem, test: Node) -> Problem:
    """The part of the region where test >= 0; a bound on one variable goes into the box."""
    found = linear(test, problem.names)
    if found is not None and len([c for c in found[0].values() if c]) == 1:
        ((name, c),) = ((n, c) for n, c in found[0].items() if c)
        end = -found[1] / c
        part = Interval(low=end) if c > 0 else Interval(high=end)
        return replace(
            problem,
            box=tuple((n, s.intersected(part) if n == name else s) for n, s in problem.box),
        )
    return replace(problem, constraints=(*problem.constraints, Constraint(test, False)))


def tightened(problem: Problem) -> Problem:
    """The box made smaller by linear constraints; the constraints stay."""
    box = dict(problem.box)
    for _ in range(2):
        for constraint in problem.constraints:
            found = linear(constraint.expression, problem.names)
            if found is None:
                continue
            for name, c in found[0].items():
                rest = most(box, {n: k for n, k in found[0].items() if n != name}, found[1])
                if rest is not None and c:
                    end = -rest / c
                    part = Interval(low=end) if c > 0 else Interval(high=end)
                    box[name] = box[name].intersected(part)
    return replace(problem, box=tuple(box.items()))


def most(
    box: dict[str, Interval], coefficients: dict[str, Fraction], constant: Fraction
) -> Fraction | None:
    """The largest value of a linear function on the box, None for infinity."""
    total = constant
    for name, c in coefficients.items():
        end = box[name].high if c > 0 else box[name].low
        if end is None:
            return None
        total += c * end
    return total


def cut(problem: Problem, name: str, value: Fraction) -> tuple[Problem, Problem]:
    """The two parts of the region on both sides of a value of one variable."""
    side = problem.interval(name)
    below = replace(side, high=value, open_high=False)
    above = replace(side, low=value, open_low=False)
    return (
        replace(problem, box=tuple((n, below if n == name else s) for n, s in problem.box)),
        replace(problem, box=tuple((n, above if n == name else s) for n, s in problem.box)),
    )
