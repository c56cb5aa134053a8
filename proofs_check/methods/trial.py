"""One claim on one instance: exactly where possible, else in balls of growing precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from bounds.arithmetic.field import Field
from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.rationals import RationalField
from bounds.claim import Claim
from bounds.errors import (
    ClaimDefinitionError,
    NotRational,
    SingularSystemError,
    UndefinedError,
)
from bounds.hypothesis import Hypothesis, HypothesisKind
from bounds.relation import Relation
from proofs_check.arithmetic.evaluate import as_scalar, evaluate
from proofs_check.arithmetic.truth import all_defined, all_of, entry_pairs, truth
from proofs_check.methods.binding import Values, bind, calling, check_symbols, point_values

DOUBLINGS = 6
AGREEMENT = 2.0**-400


class Outcome(StrEnum):
    """What one instance says of the claim."""

    HELD = "held"
    AGREED = "agreed to 400 bits"
    FAILED = "failed"
    MISMATCH = "code and formula differ"
    OUTSIDE = "outside the hypotheses"
    UNDECIDED = "undecided"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Trial:
    """The outcome on one instance, its two sides as text, and left/right where that says anything.

    ``arithmetic`` is ``rational`` or ``ball, N bits``; ``note`` says what failed or stayed open.
    """

    label: str
    outcome: Outcome
    arithmetic: str = ""
    lhs: str = ""
    rhs: str = ""
    ratio: float | None = None
    note: str = ""


def fields(precision: int) -> Iterator[tuple[Field, str]]:
    """The exact field first, then roots and balls of doubling precision, with their names."""
    yield RationalField(), "rational"
    for doubling in range(DOUBLINGS):
        bits = precision << doubling
        yield MixedField(bits), f"ball, {bits} bits"


def try_instance(claim: Claim, instance: Any, precision: int) -> Trial:
    """Check hypotheses, definitions and relation of ``claim`` on ``instance``.

    The answer is rigorous: HELD and FAILED are decided in exact rationals or from the end points of
    balls. What a ball cannot decide is tried again with twice the bits, and is UNDECIDED at last.
    An identity between numbers whose tie no separation bound decides is AGREED, and not HELD, when
    both sides agree to 400 bits. MISMATCH is a quantity whose code and formula differ.
    """
    last = Trial(instance.label, Outcome.UNDECIDED, note="no arithmetic could evaluate it")
    for field, arithmetic in fields(precision):
        try:
            with field.context():
                last = _in_field(claim, instance, field, arithmetic)
        except NotRational:
            continue
        except (UndefinedError, SingularSystemError) as error:
            outcome = Outcome.UNDEFINED if error.certain else Outcome.UNDECIDED
            last = Trial(instance.label, outcome, arithmetic, note=str(error))
            if error.certain:
                return last
            continue
        if last.outcome is not Outcome.UNDECIDED:
            return last
    return last


def _in_field(claim: Claim, instance: Any, field: Field, arithmetic: str) -> Trial:
    if certainly_outside(claim, point_values(claim, instance, field), field):
        return Trial(instance.label, Outcome.OUTSIDE, arithmetic, note="hypotheses")
    values = bind(claim, instance, field)
    allowed = inside(claim, instance, values, field)
    if allowed is not True:
        outcome = Outcome.OUTSIDE if allowed is False else Outcome.UNDECIDED
        return Trial(instance.label, outcome, arithmetic, note="hypotheses")
    mismatch = _definitions(claim, values, field)
    if mismatch is not None:
        return replace(mismatch, label=instance.label, arithmetic=arithmetic)
    if claim.relation is Relation.IFF:
        return _equivalence(claim, instance, values, field, arithmetic)
    check_symbols(claim, instance, values)
    left, right = (evaluate(side, values, field) for side in (claim.lhs, claim.rhs))
    outcome = _compare(claim.relation, left, right, field)
    ratio = None if claim.relation is Relation.IDENTITY else _ratio(left, right, field)
    note = f"lhs {claim.relation} rhs" if outcome in (Outcome.FAILED, Outcome.UNDECIDED) else ""
    return Trial(
        instance.label, outcome, arithmetic, text(left, field), text(right, field), ratio, note
    )


def inside(claim: Claim, instance: Any, values: Values, field: Field) -> bool | None:
    """Whether every hypothesis that an instance can show holds on this one."""
    questions: list[Callable[[], bool | None]] = []
    for hypothesis in claim.hypotheses:
        if hypothesis.holds is not None:
            questions.append(partial(_held, hypothesis, instance, field))
        if hypothesis.condition is not None and hypothesis.axiom is None:
            questions.append(partial(truth, hypothesis.condition, values, field))
    return all_defined(questions)


def _held(hypothesis: Hypothesis, instance: Any, field: Field) -> bool | None:
    """What the author's own function says: exactly True, False or None."""
    name = f"hypothesis {hypothesis.name}"
    answer = calling(name, hypothesis.holds, instance, field)
    if answer is not None and not isinstance(answer, bool):
        raise ClaimDefinitionError(f"{name} must say True, False or None, not {answer!r}")
    return answer


def certainly_outside(claim: Claim, values: Values, field: Field) -> bool:
    """Whether the point alone breaks a hypothesis: quantities need not be defined there."""
    known = set(values)
    questions = [
        partial(truth, hypothesis.condition, values, field)
        for hypothesis in claim.hypotheses
        if hypothesis.kind is HypothesisKind.SCALAR
        and hypothesis.condition is not None
        and hypothesis.condition.free_symbols <= known
    ]
    return all_defined(questions) is False


def _definitions(claim: Claim, values: Values, field: Field) -> Trial | None:
    """What is wrong when a computed quantity differs from its formula; None when all agree."""
    for quantity in claim.quantities:
        if quantity.formula is None:
            continue
        computed = values[quantity.symbol]
        others = {key: value for key, value in values.items() if key != quantity.symbol}
        defined = evaluate(quantity.formula, others, field)
        found = compare(computed, defined, field)
        if found not in (Outcome.HELD, Outcome.AGREED):
            outcome = Outcome.MISMATCH if found is Outcome.FAILED else Outcome.UNDECIDED
            note = f"computed {quantity.symbol} = its formula"
            return Trial("", outcome, "", text(computed, field), text(defined, field), note=note)
    return None


def _equivalence(
    claim: Claim, instance: Any, values: Values, field: Field, arithmetic: str
) -> Trial:
    left, right = (truth(side, values, field) for side in (claim.lhs, claim.rhs))
    if left is None or right is None:
        outcome = Outcome.UNDECIDED
    else:
        outcome = Outcome.HELD if left is right else Outcome.FAILED
    note = "" if outcome is Outcome.HELD else "one side holds without the other"
    return Trial(instance.label, outcome, arithmetic, str(left), str(right), note=note)


def _compare(relation: Relation, left: Any, right: Any, field: Field) -> Outcome:
    if relation is Relation.IDENTITY:
        return compare(left, right, field)
    left, right = as_scalar(left, field, "lhs"), as_scalar(right, field, "rhs")
    strict = relation is Relation.LT
    return _DECIDED[field.less(left, right) if strict else field.less_equal(left, right)]


_DECIDED = {True: Outcome.HELD, False: Outcome.FAILED, None: Outcome.UNDECIDED}


def compare(left: Any, right: Any, field: Field) -> Outcome:
    """Equality: HELD when it is certain, AGREED when the sides differ by less than 2^-400 of the
    largest entry, which is no certainty.
    """
    pairs = entry_pairs(left, right, field)
    if pairs is None:
        pairs = [(as_scalar(left, field), as_scalar(right, field))]
    answers = [field.equal(a, b) for a, b in pairs]
    if False in answers or None not in answers:
        return _DECIDED[all_of(answers)]
    try:
        size = max(abs(field.to_float(x)) for pair in pairs for x in pair)
        gap = max(abs(field.to_float(a - b)) + field.error(a - b) for a, b in pairs)
    except UndefinedError:  # too large for floats, or not enclosed at all
        return Outcome.UNDECIDED
    return Outcome.AGREED if gap <= size * AGREEMENT else Outcome.UNDECIDED


def _ratio(left: Any, right: Any, field: Field) -> float | None:
    """left/right when the right side is positive; None when it says nothing."""
    try:
        numerator, denominator = (field.to_float(as_scalar(x, field)) for x in (left, right))
    except UndefinedError:  # too large for a float
        return None
    return numerator / denominator if denominator > 0 else None


def text(value: Any, field: Field) -> str:
    """A scalar as text, or a matrix as rows of entries."""
    try:
        rows, columns = field.shape(value)
    except (AttributeError, TypeError):
        return field.text(value)
    lines = (
        ", ".join(field.text(field.entry(value, i, j)) for j in range(columns)) for i in range(rows)
    )
    return "[" + "; ".join(lines) + "]"
