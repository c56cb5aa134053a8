"""Affine goals under affine hypotheses: nonnegative multipliers, by Farkas' lemma.

goal = sum_i m_i c_i + r with m_i >= 0 and r >= 0 shows goal >= 0 wherever all c_i >= 0. A linear
programme in floats finds the multipliers; they are then solved for and checked in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from bounds.status import Status
from proofs_check.arithmetic.tree import Node, literal, number, symbol
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.reduce import affine_in
from proofs_check.methods.inequality.result import Result

METHOD = "linear"


@dataclass(frozen=True)
class Affine:
    """``slopes . x + offset >= 0`` (> 0 when strict); ``text`` is how it was written."""

    slopes: tuple[Fraction, ...]
    offset: Fraction
    strict: bool
    text: str


def prove(problem: Problem, *, work: int = 1) -> Result:
    """PROVED when the goal is a nonnegative combination of the hypotheses, else UNDECIDED."""
    goal = affine(problem.goal, problem.names, problem.strict)
    if goal is None or not problem.constraints:
        return _undecided("goal and hypotheses are not affine")
    facts = hypotheses_of(problem)
    multipliers = _multipliers(goal, facts)
    if multipliers is None:
        return _undecided("the goal is no nonnegative combination of the hypotheses")
    return Result(
        Status.PROVED,
        METHOD,
        "the goal is a nonnegative combination of the hypotheses",
        certificate={"rule": "farkas", "multipliers": _listed(facts, multipliers)},
        work=1,
    )


def contradiction(problem: Problem) -> dict[str, Any] | None:
    """A certificate that the affine hypotheses alone are contradictory: they imply -1 >= 0."""
    absurd = Affine((Fraction(0),) * len(problem.box), Fraction(-1), False, "-1")
    facts = hypotheses_of(problem)
    found = _multipliers(absurd, facts)
    return None if found is None else {"rule": "empty", "multipliers": _listed(facts, found)}


def _listed(facts: Sequence[Affine], multipliers: Sequence[Fraction]) -> list[list[str]]:
    return [[fact.text, str(m)] for m, fact in zip(multipliers, facts, strict=True) if m]


def _undecided(reason: str) -> Result:
    return Result(Status.UNDECIDED, METHOD, reason)


def affine(node: Node, names: Sequence[str], strict: bool) -> Affine | None:
    """The coefficients of an affine tree in the variables, else None."""
    slopes: list[Fraction] = []
    rest = node
    for name in names:
        parts = affine_in(rest, name)
        if parts is None:
            return None
        slopes.append(parts[0])
        rest = parts[1]
    offset = literal(rest)
    return None if offset is None else Affine(tuple(slopes), offset, strict, str(node))


def hypotheses_of(problem: Problem) -> list[Affine]:
    """The affine constraints and the ends of all ranges."""
    trees: list[tuple[Node, bool]] = [(c.expression, c.strict) for c in problem.constraints]
    for name, side in problem.box:
        if side.low is not None:
            trees.append((symbol(name) - number(side.low), side.open_low))
        if side.high is not None:
            trees.append((number(side.high) - symbol(name), side.open_high))
    found = [affine(tree, problem.names, strict) for tree, strict in trees]
    return [one for one in found if one is not None]


def _multipliers(goal: Affine, facts: Sequence[Affine]) -> list[Fraction] | None:
    """m >= 0 with goal = sum m_i c_i + r and r >= 0 (or enough for a strict goal)."""
    from scipy.optimize import linprog

    if not facts:
        return None
    try:
        table = np.array([[float(s) for s in fact.slopes] for fact in facts]).T
        offsets = np.array([float(fact.offset) for fact in facts])
        wanted = np.array([float(slope) for slope in goal.slopes])
    except OverflowError:
        return None
    found: Any = linprog(offsets, A_eq=table, b_eq=wanted, bounds=(0, None), method="highs")
    if found.status == 3:  # unbounded: the hypotheses are contradictory; take one such ray
        bounds = (0, 1)
        found = linprog(offsets, A_eq=table, b_eq=wanted, bounds=bounds, method="highs")
    if found.x is None:
        return None
    chosen = [i for i, value in enumerate(found.x) if value > 1e-9]
    exact = _solved([facts[i] for i in chosen], goal)
    if exact is None:
        return None
    multipliers = [Fraction(0)] * len(facts)
    for i, value in zip(chosen, exact, strict=True):
        multipliers[i] = value
    return _checked(goal, facts, multipliers)


def _solved(facts: Sequence[Affine], goal: Affine) -> list[Fraction] | None:
    """Exact multipliers on the facts chosen, whose slopes are independent at a vertex."""
    if not facts:
        return []
    rows, columns = len(goal.slopes), len(facts)
    entries = [[_fmpq(f.slopes[i]) for f in facts] + [_fmpq(goal.slopes[i])] for i in range(rows)]
    reduced, rank = fmpq_mat(rows, columns + 1, [x for row in entries for x in row]).rref()
    if rank != columns or any(reduced[i, i] != 1 for i in range(columns)):
        return None
    return [_fraction(reduced[i, columns]) for i in range(columns)]


def _checked(
    goal: Affine, facts: Sequence[Affine], multipliers: list[Fraction]
) -> list[Fraction] | None:
    if any(m < 0 for m in multipliers):
        return None
    pairs = list(zip(multipliers, facts, strict=True))
    for i, slope in enumerate(goal.slopes):
        if sum((m * fact.slopes[i] for m, fact in pairs), Fraction(0)) != slope:
            return None
    rest = goal.offset - sum((m * fact.offset for m, fact in pairs), Fraction(0))
    strictly = rest > 0 or any(m > 0 and fact.strict for m, fact in pairs)
    return multipliers if rest >= 0 and (strictly or not goal.strict) else None


def _fmpq(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))
