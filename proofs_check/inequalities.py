"""`prove`: one inequality, decided. The entry for Python, next to ``proofs-check prove``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison
from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.cases import Goal, as_condition, goals
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.falsify import find_feasible
from proofs_check.methods.inequality.margin import smallest_margin
from proofs_check.methods.inequality.points import Point
from proofs_check.methods.inequality.problem import Problem, make_problems
from proofs_check.methods.inequality.result import Result
from proofs_check.verdict import Evidence, Strength, Verdict, Witness

CONTRADICTORY = "contradictory hypotheses"
_EXACT_METHODS = frozenset({"polynomial", "evaluation", "linear", "cases"})


def prove(
    relation: Any,
    hypotheses: Any = (),
    *,
    work: int | None = None,
    seed: int = 0,
) -> Verdict:
    """The verdict on ``relation`` for all real values of its symbols that meet the hypotheses.

    >>> prove("x*(1 - x) <= 1/4").status
    <Status.PROVED: 'PROVED'>
    >>> prove("x**2 >= x", ["x >= 0"]).witness.instance
    {'x': '1/10'}

    Args:
        relation: text in the grammar (``"log(1+x) <= x"``), a SymPy relation or Boolean, or a
            condition. Chains (``0 <= x < 1``), ``and``, ``or``, ``not`` and ``implies(a, b)``
            are understood.
        hypotheses: one or several of the same; ``n in N`` and ``n in Z`` make ``n`` whole.
        work: units (boxes, splits) that each method may spend; the outcome depends on them, never
            on time.
        seed: of the random points among those tried.

    Returns:
        PROVED; REFUTED with an exact rational witness; UNDECIDED with what resists; or ERROR:
        undefined at a point of the region, or contradictory hypotheses.

    Raises:
        GrammarError: a text is not covered.
        UnsupportedSympy: a SymPy object has no counterpart.
        ProblemError: the relation or the hypotheses have a form that is not covered.
    """
    started = time.perf_counter()
    claim = as_condition(relation)
    given = [as_condition(one) for one in _several(hypotheses)]
    shown = goals(claim, given)
    found = [_Part(goal, _decided(goal, work=work, seed=seed)) for goal in shown]
    settings = {"seed": seed, "work": work}
    return _verdict(str(claim), found, settings, time.perf_counter() - started)


def _several(hypotheses: Any) -> Sequence[Any]:
    if isinstance(hypotheses, Iterable) and not isinstance(hypotheses, str):
        return tuple(hypotheses)
    return (hypotheses,)


@dataclass(frozen=True)
class _Part:
    """A goal with its problem and what was found."""

    goal: Goal
    results: tuple[tuple[Problem, Result], ...]


def _decided(goal: Goal, *, work: int | None, seed: int) -> tuple[tuple[Problem, Result], ...]:
    """The results on the problems of a goal, up to the first that is not a proof."""
    found: list[tuple[Problem, Result]] = []
    for problem in goal.problems:
        result = decide(problem, seed=seed, work=work)
        if goal.assumed and _is_contradiction(result) and _can_be_met(goal):
            reason = "the other parts of `or` hold wherever the hypotheses do"
            result = Result(Status.PROVED, result.method, reason, work=result.work)
        found.append((problem, result))
        if result.status is not Status.PROVED:
            break
    return tuple(found)


def _is_contradiction(result: Result) -> bool:
    return result.status is Status.ERROR and result.reason.startswith(CONTRADICTORY)


def _can_be_met(goal: Goal) -> bool:
    """Whether an exact point meets the hypotheses, apart from what was assumed besides."""
    problems = make_problems(goal.comparison, goal.hypotheses)
    return all(find_feasible(problem) is not None for problem in problems)


def _verdict(
    text: str, parts: Sequence[_Part], settings: dict[str, Any], seconds: float
) -> Verdict:
    results = [(part, problem, result) for part in parts for problem, result in part.results]
    kept = _without_empty_cases(results)
    part, problem, result = _deciding(kept)
    witness = None
    if result.status is Status.REFUTED and result.witness is not None:
        witness = witness_of(part.goal.comparison, result.witness)
    evidence = tuple(_evidence(p.goal, problem, r) for p, problem, r in kept)
    strength = Strength.NONE
    if result.status is Status.PROVED:
        exact = all(r.method in _EXACT_METHODS for _, _, r in kept)
        strength = Strength.SYMBOLIC if exact else Strength.ENCLOSURE
    if witness is not None:
        exact = witness.arithmetic == "rational"
        strength = Strength.SYMBOLIC if exact else Strength.ENCLOSURE
    summary = result.reason if len(kept) == 1 else f"{part.goal.comparison}: {result.reason}"
    if result.status is Status.PROVED and len(kept) > 1:
        summary = f"all {len(kept)} parts are proved"
    example = find_feasible(problem) if result.status is Status.PROVED else None
    return Verdict(
        text,
        result.status,
        strength,
        summary,
        evidence=evidence,
        witness=witness,
        example=None if example is None else {n: str(v) for n, v in example.items()},
        settings=settings,
        seconds=seconds,
    )


_Found = tuple[_Part, Problem, Result]


def _without_empty_cases(results: Sequence[_Found]) -> list[_Found]:
    """Without cases of an `or` that no point belongs to, as long as another case has points."""
    kept = [one for one in results if not _is_contradiction(one[2])]
    return kept or list(results)


def _deciding(results: Sequence[_Found]) -> _Found:
    """The result that decides: an error before a refutation before what is undecided."""
    for status in (Status.ERROR, Status.REFUTED, Status.UNDECIDED):
        for one in results:
            if one[2].status is status:
                return one
    return results[0]


def _evidence(goal: Goal, problem: Problem, result: Result) -> Evidence:
    exact = result.method in _EXACT_METHODS
    strength = Strength.SYMBOLIC if exact else Strength.ENCLOSURE
    if result.status not in (Status.PROVED, Status.REFUTED):
        strength = Strength.NONE
    details: dict[str, Any] = {
        "claim": str(goal.comparison),
        "hypotheses": [str(one) for one in (*goal.hypotheses, *goal.assumed)],
        "work": result.work,
    }
    if result.certificate:
        details["certificate"] = dict(result.certificate)
    if result.witness is not None:
        details["point"] = {name: str(value) for name, value in result.witness.items()}
    margin = smallest_margin(problem) if result.status is Status.PROVED else None
    if margin is not None:
        at = {name: str(value) for name, value in margin.at.items()}
        details["margin"] = {"at_most": margin.value, "attained": margin.attained, "at": at}
    return Evidence(result.method, result.status, strength, result.reason, details)


def witness_of(comparison: Comparison, point: Point) -> Witness:
    """The point with both sides evaluated there."""
    left, how_left = value_text(comparison.left, point)
    right, how_right = value_text(comparison.right, point)
    arithmetic = how_left if how_left == how_right else f"{how_left} and {how_right}"
    return Witness(
        {name: str(value) for name, value in point.items()},
        left,
        right,
        arithmetic,
        f"not {comparison}",
    )


def value_text(node: Node, point: Point) -> tuple[str, str]:
    """The value at a point as text, and how it was computed."""
    node = expanded(node)
    exact = exact_value(node, point)
    if exact is not None and len(str(exact)) <= 40:
        return str(exact), "rational"
    with ctx.workprec(256):
        (value,) = compile_tape([node]).run({name: ball(x, x) for name, x in point.items()})
        return str(value.str(20, radius=True)), "ball, 256 bits"
