"""Statistical evidence: the interval is exact, streams go by seed and index, power is there."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Max, Min, Rational, exp, log, sympify, zeta

from bounds.claim import Claim
from bounds.hypothesis import assume, on_instances
from bounds.points import between, box, choices, point
from bounds.quantity import Sampler
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from bounds.theory.inference.i5_decreasing import WISHART, draw_lambda_min
from proofs_check.checker import Settings, check, shared_alpha
from proofs_check.cli import checking
from proofs_check.cli.mutants import mutants
from proofs_check.cli.verify import verify
from proofs_check.methods.sampling import SAMPLES
from proofs_check.verdict import Strength, error_verdict

t, X, u = scalar("t"), scalar("X"), scalar("u")


def tail(failure, probability, instances=None):
    """The bound X <= t for an X that exceeds t with the given probability (of t)."""

    def draw(instance, rng, size):
        value = float(instance["t"])
        return value + np.where(rng.random(size) < probability(value), 1.0, -1.0)

    return Claim(
        id="T.s", title="t", lhs=X, rhs=t, relation=Relation.TAIL, source=Source("t"),
        tail=Tail(sympify(failure), sampler=Sampler(X, "around t", draw)),
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


INSIDE = assume("t", t > 0)


def exponential(instance, rng, size):
    return rng.exponential(size=size)


def bound(lhs, rhs, draw=exponential, hypotheses=(INSIDE,), instances=None):
    """X is exponential with rate 1, so X <= t fails with probability exp(-t)."""
    return Claim(
        id="T.e", title="t", lhs=sympify(lhs), rhs=sympify(rhs), relation=Relation.TAIL,
        tail=Tail(exp(-t), sampler=Sampler(X, "exponential", draw)), source=Source("t"),
        hypotheses=hypotheses, instances=instances or box(12, t=between(0, 3, ends="(]")),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lhs", "rhs", "status"),
    [
        (X, t, Status.CONSISTENT),
        (3 * X - 1, 3 * t - 1, Status.CONSISTENT),
        (exp(X), exp(t), Status.CONSISTENT),
        (-t, -X, Status.CONSISTENT),
        (Max(0, X - t), 0, Status.CONSISTENT),
        (X, 2 * t, Status.CONSISTENT),
        (X * Rational(4, 3), t, Status.REFUTED),
        (X, t * Rational(3, 4), Status.REFUTED),
        (10**9 * X + 1, t, Status.REFUTED),
        (t, X, Status.REFUTED),
        (X, Min(t, 1), Status.REFUTED),
    ],
)
def test_the_verdict_is_on_the_sides_of_the_claim(lhs, rhs, status):
    assert check(bound(lhs, rhs)).status is status


def test_sides_that_differ_by_rounding_alone_do_not_fail():
    tie = bound((X + t) ** 2, X**2 + 2 * t * X + t**2)
    assert check(tie).status is Status.CONSISTENT
    assert check(tie).tightness.ratio == 0


def test_what_a_point_says_of_the_random_symbol_is_not_used():
    claim = bound(X, t, instances=box(12, t=between(0, 3, ends="(]"), X=choices(-5)))
    assert check(claim).tightness.ratio > 0.9


@pytest.mark.parametrize("answer", [None, False])
def test_an_undecided_hypothesis_is_not_taken_for_a_false_one(answer):
    sometimes = on_instances("s", "s", holds=lambda i, f: True if i["t"] > 1 else answer)
    found = check(bound(X, t, hypotheses=(INSIDE, sometimes)))
    assert found.status is (Status.UNDECIDED if answer is None else Status.CONSISTENT)
    wrong = check(bound(X, t / 2, hypotheses=(INSIDE, sometimes)))
    assert wrong.status is Status.REFUTED


@pytest.mark.parametrize(
    "draw",
    [
        lambda i, rng, size: rng.random(size) < 0.5,
        lambda i, rng, size: rng.random(size - 1),
        lambda i, rng, size: np.full(size, np.nan),
        lambda i, rng, size: 1.0,
    ],
)
def test_what_is_no_sample_is_refused(draw):
    found = check(bound(X, t, draw))
    assert found.status is Status.ERROR
    assert "the sampler of X" in found.summary


@pytest.mark.parametrize(
    ("lhs", "rhs"), [(log(X - 100), t), (X * 0.5, t), (X + u, t), (zeta(X), t)]
)
def test_what_cannot_be_evaluated_is_an_error(lhs, rhs):
    assert check(bound(lhs, rhs)).status is Status.ERROR


def test_the_level_is_shared_by_the_claims_with_a_sampler():
    sampled = bound(X, t)
    other = Claim(id="T.o", title="t", lhs=t, rhs=t, source=Source("t"))
    assert shared_alpha([sampled, other, sampled, sampled, sampled], 1e-6) == 2.5e-7
    assert shared_alpha([other], 1e-6) == 1e-6
    assert shared_alpha([], 1e-6) == 1e-6


@pytest.mark.parametrize("command", [verify, mutants])
def test_commands_share_the_level(command, monkeypatch):
    seen = []

    def note(subjects, settings, **_):
        seen.append(settings.alpha)
        return [error_verdict(subject.id, "not run") for subject in subjects]

    monkeypatch.setattr(checking, "check_subjects", note)
    command(["I5"], no_plugins=True)
    assert seen == [1e-6 if command is verify else 5e-7]


def test_wishart_counts_no_failure_where_its_left_side_is_0():
    few = box(4, L=choices(2), d_phi=choices(5), s=choices(2), t=choices(0))
    found = check(replace(WISHART, instances=few, mutants=()))
    assert (found.status, found.tightness.ratio) == (Status.CONSISTENT, 0)
    large = replace(WISHART, lhs=10**9 * WISHART.lhs + 1, mutants=())
    assert check(large).status is Status.REFUTED


def test_wishart_values_have_the_scale_of_the_keys():
    one, two = (
        draw_lambda_min(point({"L": 9, "d_phi": 2, "s": s}), np.random.default_rng(1), 500)
        for s in (1, 2)
    )
    assert np.allclose(two, 4 * one)
    assert 0 < one.mean() < 9


def test_no_instance_inside_is_an_error():
    assert check(tail(exp(-t), lambda s: 0.0, box(5, t=choices(-1)))).status is Status.ERROR
