"""The search for points where a goal is small: floats only, many starts, nothing is decided here.

Variables are searched in t from [0, 1]: x = a + (b - a)t on a bounded interval, t/(1-t) from a
finite end to infinity, and the same in both directions on the whole line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs_check.arithmetic.floats import Floats, compile_floats, to_float
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval, Problem

_SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.1, 10.0, 100.0)
_END_STEPS = np.concatenate([2.0 ** -np.arange(2, 40, 3), [0.5]])

_FAR = np.repeat(10.0 ** np.array([2, 3, 5, 10, 15, 20, 50, 100, 150, 300]), 2)


@dataclass(frozen=True)
class Landscape:
    """A function of t in [0, 1]^n to be made small; infinite where the hypotheses fail."""

    intervals: tuple[Interval, ...]
    names: tuple[str, ...]
    whole: tuple[bool, ...]
    run: Callable[..., list[Floats]]

    def points(self, t: Floats) -> Floats:
        """The points x of the region that belong to rows of t."""
        columns = [
            from_unit(t[:, i], interval, whole=self.whole[i])
            for i, interval in enumerate(self.intervals)
        ]
        return np.stack(columns, axis=1) if columns else np.zeros((len(t), 0))

    def values(self, x: Floats) -> Floats:
        """The goal at rows of x; NaN where it is undefined, infinite outside the constraints."""
        goal, *constraints = self.run({name: x[:, i] for i, name in enumerate(self.names)})
        inside = np.ones(len(x), dtype=bool)
        for constraint in constraints:
            inside &= constraint >= 0
        found: Floats = np.where(inside, goal, np.inf)
        return found


def landscape(problem: Problem, target: Node | None = None) -> Landscape:
    """The goal of a problem, or another ``target``, over its region."""
    roots = [target or problem.goal, *(c.expression for c in problem.constraints)]
    return Landscape(
        tuple(interval for _, interval in problem.box),
        problem.names,
        tuple(name in problem.integers for name in problem.names),
        compile_floats(roots),
    )


def from_unit(t: Floats, interval: Interval, *, whole: bool = False) -> Floats:
    """The map from [0, 1] onto the interval."""
    low = None if interval.low is None else to_float(interval.low)
    high = None if interval.high is None else to_float(interval.high)
    with np.errstate(all="ignore"):
        if low is not None and high is not None:
            x = low + (high - low) * t
        elif low is not None:
            x = low + t / np.maximum(1 - t, 1e-9)
        elif high is not None:
            x = high - t / np.maximum(1 - t, 1e-9)
        else:
            x = (2 * t - 1) / np.maximum(1 - np.abs(2 * t - 1), 1e-9)
    x = np.round(x) if whole else x
    found: Floats = np.clip(x, low, high) if low is not None or high is not None else x
    return found


def to_unit(x: float, interval: Interval) -> float:
    """The inverse of :func:`from_unit`."""
    if interval.low is not None and interval.high is not None:
        low, width = to_float(interval.low), to_float(interval.high - interval.low)
        return (x - low) / width if width else 0.0
    if interval.low is not None:
        return _folded(x - to_float(interval.low))
    if interval.high is not None:
        return _folded(to_float(interval.high) - x)
    return (x / (1 + abs(x)) + 1) / 2


def _folded(y: float) -> float:
    """y/(1 + y) for y >= 0, and something outside [0, 1] for others."""
    return y / (1 + y) if y >= 0 else -1.0


def starts(land: Landscape, count: int, rng: np.random.Generator) -> Floats:
    """Corners, points near ends, special values on diagonals and axes, and random points."""
    size = len(land.intervals)
    columns = [_line(interval) for interval in land.intervals]
    rows: list[Floats] = [rng.random((count, size))]
    near_ends = rng.choice(_END_STEPS, (count // 2, size))
    rows.append(np.where(rng.random((count // 2, size)) < 0.5, near_ends, 1 - near_ends))
    longest = max((len(column) for column in columns), default=0)
    diagonal = np.stack([np.resize(column, longest) for column in columns], axis=1)
    rows.append(diagonal)
    rows.append(np.repeat(np.linspace(0, 1, 33)[:, None], size, axis=1))
    if size <= 10:
        corners = np.array(np.meshgrid(*[[0.0, 1.0]] * size)).reshape(size, -1).T
        rows.append(corners)
    if size > 1:
        rows.append(np.stack([rng.choice(column, count // 2) for column in columns], axis=1))
    return np.concatenate(rows)


def far_points(land: Landscape, rng: np.random.Generator) -> Floats:
    """Points far out on unbounded axes, beyond what [0, 1] resolves."""
    size = len(land.intervals)
    if all(interval.bounded for interval in land.intervals):
        return np.zeros((0, size))
    base = land.points(rng.random((len(_FAR), size)))
    for i, interval in enumerate(land.intervals):
        signs = rng.choice([-1.0, 1.0], len(_FAR))
        if interval.high is None:
            base[:, i] = _FAR * (1.0 if interval.low is not None else signs)
        elif interval.low is None:
            base[:, i] = -_FAR
    return base


def _line(interval: Interval) -> Floats:
    """Positions on one axis that are worth a look: ends, points close to them, special values."""
    inside = [to_unit(value, interval) for value in _SPECIAL]
    kept = [t for t in inside if 0 <= t <= 1]
    found: Floats = np.concatenate([[0.0, 1.0], kept, _END_STEPS, 1 - _END_STEPS])
    return found


def descend(
    land: Landscape, t: Floats, *, rounds: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Compass search from all rows of t at once; returns the rows it ends in and their values."""
    size = t.shape[1]
    axes = np.concatenate([np.eye(size), -np.eye(size)])
    best = _finite(land.values(land.points(t)))
    step = np.full(len(t), 0.1)
    for _ in range(rounds):
        slanted = rng.standard_normal((size, size)) / np.sqrt(size)
        moves = np.concatenate([axes, slanted])
        trial = np.clip(t[:, None, :] + step[:, None, None] * moves[None], 0, 1)
        values = _finite(land.values(land.points(trial.reshape(-1, size)))).reshape(len(t), -1)
        chosen = values.argmin(axis=1)
        rows = np.arange(len(t))
        better = values[rows, chosen] < best
        t = np.where(better[:, None], trial[rows, chosen], t)
        best = np.where(better, values[rows, chosen], best)
        step = np.where(better, np.minimum(step * 1.6, 0.5), step * 0.5)
    return t, best


def _finite(values: Floats) -> Floats:
    found: Floats = np.where(np.isnan(values), np.inf, values)
    return found


def polish(land: Landscape, t: Floats) -> Floats:
    """Quasi-Newton descent (L-BFGS-B) from each row, with difference quotients in one batch."""
    from scipy.optimize import minimize

    size = t.shape[1]
    width = 1e-7

    def with_slopes(row: Floats) -> tuple[float, Floats]:
        low = np.clip(row - width * np.eye(size), 0, 1)
        high = np.clip(row + width * np.eye(size), 0, 1)
        batch = np.concatenate([row[None], low, high])
        values = np.nan_to_num(land.values(land.points(batch)), nan=1e300, posinf=1e300)
        gaps = np.diag(high) - np.diag(low)
        return float(values[0]), (values[1 + size :] - values[1 : 1 + size]) / gaps

    options: dict[str, Any] = {"maxiter": 60}
    bounds: Sequence[tuple[float, float]] = [(0.0, 1.0)] * size
    ends = [
        minimize(with_slopes, row, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
        for row in t
    ]
    return np.array(ends)


def complexity(x: Floats) -> Floats:
    """How hard rows are to read: small numbers with few decimals first."""
    found: Floats = (np.minimum(np.abs(x), 1e6) + 5 * (x != np.round(x, 1))).sum(axis=1)
    return found
