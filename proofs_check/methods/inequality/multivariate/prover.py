"""The prover for several variables: from exact ranges and algebra to box search with contact.

A problem is settled by one of: exact ranges; an identity; exact algebra, with functions as
variables of their own; cases for abs, min and max; homogeneity; faces of monotone and concave
variables; the minimiser of a convex variable; integrals from faces on which the goal vanishes;
a box search with wells round isolated contact. Every step is recorded in the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from bounds.status import Status
from proofs_check.arithmetic.tree import ZERO, Node, symbol
from proofs_check.methods.inequality.definedness import show_defined
from proofs_check.methods.inequality.multivariate import boxes, forms, reduce
from proofs_check.methods.inequality.multivariate.arguments import Arguments, Negative
from proofs_check.methods.inequality.polynomial.bernstein import Exhausted, Work
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.result import Result

Certificate = Any
METHOD = "branch and bound"
WORK = 40_000
_DEEPEST = 8
_MOST_NODES = 400


class _Prover(Arguments):
    """The arguments that lead to smaller problems, and the order of all."""

    # --- the order of arguments --------------------------------------------------------------
    def show(self, problem: Problem, depth: int = 0) -> Certificate | None:
        """A certificate for the problem, whose goal is defined on its region, or None."""
        self.work.spend()
        problem = reduce.unused_dropped(reduce.points_put(problem))
        if any(side.empty for _, side in problem.box):
            return None
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
            yield ["identity"]
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
                    return None if rest is None else ["branch", str(test), shown, rest]
            straight = reduce.linear(choice.test, problem.names) is not None
            if not straight and all(reduce.likely_sign(p.goal, p) == 1 for p in (first, second)):
                # Both branches hold on the whole region, so whichever applies does.
                both = [self.show(first, depth + 1)]
                both += [self.show(second, depth + 1)] if both[0] is not None else [None]
                if None not in both:
                    return ["both", str(choice.node), *both]
            if not straight:
                continue
            above = self.show(reduce.constrained(first, choice.test), depth)
            if above is None:
                return None
            below = self.show(reduce.constrained(second, -choice.test), depth)
            return None if below is None else ["cases", str(choice.test), above, below]
        return None

    def gap(self, problem: Problem, depth: int) -> Certificate | None:
        """A linear constraint as a new variable; first on the larger region without the others."""
        if not problem.constraints:
            return None
        moved = []
        for made, ends in reduce.gap_variables(problem, self.ends):
            moved.append(made)
            self.ends |= ends
        free = [replace(m, constraints=()) for m in moved if m.constraints]
        likely = [f for f in free if reduce.likely_sign(f.goal, f) == 1 and self.defined(f)]
        for candidate in (*likely, *moved):
            found = self.show(candidate, depth + 1)
            if found is not None:
                return ["gap", str(candidate.goal), found]
        return None

    def homogeneous(self, problem: Problem, depth: int) -> Certificate | None:
        smaller = forms.dehomogenised(problem)
        if smaller is None:
            return None
        found = self.show(smaller, depth + 1)
        return None if found is None else ["homogeneous", str(smaller.goal), found]

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
            if reduce.kinked(problem.goal) and not self.defined(replace(problem, goal=slope)):
                continue
            found = self.face(problem, name, end, depth)
            if found is None:
                continue
            shown = self.shows(problem, slope if likely == 1 else -slope, False, depth)
            if shown is not None:
                return ["monotone", name, str(end), shown, found]
        return None

    def face(self, problem: Problem, name: str, end: Fraction, depth: int) -> Certificate | None:
        """The face, on which the goal must be defined: it may lie at an open end."""
        smaller = reduce.face(problem, name, end)
        side = problem.interval(name)
        if not side.contains(end) and not self.defined(smaller):
            return None
        return self.show(smaller, depth + 1)

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
            shown = None if None in ends else self.within(400, problem, -bend, False, depth)
            if shown is not None:
                return ["concave", name, shown, *ends]
        return None

    def abstracted(self, problem: Problem, depth: int) -> Certificate | None:
        for moved in forms.abstracted(problem):
            if self.defined(moved):
                found = self.show(moved, depth + 1)
                if found is not None:
                    return ["abstracted", str(moved.goal), found]
        return None

    def convex(self, problem: Problem, depth: int) -> Certificate | None:
        """Convex in x with slope 0 at x = y, for every y of the box: the diagonal decides."""
        if problem.constraints or problem.integers:
            return None
        for name in problem.names:
            slope = reduce.slope(problem, name)
            for other in problem.names:
                if other == name or slope is None:
                    continue
                if not reduce.vanishes(slope.replaced({name: symbol(other)}), problem):
                    continue
                found = self.diagonal(problem, name, other, depth)
                if found is not None:
                    return found
        return None

    def diagonal(self, problem: Problem, name: str, other: str, depth: int) -> Certificate | None:
        """x may have to run further, so that every y of the box is among its values."""
        wide = forms.widened(problem, name, problem.interval(other))
        bend = self.bend(wide, name)
        if bend is None or reduce.likely_sign(bend, wide) != 1:
            return None
        if wide is not problem and not self.defined(wide):
            return None
        found = self.show(reduce.substituted(wide, name, symbol(other)), depth + 1)
        shown = None if found is None else self.shows(wide, bend, False, depth)
        return None if shown is None else ["convex", name, other, shown, found]

    def expanded(self, problem: Problem, depth: int) -> Certificate | None:
        """A polynomial in E - start >= 0 whose coefficients are >= 0; E is an exponential."""
        if problem.strict:
            return None
        for one in forms.expansions(problem):
            parts = [replace(problem, goal=node) for node in one.coefficients]
            if any(reduce.likely_sign(part.goal, part) != 1 for part in parts):
                continue
            shown = [self.shows(problem, one.bottom, True, depth)]
            for part in parts:
                if shown[-1] is None:
                    break
                shown.append(self.show(part, depth + 1))
            if None not in shown:
                return ["expanded", str(one.atom), str(one.start), *shown]
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
            shown = [self.within(300, problem, parts.bottom, True, depth)]
            for node in goals:
                if shown[-1] is None:
                    break
                shown.append(self.shows(problem, node, False, depth))
            if None not in shown:
                return ["unrooted", str(parts.squared), *shown]
        return None

    # --- boxes -------------------------------------------------------------------------------
    def contact(self, problem: Problem, depth: int) -> Certificate | None:
        """Contact on a diagonal or a plane inside: cut there, so that it lies on faces."""
        if problem.integers or not all(side.bounded for _, side in problem.box):
            return None
        for cut in boxes.contact_cuts(problem):
            parts = [self.show(part, depth + 1) for part in self.parts(problem, cut)]
            if all(part is not None for part in parts):
                return ["cut", str(cut), *parts]
            return None
        return self.boxes(problem, 20_000) if depth <= 2 else None

    @staticmethod
    def parts(problem: Problem, cut: Node | tuple[str, Fraction]) -> Iterator[Problem]:
        if isinstance(cut, tuple):
            yield from reduce.cut(problem, *cut)
        else:
            yield reduce.constrained(problem, cut)
            yield reduce.constrained(problem, -cut)


def prove(problem: Problem, *, work: int = WORK, bits: int = 64) -> Result:
    """PROVED when goal >= 0 (> 0) is shown for all points of the region, else UNDECIDED.

    Definedness of the goal on the region is shown first.
    """
    prover = _Prover(Work(work), bits)
    try:
        with np.errstate(all="ignore"):
            if not _defined(prover, problem):
                return _undecided(prover, "could not show that the goal is defined on the region")
            found = prover.show(reduce.tightened(problem))
    except OverflowError:
        return _undecided(prover, "numbers too large for the search in doubles")
    except Exhausted:
        return _undecided(prover, f"the work limit is reached; {prover.resisting}")
    if found is None:
        return _undecided(prover, prover.resisting)
    return Result(
        Status.PROVED,
        METHOD,
        f"shown by {_names(found)}",
        certificate={"method": METHOD, "goal": str(problem.goal), "proof": found},
        work=prover.work.spent,
    )


def _defined(prover: _Prover, problem: Problem) -> bool:
    def show(expression: Node, strict: bool) -> bool:
        if expression == ZERO:
            return not strict
        return prover.show(replace(problem, goal=expression, strict=strict), 1) is not None

    return show_defined(problem, show) is None


def _names(found: Certificate) -> str:
    return str(found[0]) if isinstance(found, list) and found else "an argument"


def _undecided(prover: _Prover, reason: str) -> Result:
    return Result(Status.UNDECIDED, METHOD, reason, work=prover.work.spent)
