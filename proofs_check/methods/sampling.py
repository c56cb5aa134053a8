"""Tail claims without a known law: failures counted in a seeded sample, with an exact interval.

The verdict is statistical. REFUTED means that the Clopper-Pearson lower bound of the failure
probability exceeds the one allowed, at a level that holds for the whole run together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv

from bounds.arithmetic.floats import FloatField
from bounds.claim import Claim
from bounds.models.strategy import Strategy
from bounds.quantity import Sampler
from bounds.relation import Tail
from bounds.status import Status
from proofs_check.arithmetic.evaluate import as_scalar, evaluate
from proofs_check.methods.binding import bind
from proofs_check.methods.trial import inside
from proofs_check.verdict import Evidence, Strength, Tightness, Witness

METHOD = "sampling"
SAMPLES = 20_000


def clopper_pearson_lower(failures: int, samples: int, alpha: float) -> float:
    r"""Lower end of the one-sided exact interval of level ``1 - alpha`` (Clopper, Pearson 1934).

    It is the alpha-quantile of Beta(k, n - k + 1), and 0 when nothing failed.
    """
    if failures == 0:
        return 0.0
    return float(betaincinv(failures, samples - failures + 1, alpha))


def check_samples(
    claim: Claim, tail: Tail, sampler: Sampler, strategy: Strategy[Any], *, seed: int, alpha: float
) -> Evidence:
    """CONSISTENT or REFUTED at level ``alpha`` for all instances of this claim together."""
    level = alpha / strategy.count
    worst: tuple[float, str] | None = None
    example: Any = None
    looked_at = 0
    for index in range(strategy.count):
        instance = strategy.draw(index, seed)
        allowed = _allowed(claim, tail, instance)
        if allowed is None:
            continue
        looked_at += 1
        example = example or instance.describe()
        rng = np.random.default_rng([seed, index, SAMPLES])
        failures = int(np.count_nonzero(sampler.draw(instance, rng, SAMPLES)))
        if clopper_pearson_lower(failures, SAMPLES, level) > allowed:
            return _refuted(instance, failures, allowed, seed, index, level)
        ratio = failures / SAMPLES / allowed if failures else 0.0
        worst = max(worst or (0.0, ""), (ratio, instance.label))
    if worst is None:
        reason = "no instance satisfies the hypotheses: are they contradictory?"
        return Evidence(METHOD, Status.ERROR, Strength.NONE, reason)
    details = {"instances": looked_at, "samples": SAMPLES, "alpha": alpha, "seed": seed}
    reason = (
        f"{looked_at} instances, {SAMPLES} samples each, no excess at level {alpha:g}: "
        "evidence, no proof"
    )
    return Evidence(
        METHOD,
        Status.CONSISTENT,
        Strength.STATISTICS,
        reason,
        details,
        tightness=Tightness(*worst),
        example=example,
    )


def _allowed(claim: Claim, tail: Tail, instance: Any) -> float | None:
    """The failure probability allowed on an instance; None when it is outside the hypotheses."""
    field = FloatField()
    with field.context():
        values = bind(claim, instance, field)
        if inside(claim, instance, values, field) is not True:
            return None
        return field.to_float(as_scalar(evaluate(tail.failure, values, field), field))


def _refuted(
    instance: Any, failures: int, allowed: float, seed: int, index: int, level: float
) -> Evidence:
    failure = f"{failures} failures in {SAMPLES} samples, seed [{seed}, {index}], level {level:.1e}"
    witness = Witness(
        instance.describe(), str(failures / SAMPLES), str(allowed), "statistics", failure
    )
    reason = f"fails more often than allowed at {instance.label}: {failure}"
    return Evidence(METHOD, Status.REFUTED, Strength.STATISTICS, reason, witness=witness)
