"""Arguments that settle a problem by themselves: ranges, algebra, box search, integrals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality import ball_ranges
from proofs_check.methods.inequality.definedness import Need, show_defined
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

    def defined(self, problem: Problem) -> list[Need] | None:
        """Proofs that goal and constraints have values on a region that may be larger than before;
        None when that is not shown.
        """
        needs: list[Need] = []

        def prove(expression: Node, strict: bool) -> Certificate | None:
            quick = replace(problem, goal=expression, strict=strict)
            return self.ranges(quick) or self.algebra(quick)

        return needs if show_defined(problem, prove, needs) is None else None

    def constant(self, problem: Problem) -> Certificate | None:
        try:
            found = exact.sign(problem.goal)
        except (exact.NoRange, ZeroDivisionError):
            return None
        good = found > 0 or (found == 0 and not problem.strict)
        return {"rule": "constant"} if good else None

    def ranges(self, problem: Problem) -> Certificate | None:
        result = exact.prove(problem)
        return result.certificate if result.status is Status.PROVED else None

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
        if proof is None:
            return None
        # The goal may be a polynomial by more than algebra, such as max(x, 0) where x > 0.
        if not table.nodes and proof["bottom"] == "1" and _polynomial(problem.goal):
            return proof["top_proof"]
        count = len(problem.names)
        atoms = {f"_{i}": str(node) for i, node in enumerate(table.nodes)}
        sides = {f"_{i}": _ends(box[count + i]) for i in range(len(atoms))}
        return {"rule": "atoms", "atoms": atoms, "sides": sides, **proof}

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

    def try_boxes(self, problem: Problem, limit: int) -> Certificate | None:
        """A box search for a part of the work, whose failure ends nothing."""
        try:
            return self.boxes(problem, limit)
        except Negative:
            return None


def _polynomial(node: Node) -> bool:
    return all(n.op in ("number", "symbol", "+", "-", "*", "/", "^") for n in node.nodes())


def _side(found: ball_ranges.Range) -> Interval:
    low = forms.outward(found.low, down=True)
    high = forms.outward(found.high, down=False)
    return Interval(low, high, low is None or found.open_low, high is None or found.open_high)


def _ends(side: Interval) -> list[str | bool | None]:
    low, high = (None if end is None else str(end) for end in (side.low, side.high))
    return [low, high, side.open_low, side.open_high]
