"""Inequalities in one variable: exact algebra, else covers with expansions at ends and contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.tree import ZERO, Node
from proofs_check.methods.inequality.problem import (
    Constraint,
    Interval,
    Problem,
    ProblemError,
    literal,
)
from proofs_check.methods.inequality.result import Result
from proofs_check.methods.inequality.univariate.cover import Cover, Task
from proofs_check.methods.inequality.univariate.identity import identically_zero
from proofs_check.methods.inequality.univariate.infinity import Tail, positive_tail
from proofs_check.methods.inequality.univariate.leaf import compiled
from proofs_check.methods.inequality.univariate.pieces import pieces
from proofs_check.methods.inequality.univariate.record import line
from proofs_check.methods.inequality.univariate.split import Parts, parts
from proofs_check.methods.inequality.univariate.sturm import (
    Quotient,
    nonnegative,
    rational_function,
)

METHOD = "univariate"
_RATIONAL = "univariate polynomial"


def prove(problem: Problem, *, work: int = 4000, bits: int = 128) -> Result:
    """PROVED with a proof tree, or UNDECIDED with the box that resists.

    Goal and constraints must have values on the whole region, which the caller has shown.
    ``work`` bounds the boxes (an exact point counts ten), ``bits`` is the working precision.
    Whole-number variables are taken as real, which proves more.

    Raises:
        ProblemError: the problem has not exactly one variable.
    """
    if len(problem.box) != 1:
        raise ProblemError(f"one variable is needed, not {', '.join(problem.names) or 'none'}")
    if problem.box[0][1].empty:
        return Result(Status.ERROR, METHOD, "contradictory hypotheses: the interval is empty")
    with ctx.workprec(bits):
        return _decide(problem, work)


def _decide(problem: Problem, work: int) -> Result:
    """The outcome part by part."""
    split = parts(problem.goal)
    if split.choice is None:
        return _single(problem, work)
    found: dict[Node, Result] = {}
    spent = 0
    for goal in split.goals():
        result = _single(replace(problem, goal=goal), work)
        spent += result.work
        if result.status is not Status.PROVED:
            return replace(result, reason=f"the part {goal} >= 0: {result.reason}", work=spent)
        found[goal] = result
    reason = "each part of a minimum"
    return Result(Status.PROVED, METHOD, reason, None, _smallest(split, found), spent)


def _smallest(split: Parts, found: Mapping[Node, Result]) -> Mapping[str, Any]:
    if split.choice is None:
        return found[split.goal].certificate
    proofs = [_smallest(branch, found) for branch in split.branches]
    return {"rule": "smallest", "node": str(split.choice), "proofs": proofs}


def _single(problem: Problem, work: int) -> Result:
    """Exact algebra, identities, a cover, pieces between kinks, factors: the first that works."""
    ((name, interval),) = problem.box
    if not problem.constraints:
        quotient = rational_function(problem.goal, name)
        if quotient is not None:
            return _algebraic(problem, quotient)
        zero = None if problem.strict else identically_zero(problem.goal, name, interval)
        if zero is not None:
            return Result(Status.PROVED, METHOD, "both sides are equal", None, zero, 1)
    feasible = not problem.constraints and not problem.strict
    if feasible and any(_even(f) or _twice(f, problem.goal) for f, _ in _factors(problem.goal)):
        squares = _by_factors(problem, work)
        if squares is not None:
            return squares
    split = _by_pieces(problem, name, interval, work)
    if split is not None:
        return split
    result = _covered(problem, name, interval, work)
    if result.status is Status.PROVED or result.witness is not None:
        return result
    return _by_factors(problem, work) or result


def _algebraic(problem: Problem, quotient: Quotient) -> Result:
    ((_, interval),) = problem.box
    if nonnegative(quotient, interval, strict=problem.strict):
        proof = {"rule": _RATIONAL}
        return Result(Status.PROVED, METHOD, "exact: Sturm's theorem", None, proof, 1)
    reason = f"it fails somewhere in {_shown(interval)} (Sturm)"
    return Result(Status.UNDECIDED, METHOD, reason, work=1)


def _by_pieces(problem: Problem, name: str, interval: Interval, work: int) -> Result | None:
    """Without kinks on each piece; None if there is nothing to cut."""
    cut = pieces(problem.goal, name, interval)
    if cut is None:
        return None
    found: list[Mapping[str, Any]] = []
    spent = 0
    for piece in cut.pieces:
        result = _decide(replace(problem, goal=piece.goal, box=((name, piece.interval),)), work)
        spent += result.work
        if result.status is not Status.PROVED and problem.constraints:
            return None
        if result.status is not Status.PROVED:
            return replace(result, work=spent)
        found.append(_branch(cut.choice, piece.first, result.certificate))
    data = {"rule": "split", "name": name, "at": [str(c) for c in cut.cuts], "proofs": found}
    reason = "piece by piece between kinks"
    return Result(Status.PROVED, METHOD, reason, None, data if cut.cuts else found[0], spent)


def _branch(choice: Node, first: bool, proof: Mapping[str, Any]) -> Mapping[str, Any]:
    """One alternative holds on a whole piece, as a rational function tells."""
    where = {"node": str(choice), "first": first, "test": {"rule": _RATIONAL}}
    return {"rule": "branch", **where, "proof": proof}


def _by_factors(problem: Problem, work: int) -> Result | None:
    """A product of factors that are all >= 0 (even powers are), when the goal is one."""
    factors = _factors(problem.goal)
    if len(factors) < 2 and (problem.strict or not _even(factors[0][0])):
        return None
    found: list[list[Any]] = []
    spent = 0
    for factor, exponent in _counted(factors).items():
        if not problem.strict and (_even(factor) or _twice(factor, problem.goal)):
            found += _square(factor, exponent)
            continue
        result = _decide(replace(problem, goal=factor), work)
        spent += result.work
        if result.status is not Status.PROVED:
            return None
        if exponent:
            found.append([str(factor), exponent, "+", result.certificate])
    data = {"rule": "factors", "factors": found}
    return Result(Status.PROVED, METHOD, "each factor has its sign", None, data, spent)


def _factors(node: Node, exponent: int = 1) -> list[tuple[Node, int]]:
    """The factors of a product or quotient, nested ones included, with the exponent 1 or -1."""
    if node.op == "/":
        return _factors(node.args[0], exponent) + _factors(node.args[1], -exponent)
    if node.op == "*":
        return [factor for arg in node.args for factor in _factors(arg, exponent)]
    if node.op == "+" and len(node.args) == 2 and node.args[1] in (ZERO, -ZERO):
        return _factors(node.args[0], exponent)
    return [(node, exponent)]


def _counted(factors: list[tuple[Node, int]]) -> dict[Node, int]:
    """The exponents of equal factors added up."""
    found: dict[Node, int] = {}
    for factor, exponent in factors:
        found[factor] = found.get(factor, 0) + exponent
    return found


def _square(factor: Node, exponent: int) -> list[list[Any]]:
    """The entry of an even power, none where it cancels."""
    base, inner = factor, 1
    if _even(factor):
        base, inner = factor.args[0], int(literal(factor.args[1]) or 0)
    return [[str(base), exponent * inner, "square"]] if exponent * inner else []


def _twice(factor: Node, goal: Node) -> bool:
    return sum(one == factor for one, _ in _factors(goal)) % 2 == 0


def _even(factor: Node) -> bool:
    value = literal(factor.args[1]) if factor.op == "^" else None
    return value is not None and value.denominator == 1 and value % 2 == 0


def _shown(interval: Interval) -> str:
    low = "-inf" if interval.low is None else interval.low
    high = "inf" if interval.high is None else interval.high
    return f"[{low}, {high}]"


def _covered(problem: Problem, name: str, interval: Interval, work: int) -> Result:
    tails: list[tuple[Tail, bool]] = []
    low, high = interval.low, interval.high
    for direction in (1, -1):
        if (high if direction > 0 else low) is not None:
            continue
        found = _tail(problem, name, direction)
        if found is None:
            side = "+" if direction > 0 else "-"
            return Result(
                Status.UNDECIDED,
                METHOD,
                f"the end {side}inf resists; give a bounded region",
                work=1,
            )
        tails.append(found)
        if direction > 0:
            high = found[0].start
        else:
            low = -found[0].start
    if low is None or high is None or low > high:
        # One tail covers the region, or two tails overlap.
        low = high = interval.low if interval.low is not None else interval.high
    if low is None or high is None:
        return _proved(problem, line(tails), None, 1)
    return _finite(problem, name, (low, high), tails, work)


def _tail(problem: Problem, name: str, direction: int) -> tuple[Tail, bool] | None:
    """A tail on which the goal holds, or on which a constraint fails (then with True)."""
    tail = positive_tail(problem.goal, name, direction, strict=problem.strict)
    fails = tail is None
    for constraint in problem.constraints:
        if tail is None:
            tail = positive_tail(-constraint.expression, name, direction)
    return None if tail is None else (tail, fails)


def _finite(
    problem: Problem,
    name: str,
    stretch: tuple[Fraction, Fraction],
    tails: list[tuple[Tail, bool]],
    work: int,
) -> Result:
    low, high = stretch
    constraints = tuple((compiled(c.expression, name), c.strict) for c in problem.constraints)
    goal = compiled(problem.goal, name)
    task = Task(goal, problem.strict, problem.interval(name), constraints)
    cover = Cover(task, low, high, work)
    if not cover.run():
        box = cover.box or (low, high)
        reason = f"{cover.blocked or 'not settled'} on {name} in [{box[0]}, {box[1]}]"
        witness = None if cover.failing is None else {name: cover.failing}
        return Result(Status.UNDECIDED, METHOD, reason, witness, work=cover.work)
    proof = line(tails, cover.boxes, cover.points, cover.sides)
    return _proved(problem, proof, cover.feasible, cover.work)


def _proved(
    problem: Problem, data: Mapping[str, Any], feasible: Fraction | None, work: int
) -> Result:
    constraints: tuple[Constraint, ...] = problem.constraints
    if constraints and feasible is None:
        return Result(
            Status.UNDECIDED,
            METHOD,
            "no point was found that meets all hypotheses; they may be contradictory",
            work=work,
        )
    return Result(Status.PROVED, METHOD, "positive on a cover of the region", None, data, work)
