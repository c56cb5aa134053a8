"""`prove`: one inequality, decided. The entry for Python, next to ``proofs-check prove``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison, Condition, symbols
from proofs_check.arithmetic.tree import number
from proofs_check.cache import Cache
from proofs_check.certificate import Certificate, confirmed, made
from proofs_check.executors import Executor, each
from proofs_check.methods.inequality.cases import Goal, as_condition, goals
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.example import example
from proofs_check.methods.inequality.margin import enclosed, smallest_margin
from proofs_check.methods.inequality.points import Point
from proofs_check.methods.inequality.problem import Problem, make_problems
from proofs_check.methods.inequality.result import Result
from proofs_check.methods.inequality.split import Spread, prove_part
from proofs_check.second_opinions import with_second_opinion
from proofs_check.verdict import Evidence, Strength, Verdict
from proofs_check.witnesses import witness_of

CONTRADICTORY = "contradictory hypotheses"
MARGIN_WORK = 500
PART_BUDGET = 60.0
_EXACT_METHODS = frozenset({"polynomial", "evaluation", "linear", "cases"})


def prove(
    relation: Any,
    hypotheses: Any = (),
    *,
    work: int | None = None,
    seed: int = 0,
    cache: Cache | None = None,
    margin: bool = False,
    second_opinion: bool = False,
    parts: int = 1,
    executor: Executor | None = None,
    budget: float = PART_BUDGET,
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
        cache: where proofs are kept; a stored one is checked again, not trusted.
        margin: whether the room that is left is enclosed (a search, and up to three proofs).
        second_opinion: whether z3 is asked too.
        parts: into how many the region of a hard goal in several variables is cut; each is shown
            alone, and may spend ``work``. The outcome depends on the number, not on who shows them.
        executor: where the parts are shown; None for here, one after the other.
        budget: seconds for each part that the executor shows; one that spends them resists.

    Returns:
        PROVED, with a certificate that the checker accepts; REFUTED with an exact rational witness;
        UNDECIDED with what resists; or ERROR: undefined at a point of the region, or contradictory
        hypotheses.

    Raises:
        GrammarError: a text is not covered.
        UnsupportedSympy: a SymPy object has no counterpart.
        ProblemError: the relation or the hypotheses have a form that is not covered.
        SolverMissing: a second opinion is wanted and z3 is not installed.
    """
    started = time.perf_counter()
    claim = as_condition(relation)
    given = [as_condition(one) for one in _several(hypotheses)]
    shown = goals(claim, given)
    settings = {"seed": seed, "work": work, **({"parts": parts} if parts > 1 else {})}
    texts = written(relation, claim), [*map(written, _several(hypotheses), given)]
    known = None if cache is None else cache.find(*texts)
    if known is not None:
        verdict = _rechecked(str(claim), known, settings)
    else:
        effort = {"work": work, "seed": seed, "parts": parts, "spread": _spread(executor, budget)}
        verdict = _searched(texts, [claim, *given], shown, effort, settings, cache)
    if margin and verdict.status is Status.PROVED:
        verdict = _with_margin(verdict, shown)
    if second_opinion:
        verdict = with_second_opinion(verdict, shown)
    return replace(verdict, seconds=time.perf_counter() - started)


def _searched(
    texts: tuple[str, list[str]],
    conditions: Sequence[Condition],
    shown: Sequence[Goal],
    effort: Mapping[str, Any],
    settings: dict[str, Any],
    cache: Cache | None,
) -> Verdict:
    """The verdict by a search for proofs, each of which the checker has confirmed."""
    found = [_Part(goal, _decided(goal, effort)) for goal in shown]
    verdict = _verdict(str(conditions[0]), found, settings)
    if verdict.status is not Status.PROVED:
        return verdict
    kept = _kept(verdict, _certificate(*texts, verdict, found, conditions), cache)
    if kept.status is not Status.PROVED and effort["parts"] > 1:
        # The checker does not follow the argument for some part; it may follow that for the whole.
        return _searched(texts, conditions, shown, {**effort, "parts": 1}, settings, cache)
    return kept


def _spread(executor: Executor | None, budget: float) -> Spread:
    """Shows the parts of a region by the executor, or here in turn."""

    def show(parts: Sequence[Problem], work: int | None) -> list[Result]:
        if executor is None:
            return [prove_part(part, work) for part in parts]
        found = each(executor, prove_part, [(part, work) for part in parts], budget=budget)
        return [one if isinstance(one, Result) else _resisting(one, budget) for one in found]

    return show


def _resisting(error: Exception, budget: float) -> Result:
    spent = f"time budget of {budget:g} s spent"
    reason = spent if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
    return Result(Status.UNDECIDED, "branch and bound", reason)


def _kept(verdict: Verdict, certificate: Certificate, cache: Cache | None) -> Verdict:
    """The verdict with its certificate if the checker accepts that, else UNDECIDED."""
    verdict = confirmed(verdict, certificate)
    if verdict.status is not Status.PROVED:
        return verdict
    if cache is not None:
        cache.keep(certificate)
    return replace(verdict, certificate=certificate.document)


def _with_margin(verdict: Verdict, shown: Sequence[Goal]) -> Verdict:
    """The verdict with the room that its first inequality leaves, enclosed."""
    goal = shown[0]
    found = smallest_margin(goal.problems[0])
    if found is None:
        return verdict
    comparison = goal.comparison

    def proved(low: Fraction) -> bool:
        larger = Comparison("<=", comparison.left + number(low), comparison.right)
        conditions = (*goal.hypotheses, *goal.assumed)
        return prove(larger, conditions, work=MARGIN_WORK).status is Status.PROVED

    first, *others = verdict.evidence
    details = {**first.details, "margin": enclosed(goal.problems[0], found, proved).as_data()}
    return replace(verdict, evidence=(replace(first, details=details), *others))


def _several(hypotheses: Any) -> Sequence[Any]:
    if isinstance(hypotheses, Iterable) and not isinstance(hypotheses, str):
        return tuple(hypotheses)
    return (hypotheses,)


def written(given: Any, condition: Condition) -> str:
    """A claim or hypothesis as text: as the author wrote it, else as its tree reads."""
    return given if isinstance(given, str) else str(condition)


def _certificate(
    claim: str,
    hypotheses: Sequence[str],
    verdict: Verdict,
    parts: Sequence[_Part],
    conditions: Sequence[Condition],
) -> Certificate:
    """The proofs of all parts in order; what no hypothesis of a case binds is 0 in the example."""
    names = {name for condition in conditions for name in symbols(condition)}
    point = {name: Fraction(0) for name in names}
    point |= {name: Fraction(value) for name, value in (verdict.example or {}).items()}
    proofs = [proof for part in parts for proof in part.proofs()]
    found = {"strength": str(verdict.strength), "argument": verdict.summary}
    return made(claim, hypotheses, point, proofs, **found)


def _rechecked(text: str, known: Certificate, settings: dict[str, Any]) -> Verdict:
    """The verdict by a stored proof that the checker has accepted just now."""
    stored = known.made_by.get("strength")
    strength = Strength.SYMBOLIC if stored == Strength.SYMBOLIC else Strength.ENCLOSURE
    proof = known.proofs[0] if len(known.proofs) == 1 else {"parts": list(known.proofs)}
    details = {
        "claim": text,
        "hypotheses": list(known.hypotheses),
        "work": 0,
        "certificate": dict(proof),
    }
    summary = known.said
    evidence = Evidence("re-checked", Status.PROVED, strength, summary, details)
    return Verdict(
        text,
        Status.PROVED,
        strength,
        summary,
        evidence=(evidence,),
        example=dict(known.example),
        settings=settings,
        certificate=known.document,
    )


@dataclass(frozen=True)
class _Part:
    """A goal with its problem and what was found."""

    goal: Goal
    results: tuple[tuple[Problem, Result], ...]

    def proofs(self) -> list[Mapping[str, Any]]:
        """That the parts denied have values, then a proof for each problem.

        Where no point belongs to the case, one proof does for all problems.
        """
        found = [result.certificate for _, result in self.results]
        shown = [found[min(i, len(found) - 1)] for i in range(len(self.goal.problems))]
        return [*(decide(problem).certificate for problem in self.goal.valued), *shown]


def _decided(goal: Goal, effort: Mapping[str, Any]) -> tuple[tuple[Problem, Result], ...]:
    """The results on the problems of a goal, up to the first that is not a proof."""
    found: list[tuple[Problem, Result]] = []
    for problem in goal.problems:
        result = decide(problem, **effort)
        if goal.assumed and _is_contradiction(result) and _can_be_met(goal):
            reason = "the other parts of `or` hold wherever the hypotheses do"
            result = replace(result, status=Status.PROVED, reason=reason)
        found.append((problem, result))
        if result.status is not Status.PROVED:
            break
    return tuple(found)


def _is_contradiction(result: Result) -> bool:
    return result.status is Status.ERROR and result.reason.startswith(CONTRADICTORY)


def _can_be_met(goal: Goal) -> bool:
    """Whether an exact point meets the hypotheses, apart from what was assumed besides."""
    problems = make_problems(goal.comparison, goal.hypotheses)
    return all(example(problem) is not None for problem in problems)


def _verdict(text: str, parts: Sequence[_Part], settings: dict[str, Any]) -> Verdict:
    results = [(part, problem, result) for part in parts for problem, result in part.results]
    kept = _without_empty_cases(results)
    part, _, result = _deciding(kept)
    witness = None
    if result.status is Status.REFUTED and result.witness is not None:
        witness = witness_of(part.goal.comparison, result.witness)
    evidence = tuple(_evidence(p.goal, r) for p, _, r in kept)
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
    met = _example(kept) if result.status is Status.PROVED else None
    return Verdict(
        text,
        result.status,
        strength,
        summary,
        evidence=evidence,
        witness=witness,
        example=None if met is None else {n: str(v) for n, v in met.items()},
        settings=settings,
    )


_Found = tuple[_Part, Problem, Result]


def _example(kept: Sequence[_Found]) -> Point | None:
    """A point that meets the hypotheses: of a part that denies no other part of an ``or``, if any,
    since such denials may contradict the hypotheses.
    """
    for part, problem, _ in sorted(kept, key=lambda one: bool(one[0].goal.assumed)):
        problems = make_problems(part.goal.comparison, part.goal.hypotheses)
        found = example(problems[0] if part.goal.assumed else problem)
        if found is not None:
            return found
    return None


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


def _evidence(goal: Goal, result: Result) -> Evidence:
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
    return Evidence(result.method, result.status, strength, result.reason, details)
