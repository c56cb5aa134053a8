"""Refutation: every false problem gets an exact witness; no true one is ever refuted."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods.inequality.falsify import CHEAP, DEEP, find_feasible, refute
from proofs_check.methods.inequality.points import fails, inside, sign_at, simple_points
from proofs_check.methods.inequality.problem import Problem, make_problems, problem_from_text

DATA = Path(__file__).parents[3] / "data" / "inequalities.json"
PROBLEMS: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))


def from_data(entry: dict[str, Any]) -> Problem:
    open_ends = entry.get("open") or {}
    ranges = {
        name: (ends[0], ends[1], *open_ends.get(name, (False, False)))
        for name, ends in entry["vars"].items()
    }
    return problem_from_text(entry["claim"], ranges)


def problem(claim: str, *hypotheses: str) -> Problem:
    (found,) = make_problems(parse_condition(claim), [parse_condition(h) for h in hypotheses])
    return found


def check_witness(problem: Problem, witness: Any) -> None:
    assert inside(problem, witness)
    assert all(isinstance(value, Fraction) for value in witness.values())
    assert fails(problem, witness)


FALSE = [entry for entry in PROBLEMS if entry["truth"] is False]


@pytest.mark.parametrize("entry", FALSE, ids=[entry["id"] for entry in FALSE])
def test_false_benchmark_problems_are_refuted(entry: dict[str, Any]) -> None:
    given_problem = from_data(entry)
    result = refute(given_problem, work=CHEAP)
    if result.status is Status.UNDECIDED:
        result = refute(given_problem, work=DEEP)
    assert result.status is Status.REFUTED
    check_witness(given_problem, result.witness)


def test_true_benchmark_problems_are_not_refuted() -> None:
    for entry in PROBLEMS:
        if entry["truth"] is not False:
            assert refute(from_data(entry)).status is Status.UNDECIDED, entry["id"]


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("log(1 + x) < x", ["x > -1"]),  # equality at 0
        ("log(2) + p*log(p) + (1-p)*log(1-p) > 2*(p - 1/2)**2", ["0 < p < 1"]),
        ("(x**2 - 2)**2 + (x - y)**2 >= 1/10**40", ["0 <= x <= 2", "0 <= y <= 5"]),
        ("x <= 1e100", ["x > 0"]),
        ("sin(1/x) >= -1 + 1e-9", ["x > 0"]),
        ("2**n >= n**2", ["n in N"]),
        ("x*y <= 1/5", ["x + y <= 1", "x >= 0", "y >= 0"]),
        ("x**x**x >= 1", ["x > 0"]),
        ("abs(x) + abs(y) <= sqrt(x**2 + y**2)", []),
        ("floor(x) >= x - 99/100", []),
        ("log(4) < 2*log(2)", []),
        ("x >= 0", ["x > -1e-15"]),
    ],
)
def test_refuted(claim: str, hypotheses: list[str]) -> None:
    given_problem = problem(claim, *hypotheses)
    result = refute(given_problem, work=DEEP)
    assert result.status is Status.REFUTED
    check_witness(given_problem, result.witness)


@pytest.mark.parametrize(
    "claim", ["exp(x) >= 1 + x", "x**2 + y**2 >= 2*x*y", "cosh(x) <= exp(x**2/2)", "sin(x) <= 1"]
)
def test_tight_claims_are_not_refuted(claim: str) -> None:
    assert refute(problem(claim), work=DEEP).status is Status.UNDECIDED


def test_witnesses_are_simple() -> None:
    result = refute(problem("x**2 + y >= x*y + 3/10", "-5 <= x <= 5", "-5 <= y <= 5"))
    assert result.witness is not None
    assert max(v.denominator for v in result.witness.values()) <= 10


@pytest.mark.parametrize(
    ("claim", "hypotheses", "place"),
    [
        ("log(x) <= x", ["x >= 0"], "x = 0"),
        ("1/(x - 1/3) >= -100", ["0 <= x <= 2"], "x = "),
        ("1/(x**2 - 2) >= -100", ["0 <= x <= 2"], "x = 1.41421"),
        ("sqrt(x - y) <= x + y", ["x >= 0", "y >= 0"], "x = 0"),
        ("log(log(x)) <= x", ["x > 1/2"], "x = "),
        ("gamma(x) > 0", ["-5 < x"], "x = "),
        ("x**y <= 1", ["-1 <= x <= 1", "y > 0"], "x = "),
        ("1/0 <= 1", [], "every point"),
        ("asin(x) <= 2", ["0 <= x <= 1.001"], "x = "),
        ("x <= 1", ["x <= 1", "log(x) <= 2"], "x = "),
    ],
)
def test_undefined_points(claim: str, hypotheses: list[str], place: str) -> None:
    result = refute(problem(claim, *hypotheses))
    assert result.status is Status.ERROR
    assert result.method == "undefined"
    assert f"undefined at {place}" in result.reason


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("log(x) <= x", ["x > 0"]),
        ("gamma(x) < 0", ["-0.9 <= x <= -0.1"]),
        ("1/x >= x", ["0 < x <= 1"]),
        ("sqrt(x - y) <= x + 1", ["x >= y", "0 <= y"]),
        ("1/sin(x) >= 1", ["0 < x < 3.1"]),
        ("x**(1/3) <= x + 1", ["x >= 0"]),
    ],
)
def test_defined_everywhere_is_no_error(claim: str, hypotheses: list[str]) -> None:
    assert refute(problem(claim, *hypotheses), work=DEEP).status is Status.UNDECIDED


@pytest.mark.parametrize("hypotheses", [["x > 1", "x < 0"], ["x > 1", "x <= 1"],
                                        ["x in Z", "0 < x < 1"], ["1 < 0", "x < 1"]])  # fmt: skip
def test_contradictions_are_errors(hypotheses: list[str]) -> None:
    result = refute(problem("x <= x + 1", *hypotheses))
    if "1 < 0" not in hypotheses:
        assert result.status is Status.ERROR
    assert result.status is not Status.PROVED


def test_signs_at_points_need_exact_arithmetic_for_zero() -> None:
    tree = problem("sqrt(2)*sqrt(x) <= 2").goal
    assert sign_at(tree, {"x": Fraction(2)}) == 0
    assert sign_at(tree, {"x": Fraction(2) + Fraction(1, 10**60)}) == -1
    hard = problem("sin(1)**2 + cos(1)**2 <= 1").goal
    assert sign_at(hard, {}) is None


def test_feasible_points() -> None:
    found = find_feasible(problem("x <= 1", "x**2 + y**2 == 1", "x*y <= -1/3", "x <= y"))
    assert found is None or inside(problem("x <= 1", "x**2 + y**2 == 1"), found)
    assert find_feasible(problem("x <= 1", "x**2 + y**2 <= 1", "x*y <= -1/3")) is not None
    assert find_feasible(problem("x <= 1", "x*y >= 1", "x**2 + y**2 < 2")) is None


VALUES = st.fractions(min_value=-3, max_value=3, max_denominator=20)


@settings(max_examples=60, deadline=None)
@given(VALUES, VALUES, st.sampled_from(["exp(x)", "sin(3*x)", "x**4 - x", "cosh(x - 1)", "abs(x)"]))
def test_what_is_refuted_is_false_for_mpmath(shift: Fraction, at: Fraction, text: str) -> None:
    given_problem = problem(f"{text} >= {shift}", f"x >= {at}", f"x <= {at + 1}")
    result = refute(given_problem)
    if result.witness is not None:
        x = mpmath.mpf(result.witness["x"].numerator) / result.witness["x"].denominator
        table = {"exp": mpmath.exp, "sin": mpmath.sin, "cosh": mpmath.cosh, "abs": abs, "x": x}
        assert eval(text, {"__builtins__": {}}, table) < float(shift) + 1e-12


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2))
def test_simple_points_stay_in_the_box(row: list[float]) -> None:
    given_problem = problem("x <= y", "0 < x <= 1", "y > 2", "y in Z")
    for point in simple_points(given_problem, row):
        assert given_problem.interval("x").contains(point["x"])
        assert given_problem.interval("y").contains(point["y"])
