"""One claim on one instance: held, failed, outside, undefined or undecided, and never wrong."""

from fractions import Fraction

import pytest
from flint import arb, ctx
from sympy import And, Eq, Rational, exp, log, pi, sqrt, sympify

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.rationals import RationalField
from bounds.claim import Claim
from bounds.hypothesis import assume, on_instances, structural
from bounds.points import point
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import Source
from bounds.symbols import matrix, scalar
from proofs_check.methods.trial import Outcome, compare, fields, try_instance

x, y, n = scalar("x"), scalar("y"), scalar("n")
LE, LT, ID, IFF = Relation.LE, Relation.LT, Relation.IDENTITY, Relation.IFF


def trial(lhs, rhs, relation=LE, values=None, precision=128, **rest):
    claim = Claim(
        id="T.t", title="t", lhs=sympify(lhs), rhs=sympify(rhs), relation=relation,
        source=Source("t"), **rest,
    )  # fmt: skip
    return try_instance(claim, point(values or {"x": 2, "y": 3}, "here"), precision)


TINY = Rational(1, 10**60)


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "outcome"),
    [
        (x, LE, y, Outcome.HELD),
        (y, LE, x, Outcome.FAILED),
        (x, LE, x, Outcome.HELD),
        (x, LT, x, Outcome.FAILED),
        (sqrt(x * y), LE, sqrt(6), Outcome.HELD),
        (sqrt(x * y), LT, sqrt(6), Outcome.FAILED),
        (sqrt(x * y), ID, sqrt(6), Outcome.HELD),
        (sqrt(x * y), ID, sqrt(6) + TINY, Outcome.FAILED),
        (exp(x), LE, exp(2) - TINY, Outcome.FAILED),
        (exp(x), LT, exp(2) + TINY, Outcome.HELD),
        (log(x * y), ID, log(x) + log(y), Outcome.AGREED),
        (log(x * y), ID, log(x) + log(y) + TINY, Outcome.FAILED),
        (log(x * y), LE, log(x) + log(y), Outcome.UNDECIDED),
        (log(x * y), LT, log(x) + log(y), Outcome.UNDECIDED),
        (log(x - 2), LE, y, Outcome.UNDEFINED),
        (1 / (x - 2), LE, y, Outcome.UNDEFINED),
        (pi * log(x - y), LE, y, Outcome.UNDEFINED),
        (sqrt(log(x * y) - log(x) - log(y)), LE, y, Outcome.UNDECIDED),
        (x > 0, IFF, y > 0, Outcome.HELD),
        (x > 0, IFF, y < 0, Outcome.FAILED),
        (log(x * y) > log(x) + log(y), IFF, y < 0, Outcome.UNDECIDED),
    ],
)
def test_outcomes(lhs, relation, rhs, outcome):
    assert trial(lhs, rhs, relation).outcome is outcome
    assert ctx.prec == 53


def test_exact_arithmetic_comes_first_and_precision_grows():
    assert trial(x, y).arithmetic == "rational"
    assert trial(sqrt(x), y).arithmetic == "ball, 128 bits"
    assert trial(exp(x), exp(2) + TINY, LT).arithmetic == "ball, 256 bits"
    names = [name for _, name in fields(64)]
    assert names == ["rational", *(f"ball, {64 << k} bits" for k in range(6))]


def test_text_ratio_and_note():
    found = trial(x, y)
    assert (found.lhs, found.rhs, found.ratio, found.note) == ("2", "3", 2 / 3, "")
    assert trial(x, -y).ratio is None
    assert trial(x, -y).note == "lhs <= rhs"
    assert trial(x, y, values={"x": 1, "y": 10**400}).ratio is None
    A = matrix("A", n, 2)
    table = trial(A, A, ID, values={"A": [[1, "1/2"]]})
    assert (table.outcome, table.lhs) == (Outcome.HELD, "[1, 1/2]")


@pytest.mark.parametrize(
    ("hypotheses", "outcome"),
    [
        ((assume("a", x > 1),), Outcome.HELD),
        ((assume("a", x > 2),), Outcome.OUTSIDE),
        ((assume("a", log(-x) > 0), assume("b", x < 0)), Outcome.OUTSIDE),
        ((assume("a", And(log(-x) > 0, x < 0)),), Outcome.OUTSIDE),
        ((assume("a", log(-x) > 0),), Outcome.UNDEFINED),
        ((assume("a", log(x * y) >= log(x) + log(y)),), Outcome.UNDECIDED),
        ((on_instances("a", "", holds=lambda i, f: True),), Outcome.HELD),
        ((on_instances("a", "", holds=lambda i, f: False),), Outcome.OUTSIDE),
        ((on_instances("a", "", holds=lambda i, f: None),), Outcome.UNDECIDED),
        ((on_instances("a", "", condition=Eq(x, 5), holds=lambda i, f: True),), Outcome.OUTSIDE),
        ((structural("a", "i.i.d."),), Outcome.HELD),
        ((structural("a", "", condition=x > 5),), Outcome.OUTSIDE),
    ],
)
def test_hypotheses(hypotheses, outcome):
    assert trial(x, y, hypotheses=hypotheses).outcome is outcome


def test_quantities_must_agree_with_their_formulas():
    def quantity(value):
        return Quantity(n, "sum", lambda p, field: field.number(Fraction(value)), formula=x + y)

    assert trial(x, n, quantities=(quantity(5),)).outcome is Outcome.HELD
    wrong = trial(x, n, quantities=(quantity("5000000001/1000000000"),))
    assert wrong.outcome is Outcome.MISMATCH
    assert wrong.note == "computed n = its formula"


def test_agreement_of_balls():
    for field in (BallField(1024), MixedField(1024)):
        with field.context():
            third = field.exp(field.number(1)) / field.number(3)
            same = compare(third, field.exp(field.number(1)) / field.number(3), field)
            assert same is Outcome.AGREED
            shifted = third + field.number(Fraction(1, 10**100))
            assert compare(third, shifted, field) is Outcome.FAILED
    with MixedField(128).context():
        wide = MixedField(128).hull(RationalField().number(0), RationalField().number(1))
        assert compare(wide, wide, MixedField(128)) is Outcome.UNDECIDED
    assert compare(arb("nan"), arb(1), BallField(64)) is Outcome.UNDECIDED
    one = RationalField().number(1)
    assert compare(one, one, RationalField()) is Outcome.HELD
