"""Box searches give proof trees that the checker accepts, for the claim and for no lower one."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tree import number
from proofs_check.methods.inequality.multivariate import boxes
from proofs_check.methods.inequality.multivariate.cover_tree import Tree, carved
from proofs_check.methods.inequality.problem import Constraint, Problem, problem_from_text
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side


def sequent_of(problem: Problem) -> Sequent:
    sides = tuple(
        (name, Side(side.low, side.high, side.open_low, side.open_high))
        for name, side in problem.box
    )
    facts = tuple(Fact(read_expression(str(c.expression)), c.strict) for c in problem.constraints)
    return Sequent(read_expression(str(problem.goal)), problem.strict, sides, facts)


def accepted(problem: Problem, certificate: Any) -> bool:
    try:
        check(sequent_of(problem), json.loads(json.dumps(certificate)))
    except Rejected:
        return False
    return True


UNIT = ("0", "1", False, False)
XY: Any = {"x": UNIT, "y": UNIT}
TIGHT: list[Any] = [
    ("faces and integrals", "asin(x)*asin(y) >= asin(x*y)/2", XY, ()),
    ("a contact inside", "exp(x - 1/2) + (y - 1/3)**2 >= x + 1/2", XY, ()),
    ("contact at an irrational point", "exp(x) + y >= 2*x + 2 - 2*log(2)", XY, ()),
    ("a contact at an edge", "cosh(x - 1/2) + sin(y) >= 1", XY, ()),
    ("several cuts", "sin(5*x) + cos(4*y) + x*y >= -9/5", XY, ()),
    ("a rational goal", "((x - 1/2)**2 + (y - 1/3)**2)/(1 + x*y) >= 0", XY, ()),
    ("a fact", "exp(x*y) - x*sin(y) >= 9/10", XY, (("x + y - 1", False),)),
]  # fmt: skip


def problem_of(claim: str, ranges: Any, facts: Any) -> Problem:
    made = problem_from_text(claim, ranges)
    constraints = tuple(Constraint(parse_expression(text), strict) for text, strict in facts)
    return replace(made, constraints=constraints)


@pytest.mark.parametrize("case", TIGHT, ids=[case[0] for case in TIGHT])
def test_searches_give_accepted_proofs(case: Any) -> None:
    problem = problem_of(*case[1:])
    found = boxes.search(problem, 20_000, 64)
    assert found.certificate is not None, found.reason
    assert accepted(problem, found.certificate)
    lower = replace(problem, goal=problem.goal - number(Fraction(1)))
    assert not accepted(lower, found.certificate)


@pytest.mark.parametrize("case", TIGHT[:4], ids=[case[0] for case in TIGHT[:4]])
def test_no_cover_serves_a_slightly_lower_goal(case: Any) -> None:
    problem = problem_of(*case[1:])
    certificate = boxes.search(problem, 20_000, 64).certificate
    lower = replace(problem, goal=problem.goal - number(Fraction(1, 10**8)))
    assert not accepted(lower, certificate)
    assert not accepted(replace(problem, strict=True), certificate)


def test_a_strict_fact_with_an_isolated_point_in_its_closure() -> None:
    # x*x*(x - 1) > 0 is x > 1, but its closure x*x*(x - 1) >= 0 holds 0, where the goal is least.
    ranges = {"x": ("0", "2", False, False), "y": UNIT}
    true = problem_of("x + y/8 >= 1", ranges, (("x*x*(x - 1)", True),))
    false = problem_of("x + y/8 >= 9/8", ranges, (("x*x*(x - 1)", True),))
    assert boxes.search(false, 5_000, 64).certificate is None
    found = boxes.search(true, 5_000, 64).certificate
    assert found is None or accepted(true, found)


def test_more_axes_than_letters_are_left_alone() -> None:
    ranges = {f"x{i}": UNIT for i in range(27)}
    problem = problem_from_text(" + ".join(ranges) + " >= -1", ranges)
    assert boxes.search(problem, 100, 64).certificate is None


def test_trees_are_written_from_left_to_right() -> None:
    tree = Tree(2)
    low, high = tree.split(0, 1)
    tree.settle(low, "slope 2")
    face = tree.drop(high, [(0, 1), (2, 0)])
    tree.settle(face, "mean value")
    assert tree.text(0) == "Bc>A<C."
    assert tree.text(1) == "."
    assert tree.kinds == {"slope 2", "mean value"}


def test_wells_are_cut_out() -> None:
    zero, one = Fraction(0), Fraction(1)
    box = ((zero, one), (zero, one))
    well = ((Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 2), one))
    tree, pieces = carved(("x", "y"), box, [well], "abc")
    lower = ["split", "y", "1/2", "c", ["well", 0]]
    assert tree == ["split", "x", "1/4", "a", ["split", "x", "1/2", lower, "b"]]
    assert sum((b - a) * (d - c) for (a, b), (c, d) in pieces) == 1 - Fraction(1, 8)
    assert carved(("x", "y"), box, [], ["."]) == (".", [box])
