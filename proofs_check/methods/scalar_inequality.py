"""Inequalities between scalars, handed to the inequality engine."""

from __future__ import annotations

from sympy.matrices.expressions import MatrixExpr

from bounds.claim import Claim
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.from_sympy import (
    UnsupportedSympy,
    condition_from_sympy,
    expression_from_sympy,
)
from proofs_check.methods.inequality.problem import Problem, ProblemError, make_problems
from proofs_check.verdict import Evidence, Strength

METHOD = "inequality engine"
SIGNS = {Relation.LE: "<=", Relation.LT: "<"}


def check_inequality(claim: Claim, *, seed: int) -> Evidence | None:
    """PROVED for ``lhs <= rhs`` or ``<`` between scalars, or UNDECIDED with what resists.

    None when the claim states nothing of that kind. Hypotheses without a formal condition are not
    used, so only a proof counts here; a witness is left to the instances, which know them all.
    """
    if claim.relation not in SIGNS or claim.quantities or _has_matrices(claim):
        return None
    try:
        problems = _problems(claim)
    except (UnsupportedSympy, ProblemError) as error:
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, str(error))
    results = [decide(problem, seed=seed) for problem in problems]
    open_ones = [result for result in results if result.status is not Status.PROVED]
    if open_ones:
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, open_ones[0].reason)
    used = frozenset(h.name for h in claim.hypotheses if h.condition is not None)
    details = {
        "methods": [result.method for result in results],
        "work": sum(result.work for result in results),
    }
    reason = "; ".join(result.reason for result in results)
    return Evidence(METHOD, Status.PROVED, Strength.ENCLOSURE, reason, details, used=used)


def _has_matrices(claim: Claim) -> bool:
    return any(part.has(MatrixExpr) for part in claim.parts())


def _problems(claim: Claim) -> tuple[Problem, ...]:
    left, right = (expression_from_sympy(side) for side in (claim.lhs, claim.rhs))
    conditions = [
        condition_from_sympy(h.condition)
        for h in claim.hypotheses
        if h.condition is not None and h.axiom is None
    ]
    return make_problems(Comparison(SIGNS[claim.relation], left, right), conditions)
