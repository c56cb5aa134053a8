"""The room an inequality leaves, enclosed from both sides."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.arithmetic.tree import number
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.margin import _simple_below, enclosed, smallest_margin
from proofs_check.methods.inequality.problem import make_problems


def margin_of(relation, *hypotheses, work=500):
    (problem,) = make_problems(parse_condition(relation), [parse_condition(h) for h in hypotheses])
    found = smallest_margin(problem)
    assert found is not None

    def proved(low):
        lowered = replace(problem, goal=problem.goal - number(low), strict=False)
        return decide(lowered, work=work).status is Status.PROVED

    return enclosed(problem, found, proved)


def test_where_equality_is_attained_the_margin_is_zero():
    margin = margin_of("log(1+x) <= x", "x > -1")
    assert margin.attained
    assert margin.low == 0
    assert margin.at == {"x": 0}


@pytest.mark.parametrize(
    ("relation", "hypotheses", "least"),
    [
        ("x**2 + 1 >= x", (), Fraction(3, 4)),
        ("exp(x) >= x/2", (), Fraction(1, 2) + Fraction(34657359027997, 10**14)),
        ("x*y <= 2", ("0 <= x <= 1", "0 <= y <= 1"), Fraction(1)),
    ],
)
def test_the_least_value_lies_between_both_ends(relation, hypotheses, least):
    margin = margin_of(relation, *hypotheses)
    assert margin.low is not None
    assert 0 < margin.low <= least
    assert float(least) <= float(margin.value) * (1 + 1e-5)
    assert margin.low >= least * Fraction(99, 100)


def test_without_a_proof_the_lower_end_is_what_the_claim_says():
    (problem,) = make_problems(parse_condition("x**2 + 1 >= x"), [])
    found = smallest_margin(problem)
    assert found is not None
    assert found.low is None
    assert enclosed(problem, found, lambda low: False).low == 0


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_the_simple_number_below_is_close(value):
    low = _simple_below(value)
    assert value * Fraction(998, 1000) <= low <= value
