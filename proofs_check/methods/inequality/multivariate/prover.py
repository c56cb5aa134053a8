"""The prover for several variables: from exact ranges and algebra to box search with contact.

A problem is settled by one of: exact ranges; an identity; exact algebra, with functions as
variables of their own; cases for abs, min and max; homogeneity; faces of monotone and concave
variables; the minimiser of a convex variable; integrals from faces on which the goal vanishes;
a box search with wells round isolated contact. Every step is a rule of the checker
(``proofs_check.recheck``), so that the certificate is a proof tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bounds.status import Status
from proofs_check.arithmetic.tree import Node, number, symbol
from proofs_check.methods.inequality.multivariate import boxes, forms, reduce, steps
from proofs_check.methods.inequality.multivariate.arguments import Negative
from proofs_check.methods.inequality.multivariate.calculus import Calculus
from proofs_check.methods.inequality.multivariate.gaps import gap_variables
from proofs_check.methods.inequality.polynomial.bernstein import Exhausted, Work
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.result import Result

Certificate = Any
METHOD = "branch and bound"
WORK = 40_000
_DEEPEST = 8
_MOST_NODES = 400


class _Prover(Calculus):
    """The arguments that lead to smaller problems, and the order of all."""

    # --- the order of arguments --------------------------------------------------------------
    def show(self, given: Problem, depth: int = 0) -> Certificate | None:
        """A proof of the problem, whose goal is defined on its region, or None."""
        self.work.spend()
        problem = reduce.settled(given)
        points = reduce.points(problem)
        for name, value in points.items():
            problem = reduce.face(problem, name, value)
        problem = reduce.unused_dropped(reduce.settled(problem))
        if any(side.empty for _, side in problem.box):
            return None
        found = self.settle(problem, depth)
        return None if found is None else steps.prepared(given, points, problem, found)

    def settle(self, problem: Problem, depth: int) -> Certificate | None:
        """:meth:`show` for a problem without variables that have one value or do not occur."""
        if not problem.box:
            return self.constant(problem)
        try:
            for argument in self.arguments(problem, depth):
                if argument is not None:
                    return argument
        except Negative as error:
            if error.problem != problem:
                raise
        return None

    def arguments(self, problem: Problem, depth: int) -> Iterator[Certificate | None]:
        yield self.ranges(problem)
        if not problem.strict and reduce.vanishes(problem.goal, problem):
            yield {"rule": "identity"}
        yield self.algebra(problem)
        if depth >= _DEEPEST or sum(1 for _ in problem.goal.nodes()) > _MOST_NODES:
            yield self.boxes(problem, 2_000)
            return
        if reduce.likely_sign(problem.goal, problem) in (0, -1):
            return
        if problem.strict and reduce.zero_at_corner(problem):
            return
        yield self.cases(problem, depth)
        yield self.gap(problem, depth)
        yield self.homogeneous(problem, depth)
        yield self.concave(problem, depth)
        yield self.boxes(problem, 150)
        yield self.unrooted(problem, depth)
        yield self.expanded(problem, depth)
        yield self.integrated(problem)
        if boxes.promising(problem):
            yield self.boxes(problem, 8_000)
        yield self.monotone(problem, depth)
        yield self.abstracted(problem, depth)
        yield self.convex(problem, depth)
        yield self.boxes(problem, 500 if depth else 3_000)
        yield self.contact(problem, depth)

    def every(self, problem: Problem, goals: Sequence[Node], depth: int) -> list[Certificate]:
        """Proofs that goals are >= 0, up to the first that resists."""
        found: list[Certificate] = []
        for goal in goals:
            one = self.shows(problem, goal, False, depth)
            if one is None:
                break
            found.append(one)
        return found

    # --- single arguments --------------------------------------------------------------------
    def cases(self, problem: Problem, depth: int) -> Certificate | None:
        """abs, min and max: one branch when its condition holds throughout, else both parts."""
        for choice in reduce.choices(problem):
            first = reduce.exchanged(problem, choice.node, choice.first)
            second = reduce.exchanged(problem, choice.node, choice.second)
            sign = reduce.likely_sign(choice.test, problem)
            for good, test, branch in ((1, choice.test, first), (-1, -choice.test, second)):
                shown = self.shows(problem, test, False, depth) if sign == good else None
                if shown is not None:
                    rest = self.show(branch, depth)
                    return None if rest is None else steps.branch(choice, good == 1, shown, rest)
            straight = reduce.linear(choice.test, problem.names) is not None
            if not straight and all(reduce.likely_sign(p.goal, p) == 1 for p in (first, second)):
                # Both branches hold on the whole region, so whichever applies does.
                both = [self.show(first, depth + 1)]
                both += [self.show(second, depth + 1)] if both[0] is not None else [None]
                if None not in both:
                    return steps.either(choice, both)
            if not straight:
                continue
            above = self.show(reduce.constrained(first, choice.test), depth)
            if above is None:
                return None
            below = self.show(reduce.constrained(second, -choice.test), depth)
            return None if below is None else steps.cases(choice, above, below)
        return None

    def gap(self, problem: Problem, depth: int) -> Certificate | None:
        """A linear constraint as a new variable; first on the larger region without the others."""
        if not problem.constraints:
            return None
        moved = list(gap_variables(problem, self.ends))
        for made in moved:
            self.ends |= made.ends
        for made in moved:
            free = replace(made.problem, constraints=())
            if not made.problem.constraints or reduce.likely_sign(free.goal, free) != 1:
                continue
            needs = self.defined(free)
            found = None if needs is None else self.show(free, depth + 1)
            if needs is not None and found is not None:
                return steps.gap(made, steps.defined(needs, found), free=True)
        for made in moved:
            found = self.show(made.problem, depth + 1)
            if found is not None:
                return steps.gap(made, found, free=False)
        return None

    def abstracted(self, problem: Problem, depth: int) -> Certificate | None:
        for made in forms.abstracted(problem):
            needs = self.defined(made.problem)
            found = None if needs is None else self.show(made.problem, depth + 1)
            if needs is not None and found is not None:
                data = {"name": made.name, "inner": str(made.inner)}
                side = steps.side(made.problem.interval(made.name))
                proof = steps.defined(needs, found)
                return {"rule": "abstracted", **data, "side": side, "proof": proof}
        return None

    def expanded(self, problem: Problem, depth: int) -> Certificate | None:
        """A polynomial in E - start >= 0 whose coefficients are >= 0; E is an exponential."""
        if problem.strict:
            return None
        for one in forms.expansions(problem):
            parts = [replace(problem, goal=node) for node in one.coefficients]
            if any(reduce.likely_sign(part.goal, part) != 1 for part in parts):
                continue
            positive = self.shows(problem, one.bottom, True, depth)
            if positive is None:
                continue
            shown = self.every(problem, one.coefficients, depth)
            if len(shown) == len(parts):
                return steps.expanded(one, positive, shown)
        return None

    def unrooted(self, problem: Problem, depth: int) -> Certificate | None:
        """(P + Q sqrt(R))/B >= 0 where B > 0 and either Q <= 0, P >= 0, P^2 >= Q^2 R, or Q >= 0 and
        Q^2 R >= P^2.
        """
        parts = forms.root_parts(problem)
        if parts is None or problem.strict:
            return None
        for goals in (
            (parts.squared, -parts.factor, parts.rest),
            (-parts.squared, parts.factor),
        ):
            if any(reduce.likely_sign(node, problem) != 1 for node in goals):
                continue
            positive = self.within(300, problem, parts.bottom, True, depth)
            if positive is None:
                continue
            shown = self.every(problem, goals, depth)
            if len(shown) == len(goals):
                shown[0] = steps.form(goals[0], shown[0])
                return steps.unrooted(parts, len(goals) == 2, positive, shown)
        return None

    # --- boxes -------------------------------------------------------------------------------
    def contact(self, problem: Problem, depth: int) -> Certificate | None:
        """Contact on a diagonal or a plane inside: cut there, so that it lies on faces."""
        if problem.integers or not all(side.bounded for _, side in problem.box):
            return None
        for cut in boxes.contact_cuts(problem):
            test = number(cut[1]) - symbol(cut[0]) if isinstance(cut, tuple) else cut
            parts = [
                self.show(reduce.constrained(problem, part), depth + 1) for part in (test, -test)
            ]
            if all(part is not None for part in parts):
                return {"rule": "cut", "test": str(test), "proofs": parts}
            return None
        return self.boxes(problem, 20_000) if depth <= 2 else None


def prove(problem: Problem, *, work: int = WORK, bits: int = 64) -> Result:
    """PROVED when goal >= 0 (> 0) is shown for all points of the region, else UNDECIDED.

    Goal and constraints must have values on the whole region.
    """
    prover = _Prover(Work(work), bits)
    tight = reduce.tightened(problem)
    try:
        with np.errstate(all="ignore"):
            found = prover.show(tight)
    except OverflowError:
        return _undecided(prover, "numbers too large for the search in doubles")
    except Exhausted:
        return _undecided(prover, f"the work limit is reached; {prover.resisting}")
    if found is None:
        return _undecided(prover, prover.resisting)
    proof = found if tight == problem else {"rule": "tighten", "proof": found}
    reason = f"shown by {found['rule']}"
    return Result(Status.PROVED, METHOD, reason, certificate=proof, work=prover.work.spent)


def _undecided(prover: _Prover, reason: str) -> Result:
    return Result(Status.UNDECIDED, METHOD, reason, work=prover.work.spent)
