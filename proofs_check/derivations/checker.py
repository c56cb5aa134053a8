"""Each step of a derivation checked alone; a step that fails is named by its number.

A step is proved symbolically and also evaluated on the claim's first instances, so that a false
one comes out REFUTED with a witness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bounds.claim import Claim
from bounds.defaults import default_instances
from bounds.derivation import Derivation, Step
from bounds.errors import ClaimDefinitionError
from bounds.models.strategy import Strategy
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.methods.instances import check_instances
from proofs_check.methods.matrix import prove_identity
from proofs_check.methods.symbolic import definitions_of, facts_of, put_in
from proofs_check.verdict import Evidence, Strength, Witness

METHOD = "derivation"
STEP_INSTANCES = 30


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


@dataclass(frozen=True)
class Effort:
    """What a check of steps may spend: units of proof work, and how instances are drawn."""

    work: int
    seed: int = 0
    precision: int = 128


def derivation_evidence(claim: Claim, effort: Effort) -> Evidence | None:
    """PROVED when every step is; else UNDECIDED, capping, with the number of the first bad step."""
    if claim.derivation is None:
        return None
    steps = check_derivation(claim, claim.derivation, effort)
    rows = [{"number": s.number, "status": s.status, "reason": s.reason} for s in steps]
    details = {"steps": rows}
    failed = [step for step in steps if step.status is not Status.PROVED]
    if failed:
        reason = f"step {failed[0].number} is not shown: {failed[0].reason}"
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, reason, details, capping=True)
    used = frozenset().union(*(step.used for step in steps))
    reason = f"all {len(claim.derivation.steps)} steps checked"
    return Evidence(METHOD, Status.PROVED, Strength.DERIVATION, reason, details, used=used)


def check_derivation(
    claim: Claim, derivation: Derivation, effort: Effort
) -> tuple[StepVerdict, ...]:
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
    verdicts = [_end(claim, 0, claim.lhs, derivation.start, "starts at the left side", effort)]
    before = derivation.start
    for number, step in enumerate(derivation.steps, start=1):
        verdicts.append(_step(claim, number, before, step, effort))
        before = step.expression
    last = len(derivation.steps) + 1
    verdicts.append(_end(claim, last, before, claim.rhs, "ends at the right side", effort))
    return tuple(verdicts)


def _end(
    claim: Claim, number: int, left: Any, right: Any, name: str, effort: Effort
) -> StepVerdict:
    """An end of the chain: it must be, or be shown equal to, that side of the claim."""
    found = _equal(claim, number, left, right, effort)
    return replace(found, reason=f"{name}: {found.reason}")


def _step(claim: Claim, number: int, before: Any, step: Step, effort: Effort) -> StepVerdict:
    if step.relation is not Relation.IDENTITY:
        reason = f"rule {step.rule} shows equalities, not {step.relation}"
        return StepVerdict(number, Status.UNDECIDED, reason)
    return _equal(claim, number, before, step.expression, effort)


def _equal(claim: Claim, number: int, left: Any, right: Any, effort: Effort) -> StepVerdict:
    # Also equal expressions go to the prover: it shows that they are defined.
    definitions = definitions_of(claim)
    proof = prove_identity(
        put_in(left, definitions), put_in(right, definitions), facts_of(claim), work=effort.work
    )
    witness = None if left == right else _witness(claim, left, right, effort)
    if witness is not None:
        shown = ", ".join(f"{name} = {value}" for name, value in witness.instance.items())
        reason = f"fails at {shown}: {witness.lhs} against {witness.rhs}"
        return StepVerdict(number, Status.REFUTED, reason)
    status = Status.PROVED if proof.proved else Status.UNDECIDED
    return StepVerdict(number, status, proof.reason or "same normal form", proof.used)


def _witness(claim: Claim, left: Any, right: Any, effort: Effort) -> Witness | None:
    """A small instance at which a step fails, looked for on the claim's first instances."""
    step = replace(claim, lhs=left, rhs=right, derivation=None, mutants=(), variants=())
    family = FirstOnes(claim.instances or default_instances(claim), STEP_INSTANCES)
    found = check_instances(step, family, seed=effort.seed, precision=effort.precision)
    return found.witness


@dataclass(frozen=True)
class FirstOnes:
    """The strategy that stops after the first ``limit`` instances of another one."""

    base: Strategy[Any]
    limit: int

    @property
    def count(self) -> int:
        """At most the limit."""
        return min(self.limit, self.base.count)

    def draw(self, index: int, seed: int) -> Any:
        """The same instance as the base's."""
        return self.base.draw(index, seed)

    def shrink(self, instance: Any) -> Iterator[Any]:
        """The same neighbours as the base's."""
        return self.base.shrink(instance)
