"""Tail claims with a known law: exact probabilities, of an exponential variable X with rate 1."""

from dataclasses import replace

import pytest
from sympy import Rational, exp, log, sympify

from bounds.arrays import UNIT_INTERVAL
from bounds.claim import Claim
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import assume, on_instances
from bounds.points import Points, between, box, choices, point
from bounds.quantity import Law
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from proofs_check.checker import check
from proofs_check.verdict import Strength

X, t, delta = scalar("X"), scalar("t"), scalar("delta")
LAW = Law(X, "exponential", lambda instance, field, threshold: field.exp(-threshold))
POSITIVE = assume("t", t > 0)
BOX = box(30, t=between(0, 20, ends="(]"), delta=UNIT_INTERVAL)


def tail(rhs, failure, *hypotheses, law=LAW, instances=BOX):
    return Claim(
        id="T.c", title="t", lhs=X, rhs=sympify(rhs), relation=Relation.TAIL, source=Source("t"),
        tail=Tail(sympify(failure), law=law), hypotheses=hypotheses, instances=instances,
    )  # fmt: skip


def test_a_bound_with_room_is_consistent_and_its_tightness_is_known():
    found = check(tail(2 * t, exp(-t), POSITIVE))
    assert (found.status, found.strength) == (Status.CONSISTENT, Strength.RIGOROUS_INSTANCES)
    assert 0 < found.tightness.ratio < 1
    assert "exact probability" in found.summary


@pytest.mark.parametrize(
    ("rhs", "failure"),
    [
        (t / 2, exp(-t)),
        (t * Rational(999999, 1000000), exp(-t)),
        (log(1 / delta) - Rational(1, 10**50), delta),
        (0 * t - 1, Rational(99, 100)),
    ],
)
def test_a_false_bound_is_refuted_however_narrowly(rhs, failure):
    inside = (POSITIVE, assume("d", (delta > 0) & (delta < 1)))
    law = Law(X, "", lambda i, f, s: f.number(1) if f.less(s, f.number(0)) else f.exp(-s))
    found = check(tail(rhs, failure, *inside, law=law))
    assert found.status is Status.REFUTED
    assert "more often than allowed" in found.witness.failure


def test_an_exact_tie_cannot_be_decided_and_is_not_consistent():
    found = check(tail(t, exp(-t) * exp(1) / exp(1), POSITIVE, instances=box(5, t=choices("1/3"))))
    assert found.status in (Status.UNDECIDED, Status.CONSISTENT)
    assert found.status is not Status.PROVED


def test_outside_and_contradictory():
    found = check(tail(t, exp(-t) * 2, assume("t", t > 5)))
    assert found.status is Status.CONSISTENT
    assert found.evidence[0].details["outside"] > 0
    nowhere = check(tail(t, exp(-t), assume("t", t > 50)))
    assert nowhere.status is Status.ERROR
    assert "contradictory" in nowhere.summary


def test_an_undecided_hypothesis_leaves_the_claim_undecided():
    sometimes = on_instances("s", "s", holds=lambda i, f: True if i["t"] > 5 else None)
    found = check(tail(2 * t, exp(-t), POSITIVE, sometimes))
    assert found.status is Status.UNDECIDED
    assert found.evidence[0].details["undecided"]
    assert found.evidence[0].details["held"] > 0
    never = on_instances("n", "n", holds=lambda i, f: False)
    assert check(tail(2 * t, exp(-t), sometimes, never)).status is Status.ERROR


def test_an_undecided_hypothesis_hides_no_failure_elsewhere():
    sometimes = on_instances("s", "s", holds=lambda i, f: True if i["t"] > 5 else None)
    assert check(tail(t / 2, exp(-t), POSITIVE, sometimes)).status is Status.REFUTED


def test_the_law_of_another_symbol_is_refused():
    with pytest.raises(ClaimDefinitionError, match="the law is that of"):
        replace(tail(t, exp(-t)), lhs=2 * X)


def test_probabilities_too_small_for_floats():
    far = Points((point({"t": 1000}),))
    assert check(tail(2 * t, exp(-t), POSITIVE, instances=far)).status is Status.CONSISTENT
    assert check(tail(t / 2, exp(-t), POSITIVE, instances=far)).status is Status.REFUTED
    never = Law(X, "never", lambda i, f, s: f.number(0))
    assert (
        check(tail(t, exp(-(t**2)), POSITIVE, law=never, instances=far)).status is Status.CONSISTENT
    )


def test_a_float_is_refused():
    assert check(tail(t * 0.5, exp(-t), POSITIVE)).status is Status.ERROR
    assert check(tail(t, exp(-t) * 1.5, POSITIVE)).status is Status.ERROR
