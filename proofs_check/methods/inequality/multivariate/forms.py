"""Other forms of a goal: roots taken apart, expansions, homogeneity, functions as new variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import ctx

from proofs_check.arithmetic.derivative import plus, times
from proofs_check.arithmetic.tree import Node, number, symbol
from proofs_check.methods.inequality import ball_ranges
from proofs_check.methods.inequality.multivariate.normal import normal_form
from proofs_check.methods.inequality.multivariate.reduce import (
    exchanged,
    kinked,
    sides,
    slope,
    tidied,
    vanishes,
)
from proofs_check.methods.inequality.polynomial.rational import coefficients_in, moved_by
from proofs_check.methods.inequality.problem import Interval, Problem


# --- roots ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class RootParts:
    """goal = (rest + factor sqrt(radicand))/bottom, ``squared`` = rest^2 - factor^2 radicand."""

    rest: Node
    factor: Node
    radicand: Node
    bottom: Node
    squared: Node


def root_parts(problem: Problem) -> RootParts | None:
    """The goal with one square root taken apart; None when it holds none."""
    found = normal_form(problem.goal, problem.names, sides(problem))
    if found is None:
        return None
    table, value = found
    for position, (degree, inner) in table.relations.items():
        if degree != 2 or table.inner[position][0] != "root2":
            continue
        if value.top.degrees()[position] != 1 or value.bottom.degrees()[position]:
            continue
        rest, factor = coefficients_in(value.top, position)
        squared = table.related(rest * rest - factor * factor * inner)
        parts = (rest, factor, inner, value.bottom, squared)
        return RootParts(*(tidied(table.tree(part)) for part in parts))
    return None


def widened(problem: Problem, name: str, other: Interval) -> Problem:
    """The problem with one side enlarged so that it contains another interval."""
    side = problem.interval(name)
    low = None if side.low is None or other.low is None else min(side.low, other.low)
    high = None if side.high is None or other.high is None else max(side.high, other.high)
    hull = Interval(
        low,
        high,
        low is None or all(s.open_low for s in (side, other) if s.low == low),
        high is None or all(s.open_high for s in (side, other) if s.high == high),
    )
    if hull == side:
        return problem
    return replace(problem, box=tuple((n, hull if n == name else s) for n, s in problem.box))


def values(node: Node, problem: Problem) -> Interval:
    """An interval that holds all values of a tree on the box, rounded outwards."""
    with ctx.workprec(64):
        found = ball_ranges.range_of(node, {n: ball_ranges.of_interval(s) for n, s in problem.box})
    low, high = outward(found.low, down=True), outward(found.high, down=False)
    return Interval(low, high, low is None or found.open_low, high is None or found.open_high)


@dataclass(frozen=True)
class Expansion:
    """goal = sum_k coefficients[k] (E - start)^k / bottom with E - start >= 0; E is ``atom``."""

    atom: Node
    start: Fraction
    coefficients: tuple[Node, ...]
    bottom: Node


def expansions(problem: Problem) -> Iterator[Expansion]:
    """Expansions in an exponential whose variables occur nowhere else, about 0 and its minimum."""
    found = normal_form(problem.goal, problem.names, sides(problem))
    if found is None or problem.constraints:
        return
    table, value = found
    box = {n: ball_ranges.of_interval(s) for n, s in problem.box}
    for k, node in enumerate(table.nodes):
        place = len(problem.names) + k
        if node.op != "exp" or value.top.degrees()[place] == 0:
            continue
        others = {str(n) for i, n in enumerate(problem.names) if value.top.degrees()[i]}
        for j, other in enumerate(table.nodes):
            if j != k and value.top.degrees()[len(problem.names) + j]:
                others |= set(other.symbols())
        if others & set(node.symbols()) or not node.symbols():
            continue
        with ctx.workprec(64):
            low = outward(ball_ranges.range_of(node, box).low, down=True) or Fraction(0)
        for start in dict.fromkeys((Fraction(0), max(low, Fraction(0)))):
            moved = moved_by(value.top, place, start)
            parts = tuple(tidied(table.tree(c)) for c in coefficients_in(moved, place))
            yield Expansion(node, start, parts, table.tree(value.bottom))


# --- homogeneity ------------------------------------------------------------------------------
@dataclass(frozen=True)
class Ray:
    """A homogeneous goal of some degree, to be looked at where the variable ``unit`` is 1."""

    unit: str
    degree: int


def homogeneous(problem: Problem) -> Ray | None:
    """A homogeneous goal (Euler: sum x_i f_i = k f) without kinks, on positive half-lines."""
    if len(problem.box) < 2 or problem.constraints or problem.integers:
        return None
    if any(side.low != 0 or side.high is not None for _, side in problem.box):
        return None
    open_units = [name for name, side in problem.box if side.open_low]
    if not open_units or kinked(problem.goal):
        return None
    slopes = [slope(problem, name) for name in problem.names]
    known = [s for s in slopes if s is not None]
    if len(known) < len(slopes):
        return None
    total = plus(*(times(symbol(n), s) for n, s in zip(problem.names, known, strict=True)))
    for degree in (0, 1, 2, -1, 3, 4, -2):
        if vanishes(total - number(degree) * problem.goal, problem):
            return Ray(open_units[-1], degree)
    return None


# --- new variables ----------------------------------------------------------------------------
@dataclass(frozen=True)
class Abstraction:
    """The function ``inner`` of one variable as that variable, in the new problem."""

    name: str
    inner: Node
    problem: Problem


def abstracted(problem: Problem) -> Iterator[Abstraction]:
    """A variable that occurs only inside one function of it alone becomes that function's value.

    The value runs through an interval that contains the range of the function (rounded outwards).
    """
    if problem.constraints:
        return
    for name in problem.names:
        inner = _only_use(problem.goal, name)
        if inner is None or inner.op == "symbol":
            continue
        side = values(inner, problem)
        moved = exchanged(problem, inner, symbol(name))
        moved = replace(
            moved,
            box=tuple((n, side if n == name else s) for n, s in moved.box),
            integers=moved.integers - {name},
        )
        yield Abstraction(name, inner, moved)


def outward(value: Any, *, down: bool) -> Fraction | None:
    """A rational bound of an exact ball on the outer side; None for infinity.

    Numbers that are short binary fractions stay as they are.
    """
    if not value.is_finite():
        return None
    exact = value.lower() if down else value.upper()
    mantissa, exponent = exact.man_exp()
    result = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    if result.denominator <= 2**20:
        return result
    scaled = result * 2**40
    floor = scaled.numerator // scaled.denominator
    return Fraction(floor if down else floor + 1, 2**40)


def _only_use(goal: Node, name: str) -> Node | None:
    """The single node through which a variable enters the goal, followed up while it is alone.

    Sums and products are passed over, as they are flat in other notations.
    """
    current = symbol(name)
    best: Node | None = None
    while True:
        users = [n for n in goal.nodes() if current in n.args]
        if len(users) != 1 or users[0] == goal:
            return best
        user = users[0]
        if set(user.symbols()) != {name} or user.args.count(current) != 1:
            return best
        current = user
        best = user if user.op not in ("+", "-", "*", "/") else best
