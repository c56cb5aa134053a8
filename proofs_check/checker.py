"""The one entry: every method that applies to a claim, and the verdict that follows from all."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from bounds.claim import Claim
from bounds.errors import BoundsError
from bounds.status import Status
from proofs_check.cache import Cache
from proofs_check.derivations import Effort, derivation_evidence
from proofs_check.methods.on_instances import Examination, Row, Rows, settles, strategy_of
from proofs_check.methods.parts import groups
from proofs_check.methods.rates import limit_form, why_not_shown
from proofs_check.methods.scalar_inequality import check_inequality
from proofs_check.methods.symbolic import check_identity
from proofs_check.verdict import Evidence, Strength, Verdict, error_verdict

REFUTED_SHARE = 20


@dataclass(frozen=True)
class Settings:
    """What decides the outcome besides the claim; all of it stands in the verdict.

    ``seed`` of every random stream; ``precision`` in bits at which balls start; ``alpha`` the level
    of statistical refutation of the claim checked, all its instances together; ``work`` the units a
    symbolic proof may spend; ``instances`` how many are tried, None for as many as the claim says.
    A run over many claims keeps its own level by giving each of them the part that
    :func:`shared_alpha` says.
    """

    seed: int = 0
    precision: int = 128
    alpha: float = 1e-6
    work: int = 50_000
    instances: int | None = None


def shared_alpha(claims: Iterable[Claim], alpha: float) -> float:
    """The level of each claim for which the whole run has level ``alpha`` (Bonferroni).

    Only claims with a sampler can be refuted by chance, so only they share it.
    """
    sampled = sum(claim.tail is not None and claim.tail.sampler is not None for claim in claims)
    return alpha / max(1, sampled)


def check(claim: Claim, settings: Settings | None = None, *, cache: Cache | None = None) -> Verdict:
    """The verdict on ``claim`` from all methods together.

    A valid proof gives PROVED, a checked witness REFUTED, both together ERROR; a failed derivation
    step caps the verdict at UNDECIDED; a proof without a single instance that satisfies the
    hypotheses may be vacuous and is UNDECIDED. A proof of an inequality that ``cache`` holds is
    checked again instead of being searched.
    """
    chosen = settings or Settings()
    started = time.perf_counter()
    try:
        found = examination(claim, chosen)
        verdict = conclude(claim, chosen, () if found is None else _in_turn(found), cache=cache)
    except BoundsError as error:
        verdict = failed(claim.id, chosen, f"{type(error).__name__}: {error}")
    return replace(verdict, seconds=time.perf_counter() - started)


def failed(claim_id: str, settings: Settings, reason: str) -> Verdict:
    """The verdict on a claim whose check was broken off by an error."""
    return replace(error_verdict(claim_id, reason), settings=asdict(settings))


def _in_turn(found: Examination) -> Rows:
    """The rows of all parts, up to the first group of parts that decides."""
    rows: list[Row] = []
    for group in groups(found.parts):
        new = [row for part in group for row in found.try_part(part)]
        rows += new
        if settles(new, found.level):
            break
    return tuple(rows)


def examination(claim: Claim, settings: Settings) -> Examination | None:
    """What is put on instances: the claim, or the identity that a limit comes to.

    None for a limit that has no such form.

    Raises:
        ClaimDefinitionError: the claim has fewer instances than the settings ask for.
    """
    form = None if claim.limit is None else limit_form(claim)
    if claim.limit is not None and form is None:
        return None
    subject = claim if form is None else form.identity
    strategy = strategy_of(subject, settings.instances, settings.seed)
    return Examination(subject, strategy, settings.seed, settings.precision, settings.alpha)


def conclude(
    claim: Claim, settings: Settings, rows: Rows, *, cache: Cache | None = None
) -> Verdict:
    """The verdict from what was found on the instances, and from all the other methods."""
    verdict = combine(claim, _gather(claim, settings, rows, cache))
    return replace(verdict, settings=asdict(settings))


def _gather(
    claim: Claim, settings: Settings, rows: Rows, cache: Cache | None
) -> tuple[Evidence, ...]:
    found = examination(claim, settings)
    if found is None:
        reason = "only limits at infinity of rational expressions are decided"
        return (Evidence("limit", Status.UNDECIDED, Strength.NONE, reason),)
    on_instances = found.evidence(rows)
    form = None if claim.limit is None else limit_form(claim)
    if form is not None and form.grows:
        return (_unbounded(on_instances),)
    evidence = _by_all_methods(found.claim, settings, on_instances, cache)
    if form is None or claim.limit is None:
        return evidence
    doubt = why_not_shown(claim, form, claim.limit.variable, work=settings.work)
    if doubt:
        doubted = Evidence("limit", Status.UNDECIDED, Strength.NONE, doubt, capping=True)
        return (*evidence, doubted)
    return evidence


def _by_all_methods(
    claim: Claim, settings: Settings, on_instances: Evidence, cache: Cache | None
) -> tuple[Evidence, ...]:
    # A claim that fails on an instance still goes to the prover, with less work, since a proof
    # would mean that one of the two is wrong.
    refuted = on_instances.status is Status.REFUTED
    work = settings.work // REFUTED_SHARE if refuted else settings.work
    found = [
        check_identity(claim, work=work),
        check_inequality(claim, seed=settings.seed, cache=cache),
        derivation_evidence(claim, Effort(work, settings.seed, settings.precision)),
        on_instances,
    ]
    return tuple(evidence for evidence in found if evidence is not None)


def _unbounded(on_instances: Evidence) -> Evidence:
    """A limit of something that grows unless its leading coefficient is 0: never a proof."""
    if on_instances.status in (Status.REFUTED, Status.ERROR):
        return on_instances
    reason = "the left side grows unless its leading coefficient is 0; lower terms are not decided"
    return Evidence("limit", Status.UNDECIDED, Strength.NONE, reason)


def combine(claim: Claim, evidence: tuple[Evidence, ...]) -> Verdict:
    """The verdict that the evidence of all methods allows, by the rules of :func:`check`."""
    deciding, status, summary = _decide(evidence)
    used = frozenset().union(*(e.used for e in evidence if e.status is Status.PROVED))
    tightness = next((e.tightness for e in evidence if e.tightness is not None), None)
    unneeded = {name for e in evidence for name in e.details.get("unneeded", ())}
    axioms = {h.axiom for h in claim.hypotheses if h.axiom is not None and h.name in used}
    order = [h.name for h in claim.hypotheses]
    proved = status is Status.PROVED
    return Verdict(
        claim.id,
        status,
        deciding.strength if deciding is not None and deciding.status is status else Strength.NONE,
        summary,
        evidence,
        witness=next((e.witness for e in evidence if e.witness is not None), None),
        tightness=tightness,
        used=tuple(name for name in order if name in used) if proved else (),
        unneeded=tuple(name for name in order if name in unneeded) if proved else (),
        axioms=tuple(sorted(axioms)) if proved else (),
        example=_example(evidence),
    )


def _decide(evidence: tuple[Evidence, ...]) -> tuple[Evidence | None, Status, str]:
    by_status = {status: [e for e in evidence if e.status is status] for status in Status}
    if not evidence:
        return None, Status.UNDECIDED, "no method applies"
    if by_status[Status.ERROR]:
        first = by_status[Status.ERROR][0]
        return first, Status.ERROR, first.summary
    if by_status[Status.PROVED] and by_status[Status.REFUTED]:
        proof, witness = by_status[Status.PROVED][0], by_status[Status.REFUTED][0]
        summary = f"{proof.method} proves it, yet it {witness.summary}: one of the two is wrong"
        return None, Status.ERROR, summary
    if by_status[Status.REFUTED]:
        first = by_status[Status.REFUTED][0]
        return first, Status.REFUTED, first.summary
    capping = next((e for e in evidence if e.capping), None)
    if capping is not None:
        return capping, Status.UNDECIDED, capping.summary
    if by_status[Status.PROVED]:
        return _proved(by_status[Status.PROVED][0], evidence)
    for status in (Status.CONSISTENT, Status.UNDECIDED):
        if by_status[status] and not (status is Status.CONSISTENT and _open_instances(evidence)):
            first = by_status[status][-1]
            return first, status, first.summary
    return None, Status.UNDECIDED, evidence[-1].summary


def _proved(proof: Evidence, evidence: tuple[Evidence, ...]) -> tuple[Evidence, Status, str]:
    if _example(evidence) is None:
        summary = "proved, but no instance shows that the hypotheses can be met: give instances"
        return proof, Status.UNDECIDED, summary
    return proof, Status.PROVED, proof.summary


def _open_instances(evidence: tuple[Evidence, ...]) -> bool:
    return any(e.method == "instances" and e.status is Status.UNDECIDED for e in evidence)


def _example(evidence: tuple[Evidence, ...]) -> Any:
    return next((e.example for e in evidence if e.example is not None), None)
