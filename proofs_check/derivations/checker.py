"""Each step of a derivation checked alone; a step that fails is named by its number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bounds.claim import Claim
from bounds.derivation import Derivation, Step
from bounds.errors import ClaimDefinitionError
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.methods.matrix import prove_identity
from proofs_check.methods.symbolic import definitions_of, facts_of, put_in
from proofs_check.verdict import Evidence, Strength

METHOD = "derivation"


@dataclass(frozen=True)
class StepVerdict:
    """What was found of one step.

    ``number`` counts from 1; step 0 ties the start to the claim's left side, and the step after the
    last one ties the end to its right side.
    """

    number: int
    status: Status
    reason: str
    used: frozenset[str] = frozenset()


def derivation_evidence(claim: Claim, *, work: int) -> Evidence | None:
    """PROVED when every step is; else UNDECIDED, capping, with the number of the first bad step."""
    if claim.derivation is None:
        return None
    steps = check_derivation(claim, claim.derivation, work=work)
    details = {
        "steps": [{"number": s.number, "status": s.status, "reason": s.reason} for s in steps]
    }
    failed = [step for step in steps if step.status is not Status.PROVED]
    if failed:
        reason = f"step {failed[0].number} is not shown: {failed[0].reason}"
        return Evidence(
            METHOD, Status.UNDECIDED, Strength.NONE, reason, details, capping=True
        )  # fmt: skip
    used = frozenset().union(*(step.used for step in steps))
    reason = f"all {len(claim.derivation.steps)} steps checked"
    return Evidence(METHOD, Status.PROVED, Strength.DERIVATION, reason, details, used=used)


def check_derivation(claim: Claim, derivation: Derivation, *, work: int) -> tuple[StepVerdict, ...]:
    """Verdicts on: claim's lhs = start, every step, last expression = claim's rhs.

    Raises:
        ClaimDefinitionError: the derivation is empty, or derives another relation than the claim's.
    """
    if not derivation.steps:
        raise ClaimDefinitionError(f"claim {claim.id!r}: the derivation has no steps")
    if claim.relation is not Relation.IDENTITY:
        raise ClaimDefinitionError(
            f"claim {claim.id!r}: a derivation by equalities cannot show {claim.relation}"
        )
    verdicts = [_end(claim, 0, claim.lhs, derivation.start, "starts at the left side", work)]
    before = derivation.start
    for number, step in enumerate(derivation.steps, start=1):
        verdicts.append(_step(claim, number, before, step, work))
        before = step.expression
    last = len(derivation.steps) + 1
    verdicts.append(_end(claim, last, before, claim.rhs, "ends at the right side", work))
    return tuple(verdicts)


def _end(claim: Claim, number: int, left: Any, right: Any, name: str, work: int) -> StepVerdict:
    """An end of the chain: it must be, or be shown equal to, that side of the claim."""
    found = _equal(claim, number, left, right, work)
    return replace(found, reason=f"{name}: {found.reason}")


def _step(claim: Claim, number: int, before: Any, step: Step, work: int) -> StepVerdict:
    if step.relation is not Relation.IDENTITY:
        reason = f"rule {step.rule} shows equalities, not {step.relation}"
        return StepVerdict(number, Status.UNDECIDED, reason)
    return _equal(claim, number, before, step.expression, work)


def _equal(claim: Claim, number: int, left: Any, right: Any, work: int) -> StepVerdict:
    # Also equal expressions go to the prover: it shows that they are defined.
    definitions = definitions_of(claim)
    proof = prove_identity(
        put_in(left, definitions), put_in(right, definitions), facts_of(claim), work=work
    )
    status = Status.PROVED if proof.proved else Status.UNDECIDED
    return StepVerdict(number, status, proof.reason or "same normal form", proof.used)
