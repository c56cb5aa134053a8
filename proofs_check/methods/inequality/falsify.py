"""Refutation: a point of the region where the goal certainly fails, searched in floats.

What the search finds is moved to simple rationals inside the region and decided in balls of growing
precision, exactly where the value is rational. The same search finds points without a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bounds.status import Status
from proofs_check.arithmetic.floats import Floats, compile_floats
from proofs_check.arithmetic.tree import ZERO, Node
from proofs_check.methods.inequality.points import (
    Point,
    fails,
    has_value,
    inside,
    refutes,
    sign_at,
    simple_points,
    simplified,
)
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.result import Result
from proofs_check.methods.inequality.search import (
    complexity,
    descend,
    far_points,
    landscape,
    polish,
    starts,
)

CHEAP, DEEP = 8, 64
_MOST_TRIALS = 6  # candidates that are decided in balls, a round
_NOISE = 1e-9  # relative: what floats cannot tell from 0


def refute(problem: Problem, *, seed: int = 0, work: int = CHEAP) -> Result:
    """REFUTED with an exact witness, ERROR for a region without points or a point without a value,
    else UNDECIDED.

    Args:
        work: starts of the descent; from ``DEEP`` on, candidates are also refined by quasi-Newton
            steps in floats and Newton steps at high precision.
    """
    empty = empty_hypothesis(problem)
    if empty is not None:
        reason = f"contradictory hypotheses: {empty}"
        return Result(Status.ERROR, "hypotheses", reason, certificate={"rule": "empty"})
    if not problem.box:
        return _constant(problem)
    undefined = find_undefined(problem, seed=seed)
    if undefined is not None:
        return undefined
    rng = np.random.default_rng(seed)
    point = _search(problem, work, rng)
    if point is None:
        reason = "no counterexample was found among corners, random points and descents"
        return Result(Status.UNDECIDED, "falsification", reason, work=work)
    return refuted(problem, simplified(problem, point), work=work)


def refuted(problem: Problem, point: Point, *, work: int = 0) -> Result:
    """The result for a point that certainly refutes."""
    place = place_of(point)
    sign = sign_at(problem.goal, point)
    how = "is 0, not positive" if sign == 0 else "is negative"
    reason = f"at {place} the right side minus the left side {how}"
    return Result(Status.REFUTED, "falsified", reason, witness=dict(point), work=work)


def place_of(point: Point) -> str:
    """A point in words."""
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "every point"


def empty_hypothesis(problem: Problem) -> str | None:
    """A range that holds no number, in words; None when every single range holds one."""
    for name, interval in problem.box:
        if interval.empty:
            return f"no {name} satisfies its range"
        if name in problem.integers and interval.low is not None and interval.high is not None:
            first = -((-interval.low.numerator) // interval.low.denominator)
            first += 1 if interval.open_low and first == interval.low else 0
            if not interval.contains(type(interval.low)(first)):
                return f"no whole number {name} satisfies its range"
    return None


def _constant(problem: Problem) -> Result:
    point: Point = {}
    if not inside(problem, point):
        reason = "contradictory hypotheses: one of them is false as it stands"
        if all(sign_at(c.expression, point) is not None for c in problem.constraints):
            return Result(Status.ERROR, "hypotheses", reason, certificate={"rule": "empty"})
        return Result(Status.UNDECIDED, "falsification", "a hypothesis could not be decided")
    sign = sign_at(problem.goal, point, bits=4096)
    if sign is None:
        undefined = find_undefined(problem)
        reason = "the two sides are too close to tell apart at 4096 bits; they may be equal"
        return undefined or Result(Status.UNDECIDED, "evaluation", reason)
    if sign < 0 or (sign == 0 and problem.strict):
        return refuted(problem, point)
    certificate = {"rule": "define", "needs": [], "proof": {"rule": "constant"}}
    reason = "both sides are numbers, and were compared in balls or exactly"
    return Result(Status.PROVED, "evaluation", reason, certificate=certificate)


def _search(problem: Problem, work: int, rng: np.random.Generator) -> Point | None:
    land = landscape(problem)
    t = starts(land, 64 * min(work, 32), rng)
    x = np.concatenate([land.points(t), far_points(land, rng)])
    values = land.values(x)
    point = _first_refuting(problem, x, values)
    if point is not None:
        return point
    t = t[_lowest(values[: len(t)], work)]
    t, values = descend(land, t, rounds=14 if work < DEEP else 60, rng=rng)
    point = _first_refuting(problem, land.points(t), values)
    if point is not None or work < DEEP:
        return point
    x = land.points(polish(land, t[_lowest(values, 8)]))
    values = land.values(x)
    return _first_refuting(problem, x, values) or _refined(problem, x[_lowest(values, 3)])


def _lowest(values: Floats, count: int) -> Any:
    """Positions of the smallest values, NaN last."""
    return np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")[:count]


def _first_refuting(problem: Problem, x: Floats, values: Floats) -> Point | None:
    """A certain counterexample near the rows where floats say that there is one."""
    limit = _NOISE if problem.strict else 0.0
    low = np.flatnonzero(values <= limit)
    lowest = low[np.argsort(values[low], kind="stable")]
    plain = low[np.argsort(complexity(x[low]), kind="stable")]
    chosen = dict.fromkeys([*_spread(plain, x), *_spread(lowest, x)])
    for index in chosen:
        for point in _worth_a_look(problem, x[index]):
            if refutes(problem, point):
                return point
    return None


def _spread(order: Sequence[int] | Any, x: Floats, most: int = 3) -> list[int]:
    """The first few rows that are not neighbours of one another."""
    kept: list[int] = []
    for index in order[:500]:
        if all(np.abs(x[index] - x[other]).max() > 1e-6 for other in kept):
            kept.append(int(index))
        if len(kept) == most:
            break
    return kept


def _worth_a_look(problem: Problem, row: Floats) -> Iterator[Point]:
    """Simple points near a row, unless the goal is certainly as wanted at the row itself."""
    points = list(simple_points(problem, row))
    if points and (problem.strict or fails(problem, points[-1], bits=256)):
        yield from points


# --- undefined points -----------------------------------------------------------------------
@dataclass(frozen=True)
class _Need:
    """``expression`` must be positive, nonnegative or nonzero for ``source`` to have a value."""

    expression: Node
    strict: bool
    nonzero: bool
    source: Node

    def broken(self, sign: int | None) -> bool:
        """Whether a certain sign breaks it."""
        if self.nonzero:
            return sign == 0
        return sign == -1 or (sign == 0 and self.strict)


def find_undefined(problem: Problem, *, seed: int = 0) -> Result | None:
    """ERROR with an exact point of the region without a value, if the search finds one."""
    from proofs_check.methods.inequality.definedness import obligations

    roots = [problem.goal, *(c.expression for c in problem.constraints)]
    needs = {
        _Need(one.expression, one.strict, one.nonzero, one.source): None
        for root in roots
        for one in obligations(root)
    }
    if not needs:
        return None
    if not problem.box:
        return next((found for need in needs if (found := _undefined_at(problem, need, {}))), None)
    land = landscape(problem)
    t = starts(land, 96, np.random.default_rng(seed))
    x = land.points(t)
    trees = [need.expression for need in needs] + [c.expression for c in problem.constraints]
    found_values = compile_floats(trees)({n: x[:, i] for i, n in enumerate(problem.names)})
    feasible = np.ones(len(x), dtype=bool)
    for constraint in found_values[len(needs) :]:
        feasible &= ~(constraint < 0)  # NaN stays: the constraint itself may be undefined there
    for need, values in zip(needs, found_values[: len(needs)], strict=True):
        found = _broken_need(problem, need, x[feasible], values[feasible])
        if found is not None:
            return found
    return None


def _broken_need(problem: Problem, need: _Need, x: Floats, values: Floats) -> Result | None:
    if not len(values) or np.all(np.isnan(values)):
        return None
    scale = float(np.nanmax(np.abs(np.where(np.isfinite(values), values, 0)))) or 1.0
    low = np.abs(values) if need.nonzero else values
    edge = 1e-12 * scale if need.nonzero or need.strict else -1e-300
    suspects = np.flatnonzero(low <= edge)
    keys = low[suspects] if need.nonzero else complexity(x[suspects])
    for index in suspects[np.argsort(keys, kind="stable")][:_MOST_TRIALS]:
        for point in simple_points(problem, x[index]):
            found = _undefined_at(problem, need, point)
            if found is not None:
                return found
    if need.nonzero and not problem.constraints and not problem.integers:
        return _crossing(problem, need, x, values)
    return None


def _undefined_at(problem: Problem, need: _Need, point: Point) -> Result | None:
    if not need.broken(sign_at(need.expression, point, bits=256)):
        return None
    if not _inside(problem, need, point):
        return None
    if has_value(need.source, point):  # the need was more than is needed: gamma(-1/2)
        return None
    sign = "!=" if need.nonzero else ">" if need.strict else ">="
    needed = f"{need.expression} {sign} 0"
    reason = f"undefined at {place_of(point)}: {need.source} has no value there, it needs {needed}"
    return Result(Status.ERROR, "undefined", reason, witness=dict(point))


def _inside(problem: Problem, need: _Need, point: Point) -> bool:
    """Inside the region, leaving out constraints that have no value for lack of this need."""
    able = tuple(c for c in problem.constraints if need.source not in set(c.expression.nodes()))
    return inside(replace(problem, constraints=able), point)


def _crossing(problem: Problem, need: _Need, x: Floats, values: Floats) -> Result | None:
    """A zero of a denominator between two points where it has opposite signs."""
    from proofs_check.methods.inequality.crossing import zero_between

    finite = np.isfinite(values)
    if not (finite & (values > 0)).any() or not (finite & (values < 0)).any():
        return None
    high = x[int(np.argmax(np.where(finite, values, -np.inf)))]
    low = x[int(np.argmin(np.where(finite, values, np.inf)))]
    ends = [next(iter(simple_points(problem, row)), None) for row in (low, high)]
    if ends[0] is None or ends[1] is None:
        return None
    found = zero_between(need.expression, ends[0], ends[1])
    if found is None:
        return None
    exact, place = found
    reason = f"undefined at {place}: {need.source} has no value where {need.expression} is 0"
    return Result(Status.ERROR, "undefined", reason, witness=exact)


# --- high precision -------------------------------------------------------------------------
def _refined(problem: Problem, x: Floats) -> Point | None:
    """Newton steps on the gradient at 400 bits, for goals that are negative by next to nothing."""
    from proofs_check.methods.inequality.crossing import newton_minimum

    for row in x:
        for start in list(simple_points(problem, row))[-1:]:
            for point in newton_minimum(problem, start):
                if refutes(problem, point):
                    return point
    return None


def find_feasible(problem: Problem, *, seed: int = 0) -> Point | None:
    """An exact point that certainly meets every hypothesis, or None if the search finds none."""
    rng = np.random.default_rng(seed)
    if not problem.box:
        return {} if inside(problem, {}) else None
    land = landscape(Problem(_worst(problem), False, problem.box, (), problem.integers))
    t = starts(land, 256, rng)
    for rounds in (0, 40):
        if rounds:
            t = t[_lowest(land.values(land.points(t)), 8)]
            t, _ = descend(land, t, rounds=rounds, rng=rng)
        x = land.points(t)
        for row in x[_spread(_lowest(land.values(x), 100), x, _MOST_TRIALS)]:
            for point in simple_points(problem, row):
                if inside(problem, point):
                    return point
    return None


def _worst(problem: Problem) -> Node:
    """The largest violation of a constraint: small, and below 0, well inside all of them."""
    parts = tuple(-c.expression for c in problem.constraints)
    if not parts:
        return ZERO
    return parts[0] if len(parts) == 1 else Node("max", parts)
