"""The whole catalogue: every claim meets its expectation, and every mutant falls."""

from dataclasses import replace
from functools import cache

import pytest
from sympy import Rational, Symbol

from bounds.catalog import builtin_catalog
from bounds.derivation import Derivation
from bounds.points import Points
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.status import Status
from proofs_check.checker import check

CATALOG = builtin_catalog()
CLAIMS = {claim.id: claim for claim in CATALOG}
MUTANTS = [(c.id, m.name) for c in CATALOG for m in c.mutants]
VARIANTS = [(c.id, v.name) for c in CATALOG for v in c.variants]
RESULTS = ["R1", "R2", "R3", "R4", "I1", "I2", "I3", "I4", "I5", "I7", "I10",
           "S1", "S2", "G8", "G9"]  # fmt: skip
# Mutants that no instance refutes, with the reason; all others must be REFUTED.
UNREFUTED: dict[str, str] = {}
PLAIN = (Symbol("x").assumptions0, Symbol("x", real=True).assumptions0)


@cache
def verdict(claim_id):
    """The verdict, found once in a run."""
    return check(CATALOG[claim_id])


def test_every_result_occurs():
    found = {claim.result for claim in CATALOG}
    assert found >= set(RESULTS)
    assert all(claim.id.startswith(f"{claim.result}.") for claim in CATALOG)


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_meets_its_expectation(claim_id):
    found, claim = verdict(claim_id), CLAIMS[claim_id]
    assert found.status is claim.expected, found.summary
    assert found.claim_id == claim_id
    assert found.example, "a verdict carries a point that satisfies all hypotheses"
    assert found.witness is None
    assert found.tightness is None or found.tightness.ratio <= 1 + 1e-12


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_hypotheses_of_a_proof_are_accounted_for(claim_id):
    found, claim = verdict(claim_id), CLAIMS[claim_id]
    if found.status is not Status.PROVED:
        assert found.used == found.unneeded == found.axioms == ()
        return
    formal = {h.name for h in claim.hypotheses if h.condition is not None}
    assert set(found.used) | set(found.unneeded) >= formal
    assert set(found.used) <= formal
    assert set(found.axioms) == {
        h.axiom for h in claim.hypotheses if h.axiom and h.name in found.used
    }


@pytest.mark.parametrize(("claim_id", "name"), MUTANTS)
def test_mutant_is_refuted(claim_id, name):
    full = f"{claim_id}~{name}"
    found = verdict(full)
    assert found.status is not Status.PROVED, "a false claim was proved"
    if full in UNREFUTED:
        assert found.status in (Status.UNDECIDED, Status.CONSISTENT)
        return
    assert found.status is Status.REFUTED, found.summary
    assert found.witness is not None
    assert found.witness.failure


@pytest.mark.parametrize(("claim_id", "name"), VARIANTS)
def test_variant_meets_its_expectation(claim_id, name):
    printed = CATALOG[f"{claim_id}@{name}"]
    assert verdict(printed.id).status is printed.expected
    assert str(printed.source) != str(CLAIMS[claim_id].source)


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_claim_is_put_together_well(claim_id):
    claim = CLAIMS[claim_id]
    assert len(claim.mutants) >= 2
    assert all(neighbour.why for neighbour in claim.neighbours)
    assert str(claim.source)
    assert 0 < len(claim.title) <= 100
    assert claim.tags
    parts = [
        claim.lhs,
        claim.rhs,
        *(h.condition for h in claim.hypotheses if h.condition is not None),
    ]
    symbols = {symbol for part in parts for symbol in part.atoms(Symbol)}
    assert all(symbol.assumptions0 in PLAIN for symbol in symbols)
    assert all(h.statement for h in claim.hypotheses)
    named = isinstance(claim.instances, Points)
    if claim.instances is not None and claim.relation is not Relation.TAIL and not named:
        assert claim.instances.count >= 50


def test_unrefuted_mutants_are_no_longer_excused_once_they_fall():
    assert set(UNREFUTED) <= {f"{claim_id}~{name}" for claim_id, name in MUTANTS}


def test_a_verdict_does_not_depend_on_what_ran_before():
    for claim_id in ("I2.bound", "I3.embedding", "I5.rate"):
        again = check(CLAIMS[claim_id])
        assert again.evidence == verdict(claim_id).evidence


# --- sabotage -----------------------------------------------------------------------------------
PROVED = [c.id for c in CATALOG if c.expected is Status.PROVED and c.relation is Relation.IDENTITY]


@pytest.mark.parametrize("claim_id", PROVED[::4])
def test_a_constant_in_the_right_side_is_noticed(claim_id):
    claim = CLAIMS[claim_id]
    wrong = replace(claim, rhs=claim.rhs * Rational(1001, 1000), derivation=None)
    assert check(wrong).status is not Status.PROVED


WITH_FORMULAS = [
    ("R1.mixture", 1), ("R2.cme", 0), ("R3.mean_model_mean", 0), ("I1.push_through", 6),
    ("I3.embedding", 6), ("I2.kernel_form", 2),
]  # fmt: skip


@pytest.mark.parametrize(("claim_id", "place"), WITH_FORMULAS)
def test_a_wrong_definition_is_noticed(claim_id, place):
    """Code and formula then disagree: a witness, which with the proof is a contradiction."""
    claim = CLAIMS[claim_id]
    quantity = claim.quantities[place]
    assert quantity.formula is not None
    wrong = Quantity(quantity.symbol, "wrong", quantity.function, 3 * quantity.formula)
    changed = (*claim.quantities[:place], wrong, *claim.quantities[place + 1 :])
    found = check(replace(claim, quantities=changed))
    assert found.status in (Status.ERROR, Status.REFUTED)


@pytest.mark.parametrize(
    ("claim_id", "hypothesis"),
    [
        ("I1.push_through", "prior"),
        ("I2.update", "regularised"),
        ("I4.law", "regularised"),
        ("R1.inverse", "noise"),
        ("R2.cme", "orthogonal"),
        ("R2.softmax", "permutation"),
        ("R3.random_keys_variance", "same_gram"),
        ("R3.random_keys_mean", "same_mean"),
        ("I10.sphere", "unit_keys"),
        ("I5.rate", "spread"),
        ("G8.conditional_risk", "full_rank"),
        ("G8.risk", "gaussian_features"),
        ("I7.attained", "source_condition"),
    ],
)
def test_no_proof_survives_the_loss_of_a_hypothesis_it_needs(claim_id, hypothesis):
    claim = CLAIMS[claim_id]
    assert hypothesis in {h.name for h in claim.hypotheses}
    weaker = replace(claim.without(hypothesis), derivation=None)
    assert check(weaker).status is not Status.PROVED


def test_a_false_derivation_caps_a_true_claim():
    claim = CLAIMS["I1.push_through"]
    steps = claim.derivation.steps
    wrong = replace(steps[1], expression=2 * steps[1].expression)
    broken = Derivation(claim.derivation.start, (steps[0], wrong, steps[2]))
    assert check(replace(claim, derivation=broken)).status is Status.UNDECIDED
