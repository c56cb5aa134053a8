"""A linear constraint as a new variable, so that its end becomes a face of the box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs_check.arithmetic.derivative import plus, times
from proofs_check.arithmetic.tree import Node, number, symbol
from proofs_check.methods.inequality.multivariate.reduce import linear, most, substituted
from proofs_check.methods.inequality.problem import Constraint, Interval, Problem


@dataclass(frozen=True)
class Gap:
    """A constraint as a new variable: ``old`` is ``value`` in terms of it and the others.

    ``plain`` is the goal of ``problem`` before it was tidied; ``ends`` are the constraints that
    come from the range of the old variable.
    """

    problem: Problem
    constraint: Constraint
    old: str
    new: str
    value: Node
    plain: Node
    ends: frozenset[Node]


def gap_variables(problem: Problem, ends: frozenset[Node] = frozenset()) -> Iterator[Gap]:
    """A linear constraint c >= 0 as a side t >= 0: one variable is expressed by t.

    The range of that variable becomes constraints, which are not turned into variables again.
    """
    for index, constraint in enumerate(problem.constraints):
        if constraint.expression in ends:
            continue
        found = linear(constraint.expression, problem.names)
        if found is None:
            continue
        coefficients, constant = found
        names = [n for n in problem.names if coefficients.get(n) and n not in problem.integers]
        if len(names) < 2:
            continue
        for name in names:
            made = _with_gap(problem, index, name, coefficients, constant)
            old = {c.expression for c in problem.constraints} - ends
            kept = {e.replaced({name: made.value}) for e in old}
            fresh = {c.expression for c in made.problem.constraints}
            yield replace(made, ends=frozenset(fresh - kept))
        return


def _with_gap(
    problem: Problem, index: int, name: str, coefficients: dict[str, Fraction], constant: Fraction
) -> Gap:
    """x = (t - constant - sum of the others)/a, where a x + others + constant = t >= 0."""
    a = coefficients[name]
    fresh = next(f"gap{k}" for k in range(100) if f"gap{k}" not in problem.names)
    others = [times(number(-c / a), symbol(n)) for n, c in coefficients.items() if n != name]
    shift = () if constant == 0 else (number(-constant / a),)
    value = plus(*others, *shift, times(number(1 / a), symbol(fresh)))
    high = _largest(problem, coefficients, constant)
    side = problem.interval(name)
    rest = tuple(c for k, c in enumerate(problem.constraints) if k != index)
    ends = []
    if side.low is not None:
        ends.append(Constraint(symbol(name) - number(side.low), side.open_low))
    if side.high is not None:
        ends.append(Constraint(number(side.high) - symbol(name), side.open_high))
    moved = replace(problem, constraints=(*rest, *ends))
    moved = substituted(moved, name, value)
    kept = tuple(c for c in moved.constraints if not _implied(c, moved, fresh, high))
    moved = replace(moved, constraints=kept)
    chosen = problem.constraints[index]
    gap = Interval(Fraction(0), high, chosen.strict, high is None)
    moved = replace(moved, box=(*moved.box, (fresh, gap)))
    plain = problem.goal.replaced({name: value})
    return Gap(moved, chosen, name, fresh, value, plain, frozenset())


def _implied(constraint: Constraint, problem: Problem, fresh: str, high: Fraction | None) -> bool:
    """Whether a linear constraint holds on the whole box, t in [0, high] included."""
    found = linear(constraint.expression, (*problem.names, fresh))
    if found is None:
        return False
    total = found[1]
    for name, c in found[0].items():
        side = Interval(Fraction(0), high) if name == fresh else problem.interval(name)
        end = side.low if c > 0 else side.high
        if end is None:
            return False
        total += c * end
    return total > 0 or (total == 0 and not constraint.strict)


def _largest(
    problem: Problem, coefficients: dict[str, Fraction], constant: Fraction
) -> Fraction | None:
    total = most(dict(problem.box), coefficients, constant)
    return None if total is None else max(total, Fraction(0))
