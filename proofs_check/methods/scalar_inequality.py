"""Inequalities between scalars, handed to the inequality engine."""

from __future__ import annotations

from sympy.matrices.expressions import MatrixExpr

from bounds.claim import Claim
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison, Condition
from proofs_check.cache import Cache
from proofs_check.certificate import doubt, made, rejection
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.falsify import find_feasible
from proofs_check.methods.inequality.from_sympy import (
    UnsupportedSympy,
    condition_from_sympy,
    expression_from_sympy,
)
from proofs_check.methods.inequality.problem import ProblemError, make_problems
from proofs_check.verdict import Evidence, Strength

METHOD = "inequality engine"
SIGNS = {Relation.LE: "<=", Relation.LT: "<"}


def check_inequality(claim: Claim, *, seed: int, cache: Cache | None = None) -> Evidence | None:
    """PROVED for ``lhs <= rhs`` or ``<`` between scalars, or UNDECIDED with what resists.

    A proof counts when the checker accepts its certificate.

    None when the claim states nothing of that kind. Hypotheses without a formal condition are not
    used, so only a proof counts here; a witness is left to the instances, which know them all.
    """
    if claim.relation not in SIGNS or claim.quantities or _has_matrices(claim):
        return None
    try:
        comparison, conditions = _formal(claim)
        problems = make_problems(comparison, conditions)
    except (UnsupportedSympy, ProblemError) as error:
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, str(error))
    used = frozenset(h.name for h in claim.hypotheses if h.condition is not None)
    texts = str(comparison), [str(condition) for condition in conditions]
    known = None if cache is None else cache.find(*texts)
    if known is not None:
        details = {"methods": ["re-checked"], "work": 0}
        return Evidence(METHOD, Status.PROVED, Strength.ENCLOSURE, known.said, details, used=used)
    results = [decide(problem, seed=seed) for problem in problems]
    open_ones = [result for result in results if result.status is not Status.PROVED]
    if open_ones:
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, open_ones[0].reason)
    reason = "; ".join(result.reason for result in results)
    proofs = [result.certificate for result in results]
    certificate = made(*texts, find_feasible(problems[0]) or {}, proofs, argument=reason)
    doubted = rejection(certificate)
    if doubted is not None:
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, doubt(reason, doubted))
    if cache is not None:
        cache.keep(certificate)
    details = {
        "methods": [result.method for result in results],
        "work": sum(result.work for result in results),
    }
    return Evidence(METHOD, Status.PROVED, Strength.ENCLOSURE, reason, details, used=used)


def _has_matrices(claim: Claim) -> bool:
    return any(part.has(MatrixExpr) for part in claim.parts())


def _formal(claim: Claim) -> tuple[Comparison, list[Condition]]:
    """The relation and the hypotheses that have a formal condition, as trees."""
    left, right = (expression_from_sympy(side) for side in (claim.lhs, claim.rhs))
    conditions = [
        condition_from_sympy(h.condition)
        for h in claim.hypotheses
        if h.condition is not None and h.axiom is None
    ]
    return Comparison(SIGNS[claim.relation], left, right), conditions
