"""Limits of rational expressions at infinity, reduced to an identity of leading coefficients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from bounds.claim import Claim
from bounds.relation import Relation
from proofs_check.methods.symbolic import definitions_of, put_in


def limit_identity(claim: Claim) -> Claim | None:
    r"""The identity that a limit claim comes to; None when its left side has no such form.

    For :math:`\mathrm{lhs} = a(x)/b(x)` with polynomials of degrees m <= n in the variable x the
    limit is :math:`a_n/b_n`, if :math:`b_n \ne 0`: an identity proved with that side condition, and
    refuted by a point where it fails. For m > n the left side grows without bound unless
    :math:`a_m = 0`, and the identity says just that.
    """
    if claim.limit is None or claim.limit.point is not sp.oo:
        return None
    variable = claim.limit.variable
    left, right = (put_in(side, definitions_of(claim)) for side in (claim.lhs, claim.rhs))
    polynomials = _as_quotient(left, variable)
    if polynomials is None or right.has(variable):
        return None
    top, bottom = polynomials
    quotient = _quotient(top.coeff_monomial(variable ** bottom.degree()), bottom.LC())
    if top.degree() > bottom.degree():
        quotient, right = _quotient(top.LC(), bottom.LC()), sp.Integer(0)
    return replace(claim, relation=Relation.IDENTITY, limit=None, lhs=quotient, rhs=right)


def _quotient(top: Any, bottom: Any) -> Any:
    """top/bottom, not cancelled: the prover must see the denominator and show that it is not 0."""
    return sp.Mul(top, sp.Pow(bottom, -1, evaluate=False), evaluate=False)


def _as_quotient(expression: Any, variable: Any) -> tuple[Any, Any] | None:
    numerator, denominator = sp.fraction(sp.together(expression))
    try:
        polynomials = sp.Poly(numerator, variable), sp.Poly(denominator, variable)
    except sp.PolynomialError:
        return None
    if any(part.has(variable) for poly in polynomials for part in poly.all_coeffs()):
        return None
    return polynomials
