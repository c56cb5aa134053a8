"""Tail claims with a known law: the exact probability of failure against the one allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bounds.arithmetic.field import Field
from bounds.claim import Claim
from bounds.errors import NotRational, SingularSystemError, UndefinedError
from bounds.models.strategy import Strategy
from bounds.quantity import Law
from bounds.relation import Tail
from bounds.status import Status
from proofs_check.arithmetic.evaluate import as_scalar, evaluate
from proofs_check.methods.binding import bind, point_values
from proofs_check.methods.trial import certainly_outside, fields, inside
from proofs_check.verdict import Evidence, Strength, Tightness, Witness

METHOD = "coverage"


@dataclass(frozen=True)
class Coverage:
    """P(lhs > rhs) against the one allowed, on one instance.

    ``answer`` is whether it is within, None when that is not known; ``outside`` the hypotheses
    nothing is asked. ``probability`` and ``allowed`` are texts, ``ratio`` their quotient.
    """

    label: str
    answer: bool | None
    outside: bool = False
    probability: str = ""
    allowed: str = ""
    ratio: float = 0.0
    arithmetic: str = ""


def check_coverage(
    claim: Claim, tail: Tail, law: Law, strategy: Strategy[Any], *, seed: int, precision: int
) -> Evidence:
    """Whether P(lhs > rhs) <= failure on every instance, with the probability enclosed by its law.

    The tightness reported is the largest probability of failure over the one allowed.
    """
    indices = range(strategy.count)
    found = cover(claim, tail, law, strategy, indices, seed=seed, precision=precision)
    return coverage_evidence(strategy, found, seed=seed)


def cover(
    claim: Claim,
    tail: Tail,
    law: Law,
    strategy: Strategy[Any],
    indices: range,
    *,
    seed: int,
    precision: int,
) -> tuple[Coverage, ...]:
    """What is found on the instances of these numbers, up to the first that fails."""
    found: list[Coverage] = []
    for index in indices:
        found.append(_one(claim, tail, law, strategy.draw(index, seed), precision))
        if found[-1].answer is False:
            break
    return tuple(found)


def coverage_evidence(strategy: Strategy[Any], found: Sequence[Coverage], *, seed: int) -> Evidence:
    """What the instances 0, 1, ... say together."""
    if found and found[-1].answer is False:
        return _refuted(strategy.draw(len(found) - 1, seed), found[-1])
    held = [index for index, one in enumerate(found) if one.answer]
    example = strategy.draw(held[0], seed).describe() if held else None
    ratios = [(found[index].ratio, found[index].label) for index in held]
    undecided = [one.label for one in found if one.answer is None and not one.outside]
    return _summary(ratios, sum(one.outside for one in found), undecided, example, seed)


def _refuted(instance: Any, found: Coverage) -> Evidence:
    sides = found.probability, found.allowed
    why = "the bound fails more often than allowed"
    witness = Witness(instance.describe(), *sides, found.arithmetic, why)
    reason = f"fails with probability {sides[0]} > {sides[1]} at {instance.label}"
    return Evidence(METHOD, Status.REFUTED, Strength.RIGOROUS_INSTANCES, reason, witness=witness)


def _summary(
    ratios: list[tuple[float, str]], outside: int, undecided: list[str], example: Any, seed: int
) -> Evidence:
    details = {
        "held": len(ratios),
        "outside": outside,
        "undecided": undecided,
        "kinds": sorted({label for _, label in ratios}),
        "seed": seed,
    }
    if undecided:
        reason = f"{len(undecided)} instances could not be decided, first: {undecided[0]}"
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, reason, details)
    if not ratios:
        reason = f"none of {outside} instances satisfies the hypotheses: are they contradictory?"
        return Evidence(METHOD, Status.ERROR, Strength.NONE, reason, details)
    reason = (
        f"exact probability of failure within the one allowed on {len(ratios)} instances: "
        "evidence, no proof"
    )
    return Evidence(
        METHOD,
        Status.CONSISTENT,
        Strength.RIGOROUS_INSTANCES,
        reason,
        details,
        tightness=Tightness(*max(ratios)),
        example=example,
    )


def _one(claim: Claim, tail: Tail, law: Law, instance: Any, precision: int) -> Coverage:
    for field, arithmetic in fields(precision):
        if field.exact:
            continue  # probabilities of Gaussian events are not rational
        try:
            # Comparing and dividing belong inside: outside, balls work with 53 bits.
            with field.context():
                found = _probability(claim, tail, law, instance, field)
                if found is False:
                    return Coverage(instance.label, None, outside=True)
                if found is None:
                    continue
                probability, allowed = found
                answer = field.less_equal(probability, allowed)
                ratio = _ratio(probability, allowed, field)
        except (NotRational, UndefinedError, SingularSystemError):
            continue
        if answer is not None:
            sides = field.text(probability), field.text(allowed)
            return Coverage(instance.label, answer, False, *sides, ratio, arithmetic)
    return Coverage(instance.label, None)


def _ratio(probability: Any, allowed: Any, field: Field) -> float:
    """probability/allowed, divided before it is rounded: both may be too small for floats."""
    if field.equal(probability, field.number(0)) is True:
        return 0.0
    try:
        return field.to_float(probability / allowed)
    except (UndefinedError, ZeroDivisionError):
        return 1.0


def _probability(
    claim: Claim, tail: Tail, law: Law, instance: Any, field: Field
) -> tuple[Any, Any] | Literal[False] | None:
    """Probability of failure and the one allowed; False when the instance is outside.

    None when this field cannot tell whether a hypothesis holds.
    """
    if certainly_outside(claim, point_values(claim, instance, field), field):
        return False
    values = bind(claim, instance, field)
    within = inside(claim, instance, values, field)
    if within is not True:
        return within
    threshold = as_scalar(evaluate(claim.rhs, values, field), field)
    allowed = as_scalar(evaluate(tail.failure, values, field), field)
    return law.exceeds(instance, field, threshold), allowed
