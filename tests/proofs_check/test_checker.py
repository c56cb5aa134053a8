"""The rules by which evidence becomes a verdict, and one claim for every status."""

import re
from fractions import Fraction

import pytest
from sympy import Eq, Inverse, MatrixSymbol, Rational, log, sqrt, sympify

from bounds.arrays import POSITIVE, arrays
from bounds.claim import Claim
from bounds.derivation import Derivation, Rule, Step
from bounds.hypothesis import assume, on_instances, structural
from bounds.points import Points, between, box, choices, point
from bounds.quantity import Quantity
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from proofs_check.checker import Settings, check, combine
from proofs_check.verdict import Evidence, Strength, Witness

x, y, n = scalar("x"), scalar("y"), scalar("n")
P, C, U, R, E = Status.PROVED, Status.CONSISTENT, Status.UNDECIDED, Status.REFUTED, Status.ERROR


def claim(lhs, rhs, relation=Relation.LE, **rest):
    return Claim(
        id="T.x",
        title="test",
        lhs=sympify(lhs),
        rhs=sympify(rhs),
        relation=relation,
        source=Source("test"),
        **rest,
    )


def identity(lhs, rhs, **rest):
    return claim(lhs, rhs, Relation.IDENTITY, **rest)


def found(status, *, method="m", example=None, capping=False, witness=None):
    strength = Strength.SYMBOLIC if status is P else Strength.NONE
    return Evidence(
        method, status, strength, f"{method} {status}",
        example=example, capping=capping, witness=witness,
    )  # fmt: skip


HELD = found(C, method="instances", example={"x": "1"})
CAP = found(U, method="derivation", capping=True)
WITNESS = Witness({"x": "1"}, "1", "0", "rational", "false")


@pytest.mark.parametrize(
    ("evidence", "status"),
    [
        ((), U),
        ((found(P), HELD), P),
        ((HELD, found(P)), P),
        ((found(P), found(R)), E),
        ((found(R), found(P), HELD), E),
        ((found(R, witness=WITNESS), HELD), R),
        ((found(P), found(E)), E),
        ((found(R), found(E)), E),
        ((CAP, found(P), HELD), U),
        ((found(P), HELD, CAP), U),
        ((CAP, HELD), U),
        ((CAP, found(R)), R),
        ((CAP, found(E)), E),
        ((found(P),), U),  # no example: the hypotheses may be contradictory
        ((found(P), found(C, method="instances")), U),
        ((found(P), found(U, method="instances", example={"x": "1"})), P),
        ((found(U), HELD), C),
        ((found(U),), U),
        ((found(U, method="instances", example={"x": "1"}),), U),
        ((found(C), found(U, method="instances", example={"x": "1"})), U),
    ],
    ids=lambda v: "+".join(str(e.status)[:4] for e in v) if isinstance(v, tuple) else None,
)
def test_combine(evidence, status):
    verdict = combine(claim(x, x), evidence)
    assert verdict.status is status
    assert verdict.evidence == evidence
    if status is not P:
        assert verdict.used == verdict.unneeded == verdict.axioms == ()


def test_a_contradiction_names_both_methods():
    witness = found(R, method="instances", witness=WITNESS)
    verdict = combine(claim(x, x), (found(P, method="normal form"), witness))
    assert "normal form" in verdict.summary
    assert "one of the two is wrong" in verdict.summary
    assert verdict.strength is Strength.NONE


# A claim with a computed quantity is not handed to the inequality engine: instances decide it.
COMPUTED = (Quantity(scalar("unused"), "0", lambda _, field: field.number(0)),)


# --- one claim for every status -----------------------------------------------------------------
def test_proved():
    verdict = check(identity((x + y) ** 2, x**2 + 2 * x * y + y**2))
    assert (verdict.status, verdict.strength) == (P, Strength.SYMBOLIC)
    assert set(verdict.example) == {"x", "y"}


def test_consistent_is_all_that_instances_can_give():
    verdict = check(claim(2 * x * y, x**2 + y**2, quantities=COMPUTED))
    assert (verdict.status, verdict.strength) == (C, Strength.RIGOROUS_INSTANCES)
    assert "held on 200 instances" in verdict.summary


def test_refuted_with_a_witness_that_holds_up_by_hand():
    verdict = check(claim(x**2, x, hypotheses=(assume("positive", x > 0),)))
    assert verdict.status is R
    value = Fraction(verdict.witness.instance["x"])
    assert value > 0
    assert value**2 > value
    assert Fraction(verdict.witness.lhs) == value**2
    assert Fraction(verdict.witness.rhs) == value


def test_undecided_when_balls_cannot_tell():
    # log(x y) - log(x) - log(y) is 0, and no enclosure of it can show that its root is real.
    zero = log(x * y) - log(x) - log(y)
    hypotheses = (assume("x", x > 0), assume("y", y > 0))
    verdict = check(
        claim(
            zero, sqrt(zero), hypotheses=hypotheses, instances=box(20, x=choices(2), y=choices(3))
        )
    )
    assert verdict.status is U


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (claim(x, x + 1, hypotheses=(assume("a", x > 1), assume("b", x < 0))), "contradictory"),
        (identity(x, x, hypotheses=(assume("a", x > 1), assume("b", x < 0))), "contradictory"),
        (claim(1 / x, 1 + 1 / x), "undefined inside"),
        (claim(log(x), x, hypotheses=(assume("a", x >= 0),)), "undefined inside"),
        (claim(log(x) * sqrt(2), x, hypotheses=(assume("a", x < 0),)), "undefined inside"),
        (claim(x, scalar("unknown"), instances=box(x=between(0, 1))), "unknown has no value"),
        (claim(x * 0.5, x / 2), "float"),
        (identity(x, x, hypotheses=(assume("a", x > 0.5),)), "float"),
        (claim(x, y, Relation.TAIL, tail=Tail(Rational(1, 2) * 1.5)), "nothing to check"),
    ],
    ids=[
        "empty region",
        "vacuous",
        "pole",
        "log 0",
        "log -1",
        "unknown",
        "float",
        "float hyp",
        "tail",
    ],
)
def test_badly_posed_claims(bad, words):
    verdict = check(bad)
    assert verdict.status in (E, U)
    assert verdict.status is E or words == "nothing to check"
    assert words in verdict.summary


def test_a_quantity_that_does_not_compute_its_formula_is_an_error():
    wrong = Quantity(y, "square", lambda p, field: field.number(p["x"] ** 2 + 1), formula=x**2)
    bad = claim(x * x, y + 1, quantities=(wrong,), instances=box(x=between(0, 5)))
    verdict = check(bad)
    assert verdict.status is E
    assert "computed y = its formula is false at x = 0: 1 against 0" in verdict.summary
    # A proof that rests on the formula does not help: the symbol has two meanings.
    both = check(identity(x * x, y, quantities=(wrong,), instances=box(x=between(0, 5))))
    assert both.status is E


# --- attacks on soundness -----------------------------------------------------------------------
HIDDEN = Points(tuple(point({"x": v, "y": v}) for v in (1, 2, 3)))


@pytest.mark.parametrize(
    "false",
    [
        claim(x, 3, instances=HIDDEN),
        identity((x - 1) * (x - 2) * (x - 3), 0 * x, instances=HIDDEN),
        identity(x, y, instances=HIDDEN),
        identity(sqrt(x**2), x, instances=HIDDEN),
        identity(x / x * y, y * sqrt(y**2) / y, instances=HIDDEN),
        identity(log(x**2), 2 * log(x), instances=HIDDEN),
        claim(x**3, 27, Relation.LT, instances=box(x=between(0, 2))),
        claim(x > 0, x >= 1, Relation.IFF, instances=HIDDEN),
    ],
    ids=lambda c: f"{c.lhs} {c.relation} {c.rhs}",
)
def test_what_holds_on_all_instances_but_not_everywhere_is_never_proved(false):
    assert check(false).status in (C, U)


def test_a_domain_hidden_from_the_instances_is_not_proved():
    A = MatrixSymbol("A", n, n)
    for lhs in (1 / x, log(x), sqrt(x)):
        assert check(identity(lhs, lhs, instances=HIDDEN)).status is not P
        chain = Derivation(lhs, (Step(lhs, Rule.ALGEBRA),))
        assert check(identity(lhs, lhs, instances=HIDDEN, derivation=chain)).status is not P
    one = arrays(A, kinds={A: "positive definite"})
    assert check(identity(Inverse(A), Inverse(A), instances=one)).status is not P


def test_a_condition_is_checked_even_where_a_function_says_yes():
    lie = on_instances("lie", "x = y = 1", condition=Eq(x, 1) & Eq(y, 1), holds=lambda i, f: True)
    vacuous = identity(x, y, hypotheses=(lie,), instances=box(x=choices(2), y=choices(3)))
    assert check(vacuous).status is E


def test_a_proof_needs_one_instance_that_meets_the_hypotheses():
    nowhere = structural("nowhere", "two at once", condition=Eq(x, 1) & Eq(x, 2))
    assert check(identity(x, y, hypotheses=(nowhere,))).status is E


def test_hypotheses_are_read_in_any_order_and_may_be_undefined_outside():
    inside = (assume("small", log(x) < 1), assume("positive", x > 0))
    for hypotheses in (inside, inside[::-1], (assume("both", (log(x) < 1) & (x > 0)),)):
        assert check(claim(x, 3, hypotheses=hypotheses, quantities=COMPUTED)).status is C
    either = assume("either", (x <= 0) | (log(x) < 1))
    assert check(claim(x, 3, hypotheses=(either,), quantities=COMPUTED)).status is C


@pytest.mark.parametrize(
    ("relation", "shift", "status"),
    [
        (Relation.LE, 0, C),
        (Relation.LT, 0, R),
        (Relation.IDENTITY, 0, C),
        (Relation.LE, Rational(-1, 10**60), R),
        (Relation.LT, Rational(1, 10**60), C),
        (Relation.LE, Rational(1, 10**60), C),
        (Relation.IDENTITY, Rational(1, 10**60), R),
    ],
)
def test_ties_of_irrational_numbers_are_decided(relation, shift, status):
    lhs, rhs = sqrt(x) + sqrt(y), sqrt(x + y + 2 * sqrt(x * y)) + shift
    tie = claim(lhs, rhs, relation, instances=box(20, x=choices(2, 3), y=choices(3, 5)))
    assert check(tie).status is status


@pytest.mark.parametrize("big", [x**100, 2**x, x**x], ids=str)
def test_numbers_too_large_for_floats_are_no_error(big):
    huge = claim(
        big,
        big + 1,
        hypotheses=(assume("x", x >= 1),),
        quantities=COMPUTED,
        instances=box(20, x=choices(5000)),
    )
    assert check(huge).status is C


def test_settings_and_time_stand_in_the_verdict_and_seeds_decide():
    statement = claim(x, x + 1, quantities=COMPUTED, instances=box(30, x=POSITIVE))
    first, again = check(statement, Settings(seed=3)), check(statement, Settings(seed=3))
    expected = {"seed": 3, "precision": 128, "alpha": 1e-6, "work": 50_000, "instances": None}
    assert first.settings == expected
    assert first.seconds > 0
    assert first.evidence == again.evidence
    assert re.search(r"held on 30 instances", first.summary)
