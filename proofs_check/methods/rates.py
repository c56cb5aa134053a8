"""Limits of rational expressions at infinity, reduced to an identity of leading coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from bounds.claim import Claim
from bounds.relation import Relation
from proofs_check.methods.matrix import Fact, prove_identity
from proofs_check.methods.symbolic import definitions_of, facts_of, put_in


@dataclass(frozen=True)
class LimitForm:
    """What a limit claim comes to. With ``grows`` the identity says only that the leading
    coefficient vanishes: a point where it does not refutes the limit, and nothing proves it.
    ``left`` is the left side, taken for the quotient of the polynomials ``top`` and ``bottom``.
    """

    identity: Claim
    grows: bool
    left: Any
    top: Any
    bottom: Any


def limit_form(claim: Claim) -> LimitForm | None:
    r"""The identity that a limit claim comes to; None when it has no such form.

    For :math:`\mathrm{lhs} = a(x)/b(x)` with polynomials of degrees m <= n in the variable x the
    limit is :math:`a_n/b_n`, if :math:`b_n \ne 0`: an identity proved with that side condition, and
    refuted by a point where it fails. For m > n the left side grows without bound unless
    :math:`a_m = 0`, and then lower terms decide, which are not looked at.

    None also when a hypothesis is only known by ``holds``, when the right side is infinite, when a
    hypothesis ties the variable to anything but a lower end (it may not be free to grow, or other
    symbols move with it), and when a side has a quantity without a formula, which may depend on
    the variable.
    """
    if claim.limit is None or claim.limit.point is not sp.oo:
        return None
    variable = claim.limit.variable
    left, right = (put_in(side, definitions_of(claim)) for side in (claim.lhs, claim.rhs))
    polynomials = _as_quotient(left, variable)
    if polynomials is None or right.has(variable, sp.oo, -sp.oo, sp.zoo, sp.nan):
        return None
    if not _free_to_grow(claim, variable) or _computed_only(claim, left, right):
        return None
    top, bottom = polynomials
    quotient = _quotient(top.coeff_monomial(variable ** bottom.degree()), bottom.LC())
    grows = bool(top.degree() > bottom.degree())
    if grows:
        quotient, right = _quotient(top.LC(), bottom.LC()), sp.Integer(0)
    identity = replace(claim, relation=Relation.IDENTITY, limit=None, lhs=quotient, rhs=right)
    return LimitForm(identity, grows, left, top.as_expr(), bottom.as_expr())


def why_not_shown(claim: Claim, form: LimitForm, variable: Any, *, work: int) -> str:
    """Why the left side is not shown to be defined, and to be that quotient, for large values.

    Empty when it is. SymPy found the polynomials; the prover, which shows every part to be defined,
    says whether they are right. The denominator is not 0 for large values, because the identity of
    the limit shows that its leading coefficient is not.
    """
    large = (Fact("large", variable >= 1), Fact("not a pole", sp.Ne(form.bottom, 0)))
    quotient = _quotient(form.top, form.bottom)
    proof = prove_identity(form.left, quotient, (*facts_of(claim), *large), work=work)
    return "" if proof.proved else f"the left side is not shown to be defined: {proof.reason}"


def _free_to_grow(claim: Claim, variable: Any) -> bool:
    """Whether the hypotheses say no more of the variable than that it exceeds a number."""
    if any(hypothesis.holds is not None for hypothesis in claim.hypotheses):
        return False
    return all(
        isinstance(part, (sp.GreaterThan, sp.StrictGreaterThan))
        and part.lhs == variable
        and part.rhs.is_number
        for hypothesis in claim.hypotheses
        if hypothesis.condition is not None
        for part in sp.And.make_args(hypothesis.condition)
        if part.has(variable)
    )


def _computed_only(claim: Claim, left: Any, right: Any) -> bool:
    """Whether a side has a quantity that is known by its values on instances alone."""
    computed = {q.symbol for q in claim.quantities if q.formula is None}
    return bool(computed & (left.free_symbols | right.free_symbols))


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
