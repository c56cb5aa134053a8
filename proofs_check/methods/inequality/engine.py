"""The decision on one problem: definedness, refutation, then the methods from cheap to dear."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module

from bounds.status import Status
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality import falsify, integers, linear
from proofs_check.methods.inequality.definedness import Need, Proof, obligations, show_defined
from proofs_check.methods.inequality.falsify import CHEAP, DEEP, find_feasible, refute
from proofs_check.methods.inequality.points import Point, refutes
from proofs_check.methods.inequality.problem import Constraint, Problem
from proofs_check.methods.inequality.reduce import (
    bystanders_left,
    completed,
    reduce,
    without_bystanders,
)
from proofs_check.methods.inequality.result import Result
from proofs_check.methods.inequality.split import Spread, prove_in_parts

Method = Callable[..., Result]

_HOME = "proofs_check.methods.inequality"
_QUICK = ("linear", "univariate.method", "polynomial.method")
_DEAR = ("multivariate.prover",)
_NOT_COVERED = ("no polynomial", "goal and hypotheses are not affine")


@dataclass(frozen=True)
class Effort:
    """What the methods may spend: ``work`` units each (None: what each takes by itself).

    With ``parts`` > 1 the dearest method shows the parts of a region alone, through ``spread``.
    """

    work: int | None = None
    seed: int = 0
    parts: int = 1
    spread: Spread | None = None


def decide(
    problem: Problem,
    *,
    seed: int = 0,
    work: int | None = None,
    parts: int = 1,
    spread: Spread | None = None,
) -> Result:
    """PROVED, REFUTED with an exact witness, UNDECIDED with what resists, or ERROR.

    ERROR: the hypotheses are contradictory, or goal or constraints are undefined at a point of the
    region. A proof is only given where an exact point shows that the hypotheses can be met.

    Args:
        seed: of the random points of the search.
        work: units (boxes, splits) that each method may spend; by default what suits each.
        parts: into how many a region is cut where only the dearest method is left; what it may
            spend, it may spend on each. Where one resists, the whole region is tried as well.
        spread: shows the parts, perhaps at the same time.
    """
    effort = Effort(work, seed, parts, spread)
    contradiction = linear.contradiction(problem) if problem.constraints else None
    if contradiction is not None:
        reason = "contradictory hypotheses: nonnegative multiples of them add up to -1 >= 0"
        return Result(Status.ERROR, "hypotheses", reason, certificate=contradiction)
    reduction = reduce(problem)
    result = _decide(reduction.problem, effort)
    if result.witness is not None:
        result = _lifted(problem, result, reduction.lift(result.witness))
    if result.certificate:
        result = replace(result, certificate=reduction.around(result.certificate))
    return result


def _lifted(problem: Problem, result: Result, point: Point | None) -> Result:
    """The result with its point in terms of the problem given, checked there once more."""
    if point is None:
        reason = "a counterexample exists whose exact coordinates are not rational"
        return replace(result, status=Status.UNDECIDED, reason=reason, witness=None)
    if result.status is Status.REFUTED and not refutes(problem, point):
        reason = "a counterexample could not be confirmed on the problem as given"
        return replace(result, status=Status.UNDECIDED, reason=reason, witness=None)
    if result.status is Status.REFUTED:
        return replace(falsify.refuted(problem, point, work=result.work), method=result.method)
    return replace(result, witness=point)


def _decide(problem: Problem, effort: Effort) -> Result:
    quick = refute(problem, seed=effort.seed, work=CHEAP)
    if quick.status is not Status.UNDECIDED or not problem.box:
        return quick
    example = find_feasible(problem, seed=effort.seed)
    if example is None:
        contradiction = _contradiction(problem, effort)
        if contradiction is not None:
            return contradiction
    if problem.integers:
        result = integers.decide(problem, lambda part: _decide_part(part, effort))
        one_by_one = result.status is Status.PROVED and integers.has_points(result.certificate)
        return result if example is not None or one_by_one else _not_vacuous(result)
    slim = problem if example is None else without_bystanders(problem)
    needs, undefined = _show_defined(slim, effort)
    result = undefined or run_methods(slim, effort, _QUICK)
    if result.status is Status.UNDECIDED and undefined is None:
        deep = refute(problem, seed=effort.seed, work=DEEP)
        if deep.status is not Status.UNDECIDED:
            return deep
        result = _both(result, _dearest(slim, effort))
    result = _with_needs(result, needs)
    if slim is not problem and result.certificate:
        proof = bystanders_left(problem, slim, result.certificate)
        result = replace(result, certificate=proof)
    if result.status is Status.REFUTED and result.witness is not None and example is not None:
        result = replace(result, witness=completed(result.witness, example))
    if example is None:
        result = _not_vacuous(result)
    return result


def _dearest(problem: Problem, effort: Effort) -> Result:
    """The last method, in parts where that is wanted."""
    found = None
    if effort.parts > 1 and effort.spread is not None:
        found = prove_in_parts(problem, effort.parts, effort.spread, effort.work)
    if found is not None and found.status is Status.PROVED:
        return found
    whole = run_methods(problem, effort, _DEAR)
    return whole if found is None else _both(found, whole)


def _both(first: Result, second: Result) -> Result:
    """The second result, with what the first one spent and, if both failed, its reason."""
    work = first.work + second.work
    if second.status is not Status.UNDECIDED:
        return replace(second, work=work)
    reasons = [r.reason for r in (first, second) if r.reason]
    reason = "; ".join(dict.fromkeys(reasons)) or "no method covers this problem"
    return replace(second, reason=reason, work=work)


def _not_vacuous(result: Result) -> Result:
    """A proof without a point that meets all hypotheses may be vacuous, and is none."""
    if result.status is not Status.PROVED:
        return result
    reason = f"{result.reason}; but no point was found that meets all hypotheses"
    return replace(result, status=Status.UNDECIDED, reason=reason, certificate={})


def _decide_part(problem: Problem, effort: Effort) -> Result:
    """The decision on a part of an integer problem."""
    return decide(problem, seed=effort.seed, work=effort.work)


def _contradiction(problem: Problem, effort: Effort) -> Result | None:
    """ERROR when one hypothesis is certainly false wherever the others hold."""
    for constraint in problem.constraints:
        others = tuple(c for c in problem.constraints if c is not constraint)
        denial = Problem(
            -constraint.expression, not constraint.strict, problem.box, others, problem.integers
        )
        refuted = prove(without_integers(denial), effort)
        if refuted.status is Status.PROVED:
            reason = f"contradictory hypotheses: {constraint} fails wherever the others hold"
            proof = {"rule": "weaken", "integers": [], "proof": refuted.certificate}
            certificate = {"rule": "empty", "fact": str(constraint.expression), "proof": proof}
            return Result(Status.ERROR, "hypotheses", reason, certificate=certificate)
    return None


def without_integers(problem: Problem) -> Problem:
    """The problem for all real values: what holds there holds for whole numbers."""
    return replace(problem, integers=frozenset())


def prove(problem: Problem, effort: Effort) -> Result:
    """Definedness, then all methods in turn; the first proof or confirmed refutation counts."""
    needs, undefined = _show_defined(problem, effort)
    return undefined or _with_needs(run_methods(problem, effort), needs)


def _show_defined(problem: Problem, effort: Effort) -> tuple[list[Need], Result | None]:
    """What the goal needs in order to have a value, with proofs, or why it has none."""
    # Hypotheses whose own definedness is still to be shown must not help to show it.
    plain = tuple(c for c in problem.constraints if not obligations(c.expression))
    needs: list[Need] = []

    def shown(expression: Node, strict: bool) -> Proof | None:
        part = replace(problem, goal=expression, strict=strict, constraints=plain)
        if refute(part, seed=effort.seed, work=CHEAP).status is Status.REFUTED:
            return None
        result = run_methods(part, effort)
        return result.certificate if result.status is Status.PROVED else None

    undefined = show_defined(problem, shown, needs)
    if plain != problem.constraints:
        needs = [_without_others(needs[:i], need, plain) for i, need in enumerate(needs)]
    return needs, undefined


def _without_others(before: list[Need], need: Need, plain: tuple[Constraint, ...]) -> Need:
    """The need shown under the plain hypotheses, where its own parts must be shown defined anew."""
    proof = {"rule": "define", "needs": before, "proof": need["proof"]}
    kept = [str(constraint.expression) for constraint in plain]
    return {**need, "proof": {"rule": "weaken", "facts": kept, "proof": proof}}


def _with_needs(result: Result, needs: list[Need]) -> Result:
    """The proof for a goal that is to be shown defined as well."""
    if result.status is not Status.PROVED:
        return result
    proof = {"rule": "define", "needs": needs, "proof": result.certificate}
    return replace(result, certificate=proof)


def run_methods(
    problem: Problem, effort: Effort, names: tuple[str, ...] = (*_QUICK, *_DEAR)
) -> Result:
    """The methods on a problem whose goal and constraints are defined on the region."""
    spent = 0
    reasons: list[str] = []
    for method in _methods(problem, names):
        result = method(problem) if effort.work is None else method(problem, work=effort.work)
        spent += result.work
        if result.status is Status.PROVED:
            return replace(result, work=spent)
        point = result.witness
        if result.status is Status.REFUTED and point is not None and refutes(problem, point):
            return replace(result, work=spent)
        if not result.reason.startswith(_NOT_COVERED):
            reasons.append(f"{result.method}: {result.reason}")
    reason = "; ".join(reasons)
    return Result(Status.UNDECIDED, "all methods", reason, work=spent)


def _methods(problem: Problem, names: tuple[str, ...]) -> Iterator[Method]:
    for name in names:
        if name == "univariate.method" and len(problem.box) != 1:
            continue
        if name == "linear" and not problem.constraints:
            continue
        method: Method = import_module(f"{_HOME}.{name}").prove
        yield method
