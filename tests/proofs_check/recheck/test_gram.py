"""Sums of squares with Gram matrices: what is accepted, and forgeries that must not be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.sequent import Side

from .statements import accepted_polynomial as accepted

F = Fraction
UNIT = Side(F(0), F(1))
LINE = Side()
RIGHT = Side(F(0))
POSITIVE = Side(F(0), open_low=True)
NUMBER = {"rule": "number"}
TERMS = {"rule": "terms"}


def gram(*terms: Any, **more: Any) -> dict[str, Any]:
    return {"rule": "gram", "terms": [summand(*term) for term in terms], **more}


def summand(weight: list[str], basis: list[str], matrix: list[list[str]]) -> dict[str, Any]:
    return {"weight": weight, "basis": basis, "matrix": matrix}


IDENTITY2 = [["1"], ["0", "1"]]
DIFFERENCE = [["1"], ["-1", "1"]]


def test_sums_of_squares() -> None:
    good = gram(([], ["x", "y"], DIFFERENCE))
    assert accepted("x**2 + y**2 - 2*x*y", good, x=LINE, y=LINE)
    assert not accepted("x**2 + y**2 - 2*x*y", good, strict=True, x=LINE, y=LINE)
    assert not accepted("x**2 + y**2 - 2*x*y - 1/10**30", good, x=LINE, y=LINE)
    assert not accepted("x**2 + y**2", good, x=LINE, y=LINE)
    indefinite = gram(([], ["x", "y"], [["1"], ["-2", "1"]]))
    assert not accepted("x**2 + y**2 - 4*x*y", indefinite, x=LINE, y=LINE)


@pytest.mark.parametrize(
    ("matrix", "goal"),
    [
        ([["-1"], ["0", "1"]], "y**2 - x**2"),
        ([["0"], ["1", "0"]], "2*x*y"),
        ([["0"], ["1", "5"]], "2*x*y + 5*y**2"),
        ([["1"], ["1", f"{10**30 - 1}/{10**30}"]], f"(x + y)**2 - y**2/{10**30}"),
        ([["1"], ["0", "-1/3"]], "x**2 - y**2/3"),
    ],
)
def test_matrices_that_are_not_semidefinite(matrix: Any, goal: str) -> None:
    assert not accepted(goal, gram(([], ["x", "y"], matrix)), x=LINE, y=LINE)


def test_semidefinite_with_a_zero_row() -> None:
    matrix = [["0"], ["0", "1"]]
    assert accepted("y**2", gram(([], ["x", "y"], matrix)), x=LINE, y=LINE)


def test_strict_sums_need_a_definite_matrix_over_the_number_one() -> None:
    goal = "x**2 + y**2 + 1"
    good = gram(([], ["1", "x"], IDENTITY2), ([], ["y"], [["1"]]))
    assert accepted(goal, good, strict=True, x=LINE, y=LINE)
    assert accepted("x**2 + 1", gram(([], ["1", "x"], IDENTITY2)), strict=True, x=LINE)
    # (1 + x)^2 is zero at -1.
    touching = gram(([], ["1", "x"], [["1"], ["1", "1"]]))
    assert accepted("(1 + x)**2", touching, x=LINE)
    assert not accepted("(1 + x)**2", touching, strict=True, x=LINE)
    no_number = gram(([], ["x", "y"], IDENTITY2))
    assert not accepted("x**2 + y**2", no_number, strict=True, x=LINE, y=LINE)
    zero = gram(([], ["0", "x"], IDENTITY2))
    assert not accepted("x**2", zero, strict=True, x=LINE)


def test_weights_must_be_known_to_be_nonnegative() -> None:
    weighted = gram((["x - 1"], ["1"], [["2"]]))
    assert accepted("2*x - 2", weighted, x=Side(F(1)))
    assert accepted("2*x - 2", weighted, strict=True, x=Side(F(1), open_low=True))
    assert not accepted("2*x - 2", weighted, strict=True, x=Side(F(1)))
    assert not accepted("2*x - 2", weighted, x=Side(F(1, 2)))
    assert not accepted("2*x - 2", weighted, x=Side(None, F(1)))
    assert not accepted("2 - 2*x", gram((["1 - x"], ["1"], [["2"]])), x=Side(F(1)))
    assert not accepted("-x", gram((["-1"], ["1"], [["1"]]), (["-x"], ["1"], [["1"]])), x=RIGHT)
    assert not accepted("-1", gram((["-1"], ["1"], [["1"]])), x=RIGHT)
    assert not accepted("1 - x", gram((["-x + 1"], ["1"], [["1"]])), x=Side(F(0), F(2)))


def test_weights_from_facts() -> None:
    proof = gram((["x*y - 1"], ["1"], [["2"]]), ([], ["x", "y"], DIFFERENCE))
    goal = "x**2 + y**2 - 2"
    assert accepted(goal, proof, facts=[("x*y - 1", False)], x=LINE, y=LINE)
    assert accepted(goal, proof, facts=[("3*x*y - 3", False)], x=LINE, y=LINE)
    assert accepted(goal, proof, True, facts=[("x*y - 1", True)], x=LINE, y=LINE)
    assert not accepted(goal, proof, True, facts=[("x*y - 1", False)], x=LINE, y=LINE)
    assert not accepted(goal, proof, x=LINE, y=LINE)
    assert not accepted(goal, proof, facts=[("1 - x*y", False)], x=LINE, y=LINE)
    assert not accepted(goal, proof, facts=[("x*y - 1 + x", False)], x=LINE, y=LINE)
    assert not accepted(goal, proof, facts=[("x*y - 1 + 1/10**30", False)], x=LINE, y=LINE)


def test_facts_do_not_survive_a_change_of_variables() -> None:
    inner = gram((["x - y"], ["1"], [["1"]]))
    proof = {"rule": "squares", "variables": ["x", "y"], "proof": inner}
    facts = [("x - y", False)]
    # At x = 1, y = -2 the fact holds and x^2 - y^2 = -3.
    assert not accepted("x**2 - y**2", proof, facts=facts, x=LINE, y=LINE)


def test_multipliers() -> None:
    # (x + y)(x + y - 2) + 2 (x + y - 2) = (x - y)^2 + 4 (x y - 1)
    terms = [([], ["x", "y"], DIFFERENCE), (["x*y - 1"], ["1"], [["4"]])]
    sides = {"x": POSITIVE, "y": POSITIVE}
    facts = [("x*y - 1", False)]
    three = [summand(["x"], ["1"], [["1"]]), summand(["y"], ["1"], [["1"]])]
    positive = [*three, summand([], ["1"], [["2"]])]
    good = gram(*terms, multiplier=positive)
    assert accepted("x + y - 2", good, facts=facts, **sides)
    assert not accepted("x + y - 2", good, strict=True, facts=facts, **sides)
    assert not accepted("x + y - 2 - 1/10**9", good, facts=facts, **sides)
    assert not accepted("x + y - 2", good, facts=facts, x=LINE, y=LINE)
    assert not accepted("x + y - 2", gram(*terms, multiplier=three), facts=facts, **sides)
    assert not accepted(
        "x + y - 2", gram(*terms, multiplier=positive, dense=True), facts=facts, **sides
    )


@pytest.mark.parametrize(
    ("goal", "terms", "multiplier", "box", "facts"),
    [
        # m = 0 proves nothing.
        ("-1", [], [], {"x": LINE}, []),
        ("-1", [([], ["0"], [["1"]])], [summand([], ["x - x"], [["1"]])], {"x": LINE}, []),
        # m = x vanishes on the whole region.
        ("-x - 1", [], [summand(["x"], ["1"], [["1"]])], {"x": Side(F(0), F(0))}, []),
        (
            "x - 1",
            [(["-x"], ["1"], [["1"]])],
            [summand(["x"], ["1"], [["1"]])],
            {"x": LINE},
            [("x", False), ("-x", False)],
        ),
    ],
)
def test_multipliers_that_vanish(
    goal: str, terms: Any, multiplier: Any, box: dict[str, Side], facts: Any
) -> None:
    for dense in (True, False):
        proof = gram(*terms, multiplier=multiplier, dense=dense)
        assert not accepted(goal, proof, facts=facts, **box)


def test_dense_multipliers() -> None:
    proof = gram(([], ["x*(x - y)"], [["1"]]), multiplier=[summand([], ["x"], [["1"]])], dense=True)
    assert accepted("(x - y)**2", proof, x=LINE, y=LINE)
    assert not accepted("(x - y)**2", proof, strict=True, x=LINE, y=LINE)
    assert not accepted("(x - y)**2", proof, x=Side(F(0), F(0)), y=LINE)
    sure = {**proof, "dense": False}
    assert not accepted("(x - y)**2", sure, x=LINE, y=LINE)
    assert not accepted("(x - y)**2", {**proof, "dense": "yes"}, x=LINE, y=LINE)


@pytest.mark.parametrize(
    "term",
    [
        None,
        {},
        {"weight": [], "basis": ["1"], "matrix": [["nan"]]},
        {"weight": [], "basis": ["1"], "matrix": [["1/0"]]},
        {"weight": [], "basis": ["1"], "matrix": [[1]]},
        {"weight": [], "basis": ["1"], "matrix": [[float("inf")]]},
        {"weight": [], "basis": ["1"], "matrix": [["1e3"]]},
        {"weight": [], "basis": ["1"], "matrix": [["1", "1"]]},
        {"weight": [], "basis": ["1"], "matrix": []},
        {"weight": [], "basis": [], "matrix": []},
        {"weight": [], "basis": [1], "matrix": [["1"]]},
        {"weight": [], "basis": ["1/x"], "matrix": [["1"]]},
        {"weight": [], "basis": ["z"], "matrix": [["1"]]},
        {"weight": [], "basis": ["x**1000000000"], "matrix": [["1"]]},
        {"weight": [], "basis": ["((x+1)**300+1)**300"], "matrix": [["1"]]},
        {"weight": "", "basis": ["1"], "matrix": [["1"]]},
        {"weight": [0], "basis": ["1"], "matrix": [["1"]]},
        {"weight": [], "basis": ["1"], "matrix": [["9" * 100_000]]},
    ],
)
def test_malformed_sums(term: Any) -> None:
    assert not accepted("1", {"rule": "gram", "terms": [term]}, x=LINE)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-4, 6), min_size=6, max_size=6), st.booleans())
def test_only_semidefinite_matrices_pass(entries: list[int], strict: bool) -> None:
    a, b, c, d, e, f = entries
    matrix = [[str(a)], [str(b), str(c)], [str(d), str(e), str(f)]]
    goal = f"({a}) + 2*({b})*x + ({c})*x**2 + 2*({d})*y + 2*({e})*x*y + ({f})*y**2"
    proof = gram(([], ["1", "x", "y"], matrix))
    minors = [a, c, f, a * c - b * b, a * f - d * d, c * f - e * e]
    minors.append(a * (c * f - e * e) - b * (b * f - e * d) + d * (b * e - c * d))
    right = all(m >= 0 for m in minors)
    definite = a > 0 and a * c - b * b > 0 and minors[-1] > 0
    assert accepted(goal, proof, strict, x=LINE, y=LINE) == (definite if strict else right)
