"""Verdicts are plain data, and never a truth value."""

import dataclasses

import pytest

from bounds.status import Status, weakest
from proofs_check.verdict import Evidence, Strength, Verdict, Witness, error_verdict


@pytest.mark.parametrize("status", list(Status))
def test_a_verdict_has_no_truth_value(status):
    verdict = Verdict("T.x", status, Strength.NONE, "")
    with pytest.raises(TypeError, match="compare verdict"):
        bool(verdict)
    with pytest.raises(TypeError):
        assert verdict
    with pytest.raises(TypeError):
        _ = not verdict


def test_verdicts_and_evidence_are_frozen():
    witness = Witness({"x": "1"}, "1", "0", "rational", "1 <= 0 is false")
    evidence = Evidence("instances", Status.REFUTED, Strength.NONE, "", witness=witness)
    for thing, name in (
        (witness, "lhs"),
        (evidence, "status"),
        (error_verdict("a", "b"), "status"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, "PROVED")


def test_an_error_verdict_proves_nothing():
    verdict = error_verdict("T.x", "it broke")
    assert (verdict.status, verdict.strength) == (Status.ERROR, Strength.NONE)
    assert (verdict.summary, verdict.evidence, verdict.example) == ("it broke", (), None)


def test_a_result_is_as_weak_as_its_weakest_part():
    order = [
        Status.PROVED,
        Status.CONSISTENT,
        Status.UNDECIDED,
        Status.REFUTED,
        Status.ERROR,
    ]
    assert [status.rank for status in order] == [0, 1, 2, 3, 4]
    for i, strong in enumerate(order):
        for weak in order[i:]:
            assert weakest([strong, weak]) is weak
            assert weakest([weak, strong, strong]) is weak
    with pytest.raises(ValueError, match="empty"):
        weakest([])
