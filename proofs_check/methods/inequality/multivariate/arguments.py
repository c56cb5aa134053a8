"""Arguments that settle a problem by themselves: ranges, algebra, box search, integrals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality import ball_ranges
from proofs_check.methods.inequality.definedness import show_defined
from proofs_check.methods.inequality.multivariate import boxes, exact, forms, reduce
from proofs_check.methods.inequality.multivariate.normal import MOST_ATOMS, normal_form
from proofs_check.methods.inequality.polynomial import method as polynomial
from proofs_check.methods.inequality.polynomial.bernstein import Work
from proofs_check.methods.inequality.polynomial.rational import Rational
from proofs_check.methods.inequality.problem import Interval, Problem

Certificate = Any


class Negative(Exception):
    """The goal is negative at some point, as far as doubles can tell: the claim is given up."""

    def __init__(self, problem: Problem) -> None:
        super().__init__("negative")
        self.problem = problem


@dataclass
class Arguments:
    """One run: the work counter, the precision, and what resisted last.

    ``ends`` are constraints that come from the range of a variable that was replaced.
    """

    work: Work
    bits: int
    resisting: str = "no argument applies"
    ends: frozenset[Node] = frozenset()

    def defined(self, problem: Problem) -> bool:
        """Whether goal and constraints have values on a region that may be larger than before."""

        def prove(expression: Node, strict: bool) -> bool:
            quick = replace(problem, goal=expression, strict=strict)
            return self.ranges(quick) is not None or self.algebra(quick) is not None

        return show_defined(problem, prove) is None

    def constant(self, problem: Problem) -> Certificate | None:
        try:
            found = exact.sign(problem.goal)
        except (exact.NoRange, ZeroDivisionError):
            return None
        return ["constant", found] if found > 0 or (found == 0 and not problem.strict) else None

    def ranges(self, problem: Problem) -> Certificate | None:
        result = exact.prove(problem)
        return ["ranges"] if result.status is Status.PROVED else None

    def algebra(self, problem: Problem) -> Certificate | None:
        """Exact algebra on the normal form; atoms are variables that run through their ranges."""
        found = normal_form(problem.goal, problem.names, reduce.sides(problem))
        if found is None:
            return None
        table, value = found
        value = table.rooted(value)
        if len(value.top) > 400 or max(value.top.degrees()) > 24:
            return None
        box = [side for _, side in problem.box]
        ranges = {n: ball_ranges.of_interval(s) for n, s in problem.box}
        with ctx.workprec(64):
            box += [_side(ball_ranges.range_of(node, ranges)) for node in table.nodes]
        box += [Interval()] * (MOST_ATOMS - len(table.nodes))
        own = Work(min(2_000, max(1, self.work.limit - self.work.spent)))
        proof = polynomial.prove_rational(
            Rational(value.top, value.bottom), problem.strict, box, own
        )
        self.work.spend(min(own.spent, own.limit) // 10)
        atoms = [str(node) for node in table.nodes]
        return None if proof is None else ["algebra", atoms, str(value.top), proof]

    def boxes(self, problem: Problem, limit: int) -> Certificate | None:
        """A box search; a goal that is negative somewhere ends all work on the problem."""
        if problem.integers or not all(side.bounded for _, side in problem.box):
            return None
        left = self.work.limit - self.work.spent
        search = boxes.search(problem, min(limit, max(left, 1)), self.bits)
        self.work.spend(min(search.boxes, max(left, 1)))
        if search.certificate is None:
            self.resisting = search.reason
            if search.negative:
                raise Negative(problem)
        return search.certificate

    def integrated(self, problem: Problem) -> Certificate | None:
        """The goal and its first derivatives along x vanish on a face: the next derivative is >= 0
        up to some distance from the face, and the rest of the region has no contact there.
        """
        if problem.strict or problem.integers or reduce.kinked(problem.goal):
            return None
        if not all(side.bounded for _, side in problem.box):
            return None
        for name, end, slope in boxes.face_slopes(problem):
            if not reduce.may_move(problem, name, end == 0):
                continue
            found = self.near_and_far(problem, name, end, slope)
            if found is not None:
                return ["integrated", name, end, str(slope), *found]
        return None

    def near_and_far(
        self, problem: Problem, name: str, end: int, slope: Node
    ) -> list[Certificate] | None:
        """The derivative near the face, the goal far from it, for a few distances."""
        side = problem.interval(name)
        low, high = side.low or Fraction(0), side.high or Fraction(0)
        for part in (Fraction(1), Fraction(1, 3), Fraction(1, 10)):
            place = low + part * (high - low) if end == 0 else high - part * (high - low)
            below, above = reduce.cut(problem, name, place)
            near, far = (below, above) if end == 0 else (above, below)
            steep = replace(near, goal=slope)
            if reduce.likely_sign(slope, steep) != 1:
                continue
            shown = self.ranges(steep) or self.algebra(steep) or self.try_boxes(steep, 2_000)
            if shown is None:
                continue
            if part == 1:
                return [shown]
            rest = self.try_boxes(far, 4_000)
            return None if rest is None else [str(place), shown, rest]
        return None

    def try_boxes(self, problem: Problem, limit: int) -> Certificate | None:
        """A box search for a part of the work, whose failure ends nothing."""
        try:
            return self.boxes(problem, limit)
        except Negative:
            return None

    @staticmethod
    def bend(problem: Problem, name: str) -> Node | None:
        """The second derivative in one variable, None where the goal has kinks."""
        if reduce.kinked(problem.goal):
            return None
        slope = reduce.slope(problem, name)
        if slope is None:
            return None
        return reduce.slope(replace(problem, goal=slope), name)


def _side(found: ball_ranges.Range) -> Interval:
    low = forms.outward(found.low, down=True)
    high = forms.outward(found.high, down=False)
    return Interval(low, high, low is None or found.open_low, high is None or found.open_high)
