"""A hard goal in parts: the region cut at midpoints, each part shown alone, the proofs joined.

How the region is cut depends on the problem and on the number of parts, not on who shows them.
The rule ``cut`` of the checker (:mod:`proofs_check.recheck.rules.regions`) joins the proofs: on one
side of a cut x >= m holds, on the other x <= m, and every point of the region is on one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from bounds.status import Status
from proofs_check.arithmetic.tree import number, symbol
from proofs_check.methods.inequality.multivariate import prover, reduce
from proofs_check.methods.inequality.problem import Constraint, Problem
from proofs_check.methods.inequality.result import Result

# Shows every part, given the work for each (None: what the method takes by itself).
Spread = Callable[[Sequence[Problem], int | None], Sequence[Result]]


@dataclass(frozen=True)
class Cut:
    """A region cut at ``name`` = ``at``: the part above, and the part below."""

    name: str
    at: Fraction
    above: Cut | Problem
    below: Cut | Problem


def cut(problem: Problem, parts: int) -> Cut | Problem:
    """The problem in ``parts`` parts: the side halved least often, of these the widest, is halved.

    A problem without a bounded side of real numbers stays as it is.
    """
    return _cut(problem, parts, {})


def _cut(problem: Problem, parts: int, halved: Mapping[str, int]) -> Cut | Problem:
    widths = {
        name: side.high - side.low
        for name, side in problem.box
        if side.low is not None and side.high is not None and name not in problem.integers
    }
    widths = {name: width for name, width in widths.items() if width > 0}
    if parts <= 1 or not widths:
        return problem
    name = min(widths, key=lambda n: (halved.get(n, 0), -widths[n], n))
    low, high = problem.interval(name).low, problem.interval(name).high
    at = ((low or Fraction(0)) + (high or Fraction(0))) / 2
    counted = {**halved, name: halved.get(name, 0) + 1}
    test = symbol(name) - number(at)
    # The checker knows a part by its fact; the search, by its box.
    above = replace(problem, constraints=(*problem.constraints, Constraint(test, False)))
    below = replace(problem, constraints=(*problem.constraints, Constraint(-test, False)))
    return Cut(
        name,
        at,
        _cut(reduce.tightened(above), parts - parts // 2, counted),
        _cut(reduce.tightened(below), parts // 2, counted),
    )


def pieces(found: Cut | Problem) -> tuple[Problem, ...]:
    """The parts, in the order of :func:`joined`."""
    if isinstance(found, Problem):
        return (found,)
    return (*pieces(found.above), *pieces(found.below))


def joined(found: Cut | Problem, proofs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """One proof from those of the parts."""
    if isinstance(found, Problem):
        return proofs[0]
    first = len(pieces(found.above))
    test = symbol(found.name) - number(found.at)
    both = [joined(found.above, proofs[:first]), joined(found.below, proofs[first:])]
    tight = [{"rule": "tighten", "proof": proof} for proof in both]
    return {"rule": "cut", "test": str(test), "proofs": tight}


def prove_part(problem: Problem, work: int | None) -> Result:
    """One part, by branch and bound; a worker's task."""
    return prover.prove(problem) if work is None else prover.prove(problem, work=work)


def prove_in_parts(problem: Problem, parts: int, spread: Spread, work: int | None) -> Result | None:
    """PROVED when every part is shown; None when the problem cannot be cut.

    Goal and constraints must have values on the whole region.
    """
    found = cut(reduce.tightened(problem), parts)
    if isinstance(found, Problem):
        return None
    results = spread(pieces(found), work)
    spent = sum(result.work for result in results)
    open_ones = [result for result in results if result.status is not Status.PROVED]
    if open_ones:
        reason = f"{len(open_ones)} of {len(results)} parts resist: {open_ones[0].reason}"
        return Result(Status.UNDECIDED, prover.METHOD, reason, work=spent)
    proof = joined(found, [result.certificate for result in results])
    reason = f"shown by cutting the region into {len(results)} parts"
    whole = {"rule": "tighten", "proof": proof}
    return Result(Status.PROVED, prover.METHOD, reason, certificate=whole, work=spent)
