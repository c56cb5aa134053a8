"""What z3 says of a claim: agreement is no proof, a model counts only when it is confirmed."""

from fractions import Fraction

import pytest

from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods import second_opinion as module
from proofs_check.methods.inequality.points import refutes
from proofs_check.methods.inequality.problem import make_problems
from proofs_check.methods.second_opinion import SolverMissing, second_opinion
from proofs_check.methods.smtlib import CVC5, DREAL, Z3, NotExpressible, denial, rational_text


def problem(relation: str, *hypotheses: str):
    (made,) = make_problems(parse_condition(relation), [parse_condition(h) for h in hypotheses])
    return made


TRUE = [
    ("x*(1-x) <= 1/4", ()),
    ("sqrt(x) <= (1 + x)/2", ("x >= 0",)),
    ("abs(x + y) <= abs(x) + abs(y)", ()),
    ("max(x, y) >= (x + y)/2", ()),
    ("cbrt(x) <= x", ("x >= 1",)),
    ("x**(-2) <= 1", ("x >= 1",)),
    ("n*(n-1) >= 0", ("n in Z",)),
]
FALSE = [
    ("x*(1-x) <= 1/5", ()),
    ("x**2 >= 3", ("x >= 1",)),
    ("abs(x + y) < abs(x) + abs(y)", ()),
    ("n*n <= n", ("n in N",)),
    ("sqrt(x) >= x", ("x >= 0",)),
]


@pytest.fixture(autouse=True)
def _z3():
    pytest.importorskip("z3")


@pytest.mark.parametrize(("relation", "hypotheses"), TRUE)
def test_it_agrees_with_what_is_true(relation, hypotheses):
    assert second_opinion(problem(relation, *hypotheses)).word == "agrees"


@pytest.mark.parametrize(("relation", "hypotheses"), FALSE)
def test_a_counterexample_is_confirmed_exactly(relation, hypotheses):
    given = problem(relation, *hypotheses)
    opinion = second_opinion(given)
    assert opinion.word == "counterexample"
    assert opinion.point is not None
    assert all(isinstance(value, Fraction) for value in opinion.point.values())
    assert refutes(given, opinion.point)


def test_whole_numbers_matter():
    assert second_opinion(problem("n*(n-1) >= 0")).word == "counterexample"


def test_a_division_by_zero_is_no_counterexample():
    """1/x has no value at 0, so only x != 0 counts: 1/x**2 > 0 has no counterexample."""
    assert second_opinion(problem("1/x**2 > 0")).word == "agrees"
    assert second_opinion(problem("(1/x)**2 > 0")).word == "agrees"


def test_what_z3_lacks_is_named():
    opinion = second_opinion(problem("exp(x) >= 1 + x"))
    assert opinion.word == "cannot express"
    assert "exp" in opinion.reason


def test_too_little_work_is_unknown_and_never_agreement():
    hard = problem(
        "x**3*y**3*z - y**4*x*z**2 + x**6 + y**6 + z**6 >= x**2*y**2*z**2 - 1/7", "z > 1"
    )
    assert second_opinion(hard, work=1).word == "unknown"


def test_a_model_that_cannot_be_confirmed_is_only_a_doubt():
    """x**2 = 2 has no rational point: the denial of x <= 1 under it has only irrational models."""
    given = problem("x <= 1", "x**2 == 2")
    assert second_opinion(given).word == "doubts"


def test_the_remedy_is_named_where_z3_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    with pytest.raises(SolverMissing, match=r"proofs-check\[smt\]"):
        module.second_opinion(problem("x <= x + 1"))


def test_dialects_write_what_they_know():
    given = problem("log(x) <= x - 1", "x > 0")
    with pytest.raises(NotExpressible, match="z3 has no log"):
        denial(given, Z3)
    assert "(log x)" in denial(given, DREAL)
    assert "(exp aux!1) x" in denial(given, CVC5)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 3), "(/ 1.0 3.0)"), (Fraction(-2), "(- 2.0)"), (Fraction(0), "0.0")],
)
def test_numbers_are_written_exactly(value, text):
    assert rational_text(value) == text
