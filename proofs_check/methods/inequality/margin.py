"""How much room an inequality leaves: the smallest value of its goal, enclosed.

The upper end is the value at an exact point that a search finds; the lower end is a constant that
can be subtracted from the goal with the claim still proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from proofs_check.arithmetic.floats import Floats
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.methods.inequality.points import Point, inside, sign_at, simple_points
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.reduce import reduce
from proofs_check.methods.inequality.search import complexity, descend, landscape, starts

# Shares of the value found that are tried as lower ends, best first.
_SHARES = (Fraction(999, 1000), Fraction(9, 10), Fraction(1, 2))


@dataclass(frozen=True)
class Margin:
    """The infimum of the goal over the region is at least ``low`` and at most ``value``, the goal
    at the exact point ``at``. ``value`` is ``0`` exactly where equality is attained; ``low`` is
    None where nothing was shown.
    """

    value: str
    at: Mapping[str, Fraction]
    low: Fraction | None = None

    @property
    def attained(self) -> bool:
        """Whether the two sides are equal at the point."""
        return self.value == "0"

    def as_data(self) -> dict[str, Any]:
        """JSON-able: ``at_most``, ``at``, ``attained``, and ``at_least`` where it is known."""
        at = {name: str(value) for name, value in self.at.items()}
        found = {"at_most": self.value, "attained": self.attained, "at": at}
        return found if self.low is None else {**found, "at_least": str(self.low)}


def smallest_margin(problem: Problem, *, seed: int = 0) -> Margin | None:
    """The smallest goal found, at a simple point if equality is attained at one."""
    reduction = reduce(problem)
    points = [
        lifted
        for point in _low_points(reduction.problem, seed)
        if (lifted := reduction.lift(point)) is not None and inside(problem, lifted)
    ]
    for point in points:
        if sign_at(problem.goal, point, bits=128) == 0:
            return Margin("0", point)
    found = [(value, i) for i, p in enumerate(points) if (value := _value(problem, p)) is not None]
    if not found:
        return None
    least = min(value for value, _ in found)
    index = next(i for value, i in found if value <= least + abs(least) * 1e-6)
    return Margin(_text(problem, points[index]), points[index])


def enclosed(problem: Problem, margin: Margin, proved: Callable[[Fraction], bool]) -> Margin:
    """The margin of a proved problem with its lower end.

    Args:
        proved: whether goal >= c is proved for a number c; asked at most three times.
    """
    if margin.attained:
        return replace(margin, low=Fraction(0))
    above = _value(problem, margin.at)
    if above is None or above <= 0:
        return replace(margin, low=Fraction(0))
    for share in _SHARES:
        low = _simple_below(Fraction(above) * share)
        if proved(low):
            return replace(margin, low=low)
    return replace(margin, low=Fraction(0))


def _simple_below(value: Fraction) -> Fraction:
    """A rational with few digits at most ``value`` > 0, within about a thousandth of it."""
    unit = Fraction(1)
    while unit > value / 2000:
        unit /= 10
    while unit * 10 <= value / 2000:
        unit *= 10
    return value // unit * unit


def _low_points(problem: Problem, seed: int) -> list[Point]:
    """Simple points near where the search finds the goal lowest, plain rows first."""
    if not problem.box:
        return [{}]
    rng = np.random.default_rng(seed)
    land = landscape(problem)
    t = starts(land, 256, rng)
    values = _finite(land.values(land.points(t)))
    ends, _ = descend(land, t[np.argsort(values, kind="stable")[:8]], rounds=40, rng=rng)
    x = np.concatenate([land.points(t), land.points(ends)])
    values = _finite(land.values(x))
    least = max(float(values.min()), 0.0)  # below 0 it is rounding: the claim is proved
    near = np.flatnonzero(values <= least + 1e-9 + 1e-6 * abs(least))
    plain = near[np.argsort(complexity(x[near]), kind="stable")]
    rows = [*plain[:2], *np.argsort(values, kind="stable")[:2]]
    return [point for row in rows for point in simple_points(problem, x[row])]


def _finite(values: Floats) -> Floats:
    found: Floats = np.where(np.isfinite(values), values, 1e300)
    return found


def _value(problem: Problem, point: Mapping[str, Fraction]) -> float | None:
    with ctx.workprec(128):
        (value,) = compile_tape([problem.goal]).run({n: ball(v, v) for n, v in point.items()})
        return float(value.upper()) if value.is_finite() else None


def _text(problem: Problem, point: Mapping[str, Fraction]) -> str:
    with ctx.workprec(128):
        (value,) = compile_tape([problem.goal]).run({n: ball(v, v) for n, v in point.items()})
        text: str = value.str(6, radius=False)
        return text
