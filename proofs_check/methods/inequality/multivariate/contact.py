"""Where the goal touches zero: found by a search in doubles, then settled exactly.

A *well* is a box round a minimum on which the goal is proved: along the variables that sit at an
end of the region the goal is monotone there, in the others its Hessian is positive definite (in
balls), so the goal is convex on the face and lies above its tangent at the minimum. The minimum may
be an exact point where goal and gradient vanish, or a rational point where the goal is positive
by more than the slope can take back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from proofs_check.arithmetic.tape import compile_tape
from proofs_check.arithmetic.tree import PI, Node, call, number
from proofs_check.methods.inequality.multivariate.exact import NoRange, sign
from proofs_check.methods.inequality.multivariate.interval import finite
from proofs_check.methods.inequality.multivariate.leaf import enclose
from proofs_check.methods.inequality.multivariate.task import Box, Task, Well

Array = Any
Pair = tuple[Any, Any]
_SAMPLES = 2000
_KEPT = 24
_ROUNDS = 45
_SCALES = 14


@dataclass(frozen=True)
class Minima:
    """Points with the least values found, best first, and a size to judge values by."""

    points: Array
    values: Array
    scale: float


def minima(task: Task, seed: int = 1) -> Minima | None:
    """Local minima by random search and shrinking steps; None without vectorised rules."""
    if not task.values.vectorised:
        return None
    low = np.array([float(a) for a, _ in task.domain])
    high = np.array([float(b) for _, b in task.domain])
    source = np.random.default_rng(seed)
    points = low + (high - low) * _with_ends(source.random((_SAMPLES, len(low))), source)
    values = _values(task, points)
    if not np.isfinite(values).any():
        return None
    scale = float(np.median(np.abs(values[np.isfinite(values)]))) + 1e-300
    best = np.argsort(values)[:_KEPT]
    points, values = points[best], values[best]
    step = 0.2
    for _ in range(_ROUNDS):
        moves = source.normal(size=(16, len(points), len(low))) * step * (high - low)
        moves *= source.random(moves.shape) < 0.7
        trial = np.clip(points[None] + moves, low, high).reshape(-1, len(low))
        found = _values(task, trial).reshape(16, len(points))
        pick = np.argmin(found, axis=0)
        better = found[pick, np.arange(len(points))] < values
        chosen = trial.reshape(16, len(points), len(low))[pick, np.arange(len(points))]
        points = np.where(better[:, None], chosen, points)
        values = np.where(better, found[pick, np.arange(len(points))], values)
        step *= 0.7
    order = np.argsort(values)
    return Minima(points[order], values[order], scale)


def _with_ends(unit: Array, source: Any) -> Array:
    """A fifth of the coordinates are moved to an end of their side."""
    return np.where(source.random(unit.shape) < 0.2, np.round(unit), unit)


def _values(task: Task, points: Array) -> Array:
    """The goal at points; infinite outside the region or where it is undefined."""
    value, *others = task.values.at(points)
    fine = np.isfinite(value)
    for other in others:
        fine &= other >= 0
    return np.where(fine, value, np.inf)


# --- wells ------------------------------------------------------------------------------------
def well(task: Task, point: Sequence[float], touching: bool) -> Well | None:
    """A box round the minimum on which the goal is proved, as large as works."""
    if task.slopes is None or task.bends is None or (task.strict and touching):
        return None
    ends = [_end(task, axis, x) for axis, x in enumerate(point)]
    centre = _polished(task, point, ends)
    if touching:
        exact = [_recognised(task, axis, x, ends[axis]) for axis, x in enumerate(centre)]
        if not _touches(task, exact, ends):
            return None
        around = [_rational_near(node) for node in exact]
    else:
        around = [
            Fraction(float(x)) if e is None else task.domain[i][e]
            for i, (x, e) in enumerate(zip(centre, ends, strict=True))
        ]
        exact = [number(x) for x in around]
    with ctx.workprec(task.bits + 40):
        for k in range(2, _SCALES + 2):
            box = _box_round(task, around, Fraction(1, 2**k))
            if _holds(task, box, around, ends, touching):
                return Well(box, tuple(ends), tuple(exact))
    return None


def _end(task: Task, axis: int, x: float) -> int | None:
    low, high = task.domain[axis]
    near = 1e-6 * float(high - low)
    if x - float(low) <= near:
        return 0
    return 1 if float(high) - x <= near else None


def _polished(task: Task, point: Sequence[float], ends: Sequence[int | None]) -> list[float]:
    """Newton steps in doubles on the coordinates that are not at an end."""
    free = [i for i, end in enumerate(ends) if end is None]
    x = np.array(
        [
            float(task.domain[i][e]) if e is not None else v
            for i, (v, e) in enumerate(zip(point, ends, strict=True))
        ]
    )
    if not free or task.slopes is None or task.bends is None:
        return list(x)
    if not (task.slopes.vectorised and task.bends.vectorised):
        return list(x)
    for _ in range(6):
        slope = np.array([v[0] for v in task.slopes.at(x[None])])
        bend = _square([v[0] for v in task.bends.at(x[None])], len(x))
        if not (np.isfinite(slope).all() and np.isfinite(bend).all()):
            break
        step = np.linalg.lstsq(bend[np.ix_(free, free)], slope[free], rcond=1e-9)[0]
        if np.abs(step).max() > 0.05 * max(1.0, float(np.abs(x).max())):
            break
        x[free] -= step
    return list(x)


def _below_diagonal(size: int) -> list[tuple[int, int]]:
    return [(row, column) for row in range(size) for column in range(row + 1)]


def _square(rows: Sequence[Any], size: int) -> Array:
    matrix = np.zeros((size, size))
    for k, (i, j) in enumerate(_below_diagonal(size)):
        matrix[i, j] = matrix[j, i] = rows[k]
    return matrix


def _recognised(task: Task, axis: int, x: float, end: int | None) -> Node:
    """A simple exact number near x: an end, a small fraction, a multiple of pi, a root, a log."""
    if end is not None:
        return number(task.domain[axis][end])
    return recognise(x) or number(Fraction(x))


def recognise(x: float, near: float = 1e-9) -> Node | None:
    """A simple exact number within ``near`` of x, or None."""
    tries: list[tuple[float, Any]] = [
        (x, number),
        (x / np.pi, lambda q: number(q) * PI),
        (
            np.sign(x) * x * x,
            lambda q: call("sqrt", number(q)) if q > 0 else -call("sqrt", number(-q)),
        ),
    ]
    if abs(x) < 50:
        tries.append((float(np.exp(x)), lambda q: call("log", number(q))))
    if x > 0:
        tries.append((float(np.log(x)), lambda q: call("exp", number(q))))
    for value, make in tries:
        simple = Fraction(float(value)).limit_denominator(720)
        if abs(float(simple) - value) <= near * (1 + abs(value)) and abs(simple) < 10**6:
            node: Node = make(simple) if simple or make is number else number(0)
            return node
    return None


def _rational_near(node: Node) -> Fraction:
    with ctx.workprec(128):
        value = compile_tape([node]).run({})[0]
        return Fraction(float(value.mid()))


def _touches(task: Task, exact: Sequence[Node], ends: Sequence[int | None]) -> bool:
    """Whether goal and free slopes are exactly zero at the point."""
    values = dict(zip(task.names, exact, strict=True))
    nodes = [task.goal, *(g for g, e in zip(task.gradient or (), ends, strict=True) if e is None)]
    try:
        return all(sign(node.replaced(values)) == 0 for node in nodes)
    except (NoRange, ZeroDivisionError):
        return False


def _box_round(task: Task, centre: Sequence[Fraction], part: Fraction) -> Box:
    sides = []
    for x, (low, high) in zip(centre, task.domain, strict=True):
        radius = Fraction(float((high - low) * part))
        a, b = Fraction(float(x)) - radius, Fraction(float(x)) + radius
        sides.append((max(low, a), min(high, b)))
    return tuple(sides)


def _holds(
    task: Task, box: Box, centre: Sequence[Fraction], ends: Sequence[int | None], touching: bool
) -> bool:
    if task.slopes is None or task.bends is None:
        return False
    values = enclose(task.values, box, True)
    if not finite(values[0]) or not all(finite(v) and v[0] > 0 for v in values[1:]):
        return False
    slopes = enclose(task.slopes, box, False)
    for slope, end in zip(slopes, ends, strict=True):
        if end is not None and not (
            finite(slope) and bool(slope[1] <= 0 if end else slope[0] >= 0)
        ):
            return False
    free = [i for i, end in enumerate(ends) if end is None]
    if free and not _convex(task, box, ends, free):
        return False
    return touching or _stays_positive(task, box, centre, ends)


def _convex(task: Task, box: Box, ends: Sequence[int | None], free: list[int]) -> bool:
    """Whether the Hessian in the free variables is positive definite on the face of the box."""
    face = tuple(
        side if e is None else (task.domain[i][e],) * 2
        for i, (side, e) in enumerate(zip(box, ends, strict=True))
    )
    if task.bends is None:
        return False
    rows = enclose(task.bends, face, True)
    entries = {}
    for k, (i, j) in enumerate(_below_diagonal(len(box))):
        if i in free and j in free:
            if not finite(rows[k]):
                return False
            entries[i, j] = rows[k][0].union(rows[k][1])
    return _positive_definite(entries, free)


def _positive_definite(entries: dict[tuple[int, int], Any], free: list[int]) -> bool:
    """Symmetric elimination on balls: every matrix inside has positive pivots."""
    matrix = [[entries[max(i, j), min(i, j)] for j in free] for i in free]
    size = len(free)
    for k in range(size):
        pivot = matrix[k][k]
        if not pivot > 0:
            return False
        for i in range(k + 1, size):
            for j in range(k + 1, i + 1):
                step = matrix[i][k] * matrix[j][k]
                # A square keeps its sign in balls only when it is written as one.
                step = matrix[i][k] ** 2 if i == j else step
                matrix[i][j] = matrix[j][i] = matrix[i][j] - step / pivot
    return True


def _stays_positive(
    task: Task, box: Box, centre: Sequence[Fraction], ends: Sequence[int | None]
) -> bool:
    """f(c) - sum |f_i(c)| r_i > 0 with convexity: the tangent stays above zero on the box."""
    point = tuple((x, x) for x in centre)
    total = task.values.balls(point)[0][0]
    if task.slopes is None:
        return False
    for (below, above), (a, b), x, end in zip(
        task.slopes.balls(point), box, centre, ends, strict=True
    ):
        if end is None:
            reach = max(b - x, x - a)
            total = total - (-below).max(above) * arb(fmpq(reach.numerator, reach.denominator))
    return bool(total > 0)
