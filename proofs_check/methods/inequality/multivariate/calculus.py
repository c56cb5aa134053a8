"""Arguments along one variable: monotone, concave, convex, homogeneous, integrals from faces.

All go along segments on which the goal has a value. Slopes must exist there too, apart from kinks:
what this needs is proved and goes into the certificate as ``smooth``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs_check.arithmetic.tree import ZERO, Node
from proofs_check.methods.inequality.multivariate import boxes, critical, forms, reduce, steps
from proofs_check.methods.inequality.multivariate.arguments import Arguments
from proofs_check.methods.inequality.polynomial.bernstein import Exhausted
from proofs_check.methods.inequality.problem import Problem

Certificate = Any

_DEEPEST_CONVEX = 2


@dataclass
class Calculus(Arguments):
    """The arguments along one variable; :meth:`show` is the prover that is handed smaller goals."""

    def show(self, given: Problem, depth: int = 0) -> Certificate | None:
        """A proof of the problem, whose goal is defined on its region, or None."""
        raise NotImplementedError

    def within(self, units: int, problem: Problem, goal: Node, strict: bool, depth: int) -> Any:
        """:meth:`shows` with a limit of its own, for conditions that must be cheap to be of use."""
        outer = self.work.limit
        self.work.limit = min(outer, self.work.spent + units)
        try:
            return self.shows(problem, goal, strict, depth)
        except Exhausted:
            if self.work.spent > outer:
                raise
            return None
        finally:
            self.work.limit = outer

    def shows(self, problem: Problem, goal: Node, strict: bool, depth: int) -> Certificate | None:
        """Another goal on the same region."""
        return self.show(replace(problem, goal=goal, strict=strict), depth + 1)

    def homogeneous(self, problem: Problem, depth: int) -> Certificate | None:
        ray = forms.homogeneous(problem)
        if ray is None:
            return None
        inner = problem
        for name in problem.names:
            inner = reduce.opened(inner, name)
        smooth = []
        for name in problem.names:
            shown = self.smooth(inner, [problem.goal], name, depth)
            if shown is None:
                return None
            smooth += shown
        smaller = reduce.face(problem, ray.unit, Fraction(1))
        found = self.show(smaller, depth + 1)
        if found is None:
            return None
        data = {"unit": ray.unit, "degree": str(ray.degree), "smooth": smooth}
        plain = reduce.put(problem.goal, ray.unit, Fraction(1))
        proof = steps.rewritten(plain, smaller.goal, found)
        return {"rule": "homogeneous", **data, "proof": proof}

    def smooth(
        self, problem: Problem, goals: Sequence[Node], name: str, depth: int
    ) -> list[Certificate] | None:
        """Proofs that the goals have slopes in a variable on the region, apart from kinks."""
        found = []
        needs = [need for goal in goals for need in steps.smooth_needs(goal, name)]
        for node, nonzero in dict.fromkeys(needs):
            shown = self.within(300, problem, node, True, depth)
            positive = shown is not None
            if shown is None and nonzero:
                shown = self.within(300, problem, -node, True, depth)
            if shown is None:
                return None
            found.append({"of": str(node), "positive": positive, "proof": shown})
        return found

    def slopes(
        self, problem: Problem, goals: Sequence[Node], name: str, depth: int
    ) -> tuple[Problem, dict[str, Any]] | None:
        """The region on which slopes exist: the given one, or without the ends of the variable."""
        inside = reduce.opened(problem, name)
        for region in dict.fromkeys((problem, inside)):
            shown = self.smooth(region, goals, name, depth)
            if shown is not None:
                return region, {"inside": region is inside, "smooth": shown}
        return None

    def kinks_apart(self, problem: Problem, name: str) -> bool:
        """Whether alternatives of abs, min and max are equal at single points along a variable."""
        for test in reduce.tests(problem.goal):
            slope = reduce.slope(replace(problem, goal=test), name)
            found = [test] if slope is None else [test, slope]
            signs = [g for one in found for g in (one, -one)]
            if slope != ZERO and not any(self.positive(problem, goal) for goal in signs):
                return False
        return True

    def positive(self, problem: Problem, goal: Node) -> bool:
        """Whether exact ranges show that an expression is > 0."""
        return self.ranges(replace(problem, goal=goal, strict=True)) is not None

    def monotone(self, problem: Problem, depth: int) -> Certificate | None:
        """Where the goal is monotone in a variable the face at the end decides."""
        if problem.integers:
            return None
        for name, side in problem.box:
            slope = reduce.slope(problem, name)
            if slope is None:
                continue
            likely = reduce.likely_sign(slope, problem)
            if likely not in (1, -1):
                continue
            end = side.low if likely == 1 else side.high
            if end is None or not reduce.may_move(problem, name, likely == 1):
                continue
            smooth = self.slopes(problem, [problem.goal], name, depth)
            if smooth is not None and not self.kinks_apart(smooth[0], name):
                continue
            face = None if smooth is None else self.face(problem, name, end, depth)
            if smooth is None or face is None:
                continue
            away = slope if likely == 1 else -slope
            shown = self.shows(smooth[0], away, False, depth)
            if shown is not None:
                which = "low" if likely == 1 else "high"
                data = {"name": name, "end": which, **smooth[1]}
                return {"rule": "monotone", **data, "slope": steps.form(away, shown), "face": face}
        return None

    def face(self, problem: Problem, name: str, end: Fraction, depth: int) -> Certificate | None:
        """The face, on which the goal must be defined: it may lie at an open end."""
        smaller = reduce.face(problem, name, end)
        plain = reduce.put(problem.goal, name, end)
        side = problem.interval(name)
        needs = None
        if not side.contains(end):
            needs = self.defined(replace(smaller, goal=plain))
            if needs is None:
                return None
        found = self.show(smaller, depth + 1)
        if found is None:
            return None
        found = steps.rewritten(plain, smaller.goal, found)
        return found if needs is None else steps.defined(needs, found)

    def concave(self, problem: Problem, depth: int) -> Certificate | None:
        """Concave in a variable: both faces decide."""
        if problem.constraints or problem.integers:
            return None
        for name, side in problem.box:
            bend = self.bend(problem, name)
            if side.low is None or side.high is None or bend is None:
                continue
            if reduce.likely_sign(bend, problem) != -1:
                continue
            ends = []
            for end in (side.low, side.high):
                ends.append(self.face(problem, name, end, depth))
                if ends[-1] is None:
                    break
            if None in ends:
                continue
            smooth = self.slopes(problem, self.twice(problem, name), name, depth)
            shown = None if smooth is None else self.within(400, smooth[0], -bend, False, depth)
            if smooth is not None and shown is not None:
                data = {"name": name, **smooth[1], "low": ends[0], "high": ends[1]}
                return {"rule": "concave", **data, "bend": steps.form(-bend, shown)}
        return None

    def convex(self, problem: Problem, depth: int) -> Certificate | None:
        """Convex in x with slope 0 at x = c, an expression in the others: that place decides.

        Not for a bend of a bend of a bend: they grow, and are hardly ever simpler.
        """
        if depth > _DEEPEST_CONVEX:
            return None
        for name in problem.names:
            slope, bend = reduce.slope(problem, name), self.bend(problem, name)
            if slope is None or bend is None or not reduce.free(problem, name):
                continue
            if reduce.likely_sign(bend, problem) != 1:
                continue
            for place in critical.places(problem, name, slope):
                found = self.lowest(problem, name, place, depth)
                if found is not None:
                    return found
        return None

    def lowest(self, problem: Problem, name: str, place: Node, depth: int) -> Certificate | None:
        """x may have to run further, so that every value of the place is among its values."""
        reach = forms.values(place, problem)
        wide = forms.widened(problem, name, reach)
        bend = self.bend(wide, name)
        if bend is None or reduce.likely_sign(bend, wide) != 1:
            return None
        needs = [] if wide is problem else self.defined(wide)
        valued = self.defined(replace(reduce.without(problem, name), goal=place))
        if needs is None or valued is None:
            return None
        smooth = self.slopes(wide, self.twice(wide, name), name, depth)
        if smooth is None or smooth[0].interval(name).intersected(reach) != reach:
            return None
        put = reduce.substituted(wide, name, place)
        found = self.show(put, depth + 1)
        shown = None if found is None else self.shows(smooth[0], bend, False, depth)
        if shown is None:
            return None
        data = {"name": name, "at": str(place), **smooth[1], "bend": steps.form(bend, shown)}
        if place.op not in ("number", "symbol"):
            data["value"] = steps.defined(valued, {"rule": "identity"})
        if wide is not problem:
            data["side"] = steps.side(wide.interval(name))
            data["wide"] = steps.defined(needs, {"rule": "identity"})
        face = steps.rewritten(wide.goal.replaced({name: place}), put.goal, found)
        return {"rule": "convex", **data, "face": face}

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
                return found
        return None

    def near_and_far(
        self, problem: Problem, name: str, end: int, slope: Node
    ) -> Certificate | None:
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
            first = self.from_face(near, name, end, steps.form(slope, shown), slope)
            if first is None or part == 1:
                return first
            rest = self.try_boxes(far, 4_000)
            if rest is None:
                return None
            proofs = [first, rest] if end == 0 else [rest, first]
            return {"rule": "split", "name": name, "at": [str(place)], "proofs": proofs}
        return None

    def from_face(
        self, near: Problem, name: str, end: int, shown: Certificate, slope: Node
    ) -> Certificate | None:
        """The goal by integrals of a derivative that is >= 0, from the face where it vanishes."""
        chain = reduce.derivatives(near.goal, name, slope, down=end == 0)
        closed = reduce.closed(near, name, end)
        needs = [] if closed == near else self.defined(closed)
        smooth = self.smooth(closed, chain, name, 0)
        if needs is None or smooth is None:
            return None
        data = {"name": name, "end": "high" if end else "low", "order": len(chain)}
        if closed != near:
            data["closed"] = steps.defined(needs, {"rule": "identity"})
        return {"rule": "integrated", **data, "smooth": smooth, "slope": shown}

    @staticmethod
    def bend(problem: Problem, name: str) -> Node | None:
        """The second derivative in one variable, None where the goal has kinks."""
        if reduce.kinked(problem.goal):
            return None
        slope = reduce.slope(problem, name)
        if slope is None:
            return None
        return reduce.slope(replace(problem, goal=slope), name)

    @staticmethod
    def twice(problem: Problem, name: str) -> list[Node]:
        """The goal and its slope: what a second derivative needs slopes of."""
        slope = reduce.slope(problem, name)
        return [problem.goal] if slope is None else [problem.goal, slope]
