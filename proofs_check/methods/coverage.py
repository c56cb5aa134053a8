"""Tail claims with a known law: the exact probability of failure against the one allowed."""

from __future__ import annotations

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


def check_coverage(
    claim: Claim, tail: Tail, law: Law, strategy: Strategy[Any], *, seed: int, precision: int
) -> Evidence:
    """Whether P(lhs > rhs) <= failure on every instance, with the probability enclosed by its law.

    The tightness reported is the largest probability of failure over the one allowed.
    """
    ratios: list[tuple[float, str]] = []
    example: Any = None
    outside, undecided = 0, []
    for index in range(strategy.count):
        instance = strategy.draw(index, seed)
        answer, text, ratio, arithmetic = _one(claim, tail, law, instance, precision)
        if answer is False:
            witness = Witness(
                instance.describe(), *text, arithmetic, "the bound fails more often than allowed"
            )
            reason = f"fails with probability {text[0]} > {text[1]} at {instance.label}"
            return Evidence(
                METHOD, Status.REFUTED, Strength.RIGOROUS_INSTANCES, reason, witness=witness
            )
        if answer is None and arithmetic == "outside":
            outside += 1
        elif answer is None:
            undecided.append(instance.label)
        else:
            ratios.append((ratio, instance.label))
            example = example or instance.describe()
    return _summary(ratios, outside, undecided, example, seed)


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


def _one(
    claim: Claim, tail: Tail, law: Law, instance: Any, precision: int
) -> tuple[bool | None, tuple[str, str], float, str]:
    for field, arithmetic in fields(precision):
        if field.exact:
            continue  # probabilities of Gaussian events are not rational
        try:
            # Comparing and dividing belong inside: outside, balls work with 53 bits.
            with field.context():
                found = _probability(claim, tail, law, instance, field)
                if found is False:
                    return None, ("", ""), 0.0, "outside"
                if found is None:
                    continue
                probability, allowed = found
                answer = field.less_equal(probability, allowed)
                ratio = _ratio(probability, allowed, field)
        except (NotRational, UndefinedError, SingularSystemError):
            continue
        if answer is not None:
            return answer, (field.text(probability), field.text(allowed)), ratio, arithmetic
    return None, ("", ""), 0.0, "undecided"


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
