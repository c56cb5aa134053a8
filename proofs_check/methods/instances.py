"""Instance evidence: the claim on every instance of its strategy, and a small witness if it fails.

However many instances hold, the outcome is CONSISTENT at best: instances are no proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bounds.claim import Claim
from bounds.models.strategy import Strategy
from bounds.status import Status
from proofs_check.methods.trial import Outcome, Trial, try_instance
from proofs_check.verdict import Evidence, Strength, Tightness, Witness

SHRINKING_STEPS = 300
METHOD = "instances"
MET = (Outcome.HELD, Outcome.AGREED)


def check_instances(
    claim: Claim, strategy: Strategy[Any], *, seed: int, precision: int
) -> Evidence:
    """Evidence from ``strategy.count`` instances: CONSISTENT, REFUTED, UNDECIDED or ERROR.

    REFUTED stops at the first failing instance and shrinks it. ERROR means that no instance
    satisfies the hypotheses, or that the claim is undefined on one that does.
    """
    trials = try_instances(claim, strategy, range(strategy.count), seed=seed, precision=precision)
    return instance_evidence(claim, strategy, trials, seed=seed, precision=precision)


def try_instances(
    claim: Claim, strategy: Strategy[Any], indices: range, *, seed: int, precision: int
) -> tuple[Trial, ...]:
    """The trials on the instances of these numbers, up to the first that decides."""
    trials: list[Trial] = []
    for index in indices:
        trial = try_instance(claim, strategy.draw(index, seed), precision)
        # Where the claim held nobody asks for its sides, and long rows of them are sent about.
        trials.append(replace(trial, lhs="", rhs="") if trial.outcome in MET else trial)
        if decides(trial):
            break
    return tuple(trials)


def decides(trial: Trial) -> bool:
    """Whether this instance settles the claim, whatever later ones say."""
    return trial.outcome in (Outcome.FAILED, Outcome.MISMATCH, Outcome.UNDEFINED)


def instance_evidence(
    claim: Claim, strategy: Strategy[Any], trials: Sequence[Trial], *, seed: int, precision: int
) -> Evidence:
    """What the trials on the instances 0, 1, ... say; a failing one, the last, is shrunk."""
    if trials and decides(trials[-1]):
        instance, last = strategy.draw(len(trials) - 1, seed), trials[-1]
        if last.outcome is Outcome.FAILED:
            return _refuted(claim, strategy, instance, precision, tried=len(trials))
        describe = _mismatch if last.outcome is Outcome.MISMATCH else _undefined
        return describe(instance, last)
    met = next((index for index, trial in enumerate(trials) if trial.outcome in MET), None)
    example = None if met is None else strategy.draw(met, seed).describe()
    return _summary(trials, example, seed)


def _summary(trials: Sequence[Trial], example: Any, seed: int) -> Evidence:
    counts = Counter(trial.outcome for trial in trials)
    held = [trial for trial in trials if trial.outcome in MET]
    agreed = counts[Outcome.AGREED]
    details = {
        "held": counts[Outcome.HELD],
        "agreed": agreed,
        "outside": counts[Outcome.OUTSIDE],
        "undecided": [t.label for t in trials if t.outcome is Outcome.UNDECIDED],
        "exact": sum(trial.arithmetic == "rational" for trial in held),
        "kinds": sorted({trial.label for trial in held}),
        "seed": seed,
    }
    if not held and not counts[Outcome.UNDECIDED]:
        reason = (
            f"none of {len(trials)} instances satisfies the hypotheses: they are contradictory, or "
            "the claim needs `instances` of its own that satisfy them"
        )
        return Evidence(METHOD, Status.ERROR, Strength.NONE, reason, details)
    if counts[Outcome.UNDECIDED]:
        first = next(trial for trial in trials if trial.outcome is Outcome.UNDECIDED)
        reason = (
            f"{counts[Outcome.UNDECIDED]} of {len(trials)} instances stay undecided, "
            f"first: {first.label} ({first.note}, {first.arithmetic})"
        )
        return Evidence(METHOD, Status.UNDECIDED, Strength.NONE, reason, details, example=example)
    exact = details["exact"]
    how = "all exactly" if exact == len(held) else f"{exact} exactly, the others in balls"
    if agreed:
        how = f"{exact} exactly, {agreed} only to 400 bits"
    reason = f"held on {len(held)} instances ({how}): evidence, no proof"
    return Evidence(
        METHOD,
        Status.CONSISTENT,
        Strength.AGREEMENT if agreed else Strength.RIGOROUS_INSTANCES,
        reason,
        details,
        tightness=_tightest(held),
        example=example,
    )


def _tightest(held: list[Trial]) -> Tightness | None:
    with_ratio = [(t.ratio, t.label) for t in held if t.ratio is not None]
    return Tightness(*max(with_ratio)) if with_ratio else None


def _mismatch(instance: Any, trial: Trial) -> Evidence:
    """The claim itself is not well posed: a symbol has two different meanings."""
    where = instance.describe()
    reason = (
        f"{trial.note} is false at {_shown(where) or instance.label}: {trial.lhs} against "
        f"{trial.rhs}; correct the function or the formula"
    )
    return Evidence(METHOD, Status.ERROR, Strength.NONE, reason, {"point": where})


def _undefined(instance: Any, trial: Trial) -> Evidence:
    where = instance.describe()
    reason = (
        f"undefined inside the hypotheses, at {_shown(where) or instance.label}: {trial.note}; "
        "state as a hypothesis what makes it defined"
    )
    return Evidence(METHOD, Status.ERROR, Strength.NONE, reason, {"point": where})


def _shown(where: Mapping[str, Any]) -> str:
    """A small instance written out; empty for a large one, which its label describes better."""
    text = ", ".join(f"{name} = {value}" for name, value in where.items())
    return text if len(text) <= 100 else ""


def _refuted(
    claim: Claim, strategy: Strategy[Any], instance: Any, precision: int, *, tried: int
) -> Evidence:
    small = shrink(claim, strategy, instance, precision)
    checked = try_instance(claim, small, 2 * precision)
    if checked.outcome is not Outcome.FAILED:
        reason = f"the witness {small.label!r} does not fail when checked again"
        return Evidence(METHOD, Status.ERROR, Strength.NONE, reason, {"point": small.describe()})
    witness = Witness(
        small.describe(), checked.lhs, checked.rhs, checked.arithmetic, _failure(checked)
    )
    reason = f"fails at {small.label or 'an instance'} (instance {tried} of the strategy)"
    return Evidence(
        METHOD,
        Status.REFUTED,
        Strength.RIGOROUS_INSTANCES,
        reason,
        {"tried": tried, "original": instance.describe()},
        witness=witness,
    )


def _failure(trial: Trial) -> str:
    return f"{trial.note} is false: {trial.lhs} against {trial.rhs}"


def shrink(claim: Claim, strategy: Strategy[Any], instance: Any, precision: int) -> Any:
    """A simpler instance at which the claim still fails, found greedily in a bounded search."""
    steps = 0
    current, progress = instance, True
    while progress and steps < SHRINKING_STEPS:
        progress = False
        for candidate in strategy.shrink(current):
            steps += 1
            if try_instance(claim, candidate, precision).outcome is Outcome.FAILED:
                current, progress = candidate, True
                break
            if steps >= SHRINKING_STEPS:
                break
    return current
