"""Cover a finite stretch with boxes on which f > 0, and neighbourhoods of points where f = 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.contact import (
    Point,
    Side,
    candidates,
    inside,
    positive_side,
    rational_point,
    starts_for,
    value_sign,
)
from proofs_check.methods.inequality.univariate.leaf import Function, positive_on

STUCK = (12, 24, 40)
DEEPEST = 56
POINT_COST = 10
NEAREST = 42


@dataclass(frozen=True)
class Task:
    """Show goal >= 0 (> 0 when strict) on an interval, where all constraints (g, strict) hold."""

    goal: Function
    strict: bool
    interval: Interval
    constraints: tuple[tuple[Function, bool], ...] = ()


@dataclass
class Cover:
    """A cover under construction; ``blocked`` says what resists, None as long as nothing does.

    In each of the ``boxes`` the goal holds or a constraint fails; a flag beside each of the
    ``sides`` says that a constraint fails there.
    """

    task: Task
    low: Fraction
    high: Fraction
    budget: int
    boxes: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    sides: list[tuple[Side, bool]] = field(default_factory=list)
    settled: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    work: int = 0
    feasible: Fraction | None = None
    blocked: str | None = None
    failing: Fraction | None = None
    box: tuple[Fraction, Fraction] | None = None

    def run(self) -> bool:
        """Whether the whole stretch got covered."""
        if not self._ends():
            return False
        pending = [(self.low, self.high, 0)]
        while pending:
            low, high, depth = pending.pop()
            parts = self._remaining(low, high)
            if parts != [(low, high)]:
                pending += [(a, b, depth) for a, b in reversed(parts)]
                continue
            if self.work >= self.budget:
                return self._stop("the budget of boxes is spent", low, high)
            self.work += 1
            if self._settle(low, high):
                continue
            if depth in STUCK and self._contact(low, high):
                pending.append((low, high, depth + 1))
                continue
            if self.blocked is not None:
                return False
            if depth >= DEEPEST:
                return self._stop("f comes too close to zero", low, high)
            middle = (low + high) / 2
            if not self._may_hold(middle):
                return self._stop(f"f < 0 at {middle}", low, high)
            pending += [(middle, high, depth + 1), (low, middle, depth + 1)]
        return True

    def _stop(self, reason: str, low: Fraction, high: Fraction) -> bool:
        self.blocked = self.blocked or reason
        self.box = (low, high)
        return False

    def _remaining(self, low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The parts of a box that no neighbourhood covers."""
        parts = [(low, high)]
        for start, end in self.settled:
            cut = []
            for a, b in parts:
                if end < a or start > b:
                    cut.append((a, b))
                    continue
                cut += [(a, start)] if a < start else []
                cut += [(end, b)] if end < b else []
            parts = cut
        return parts

    def _settle(self, low: Fraction, high: Fraction) -> bool:
        for constraint, strict in self.task.constraints:
            value = constraint.at(low, high)
            if value < 0 or (strict and value <= 0):
                self.boxes.append((low, high))
                return True
        if not positive_on(self.task.goal, low, high, strict=self.task.strict):
            return False
        self.boxes.append((low, high))
        self._note(low)
        self._note((low + high) / 2)
        return True

    def _note(self, point: Fraction) -> None:
        """Keep one point that certainly meets all constraints, so that no proof is vacuous."""
        if self.feasible is None and self._allowed(point):
            self.feasible = point

    def _may_hold(self, point: Fraction) -> bool:
        """False if f < 0 for certain at a point of the region."""
        self._note(point)
        if not self.task.goal.at(point, point) < 0 or not self._allowed(point):
            return True
        self.failing = point
        return False

    def _fails_near(self, end: Fraction, side: int) -> None:
        """Look for a point next to an end where f < 0 for certain."""
        for k in range(1, NEAREST, 2):
            if not self._may_hold(end + side * (self.high - self.low) / 2**k):
                return

    def _allowed(self, point: Fraction) -> bool:
        """Whether a point is certainly in the region."""
        values = [(g.at(point, point), strict) for g, strict in self.task.constraints]
        met = all(bool(v > 0) or (not strict and bool(v >= 0)) for v, strict in values)
        return met and self.task.interval.contains(point)

    # --- points where f = 0 -----------------------------------------------------------------
    def _ends(self) -> bool:
        """Both ends: a neighbourhood where f is not plainly positive."""
        interval = self.task.interval
        for end, bound, side in ((self.low, interval.low, 1), (self.high, interval.high, -1)):
            if self.task.goal.at(end, end) > 0 or end != bound:
                continue
            closed = interval.contains(end)
            sides = (side,) if self.low < self.high else ()
            if not self._point(rational_point(end), closed, sides):
                if self.failing is None and sides:
                    self._fails_near(end, side)
                return self._stop(self.blocked or f"no expansion settles the end {end}", end, end)
        return True

    def _contact(self, low: Fraction, high: Fraction) -> bool:
        """Look for an exact zero of f in or next to a box that resists, and settle its sides."""
        width = high - low
        start, end = max(self.low, low - 3 * width), min(self.high, high + 3 * width)
        for point in candidates(start, end):
            if any(point.value == known.value for known in self.points):
                continue
            within = inside(point, Interval(self.low, self.high))
            if not within or not self._touches(point):
                continue
            directions = [
                side
                for side in (-1, 1)
                if (side < 0 and point.low() > self.low) or (side > 0 and point.high() < self.high)
            ]
            closed = inside(point, self.task.interval) is not False
            if self._point(point, closed, tuple(directions)):
                return True
        return False

    def _touches(self, point: Point) -> bool:
        """Whether goal or a constraint is exactly zero at a point, or the goal may jump there."""
        value = point.value.rational
        if value is not None and value.denominator == 1 and self._jumps():
            return True
        functions = (self.task.goal, *(g for g, _ in self.task.constraints))
        return any(value_sign(f.node, f.name, point) == 0 for f in functions)

    def _jumps(self) -> bool:
        return any(part.op in ("floor", "sign") for part in self.task.goal.node.nodes())

    def _point(self, point: Point, closed: bool, directions: tuple[int, ...]) -> bool:
        """Settle f at a point (if it is in the region) and on stretches to its sides."""
        self.work += POINT_COST
        if closed and not self._value(point):
            return False
        low, high = point.low(), point.high()
        for direction in directions:
            side = self._side(point, direction)
            if side is None:
                return False
            reach = 1 / side.start
            low = point.high() - reach if direction < 0 else low
            high = point.low() + reach if direction > 0 else high
        if low <= high:
            self.settled.append((low, high))
        return low <= high

    def _value(self, point: Point) -> bool:
        goal = self.task.goal
        sign = value_sign(goal.node, goal.name, point)
        if sign is not None and (sign > 0 or (sign == 0 and not self.task.strict)):
            self.points.append(point)
            if point.value.rational is not None:
                self._note(point.value.rational)
            return True
        for constraint, strict in self.task.constraints:
            other = value_sign(constraint.node, constraint.name, point)
            if other is not None and (other < 0 or (strict and other == 0)):
                self.points.append(point)
                return True
        if sign is not None:
            value = point.value.rational
            if value is not None and self._allowed(value):
                shown = goal.at(value, value)
                below = shown < 0 or (self.task.strict and shown <= 0)
                self.failing = value if below else None
            self.blocked = f"f {'<' if sign < 0 else '='} 0 at {point.node}"
        return False

    def _side(self, point: Point, direction: int) -> Side | None:
        length = max((self.high - self.low) / 4, Fraction(1, 2**40))
        starts = starts_for(length)
        goal = self.task.goal
        side = positive_side(
            goal.node, goal.name, point, direction, starts, strict=self.task.strict
        )
        fails = side is None
        for constraint, _ in self.task.constraints:
            if side is None:
                side = positive_side(-constraint.node, goal.name, point, direction, starts)
        if side is not None:
            self.sides.append((side, fails))
        return side
