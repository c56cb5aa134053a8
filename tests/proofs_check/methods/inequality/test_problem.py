"""Problems: ranges, chains, cases of `or`, and the simpler problems made of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.grammar import parse_condition, parse_expression
from proofs_check.methods.inequality.cases import denial, goals
from proofs_check.methods.inequality.points import fails, inside
from proofs_check.methods.inequality.problem import (
    Interval,
    Problem,
    ProblemError,
    make_problems,
    problem_from_text,
)
from proofs_check.methods.inequality.reduce import reduce, tidied, without_bystanders


def problem(claim: str, *hypotheses: str) -> Problem:
    (found,) = make_problems(parse_condition(claim), [parse_condition(h) for h in hypotheses])
    return found


def test_ranges_go_into_the_box_and_the_rest_become_constraints() -> None:
    found = problem("x <= y", "0 < x <= 1/2", "y > x", "n in N", "n < 7")
    assert found.interval("x") == Interval(Fraction(0), Fraction(1, 2), True, False)
    assert found.interval("n") == Interval(Fraction(1), Fraction(7), False, True)
    assert found.integers == {"n"}
    assert [str(c) for c in found.constraints] == ["y - x > 0"]
    assert str(found.goal) == "y - x"


def test_chains_and_equalities_make_several_problems() -> None:
    found = make_problems(parse_condition("x < y == z"), [])
    assert [(str(p.goal), p.strict) for p in found] == [
        ("y - x", True), ("z - y", False), ("y - z", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("interval", "value", "belongs"),
    [
        (Interval(Fraction(0), None, True, False), Fraction(0), False),
        (Interval(Fraction(0), None, False, False), Fraction(0), True),
        (Interval(None, Fraction(1), False, True), Fraction(1), False),
        (Interval(), Fraction(10**30), True),
    ],
)
def test_ends(interval: Interval, value: Fraction, belongs: bool) -> None:
    assert interval.contains(value) is belongs


def test_empty_ranges() -> None:
    assert Interval(Fraction(1), Fraction(0)).empty
    assert Interval(Fraction(1), Fraction(1), True, False).empty
    assert not Interval(Fraction(1), Fraction(1)).empty


def test_infinite_ends_from_text() -> None:
    found = problem_from_text("x <= 1", {"x": ("-inf", "0.5", True, False)})
    assert found.interval("x") == Interval(None, Fraction(1, 2), True, False)


def test_what_is_not_covered_says_so() -> None:
    with pytest.raises(ProblemError, match="not an inequality"):
        make_problems(parse_condition("x < 1 or x > 0"), [])
    with pytest.raises(ProblemError, match="cannot be the claim"):
        goals(parse_condition("n in N"), [])
    with pytest.raises(ProblemError, match="not covered"):
        goals(parse_condition("x < 1"), [parse_condition("not (n in N)")])
    many = " and ".join(f"(x < {i} or y < {i})" for i in range(7))
    with pytest.raises(ProblemError, match="cases"):
        goals(parse_condition("x < 1"), [parse_condition(many)])


def test_implication_moves_its_condition_to_the_hypotheses() -> None:
    (goal,) = goals(parse_condition("implies(x > 1, x**2 > x)"), [])
    assert [str(one) for one in goal.assumed] == ["1 < x"]
    assert str(goal.comparison) == "x < x**2"


def test_or_in_hypotheses_makes_cases() -> None:
    found = goals(parse_condition("x < 3"), [parse_condition("x < 1 or x == 2")])
    assert [[str(h) for h in goal.hypotheses] for goal in found] == [["x < 1"], ["x == 2"]]


VALUES = st.fractions(min_value=-3, max_value=3, max_denominator=4)
ATOMS = st.sampled_from(["x < 1", "x <= y", "y == 2", "x != 0", "2 > y", "x >= -1"])
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"({p[0]} and {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} or {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"implies({p[0]}, {p[1]})"),
        inner.map(lambda c: f"(not ({c}))"),
    ),
    max_leaves=4,
)


def _truth(text: str, x: Fraction, y: Fraction) -> bool:
    """The truth by Python, on a text that these tests wrote themselves."""

    def implies(first: bool, second: bool) -> bool:
        return not first or second

    return bool(eval(text, {"__builtins__": {}}, {"x": x, "y": y, "implies": implies}))


@settings(max_examples=150, deadline=None)
@given(CONDITIONS, CONDITIONS, VALUES, VALUES)
def test_goals_hold_at_a_point_exactly_if_the_claim_does(
    claim: str, hypothesis: str, x: Fraction, y: Fraction
) -> None:
    point = {"x": x, "y": y}
    wanted = not _truth(hypothesis, x, y) or _truth(claim, x, y)
    found = True
    for goal in goals(parse_condition(claim), [parse_condition(hypothesis)]):
        for one in goal.problems:
            here = {name: point[name] for name in one.names}
            found = found and not (inside(one, here) and fails(one, here))
    assert found is wanted
    assert _truth(claim, x, y) is not _truth(f"not ({claim})", x, y)


def test_denial_of_denial() -> None:
    condition = parse_condition("implies(x < 1, y == 2) and x != y")
    again = denial(denial(condition))
    for x in (Fraction(0), Fraction(2)):
        for y in (Fraction(0), Fraction(2)):
            texts = [str(c) for c in (condition, again)]
            assert _truth(texts[0], x, y) is _truth(texts[1], x, y)


# --- simpler problems -----------------------------------------------------------------------
def test_affine_constraints_become_ranges() -> None:
    found = reduce(problem("x <= 1", "3 - 2*x > 1")).problem
    assert found.interval("x") == Interval(None, Fraction(1), False, True)
    assert not found.constraints


def test_equalities_are_used_up_and_points_carried_back() -> None:
    reduction = reduce(problem("x*y <= 1/4", "x + y == 1", "x >= 0"))
    (name,) = reduction.problem.names
    lifted = reduction.lift({name: Fraction(1, 3)})
    assert lifted is not None
    assert lifted["x"] + lifted["y"] == 1


def test_order_becomes_a_slack() -> None:
    reduction = reduce(problem("x*x <= y*y", "x >= 0", "y >= x"))
    assert not reduction.problem.constraints
    point = {name: Fraction(i + 1) for i, name in enumerate(reduction.problem.names)}
    lifted = reduction.lift(point)
    assert lifted is not None
    assert set(lifted) == {"x", "y"}
    assert lifted["y"] >= lifted["x"]


def test_a_range_that_does_not_follow_keeps_its_constraint() -> None:
    reduction = reduce(problem("x <= y", "0 <= x", "x <= y", "y <= 2"))
    assert reduction.problem.constraints


def test_fixed_whole_numbers_must_be_whole() -> None:
    assert reduce(problem("n <= 1", "n in Z", "n == 1/2")).problem.names == ("n",)
    assert reduce(problem("n <= 1", "n in Z", "n == 1")).problem.names == ()


def test_bystanders_are_left_out() -> None:
    found = without_bystanders(problem("x <= 1", "x <= z", "u*v <= 2", "w >= 0", "z <= 1"))
    assert found.names == ("x", "z")
    assert len(found.constraints) == 1


def test_tidied() -> None:
    assert str(tidied(parse_expression("1*(1 - (0 + y)) - x/2"))) == "1 + -1/2*x - y"
