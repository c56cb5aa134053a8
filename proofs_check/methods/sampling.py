"""Tail claims without a known law: failures counted in a seeded sample, with an exact interval.

The verdict is statistical. REFUTED means that the Clopper-Pearson lower bound of the failure
probability exceeds the one allowed, at a level that holds for all instances of the claim together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from scipy.special import betaincinv

from bounds.arithmetic.floats import FloatField
from bounds.claim import Claim
from bounds.errors import ClaimDefinitionError, NotRational, SingularSystemError, UndefinedError
from bounds.models.strategy import Strategy
from bounds.quantity import Sampler
from bounds.relation import Tail
from bounds.status import Status
from proofs_check.arithmetic.evaluate import UnsupportedExpression, as_scalar, evaluate
from proofs_check.methods.binding import Values, bind, point_values
from proofs_check.methods.trial import certainly_outside, fields, inside
from proofs_check.verdict import Evidence, Strength, Tightness, Witness

METHOD = "sampling"
SAMPLES = 20_000
ROUNDING = 2.0**-40

Floats = np.ndarray[Any, np.dtype[np.float64]]


def clopper_pearson_lower(failures: int, samples: int, alpha: float) -> float:
    r"""Lower end of the one-sided exact interval of level ``1 - alpha`` (Clopper, Pearson 1934).

    It is the alpha-quantile of Beta(k, n - k + 1), and 0 when nothing failed.
    """
    if failures == 0:
        return 0.0
    return float(betaincinv(failures, samples - failures + 1, alpha))


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
    level = alpha / strategy.count
    ratios: list[tuple[float, str]] = []
    example: Any = None
    undecided: list[str] = []
    for index in range(strategy.count):
        instance = strategy.draw(index, seed)
        within = _inside(claim, instance, precision)
        if within is None:
            undecided.append(instance.label)
        if within is not True:
            continue
        example = example or instance.describe()
        rng = np.random.default_rng([seed, index, SAMPLES])
        failures, allowed = _count(claim, tail, sampler, instance, rng)
        if clopper_pearson_lower(failures, SAMPLES, level) > allowed:
            return _refuted(instance, failures, allowed, seed, index, level)
        ratios.append((failures / SAMPLES / allowed if failures else 0.0, instance.label))
    details = {"instances": len(ratios), "samples": SAMPLES, "alpha": alpha, "seed": seed}
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
    drawn = np.asarray(sampler.draw(instance, rng, SAMPLES))
    right = drawn.shape == (SAMPLES,) and drawn.dtype.kind in "fiu"
    if not right or not np.isfinite(drawn).all():
        raise ClaimDefinitionError(
            f"the sampler of {sampler.symbol} returned shape {drawn.shape}, type {drawn.dtype} for "
            f"size {SAMPLES}; return that many finite float values of the symbol"
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


def _refuted(
    instance: Any, failures: int, allowed: float, seed: int, index: int, level: float
) -> Evidence:
    failure = f"{failures} failures in {SAMPLES} samples, seed [{seed}, {index}], level {level:.1e}"
    witness = Witness(
        instance.describe(), str(failures / SAMPLES), str(allowed), "statistics", failure
    )
    reason = f"fails more often than allowed at {instance.label}: {failure}"
    return Evidence(METHOD, Status.REFUTED, Strength.STATISTICS, reason, witness=witness)
