"""Symbolic evidence: identities proved for every shape by the matrix normal form."""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.claim import Claim
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.methods.matrix import Fact, IdentityProof, prove_identity
from proofs_check.verdict import Evidence, Strength

METHOD = "matrix normal form"


def facts_of(claim: Claim) -> tuple[Fact, ...]:
    """The hypotheses that a prover may use: those with a formal condition, definitions put in."""
    definitions = definitions_of(claim)
    return tuple(
        Fact(h.name, put_in(h.condition, definitions))
        for h in claim.hypotheses
        if h.condition is not None
    )


def definitions_of(claim: Claim) -> dict[Any, Any]:
    """Symbols that a quantity defines by a formula, with the formula."""
    return {q.symbol: q.formula for q in claim.quantities if q.formula is not None}


def put_in(expression: sp.Basic, definitions: dict[Any, Any]) -> sp.Basic:
    """The expression with definitions put in, also those that definitions themselves mention."""
    for _ in range(len(definitions) + 1):
        replaced = expression.xreplace(definitions)
        if replaced == expression:
            break
        expression = replaced
    return expression


def check_identity(claim: Claim, *, work: int) -> Evidence | None:
    """PROVED for an identity that holds for every shape, or UNDECIDED with the reason.

    None when the claim states no identity: this method then has nothing to say.
    """
    if claim.relation is not Relation.IDENTITY:
        return None
    proof = prove(claim, facts_of(claim), work=work)
    if not proof.proved:
        details = {"trace": list(proof.trace), "work": proof.work}
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, proof.reason, details)
    details = {
        "trace": list(proof.trace),
        "certificate": dict(proof.certificate),
        "work": proof.work,
        "unneeded": list(unneeded(claim, work=work)),
    }
    summary = "both sides have the same normal form, for every shape"
    return Evidence(METHOD, Status.PROVED, Strength.SYMBOLIC, summary, details, used=proof.used)


def prove(claim: Claim, facts: tuple[Fact, ...], *, work: int) -> IdentityProof:
    """The attempt to prove lhs = rhs, definitions put in."""
    definitions = definitions_of(claim)
    return prove_identity(
        put_in(claim.lhs, definitions), put_in(claim.rhs, definitions), facts, work=work
    )


def unneeded(claim: Claim, *, work: int) -> tuple[str, ...]:
    """Names of the hypotheses without which, one at a time, the identity is proved again."""
    facts = facts_of(claim)
    return tuple(
        fact.name
        for fact in facts
        if prove(claim, tuple(other for other in facts if other != fact), work=work).proved
    )
