"""Instance evidence: counts, small witnesses, and CONSISTENT as the most it can say."""

from fractions import Fraction

import pytest
from sympy import Trace, log, sqrt, sympify

from bounds.arrays import arrays
from bounds.claim import Claim
from bounds.hypothesis import assume
from bounds.points import Points, between, box, integers, point
from bounds.relation import Relation
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import matrix, scalar
from proofs_check.methods.instances import SHRINKING_STEPS, check_instances, shrink
from proofs_check.methods.trial import Outcome, try_instance
from proofs_check.verdict import Strength

x, y, n, m = (scalar(name) for name in "xynm")
A = matrix("A", n, m)


def claim(lhs, rhs, relation=Relation.LE, **rest):
    return Claim(
        id="T.i", title="t", lhs=sympify(lhs), rhs=sympify(rhs), relation=relation,
        source=Source("t"), **rest,
    )  # fmt: skip


def check(statement, strategy, seed=0):
    return check_instances(statement, strategy, seed=seed, precision=128)


def test_counts_and_kinds():
    found = check(
        claim(sqrt(x), x + 1, hypotheses=(assume("x", x >= 0),)), box(40, x=between(-1, 4))
    )
    details = found.details
    assert (found.status, found.strength) == (Status.CONSISTENT, Strength.RIGOROUS_INSTANCES)
    assert details["held"] + details["outside"] == 40
    assert 0 < details["exact"] < details["held"]
    assert details["outside"] > 0
    assert details["undecided"] == []
    assert len(details["kinds"]) == len(set(details["kinds"]))
    assert 0 < found.tightness.ratio < 1
    assert Fraction(found.example["x"]) >= 0


def test_a_tie_has_ratio_one():
    found = check(claim(2 * x, x**2 + 1), box(40, x=between(0, 5)))
    assert found.tightness.ratio == 1


def test_the_first_failure_becomes_a_small_witness():
    found = check(claim(x, 10), box(40, x=between(0, 1000)))
    assert found.status is Status.REFUTED
    value = Fraction(found.witness.instance["x"])
    assert value > 10
    assert Fraction(found.details["original"]["x"]) > 10
    assert value.denominator == 1
    assert (found.witness.lhs, found.witness.rhs) == (str(value), "10")
    assert found.witness.arithmetic == "rational"


def test_a_matrix_witness_has_few_rows_and_columns():
    found = check(claim(Trace(A.T * A), 0, Relation.LE), arrays(A))
    assert found.witness.instance["n"] == found.witness.instance["m"] == "1"
    identity = check(claim(Trace(A.T * A), 0, Relation.IDENTITY), arrays(A))
    assert identity.status is Status.REFUTED


def test_a_witness_outside_the_hypotheses_is_never_reached_by_shrinking():
    statement = claim(x, 0, hypotheses=(assume("x", x >= 7),))
    found = check(statement, box(40, x=between(0, 1000)))
    assert Fraction(found.witness.instance["x"]) >= 7


def test_undecided_instances_are_named_and_no_consistency_is_claimed():
    tie = claim(log(x * y), log(x) + log(y), hypotheses=(assume("x", x > 0), assume("y", y > 0)))
    points = Points((point({"x": 1, "y": 1}, "easy"), point({"x": 2, "y": 3}, "hard")))
    found = check(tie, points)
    assert found.status is Status.UNDECIDED
    assert "1 of 2 instances stay undecided, first: hard" in found.summary
    assert found.example == {"x": "1", "y": "1"}


@pytest.mark.parametrize("strategy", [Points(()), box(9, x=between(-5, -1))])
def test_no_instance_inside_is_an_error(strategy):
    found = check(claim(x, x, hypotheses=(assume("x", x > 0),)), strategy)
    assert found.status is Status.ERROR
    assert "contradictory" in found.summary


def test_undefined_inside_names_the_point():
    found = check(claim(1 / x, 5), Points((point({"x": 1}), point({"x": 0}, "pole"))))
    assert (found.status, found.details["point"]) == (Status.ERROR, {"x": "0"})
    assert "undefined inside" in found.summary


def test_many_instances_are_no_proof():
    assert check(claim(x, x + 1), box(500, x=integers(1, 10**6))).status is Status.CONSISTENT


def test_shrinking_is_bounded_and_keeps_the_failure():
    class Endless:
        count, asked = 1, 0

        def draw(self, index, seed):
            return point({"x": 10**9})

        def shrink(self, instance):
            while True:
                self.asked += 1
                yield instance.replaced("x", instance["x"] - 1)

    family = Endless()
    statement = claim(x, 0)
    small = shrink(statement, family, family.draw(0, 0), 128)
    assert family.asked <= SHRINKING_STEPS + 1
    assert try_instance(statement, small, 128).outcome is Outcome.FAILED


def test_seed_decides():
    statement = claim(x, x + 1)
    family = box(30, x=between(0))
    assert check(statement, family, 1) == check(statement, family, 1)
    assert check(statement, family, 1) != check(statement, family, 2)
