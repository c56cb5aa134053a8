"""Inequalities in one variable: exact algebra, else covers with expansions at ends and contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.tree import ZERO, Node
from proofs_check.methods.inequality.definedness import Prove, show_defined
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
from proofs_check.methods.inequality.univariate.split import parts
from proofs_check.methods.inequality.univariate.sturm import (
    Quotient,
    nonnegative,
    rational_function,
)

METHOD = "univariate"


def prove(problem: Problem, *, work: int = 4000, bits: int = 128) -> Result:
    """PROVED, UNDECIDED with the box that resists, or ERROR where the goal is undefined.

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
        shown: list[Mapping[str, Any]] = []
        bare = replace(problem, goal=ZERO)
        # Constraints must have values on their own before anything may lean on them.
        undefined = show_defined(bare, _prover(replace(problem, constraints=()), work, shown))
        if undefined is None:
            undefined = show_defined(problem, _prover(problem, work, shown))
        spent = sum(int(one["work"]) for one in shown)
        if undefined is not None:
            return replace(undefined, work=spent)
        result = _decide(problem, work)
    certificate = {**result.certificate, "defined": shown} if result.certificate else {}
    return replace(result, certificate=certificate, work=result.work + spent)


def _prover(problem: Problem, work: int, shown: list[Mapping[str, Any]]) -> Prove:
    """The prover of obligations; what it shows is kept for the certificate."""

    def holds(expression: Node, strict: bool) -> bool:
        result = _decide(replace(problem, goal=expression, strict=strict), work)
        if result.status is Status.PROVED:
            fact = {"shows": str(expression), "strict": strict, "work": result.work}
            shown.append({**fact, **result.certificate})
        return result.status is Status.PROVED

    return holds


def _decide(problem: Problem, work: int) -> Result:
    """The outcome for a goal that is defined on the region, part by part."""
    goals = parts(problem.goal)
    if len(goals) == 1:
        return _single(problem, work)
    found: list[Mapping[str, Any]] = []
    spent = 0
    for goal in goals:
        result = _single(replace(problem, goal=goal), work)
        spent += result.work
        if result.status is not Status.PROVED:
            return replace(result, reason=f"the part {goal} >= 0: {result.reason}", work=spent)
        found.append({"shows": str(goal), **result.certificate})
    data = {"kind": "parts", "parts": found}
    return Result(Status.PROVED, METHOD, "each part of a minimum", None, data, spent)


def _single(problem: Problem, work: int) -> Result:
    """Exact algebra, identities, a cover, pieces between kinks, factors: the first that works."""
    ((name, interval),) = problem.box
    if not problem.constraints:
        quotient = rational_function(problem.goal, name)
        if quotient is not None:
            return _algebraic(problem, quotient)
        point = None if problem.strict else identically_zero(problem.goal, name, interval)
        if point is not None:
            data = {"kind": "identity", "point": str(point)}
            return Result(Status.PROVED, METHOD, "both sides are equal", None, data, 1)
    feasible = not problem.constraints and not problem.strict
    if feasible and any(_even(f) or _twice(f, problem.goal) for f in _factors(problem.goal)):
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
    found = nonnegative(quotient, interval, strict=problem.strict)
    if found is not None:
        return Result(Status.PROVED, METHOD, "exact: Sturm's theorem", None, found, 1)
    reason = f"it fails somewhere in {_shown(interval)} (Sturm)"
    return Result(Status.UNDECIDED, METHOD, reason, work=1)


def _by_pieces(problem: Problem, name: str, interval: Interval, work: int) -> Result | None:
    """Without kinks on each piece; None if there is nothing to cut."""
    cut = pieces(problem.goal, name, interval)
    if cut is None:
        return None
    found: list[Mapping[str, Any]] = []
    spent = 0
    for piece, goal in cut:
        result = _decide(replace(problem, goal=goal, box=((name, piece),)), work)
        spent += result.work
        if result.status is not Status.PROVED and problem.constraints:
            return None
        if result.status is not Status.PROVED:
            return replace(result, work=spent)
        found.append({"shows": str(goal), "on": _shown(piece), **result.certificate})
    data = {"kind": "pieces", "parts": found}
    return Result(Status.PROVED, METHOD, "piece by piece between kinks", None, data, spent)


def _by_factors(problem: Problem, work: int) -> Result | None:
    """A product of factors that are all >= 0 (even powers are), when the goal is one."""
    factors = _factors(problem.goal)
    if len(factors) < 2 and (problem.strict or not _even(factors[0])):
        return None
    found: list[Mapping[str, Any]] = []
    spent = 0
    for factor in factors:
        if not problem.strict and (_even(factor) or factors.count(factor) % 2 == 0):
            found.append({"shows": str(factor), "kind": "even power"})
            continue
        result = _decide(replace(problem, goal=factor), work)
        spent += result.work
        if result.status is not Status.PROVED:
            return None
        found.append({"shows": str(factor), **result.certificate})
    data = {"kind": "factors", "parts": found}
    return Result(Status.PROVED, METHOD, "each factor has its sign", None, data, spent)


def _factors(node: Node) -> list[Node]:
    """The factors of a product or quotient, nested ones included; the sign of 1/g is that of g."""
    if node.op in ("*", "/"):
        return [factor for arg in node.args for factor in _factors(arg)]
    if node.op == "+" and len(node.args) == 2 and node.args[1] in (ZERO, -ZERO):
        return _factors(node.args[0])
    return [node]


def _twice(factor: Node, goal: Node) -> bool:
    return _factors(goal).count(factor) % 2 == 0


def _even(factor: Node) -> bool:
    value = literal(factor.args[1]) if factor.op == "^" else None
    return value is not None and value.denominator == 1 and value % 2 == 0


def _shown(interval: Interval) -> str:
    low = "-inf" if interval.low is None else interval.low
    high = "inf" if interval.high is None else interval.high
    return f"[{low}, {high}]"


def _covered(problem: Problem, name: str, interval: Interval, work: int) -> Result:
    tails: list[Tail] = []
    low, high = interval.low, interval.high
    for direction in (1, -1):
        if (high if direction > 0 else low) is not None:
            continue
        tail = _tail(problem, name, direction)
        if tail is None:
            side = "+" if direction > 0 else "-"
            return Result(
                Status.UNDECIDED,
                METHOD,
                f"the end {side}inf resists; give a bounded region",
                work=1,
            )
        tails.append(tail)
        if direction > 0:
            high = tail.start
        else:
            low = -tail.start
    data: dict[str, Any] = {"kind": "cover", "tails": [_tail_data(tail) for tail in tails]}
    if low is None or high is None or low > high:
        # One tail covers the region, or two tails overlap.
        low = high = interval.low if interval.low is not None else interval.high
        if low is None:
            return _proved(problem, data, None, 1)
    return _finite(problem, name, interval, (low, high), data, work)


def _tail(problem: Problem, name: str, direction: int) -> Tail | None:
    """A tail on which the goal holds, or on which a constraint fails."""
    tail = positive_tail(problem.goal, name, direction, strict=problem.strict)
    for constraint in problem.constraints:
        if tail is None:
            tail = positive_tail(-constraint.expression, name, direction)
    return tail


def _tail_data(tail: Tail) -> dict[str, Any]:
    return {"direction": tail.direction, "start": str(tail.start), **tail.data}


def _finite(
    problem: Problem,
    name: str,
    interval: Interval,
    stretch: tuple[Fraction | None, Fraction | None],
    data: dict[str, Any],
    work: int,
) -> Result:
    low, high = stretch
    if low is None or high is None:
        return _proved(problem, data, None, 1)
    constraints = tuple((compiled(c.expression, name), c.strict) for c in problem.constraints)
    task = Task(compiled(problem.goal, name), problem.strict, interval, constraints)
    cover = Cover(task, low, high, work)
    if not cover.run():
        box = cover.box or (low, high)
        reason = f"{cover.blocked or 'not settled'} on {name} in [{box[0]}, {box[1]}]"
        witness = None if cover.failing is None else {name: cover.failing}
        return Result(Status.UNDECIDED, METHOD, reason, witness, work=cover.work)
    return _proved(problem, {**data, **cover.certificate()}, cover.feasible, cover.work)


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
