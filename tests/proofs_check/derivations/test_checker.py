"""Derivations: each step alone, the first bad one named, and nothing trusted at the ends."""

from dataclasses import replace

import pytest
from sympy import Eq, Inverse, MatMul, exp, log

from bounds.claim import Claim
from bounds.derivation import Derivation, Rule, Step
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import assume
from bounds.points import between, box, choices
from bounds.relation import Relation
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import A, K_lam, Phi, V, phi, scalar
from bounds.theory.inference.i1_posterior_mean import PUSH_THROUGH
from proofs_check.checker import check
from proofs_check.derivations import Effort, check_derivation, derivation_evidence
from proofs_check.verdict import Strength

WORK = 50_000
x, y = scalar("x"), scalar("y")
DERIVATION = PUSH_THROUGH.derivation


def statuses(claim, derivation):
    return [step.status for step in check_derivation(claim, derivation, Effort(WORK))]


def failing(claim, derivation):
    """The numbers of the steps that are not shown."""
    found = check_derivation(claim, derivation, Effort(WORK))
    return [step.number for step in found if step.status is not Status.PROVED]


def changed(place, expression):
    steps = list(DERIVATION.steps)
    steps[place] = replace(steps[place], expression=expression)
    return Derivation(DERIVATION.start, tuple(steps))


def test_the_derivation_of_i1():
    steps = check_derivation(PUSH_THROUGH, DERIVATION, Effort(WORK))
    assert [step.number for step in steps] == list(range(len(DERIVATION.steps) + 2))
    assert {step.status for step in steps} == {Status.PROVED}
    evidence = derivation_evidence(PUSH_THROUGH, Effort(WORK))
    assert (evidence.status, evidence.strength) == (Status.PROVED, Strength.DERIVATION)
    assert not evidence.capping
    assert evidence.used <= {h.name for h in PUSH_THROUGH.hypotheses}


@pytest.mark.parametrize(
    ("place", "expression", "bad"),
    [
        (0, 2 * DERIVATION.steps[0].expression, [1, 2]),
        (1, 2 * DERIVATION.steps[1].expression, [2, 3]),
        (1, DERIVATION.steps[1].expression * 999 / 1000, [2, 3]),
        (1, MatMul(V.T, Inverse(K_lam), Phi, A, Inverse(A), 2 * phi), [2, 3]),
        (2, -DERIVATION.steps[2].expression, [3, 4]),
    ],
)
def test_a_wrong_step_fails_exactly_there(place, expression, bad):
    broken = changed(place, expression)
    assert failing(PUSH_THROUGH, broken) == bad
    verdict = check(replace(PUSH_THROUGH, derivation=broken))
    assert verdict.status is Status.UNDECIDED
    assert f"step {bad[0]} is not shown" in verdict.summary


def test_ends_are_tied_to_the_claim():
    moved = Derivation(2 * DERIVATION.start, tuple(
        replace(step, expression=2 * step.expression) for step in DERIVATION.steps
    ))  # fmt: skip
    last = len(DERIVATION.steps) + 1
    assert failing(PUSH_THROUGH, moved) == [0, last]
    early = Derivation(DERIVATION.start, DERIVATION.steps[:1])
    assert failing(PUSH_THROUGH, early) == []  # it ends early, and the end is shown equal
    other = replace(PUSH_THROUGH, rhs=3 * PUSH_THROUGH.rhs)
    assert failing(other, DERIVATION) == [last]
    assert failing(replace(PUSH_THROUGH, lhs=3 * PUSH_THROUGH.lhs), DERIVATION) == [0]


def test_a_dropped_hypothesis_fails_at_the_steps_that_use_it():
    weaker = PUSH_THROUGH.without("prior")
    assert failing(weaker, DERIVATION)
    assert check(weaker).status is not Status.PROVED


def claim(lhs, rhs, steps, relation=Relation.IDENTITY, **rest):
    chain = Derivation(lhs, tuple(Step(e, Rule.ALGEBRA) for e in steps))
    return Claim(
        id="T.d", title="t", lhs=lhs, rhs=rhs, relation=relation, source=Source("t"),
        derivation=chain, **rest,
    )  # fmt: skip


def test_an_empty_derivation_and_another_relation_are_errors():
    empty = claim(x, x, ())
    with pytest.raises(ClaimDefinitionError, match=r"'T\.d': the derivation has no steps"):
        check_derivation(empty, empty.derivation, Effort(WORK))
    assert check(empty).status is Status.ERROR
    inequality = claim(x, x + 1, (x,), Relation.LE)
    assert check(inequality).status is Status.ERROR
    assert "cannot show <=" in check(inequality).summary


def test_a_step_by_an_inequality_shows_no_equality():
    steps = (Step(x + 1, Rule.ALGEBRA, relation=Relation.LE), Step(x, Rule.ALGEBRA))
    bad = replace(claim(x, x, (x,)), derivation=Derivation(x, steps))
    assert failing(bad, bad.derivation) == [1, 2]


def test_two_errors_that_cancel_are_both_named():
    bad = claim((x + 1) ** 2, x**2 + 2 * x + 1, (x**2 + 1, x**2 + 2 * x + 1))
    assert failing(bad, bad.derivation) == [1, 2]
    assert check(bad).status is Status.UNDECIDED


@pytest.mark.parametrize("side", [1 / x, log(x), Inverse(A), x**y], ids=str)
def test_equal_expressions_must_still_be_defined(side):
    same = claim(side, side, (side,), instances=box(x=between(1, 2), y=choices(1)))
    assert 0 in failing(same, same.derivation)


def test_a_hypothesis_makes_the_same_chain_valid():
    same = claim(1 / x, 1 / x, (1 / x,), hypotheses=(assume("x", x > 0),))
    assert failing(same, same.derivation) == []
    tied = claim(x, y**2, (y * y,), hypotheses=(assume("tie", Eq(x, y**2)),))
    assert "tie" in derivation_evidence(tied, Effort(WORK)).used


def test_no_derivation_is_no_evidence():
    assert derivation_evidence(replace(PUSH_THROUGH, derivation=None), Effort(WORK)) is None


def test_too_little_work_is_undecided():
    hard = claim(exp(x) ** 3, exp(3 * x), (exp(2 * x) * exp(x),))
    assert derivation_evidence(hard, Effort(WORK)).status is Status.PROVED
    assert set(statuses(PUSH_THROUGH, DERIVATION)) == {Status.PROVED}
    poor = check_derivation(PUSH_THROUGH, DERIVATION, Effort(1))
    assert any(step.status is Status.UNDECIDED for step in poor)


def test_a_false_step_is_refuted_with_a_small_witness():
    broken = changed(1, 2 * DERIVATION.steps[1].expression)
    step = check_derivation(PUSH_THROUGH, broken, Effort(WORK))[2]
    assert step.status is Status.REFUTED
    assert "fails at " in step.reason
    assert "keys = [['1']]" in step.reason
