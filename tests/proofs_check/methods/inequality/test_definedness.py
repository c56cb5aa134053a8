"""Definedness: what must hold for a tree to have a value, and where it fails."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition, parse_expression
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.definedness import obligations, show_defined
from proofs_check.methods.inequality.problem import Problem, make_problems


def problem(claim: str, where: str) -> Problem:
    return make_problems(parse_condition(claim), [parse_condition(where)])[0]


def never(expression: Node, strict: bool) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(x)", ["x > 0"]),
        ("sqrt(x)", ["x >= 0"]),
        ("1/x", ["x != 0"]),
        ("1/(x*y**2)", ["x != 0", "y != 0"]),
        ("1/sqrt(x)", ["x >= 0", "x > 0"]),
        ("x**(1/2)", ["x >= 0"]),
        ("x**(-1/2)", ["x > 0"]),
        ("x**y", ["x > 0"]),
        ("x**E", ["x >= 0"]),
        ("x**2 + exp(x)/cosh(x)", []),
        ("asin(x)", ["1 - x >= 0", "1 + x >= 0"]),
        ("log(1 + sqrt(x))", ["x >= 0", "1 + sqrt(x) > 0"]),
    ],
)
def test_obligations_are_listed_inner_ones_first(text: str, expected: list[str]) -> None:
    assert [str(one) for one in obligations(parse_expression(text))] == expected


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("log(1 + x**2) >= 0", "x <= 10"),
        ("1/(x + y) >= 0", "x > 0 and y > 0"),
        ("sqrt(1 - x) >= 0", "x <= 1"),
        ("log(x*y) <= x*y", "x > 0 and y > 0"),
        ("asin(tanh(x)) <= 2", "x <= 5"),
    ],
)
def test_simple_conditions_need_no_prover(claim: str, where: str) -> None:
    assert show_defined(problem(claim, where), never) is None


@pytest.mark.parametrize(
    ("claim", "where", "point"),
    [
        ("1/x >= -5", "-1 <= x <= 1", Fraction(0)),
        ("log(x) <= x", "0 <= x <= 1", Fraction(0)),
        ("sqrt(x) >= 0", "-1 <= x <= 1", Fraction(-1)),
        ("x/x >= 1", "0 <= x <= 1", Fraction(0)),
        ("log(x) - log(x) >= 0", "x >= -2", Fraction(-2)),
    ],
)
def test_undefined_points_are_errors(claim: str, where: str, point: Fraction) -> None:
    result = show_defined(problem(claim, where), never)
    assert result is not None
    assert result.status is Status.ERROR
    assert result.witness == {"x": point}


def test_gamma_of_a_negative_number_is_no_error() -> None:
    result = show_defined(problem("gamma(x) <= 0", "-3/4 <= x <= -1/4"), never)
    assert result is not None
    assert result.status is Status.UNDECIDED


def test_a_condition_that_resists_is_undecided() -> None:
    result = show_defined(problem("log(x - sin(x)) <= x", "1/10 <= x <= 2"), never)
    assert result is not None
    assert result.status is Status.UNDECIDED
    assert "x - sin(x) > 0" in result.reason


def test_the_prover_settles_what_ranges_do_not() -> None:
    asked: list[tuple[str, bool]] = []

    def yes(expression: Node, strict: bool) -> bool:
        asked.append((str(expression), strict))
        return True

    assert show_defined(problem("log(x - sin(x)) <= x", "1/10 <= x <= 2"), yes) is None
    assert asked == [("x - sin(x)", True)]
