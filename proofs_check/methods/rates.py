"""Limits of rational expressions at infinity: degrees compared, leading coefficients divided."""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.claim import Claim
from bounds.models.strategy import Strategy
from bounds.status import Status
from proofs_check.methods.matrix import Fact, IdentityProof, prove_identity
from proofs_check.methods.symbolic import definitions_of, facts_of, put_in
from proofs_check.methods.trial import satisfies
from proofs_check.verdict import Evidence, Strength

METHOD = "limit"


def check_limit(
    claim: Claim, strategy: Strategy[Any], *, seed: int, precision: int, work: int
) -> Evidence | None:
    """PROVED when lhs tends to rhs as the variable grows; lhs must be rational in the variable.

    None when the claim states no limit.
    """
    if claim.limit is None:
        return None
    variable, point = claim.limit.variable, claim.limit.point
    if point is not sp.oo:
        return _open(f"limits at {point} are not supported, only at infinity")
    left, right = (put_in(side, definitions_of(claim)) for side in (claim.lhs, claim.rhs))
    parts = leading_parts(left, variable)
    if parts is None or right.has(variable):
        return _open(f"both sides must be rational in {variable}, the right one free of it")
    proof = _prove(parts, right, facts_of(claim), work)
    if not proof.proved:
        return _open(proof.reason)
    return Evidence(
        METHOD,
        Status.PROVED,
        Strength.SYMBOLIC,
        f"rational in {variable}: the leading coefficients give the limit",
        {"trace": list(proof.trace), "certificate": dict(proof.certificate)},
        used=proof.used,
        example=satisfies(claim, strategy, seed=seed, precision=precision),
    )


def leading_parts(expression: Any, variable: Any) -> tuple[Any, Any] | None:
    """Coefficients (a, b) with lim expression = a/b if b != 0; None when it has no such form.

    b is the leading coefficient of the denominator and a the coefficient of that same power in the
    numerator, which may not have a higher power.
    """
    numerator, denominator = sp.fraction(sp.together(expression))
    try:
        top, bottom = sp.Poly(numerator, variable), sp.Poly(denominator, variable)
    except sp.PolynomialError:
        return None
    if any(part.has(variable) for poly in (top, bottom) for part in poly.all_coeffs()):
        return None
    if top.degree() > bottom.degree():
        return None
    return top.coeff_monomial(variable ** bottom.degree()), bottom.LC()


def _prove(parts: tuple[Any, Any], right: Any, facts: tuple[Fact, ...], work: int) -> IdentityProof:
    """a/b = right, where the prover must also show b != 0, under facts for large values."""
    top, bottom = parts
    quotient = sp.Mul(top, sp.Pow(bottom, -1, evaluate=False), evaluate=False)
    defined = prove_identity(1 / bottom, 1 / bottom, facts, work=work)
    return prove_identity(quotient, right, facts, work=work) if defined.proved else defined


def _open(reason: str) -> Evidence:
    return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, reason)
