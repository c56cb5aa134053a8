"""Tail claims without a known law: failures counted in a seeded sample, with an exact interval.

The verdict is statistical. REFUTED means that the Clopper-Pearson lower bound of the failure
probability exceeds the one allowed, at a level that holds for all instances of the claim together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from bounds.arithmetic.floats import FloatField
from bounds.claim import Claim
from bounds.errors import ClaimDefinitionError, NotRational, SingularSystemError, UndefinedError
from bounds.models.laws import clopper_pearson
from bounds.models.strategy import Strategy
from bounds.quantity import Sampler
from bounds.relation import Tail
from bounds.status import Status
from proofs_check.arithmetic.evaluate import UnsupportedExpression, as_scalar, evaluate
from proofs_check.methods.binding import Values, bind, point_values
from proofs_check.methods.parts import Part, groups, split
from proofs_check.methods.trial import certainly_outside, fields, inside
from proofs_check.verdict import Evidence, Strength, Tightness, Witness

METHOD = "sampling"
BATCH = 5_000
BATCHES = 4
SAMPLES = BATCHES * BATCH
ROUNDING = 2.0**-40

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Count:
    """What one batch of samples on the instance number ``index`` counted.

    ``within`` is whether the hypotheses hold there; only if so, there are samples: ``failures`` of
    ``samples`` have lhs > rhs, ``allowed`` is the probability that the claim allows for that.
    """

    index: int
    label: str
    within: bool | None
    failures: int = 0
    samples: int = 0
    allowed: float = 1.0

    def __add__(self, other: Count) -> Count:
        """Both batches, on the same instance, together."""
        failures, samples = self.failures + other.failures, self.samples + other.samples
        return replace(self, failures=failures, samples=samples)


def check_samples(
    claim: Claim,
    tail: Tail,
    sampler: Sampler,
    strategy: Strategy[Any],
    *,
    seed: int,
    alpha: float,
    precision: int,
) -> Evidence:
    """CONSISTENT or REFUTED at level ``alpha`` for all instances of this claim together.

    An instance on which a hypothesis cannot be decided, with balls from ``precision`` bits on,
    makes the claim UNDECIDED.
    """
    counts: list[Count] = []
    for group in groups(split(strategy.count, BATCHES)):
        found = [
            count
            for part in group
            for count in draw_batch(
                claim, tail, sampler, strategy, part, seed=seed, precision=precision
            )
        ]
        counts += found
        if first_excess(found, alpha / strategy.count) is not None:
            break
    return sample_evidence(strategy, counts, seed=seed, alpha=alpha)


def draw_batch(
    claim: Claim,
    tail: Tail,
    sampler: Sampler,
    strategy: Strategy[Any],
    part: Part,
    *,
    seed: int,
    precision: int,
) -> tuple[Count, ...]:
    """One batch on each instance of the part; its random stream is (seed, instance, batch)."""
    found: list[Count] = []
    for index in part.indices:
        instance = strategy.draw(index, seed)
        count = Count(index, instance.label, _inside(claim, instance, precision))
        if count.within:
            rng = np.random.default_rng([seed, index, part.batch])
            failures, allowed = _count(claim, tail, sampler, instance, rng)
            count = replace(count, failures=failures, samples=BATCH, allowed=allowed)
        found.append(count)
    return tuple(found)


def together(counts: Sequence[Count]) -> tuple[Count, ...]:
    """One count for each instance, in the order of the instances."""
    sums: dict[int, Count] = {}
    for count in counts:
        sums[count.index] = sums[count.index] + count if count.index in sums else count
    return tuple(sums[index] for index in sorted(sums))


def first_excess(counts: Sequence[Count], level: float) -> Count | None:
    """The first instance that fails more often than allowed, at ``level`` for this instance alone.

    Each instance is looked at once, with all its batches, so the level holds.
    """
    for count in together(counts):
        if not count.within:
            continue
        interval = clopper_pearson(count.failures, count.samples, level, sides="lower")
        if interval.lower > count.allowed:
            return count
    return None


def sample_evidence(
    strategy: Strategy[Any], counts: Sequence[Count], *, seed: int, alpha: float
) -> Evidence:
    """What all batches say together."""
    level = alpha / max(1, strategy.count)
    excess = first_excess(counts, level)
    if excess is not None:
        return _refuted(strategy.draw(excess.index, seed), excess, seed, level)
    each = together(counts)
    met = [count for count in each if count.within]
    example = strategy.draw(met[0].index, seed).describe() if met else None
    ratios = [(c.failures / c.samples / c.allowed if c.failures else 0.0, c.label) for c in met]
    details = {"instances": len(met), "samples": SAMPLES, "alpha": alpha, "seed": seed}
    undecided = [count.label for count in each if count.within is None]
    return _summary(ratios, undecided, details, example)


def _summary(
    ratios: list[tuple[float, str]], undecided: list[str], details: dict[str, Any], example: Any
) -> Evidence:
    if undecided:
        reason = f"{len(undecided)} instances could not be decided, first: {undecided[0]}"
        found = {**details, "undecided": undecided}
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, reason, found)
    if not ratios:
        reason = "no instance satisfies the hypotheses: are they contradictory?"
        return Evidence(METHOD, Status.ERROR, Strength.NONE, reason)
    reason = (
        f"{len(ratios)} instances, {SAMPLES} samples each, no excess at level "
        f"{details['alpha']:g}: evidence, no proof"
    )
    return Evidence(
        METHOD,
        Status.CONSISTENT,
        Strength.STATISTICS,
        reason,
        details,
        tightness=Tightness(*max(ratios)),
        example=example,
    )


def _inside(claim: Claim, instance: Any, precision: int) -> bool | None:
    """Whether the hypotheses hold on an instance; decided exactly or in balls, not in floats."""
    for field, _ in fields(precision):
        try:
            with field.context():
                if certainly_outside(claim, point_values(claim, instance, field), field):
                    return False
                within = inside(claim, instance, bind(claim, instance, field), field)
        except (NotRational, UndefinedError, SingularSystemError):
            continue
        if within is not None:
            return within
    return None


def _count(
    claim: Claim, tail: Tail, sampler: Sampler, instance: Any, rng: np.random.Generator
) -> tuple[int, float]:
    """How many samples have lhs > rhs, and the failure probability allowed."""
    drawn = _drawn(sampler, instance, rng)
    field = FloatField()
    with field.context():
        values = bind(claim, instance, field)
        values.pop(sampler.symbol, None)  # random: what a point may say of it is not used
        allowed = field.to_float(as_scalar(evaluate(tail.failure, values, field), field))
        left, right = (
            _on_samples(side, sampler.symbol, drawn, values, field)
            for side in (claim.lhs, claim.rhs)
        )
    # Sides that differ by rounding alone are a tie, which is no failure.
    return int(np.count_nonzero(left - right > ROUNDING * (abs(left) + abs(right)))), allowed


def _drawn(sampler: Sampler, instance: Any, rng: np.random.Generator) -> Floats:
    drawn = np.asarray(sampler.draw(instance, rng, BATCH))
    right = drawn.shape == (BATCH,) and drawn.dtype.kind in "fiu"
    if not right or not np.isfinite(drawn).all():
        raise ClaimDefinitionError(
            f"the sampler of {sampler.symbol} returned shape {drawn.shape}, type {drawn.dtype} for "
            f"size {BATCH}; return that many finite float values of the symbol"
        )
    return drawn.astype(np.float64)


def _on_samples(
    side: sp.Basic, symbol: sp.Basic, drawn: Floats, values: Values, field: FloatField
) -> Floats:
    """One side of the claim at every sample.

    Raises:
        UndefinedError: the side has no finite value at some sample.
        UnsupportedExpression: NumPy has no function for a part of the side.
    """
    known: dict[sp.Basic, float] = {}
    expression = _frozen(side, symbol, values, field, known)
    function = sp.lambdify((symbol, *known), expression, "numpy")
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(function(drawn, *known.values()), dtype=np.float64)
    except (NameError, TypeError, OverflowError) as error:
        raise UnsupportedExpression(f"{side} cannot be evaluated on samples: {error}") from error
    if not np.isfinite(result).all():
        raise UndefinedError(f"{side} is not a finite number at some sample of {symbol}")
    return np.broadcast_to(result, drawn.shape)


def _frozen(
    part: Any, symbol: sp.Basic, values: Values, field: FloatField, known: dict[sp.Basic, float]
) -> Any:
    """The expression with a new symbol for each part that is not random; ``known`` its values."""
    if part == symbol or isinstance(part, sp.Rational):
        return part
    if symbol not in part.free_symbols:
        stand_in = sp.Dummy(real=True)
        known[stand_in] = field.to_float(as_scalar(evaluate(part, values, field), field))
        return stand_in
    return part.func(*(_frozen(x, symbol, values, field, known) for x in part.args))


def _refuted(instance: Any, count: Count, seed: int, level: float) -> Evidence:
    drawn = f"{count.failures} failures in {count.samples} samples"
    failure = f"{drawn}, seed [{seed}, {count.index}], level {level:.1e}"
    sides = str(count.failures / count.samples), str(count.allowed)
    witness = Witness(instance.describe(), *sides, "statistics", failure)
    reason = f"fails more often than allowed at {instance.label}: {failure}"
    return Evidence(METHOD, Status.REFUTED, Strength.STATISTICS, reason, witness=witness)
