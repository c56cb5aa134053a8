"""Statistical evidence: the interval is exact, streams go by seed and index, power is there."""

import numpy as np
import pytest
from scipy import stats
from sympy import exp, sympify

from bounds.claim import Claim
from bounds.hypothesis import assume
from bounds.points import between, box, choices
from bounds.quantity import Sampler
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from proofs_check.checker import Settings, check
from proofs_check.methods.sampling import SAMPLES, clopper_pearson_lower
from proofs_check.verdict import Strength

t = scalar("t")


@pytest.mark.parametrize(("k", "n"), [(1, 10), (5, 10), (10, 10), (3, 20_000), (10_000, 20_000)])
@pytest.mark.parametrize("alpha", [0.05, 1e-6, 1e-9])
def test_clopper_pearson_is_exact(k, n, alpha):
    low = clopper_pearson_lower(k, n, alpha)
    assert 0 < low < k / n
    # At the lower end, k or more failures happen with probability alpha.
    assert stats.binom.sf(k - 1, n, low) == pytest.approx(alpha, rel=1e-6)
    assert clopper_pearson_lower(0, n, alpha) == 0


def tail(failure, probability, instances=None):
    """A bound that fails with the given probability (of the instance's t)."""

    def draw(instance, rng, size):
        return rng.random(size) < probability(float(instance["t"]))

    return Claim(
        id="T.s", title="t", lhs=t, rhs=t, relation=Relation.TAIL, source=Source("t"),
        tail=Tail(sympify(failure), sampler=Sampler("fails", draw)),
        hypotheses=(assume("t", t > 0),),
        instances=instances or box(12, t=between(-1, 3)),
    )  # fmt: skip


def test_true_and_tight_is_consistent():
    found = check(tail(exp(-t), lambda s: np.exp(-s)))
    assert (found.status, found.strength) == (Status.CONSISTENT, Strength.STATISTICS)
    details = found.evidence[-1].details
    assert details["samples"] == SAMPLES
    assert details["instances"] < 12, "points outside the hypotheses are passed over"


def test_false_is_refuted_with_its_numbers():
    found = check(tail(exp(-t), lambda s: 1.3 * np.exp(-s)))
    assert (found.status, found.strength) == (Status.REFUTED, Strength.STATISTICS)
    witness = found.witness
    assert float(witness.lhs) > float(witness.rhs)
    assert "seed [0, " in witness.failure
    failures = int(witness.failure.split()[0])
    assert failures / SAMPLES == float(witness.lhs)


def test_an_excess_within_chance_is_not_refuted():
    barely = tail(exp(-t), lambda s: 1.005 * np.exp(-s), box(4, t=choices(1)))
    assert check(barely).status is Status.CONSISTENT


def test_seeds_decide_and_nothing_else():
    claim = tail(exp(-t), lambda s: np.exp(-s))
    assert check(claim).evidence == check(claim).evidence
    assert check(claim).evidence != check(claim, Settings(seed=1)).evidence


def test_allowed_probabilities_too_small_for_floats():
    never = tail(exp(-(t**2)), lambda s: 0.0, box(4, t=choices(100)))
    assert check(never).status is Status.CONSISTENT
    always = tail(exp(-(t**2)), lambda s: 1.0, box(4, t=choices(100)))
    assert check(always).status is Status.REFUTED


def test_no_instance_inside_is_an_error():
    assert check(tail(exp(-t), lambda s: 0.0, box(5, t=choices(-1)))).status is Status.ERROR
