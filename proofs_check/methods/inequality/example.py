"""A point that meets all hypotheses, so that a proof is not vacuous."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from proofs_check.methods.inequality.falsify import find_feasible
from proofs_check.methods.inequality.integers import MOST_CASES, first_whole, last_whole
from proofs_check.methods.inequality.points import Point, inside
from proofs_check.methods.inequality.problem import Interval, Problem
from proofs_check.methods.inequality.reduce import reduce


def example(problem: Problem) -> Point | None:
    """An exact point of the region, checked as such; None if the search finds none.

    The region is searched as it is, then with equalities used up, then for the values of a whole
    number one by one.
    """
    for part in (problem, *_values(problem)):
        reduction = reduce(part)
        for one, lift in ((part, lambda point: point), (reduction.problem, reduction.lift)):
            found = find_feasible(one)
            point = None if found is None else lift(found)
            if point is not None and inside(problem, point):
                return point
    return None


def _values(problem: Problem) -> Iterator[Problem]:
    """The parts of the problem by the values of its first whole number between two ends."""
    for name in sorted(problem.integers):
        first, last = first_whole(problem.interval(name)), last_whole(problem.interval(name))
        if first is None or last is None or last - first >= MOST_CASES:
            continue
        for value in map(Fraction, range(first, last + 1)):
            point = Interval(value, value)
            box = tuple((n, point if n == name else side) for n, side in problem.box)
            yield replace(problem, box=box, integers=problem.integers - {name})
        return
